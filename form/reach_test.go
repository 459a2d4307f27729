package form_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/form"
)

var reachCases = flag.Uint64("reach-cases", 1_000, "number of cases of TestReach")

// A generator writes schemas, and values of them.
type generator struct{ *rand.Rand }

// schemaAndValue returns a random schema and a valid value for it, never an empty one.
func (g generator) schemaAndValue(depth int) (schema, value string) {
	kinds := 20
	if depth == 0 {
		kinds = 10
	}
	switch g.IntN(kinds) {
	case 0:
		return `{"type":"string"}`, g.pick(`"x"`, `"Carol"`, `"5"`, `"true"`)
	case 1:
		return `{"type":"integer"}`, g.pick(`5`, `-17`, `9007199254740993`, `10`)
	case 2:
		return `{"type":"number","title":"Amount"}`, g.pick(`12.90`, `0.125`, `1e40`, `7`)
	case 3:
		return `{"type":"boolean"}`, g.pick(`true`, `false`)
	case 4:
		return `{"enum":["a","b",917126358974716233,917126358974716234,true]}`, g.pick(`"a"`, `917126358974716234`, `true`)
	case 5:
		return `{"type":"string","format":"date"}`, g.pick(`"2026-02-03"`, `"1937-06-30"`)
	case 6:
		return `{"type":"string","format":"time"}`, g.pick(`"10:00:00Z"`, `"23:59:59Z"`)
	case 7:
		return `{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]}`, g.pick(`42`, `0`)
	case 8:
		return `{"type":"array","items":{"type":"string","minLength":1}}`, g.pick(`["b","a"]`, `["x"]`)
	case 9:
		return `{"type":"string","format":"duration"}`, g.pick(`"P3D"`, `"PT36H"`, `"P1DT2H"`, `"P2W"`, `"PT0S"`)
	case 13:
		schema, value := g.schemaAndValue(depth - 1)
		return `{"type":"object","additionalProperties":` + schema + `}`, `{` + g.pick(`"k":`+value, `"x/y":`+value+`,"z":`+value) + `}`
	case 14:
		a, x := g.schemaAndValue(0)
		b, y := g.schemaAndValue(0)
		return `{"type":"array","prefixItems":[` + a + `,` + b + `],"minItems":2,"maxItems":2}`, `[` + x + `,` + y + `]`
	case 15:
		return `{"type":"array","items":{"type":"array","items":{"type":"number"}}}`, g.pick(`[[1,2],[3,4]]`, `[[0.5,1]]`, `[[1,2,3],[4,5,6]]`)
	case 16:
		return g.pick(`{}`, `{"title":"Any"}`, `{"type":["string","boolean","array"]}`), g.pick(`"x"`, `true`, `["a","b"]`)
	case 17:
		schema, value := g.schemaAndValue(depth - 1)
		return `{"oneOf":[{"type":"array","items":{"type":"string"}},{"type":"object","patternProperties":{"^[a-z]+$":` + schema + `},"additionalProperties":false}]}`,
			g.pick(`["a"]`, `{"k":`+value+`}`, `{"k":`+value+`,"z":`+value+`}`)
	case 10:
		return g.objectSchema(depth)
	case 11:
		schema, value := g.schemaAndValue(depth - 1)
		return `{"type":"array","items":` + schema + `}`, `[` + value + `]`
	case 12:
		inner, value := g.objectSchema(depth - 1)
		return `{"anyOf":[{"type":"string","maxLength":4},` + inner + `]}`, g.pick(`"abc"`, value)
	default:
		a, x := g.schemaAndValue(depth - 1)
		b, y := g.schemaAndValue(depth - 1)
		return `{"type":"object","required":["kind"],"oneOf":[{"properties":{"kind":{"const":"one"},"v":` + a + `}},{"properties":{"kind":{"const":"two"},"v":` + b + `}}]}`,
			g.pick(`{"kind":"one","v":`+x+`}`, `{"kind":"two","v":`+y+`}`)
	}
}

