package form_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

func newEditor(tb testing.TB, schema, layout, value string) *form.Editor {
	tb.Helper()
	s, err := form.NewEditor(tb.Context(), form.Input{
		Schema: json.RawMessage(schema), UISchema: json.RawMessage(layout), Value: json.RawMessage(value),
	}, form.EditorLimits(), false)
	require.NoError(tb, err)
	return s
}

// tree writes nodes as lines, for tests to compare.
func nodeLines(nodes []*form.Node, indent string) []string {
	var lines []string
	for _, n := range nodes {
		line := indent + string(n.Kind)
		if n.Kind != form.KindVertical && n.Kind != form.KindHorizontal && n.Kind != form.KindTabs && n.Kind != form.KindStepper {
			line += " " + n.Label
		}
		if text := n.Text(form.Locale{}); n.Pointer != "" && n.Present() && len(n.Children)+len(n.Rows) == 0 {
			line += "=" + text
		}
		for name, is := range map[string]bool{" required": n.Required, " hidden": n.Hidden} {
			if is {
				line += name
			}
		}
		if n.IsLocked() {
			line += " locked"
		}
		for _, option := range n.Options {
			line += " (" + option.Title + ")"
		}
		lines = append(append(lines, line), nodeLines(n.Children, indent+"  ")...)
		for _, row := range n.Rows {
			lines = append(append(lines, indent+"  row "+row.Key), nodeLines(row.Nodes, indent+"    ")...)
		}
	}
	return lines
}

const many = `["a","b","c","d","e","f","g","h","i","j","k","l","m"]`

func TestEditor(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for name, test := range map[string]struct {
		schema, layout, value string
		want                  []string
	}{
		"plain controls": {
			schema: `{"type":"object","required":["name","ok"],"properties":{
				"name":{"type":"string","title":"Name"},"pin":{"type":"string","format":"password"},
				"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},"ok":{"type":"boolean"},
				"d":{"type":"string","format":"date"},"t":{"type":"string","format":"time"},"dt":{"type":"string","format":"date-time"},
				"ro":{"type":"string","readOnly":true},"text":{"type":"string"}}}`,
			value: `{"name":"x","pin":"1234","n":1.50,"dt":"2026-03-01T10:00:00+02:00","t":"09:30:00Z","text":"a\nb","ro":"y"}`,
			want: []string{
				"line Name=x required", "secret Pin=", "number N=1.50", "integer I", "check B", "radio Ok required () ()",
				"date D", "time T=09:30", "date-time Dt=2026-03-01T08:00", "line Ro=y locked", "lines Text=a\nb",
			},
		},
		"options": {
			schema: `{"properties":{"r":{"enum":["a","b"]},"o":{"type":"integer","oneOf":[{"const":1,"title":"One"},{"const":2,"title":"One"}]},
				"s":{"enum":["a","b","c","d","e","f"]},"m":{"enum":` + many + `},"x":{"enum":["a"]},
				"c":{"type":"array","uniqueItems":true,"items":{"enum":["a","b"]}}}}`,
			value: `{"o":1.0,"x":"z","m":"c","c":["b","q"]}`,
			want: []string{
				"radio R (a) (b)", "radio O=1 (One (1)) (One (2))", "select S (a) (b) (c) (d) (e) (f)",
				"search M=c (a) (b) (c) (d) (e) (f) (g) (h) (i) (j) (k) (l) (m)", `radio X="z" (a) (z)`,
				"choices C=[\n  \"b\",\n  \"q\"\n] (a) (b) (q)",
			},
		},
		"references": {
			schema: `{"properties":{"f":{"type":"string","format":"kuflow-file","accept":".pdf","maxSize":"1 MB"},
				"fs":{"type":"array","items":{"type":"string","format":"kuflow-file"}},"p":{"type":"string","format":"kuflow-principal"},
				"g":{"type":"string","format":"kuflow-group"},"pr":{"type":"string","format":"kuflow-process"},
				"a":{"type":"string","format":"kuflow-business-artifact"},"d":{"type":"string","format":"kuflow-data-source","dataSource":"GOODS"},
				"ps":{"type":"array","items":{"type":"string","format":"kuflow-principal"}}}}`,
			value: `{"p":"kuflow-principal:id=01970000-0000-7000-8000-00000000c002;type=USER;name=Carol;"}`,
			want: []string{
				"file F", "files Fs", "principal P=Carol", "group G", "process Pr", "artifact A", "data-source D", "list Ps",
			},
		},
		"objects and arrays": {
			schema: `{"properties":{"address":{"type":"object","required":["town"],"properties":{"town":{"type":"string"}}},
				"tags":{"type":"array","items":{"type":"string"}},"dates":{"type":"array","items":{"type":"string","format":"date"}},
				"rows":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"number"}}}},
				"cards":{"type":"array","items":{"type":"object","properties":{"o":{"type":"object","properties":{"x":{"type":"string"}}}}}}}}`,
			value: `{"tags":["a","b"],"rows":[{"a":"1"},{"n":2,"z":0}],"dates":["2026-01-02"]}`,
			want: []string{
				"object Address", "  line Town required", "tags Tags=a\nb",
				"list Dates", "  row 0", "    date Entry 1=2026-01-02",
				"table Rows", "  row 0", "    line A=1", "    number N", "  row 1", "    line A", "    number N=2", "cards Cards",
			},
		},
		"what no control knows": {
			schema: `{"properties":{"any":{"type":["string","boolean"]},"open":{"type":"object"},"tuple":{"type":"array","prefixItems":[{}]},
				"wrong":{"type":"number"},"odd":{"type":"string"},"matrix":{"type":"array","items":{"type":"array","items":{"type":"number"}}}}}`,
			value: `{"open":{"a":1},"wrong":{"a":1},"odd":"a\u0000b","tuple":[1]}`,
			want: []string{
				"choice Any () ()", "  line Any", "map Open", "  row a", "    choice Value () () () () ()", "      number Value=1",
				"tuple Tuple", "  choice 1 () () () () ()", "    number 1=1", "json Wrong={\n  \"a\": 1\n}",
				`json Odd="a\u0000b"`, "table Matrix",
			},
		},
		"a schema that refers to itself": {
			schema: `{"type":"object","properties":{"v":{"type":"string"},"next":{"$ref":"#"},"all":{"type":"array","items":{"$ref":"#"}}}}`,
			value:  `{"next":{"v":"1"}}`,
			want: []string{
				"line V", "object Next", "  line V=1", "  add Next", "  cards All", "cards All",
			},
		},
		"alternatives": {
			schema: `{"type":"object","oneOf":[{"properties":{"kind":{"const":"p"},"p":{"type":"string"}}},
				{"properties":{"kind":{"const":"q"},"q":{"type":"number"}}}],
				"if":{"properties":{"kind":{"const":"q"}},"required":["kind"]},"then":{"properties":{"t":{"type":"string"}}},"else":{"properties":{"e":{"type":"string"}}}}`,
			value: `{"kind":"q"}`,
			want:  []string{`radio Kind="q" (p) (q)`, "number Q", "line T"},
		},
		"a layout": {
			schema: `{"required":["z"],"properties":{"a":{"type":"string"},"b":{"type":"boolean"},"c":{"type":"object","properties":{"d":{"type":"string"}}},"z":{"type":"string"}}}`,
			layout: `{"type":"Categorization","options":{"variant":"stepper"},"elements":[{"type":"Category","label":"One","elements":[
				{"type":"HorizontalLayout","elements":[{"type":"Control","scope":"#/properties/a","options":{"multi":true}},
				{"type":"Control","scope":"#/properties/b","label":"Bee","options":{"toggle":true}}]}]},
				{"type":"Category","label":"Two","elements":[{"type":"Group","label":"G","elements":[{"type":"Label","text":"Hi"},
				{"type":"Control","scope":"#/properties/c/properties/d"}]}]}]}`,
			value: `{}`,
			want: []string{
				"stepper", "  page One", "    horizontal", "      lines A", "      toggle Bee", "  page Two", "    section G", "      note Hi",
				"      line D", "section Other", "  line Z required",
			},
		},
		"rules": {
			schema: `{"properties":{"a":{"type":"string"},"b":{"type":"string"},"c":{"type":"string"},"d":{"type":"string"},"e":{"type":"string"}}}`,
			layout: `{"type":"VerticalLayout","elements":[
				{"type":"Control","scope":"#/properties/a"},
				{"type":"Control","scope":"#/properties/b","rule":{"effect":"SHOW","condition":{"scope":"#/properties/a","schema":{"const":"x"}}}},
				{"type":"Control","scope":"#/properties/c","rule":{"effect":"HIDE","condition":{"scope":"#/properties/a","schema":{"minLength":5}}}},
				{"type":"Control","scope":"#/properties/d","rule":{"effect":"DISABLE","condition":{"type":"OR","conditions":[
					{"type":"LEAF","scope":"#/properties/a","expectedValue":"x"},{"scope":"#/properties/q","schema":{},"failWhenUndefined":true}]}}},
				{"type":"Control","scope":"#/properties/e","rule":{"effect":"ENABLE","condition":{"scope":"#","schema":{"required":["b"]}}}}]}`,
			value: `{"a":"x"}`,
			want:  []string{"vertical", "  line A=x", "  line B", "  line C", "  line D locked", "  line E locked"},
		},
		"a broken rule hides what it would show": {
			schema: `{"properties":{"a":{"type":"string"}}}`,
			layout: `{"type":"Control","scope":"#/properties/a","rule":{"effect":"SHOW","condition":{"scope":"#/properties/a","schema":{"type":7}}}}`,
			value:  `{}`, want: []string{"line A hidden"},
		},
		"no schema": {value: `{"a":1}`, want: []string{"json Value"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, nodeLines(newEditor(t, test.schema, test.layout, test.value).Nodes, ""))
		})
	}
}