func (g generator) objectSchema(depth int) (schema, value string) {
	var properties, members []string
	for i := range 1 + g.IntN(3) {
		inner, v := g.schemaAndValue(max(depth-1, 0))
		name := strconv.Quote(string(rune('a' + i)))
		properties = append(properties, name+":"+inner)
		if i == 0 || g.IntN(3) > 0 {
			members = append(members, name+":"+v)
		}
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`, `{` + strings.Join(members, ",") + `}`
}

func (g generator) pick(texts ...string) string { return texts[g.IntN(len(texts))] }

// disturb replaces one value of a document by one of another type or spelling.
func (g generator) disturb(tb testing.TB, document string) string {
	tb.Helper()
	var pointers []string
	var visit func(value any, pointer string)
	visit = func(value any, pointer string) {
		if pointer != "" {
			pointers = append(pointers, pointer)
		}
		switch v := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(func(yield func(string) bool) {
				for name := range v {
					if !yield(name) {
						return
					}
				}
			}) {
				visit(v[name], pointer+"/"+jsontext.EscapeToken(name))
			}
		case []any:
			for i, element := range v {
				visit(element, pointer+"/"+strconv.Itoa(i))
			}
		}
	}
	var decoded any
	require.NoError(tb, json.Unmarshal([]byte(document), &decoded))
	visit(decoded, "")
	odd := g.pick(`"5"`, `5`, `"10:00"`, `""`, `true`, `"true"`, `null`, `{}`, `[]`, `{"q":1}`, `["x",5]`, `"2026-02-03"`, `1.0`, `"a\nb"`, `"abc"`)
	changed, err := jsondoc.Apply(json.RawMessage(document), []jsondoc.Operation{
		{Op: "replace", Path: pointers[g.IntN(len(pointers))], Value: json.RawMessage(odd)},
	})
	require.NoError(tb, err)
	return string(changed)
}

// user fills in forms by their controls only.
type user struct {
	tb     testing.TB
	schema string
	picked jsondoc.Picked
}

func (p *user) open(value string) *form.Editor {
	p.tb.Helper()
	s, err := form.NewEditor(p.tb.Context(), form.Input{
		Schema: json.RawMessage(p.schema), Value: json.RawMessage(value), Picked: p.picked,
	}, form.EditorLimits(), false)
	require.NoError(p.tb, err)
	return s
}

// enterGoal enters what a form for the wanted value shows into the form of a value, and returns the value that it has then.
func (p *user) enterGoal(value, targetJSON string) string { //nolint:funlen // a case for each kind of control
	p.tb.Helper()
	goal := (&user{tb: p.tb, schema: p.schema}).open(targetJSON)
	members := map[string]string{}
	form.Walk(goal.Nodes, func(n *form.Node) bool {
		for i, row := range n.Rows {
			if n.Kind == form.KindMap {
				members[n.Pointer+"/"+row.Key] = n.Pointer + "/new" + strconv.Itoa(i)
			}
		}
		if n.Width > 0 {
			for _, pointer := range newRowPointers(n.Pointer, members) {
				p.picked[jsondoc.ChoiceKey{Pointer: pointer, Schema: form.ColumnsKey}] = n.Width
			}
		}
		if n.Choice != nil {
			for _, pointer := range newRowPointers(n.Choice.Key.Pointer, members) {
				p.picked[jsondoc.ChoiceKey{Pointer: pointer, Schema: n.Choice.Key.Schema}] = n.Choice.Selected
			}
		}
		return true
	})
	s := p.open(value)
	typed := form.Submission{Texts: map[string][]string{}, Orders: map[string][]string{}, Confirmed: map[string]bool{}, Members: map[string]string{}, Qualifiers: map[string]string{}}
	form.Walk(s.Nodes, func(n *form.Node) bool {
		if n.Pointer == "" && n.Kind != form.KindJSON {
			return true
		}
		typed.Confirmed[n.Name] = true
		goalNode := goal.Find(n.Pointer)
		if n.Mixed {
			goalNode = findMixed(goal, n.Pointer)
		}
		want, present := jsondoc.Lookup(json.RawMessage(targetJSON), n.Pointer)
		switch {
		case n.Kind.HasRows():
			count := 0
			if goalNode != nil {
				count = len(goalNode.Rows)
			}
			for i := range count {
				key := "new" + strconv.Itoa(i)
				exists := i < len(n.Rows)
				if exists {
					key = n.Rows[i].Key
				}
				if n.Kind == form.KindMap {
					row := goalNode.Rows[i]
					if exists = slices.ContainsFunc(n.Rows, func(r form.Row) bool { return r.Key == row.Key }); exists {
						key = row.Key
					} else {
						key = "new" + strconv.Itoa(i)
						typed.Members[n.Name+"/"+key] = row.Member
					}
				}
				if !exists && goalNode != nil {
					form.Walk(goalNode.Rows[i].Nodes, func(cell *form.Node) bool {
						name := n.Name + "/" + key + strings.TrimPrefix(cell.Name, n.Name+"/"+goalNode.Rows[i].Key)
						for _, row := range cell.Rows {
							typed.Orders[name] = append(typed.Orders[name], row.Key)
							typed.Members[name+"/"+row.Key] = row.Member
						}
						if cell.Pointer != "" && len(cell.Children)+len(cell.Rows) == 0 {
							typed.Qualifiers[name] = cell.Qualifier()
							if typed.Texts[name] = textsOf(cell); cell.Kind == form.KindCheck {
								typed.Texts[name] = []string{"true"} // It is ticked, and unticked in the next pass.
							}
						}
						return true
					})
				}
				typed.Orders[n.Name] = append(typed.Orders[n.Name], key)
			}
			if count == 0 {
				typed.Orders[n.Name] = []string{""}
			}
		case n.Kind == form.KindJSON:
			typed.Texts[n.Name] = []string{string(want)}
		case n.Children != nil || n.Kind == form.KindObject:
		case goalNode == nil && present && n.Kind == form.KindTags:
			var numbers []json.RawMessage
			require.NoError(p.tb, json.Unmarshal(want, &numbers))
			var lines []string
			for _, number := range numbers {
				lines = append(lines, string(number))
			}
			typed.Texts[n.Name] = []string{strings.Join(lines, "\n")}
		case goalNode == nil || !present:
			typed.Texts[n.Name] = []string{""}
		case n.Kind == form.KindCheck && !n.Present() && string(want) == "false":
			typed.Texts[n.Name] = []string{"true"} // It is ticked, and unticked in the next pass.
		case n.Kind == form.KindRadio || n.Kind == form.KindSelect:
			i := slices.IndexFunc(n.Options, func(o form.Option) bool { return form.Equal(json.RawMessage(o.Value), want) })
			require.GreaterOrEqual(p.tb, i, 0)
			typed.Texts[n.Name] = []string{n.Options[i].Value}
		case goalNode.Kind == n.Kind:
			typed.Texts[n.Name], typed.Qualifiers[n.Name] = textsOf(goalNode), goalNode.Qualifier()
		default:
			typed.Texts[n.Name] = []string{form.ReadableJSON(string(want))}
		}
		return true
	})
	change, err := s.Changes(typed)
	require.NoError(p.tb, err)
	return string(change.Value())
}

// findMixed returns the rows of an object that has named members or alternatives too, nil for none.
func findMixed(s *form.Editor, pointer string) (found *form.Node) {
	form.Walk(s.Nodes, func(n *form.Node) bool {
		if n.Mixed && n.Pointer == pointer {
			found = n
		}
		return true
	})
	return found
}

// newRowPointers returns a pointer, and the ones with keys of new rows in place of indexes.
func newRowPointers(pointer string, members map[string]string) []string {
	pointers := []string{""}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		count := len(pointers)
		for i := range count {
			before := pointers[i]
			pointers[i] += "/" + token
			if _, err := strconv.Atoi(token); err == nil {
				pointers = append(pointers, before+"/new"+token)
			}
		}
	}
	for from, to := range members {
		for _, pointer := range slices.Clone(pointers) {
			if rest, ok := strings.CutPrefix(pointer, from); ok && (rest == "" || rest[0] == '/') {
				pointers = append(pointers, to+rest)
			}
		}
	}
	return pointers
}

// showsGoal reports whether a value is valid and has the wanted values in all controls. Members without a control stay.
func (p *user) showsGoal(value, targetJSON string) bool {
	p.tb.Helper()
	compiled, err := jsondoc.Compile(json.RawMessage(p.schema))
	require.NoError(p.tb, err)
	checked, err := compiled.Validate(json.RawMessage(value))
	require.NoError(p.tb, err)
	same := checked.Valid
	for _, s := range []*form.Editor{p.open(value), (&user{tb: p.tb, schema: p.schema}).open(targetJSON)} {
		form.Walk(s.Nodes, func(n *form.Node) bool {
			if n.Pointer != "" && n.Children == nil && n.Kind != form.KindObject && !n.Kind.HasRows() {
				is, present := jsondoc.Lookup(json.RawMessage(value), n.Pointer)
				want, wants := jsondoc.Lookup(json.RawMessage(targetJSON), n.Pointer)
				same = same && present == wants && form.Equal(is, want)
			}
			return true
		})
	}
	return same
}

func textsOf(n *form.Node) []string {
	if n.Kind == form.KindChoices || n.Kind == form.KindFiles {
		return append([]string{""}, n.Texts()...)
	}
	return []string{n.Text(form.Locale{})}
}

// TestReach checks that a form never changes a value because it was shown, that each control shows the stored value or is
// marked, and that a person reaches any valid value from any stored one.
func TestReach(t *testing.T) {
	t.Parallel()
	for seed := range *reachCases {
		g := generator{rand.New(rand.NewPCG(seed, 1))}
		schema, targetJSON := g.objectSchema(3)
		stored := g.pick(targetJSON, `{}`, g.disturb(t, targetJSON), g.disturb(t, g.disturb(t, targetJSON)))
		about := fmt.Sprintf("seed %d\nschema %s\nwanted %s\nstored %s", seed, schema, targetJSON, stored)
		compiled, err := jsondoc.Compile(json.RawMessage(schema))
		require.NoError(t, err, about)
		checked, err := compiled.Validate(json.RawMessage(targetJSON))
		require.NoError(t, err)
		require.True(t, checked.Valid, about)

		s := newEditor(t, schema, "", stored)
		require.Empty(t, patchOf(t, s, submissionOf(s, form.Locale{})), about)
		p := user{tb: t, schema: schema, picked: jsondoc.Picked{}}
		value := stored
		for range 6 {
			if value = p.enterGoal(value, targetJSON); p.showsGoal(value, targetJSON) {
				break
			}
		}
		require.True(t, p.showsGoal(value, targetJSON), "%s\nreached %s", about, value)
	}
}