func TestEditorPointersAndBounds(t *testing.T) {
	t.Parallel()
	s := newEditor(t, `{"$defs":{"m":{"type":"number","minimum":1,"exclusiveMaximum":10.50,"multipleOf":0.5,"title":"Much","description":"How much"}},
		"properties":{"rows":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"object","properties":{"n":{"$ref":"#/$defs/m"},"s":{"type":"string","maxLength":5,"minLength":2,"pattern":"^a"}}}}}}`,
		"", `{"rows":[{"n":2}]}`)
	n := s.Find("/rows/0/n")
	require.Equal(t, "/properties/rows/items/properties/n", n.Schema)
	require.Equal(t, "How much", n.Help)
	require.Equal(t, form.Bounds{
		Minimum: "1", Below: "10.50", MultipleOf: "0.5", MinLength: -1, MaxLength: -1, MinItems: -1, MaxItems: -1,
	}, n.Bounds)
	require.Equal(t, 5, s.Find("/rows/0/s").Bounds.MaxLength)
	require.Equal(t, 3, s.Find("/rows").Bounds.MaxItems)
	require.Nil(t, s.Find("/nowhere"))
}

func TestEditorLimits(t *testing.T) {
	t.Parallel()
	rows := strings.TrimSuffix(strings.Repeat(`{"a":1},`, 301), ",")
	s := newEditor(t, `{"properties":{"rows":{"type":"array","items":{"type":"object","properties":{"a":{"type":"number"}}}}}}`, "", `{"rows":[`+rows+`]}`)
	require.Equal(t, form.KindJSON, s.Find("/rows").Kind)

	var properties []string
	for i := range 6000 {
		properties = append(properties, fmt.Sprintf(`"f%d":{"type":"string"}`, i))
	}
	s = newEditor(t, `{"properties":{`+strings.Join(properties, ",")+`}}`, "", `{"f0":"x"}`)
	require.Equal(t, []string{"json Value"}, nodeLines(s.Nodes, ""))
	require.JSONEq(t, `{"f0":"x"}`, s.Nodes[0].Text(form.Locale{}))

	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 60) + `{"type":"string"}` + strings.Repeat(`}}`, 60)
	begun := time.Now()
	s = newEditor(t, deep, "", strings.Repeat(`{"a":`, 100)+`1`+strings.Repeat(`}`, 100))
	require.LessOrEqual(t, len(nodeLines(s.Nodes, "")), 14)
	wide := `{"$defs":{"o":{"type":"object","properties":{` + strings.TrimSuffix(strings.Repeat(`"X":{"$ref":"#/$defs/p"},`, 1), ",") + `}},
		"p":{"type":"object","properties":{"a":{"$ref":"#/$defs/o"},"b":{"$ref":"#/$defs/o"},"c":{"allOf":[{"$ref":"#/$defs/o"},{"title":"t"}]}}}},"$ref":"#/$defs/p"}`
	newEditor(t, wide, "", `{}`)
	require.Less(t, time.Since(begun), 2*time.Second)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := form.NewEditor(ctx, form.Input{}, form.EditorLimits(), false)
	require.ErrorIs(t, err, context.Canceled)
}

func TestElements(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01970000-0000-7000-8000-00000000c002")
	document, err := domain.NewDocumentValue(domain.DocumentValue{ID: id, URI: "ku:x", Name: "a.pdf", ContentType: "application/pdf", ContentLength: 5}, true)
	require.NoError(t, err)
	in, err := form.ElementsInput([]domain.ElementDefinition{
		{Code: "F", Name: "Field", Type: domain.ElementField, Mandatory: true},
		{Code: "N", Type: domain.ElementField, FieldType: domain.ValueNumber, Multiple: true},
		{Code: "O", Type: domain.ElementForm, Schema: json.RawMessage(`{"properties":{"a":{"type":"string"}}}`)},
		{Code: "D", Type: domain.ElementDocument},
		{Code: "Y", Type: domain.ElementDecision, Options: []domain.ElementOption{{Code: "A", Name: "Approve"}, {Code: "R"}}},
		{Code: "P", Type: domain.ElementPrincipal},
	}, domain.ElementValues{
		"F": {{Type: domain.ValueString, Value: json.RawMessage(`"x"`)}},
		"N": {{Type: domain.ValueNumber, Value: json.RawMessage(`1.50`)}, {Type: domain.ValueNumber, Value: json.RawMessage(`2`)}},
		"O": {{Type: domain.ValueObject, Value: json.RawMessage(`{"a":"1"}`)}}, "D": {document},
		"Y": {{Type: domain.ValueString, Value: json.RawMessage(`"A"`)}},
		"P": {{Type: domain.ValuePrincipal, Value: json.RawMessage(`{"id":"` + id.String() + `","type":"USER","name":"Carol"}`)}},
	})
	require.NoError(t, err)
	s, err := form.NewEditor(t.Context(), in, form.EditorLimits(), true)
	require.NoError(t, err)
	require.Equal(t, []string{
		"line Field=x required locked", "tags N=1.50\n2 locked", "object O locked", "  line A=1 locked",
		"file D=kuflow-file:uri=ku:x;type=application/pdf;size=5;name=a.pdf; locked", `radio Y="A" locked (Approve) (R)`,
		"principal P=Carol locked",
	}, nodeLines(s.Nodes, ""))
}

func TestElementValues(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01970000-0000-7000-8000-00000000c002")
	field := domain.ElementDefinition{Code: "F", Type: domain.ElementField, FieldType: domain.ValueNumber, Multiple: true}
	report := domain.ElementDefinition{Code: "O", Type: domain.ElementForm}
	document := domain.ElementDefinition{Code: "D", Type: domain.ElementDocument}
	person := domain.ElementDefinition{Code: "P", Type: domain.ElementPrincipal}
	for _, c := range []struct {
		element domain.ElementDefinition
		member  string
		want    []string
	}{
		{field, `[1.50,"x",null,1E2]`, []string{`NUMBER 1.50`, `STRING "x"`, `NUMBER 1E2`}},
		{field, ``, nil},
		{report, `{"b":1.0,"a":[]}`, []string{`OBJECT {"b":1.0,"a":[]}`}},
		{report, `[1,{}]`, []string{`STRING "[1,{}]"`}},
		{report, `true`, []string{`STRING "true"`}},
		{document, `"kuflow-file:uri=ku:x;type=text/plain;size=5;name=a.txt;"`, []string{`DOCUMENT {"uri":"ku:x"}`}},
		{document, `"a.txt"`, []string{`STRING "a.txt"`}},
		{person, `"kuflow-principal:id=` + id.String() + `;type=USER;name=Carol;"`, []string{
			`PRINCIPAL {"id":"` + id.String() + `","type":"USER","name":"Carol"}`,
		}},
	} {
		values, err := form.ElementValues(&c.element, json.RawMessage(c.member))
		require.NoError(t, err)
		var got []string
		for _, v := range values {
			require.True(t, v.Valid)
			got = append(got, string(v.Type)+" "+string(v.Value))
		}
		require.Equal(t, c.want, got, c.member)
	}
}

// TestElementSchemas checks that references within the schema of an element keep their targets.
func TestElementSchemas(t *testing.T) {
	t.Parallel()
	in, err := form.ElementsInput([]domain.ElementDefinition{{
		Code: "O", Type: domain.ElementForm, Multiple: true, Mandatory: true,
		Schema: json.RawMessage(`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"boolean"}}}`),
	}}, nil)
	require.NoError(t, err)
	schema, err := jsondoc.Compile(in.Schema)
	require.NoError(t, err)
	for value, valid := range map[string]bool{`{"O":[{"a":true}]}`: true, `{"O":[{"a":"x"}]}`: false, `{"O":[]}`: false, `{}`: false} {
		checked, err := schema.Validate(json.RawMessage(value))
		require.NoError(t, err)
		require.Equal(t, valid, checked.Valid, value)
	}
}
