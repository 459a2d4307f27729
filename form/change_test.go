package form_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
	"github.com/procession-dev/procession/form/locale"
)

const (
	everySchema = `{"type":"object","properties":{
		"line":{"type":"string"},"lines":{"type":"string"},"pin":{"type":"string","format":"password"},
		"n":{"type":"number"},"i":{"type":"integer"},"huge":{"type":"number"},"odd":{"type":"number"},"nul":{"type":["number","null"]},
		"check":{"type":"boolean"},"unticked":{"type":"boolean"},"radio":{"enum":["a","b"]},"one":{"oneOf":[{"const":1,"title":"One"},{"const":2,"title":"Two"}]},
		"search":{"enum":["a","b","c","d","e","f","g","h","i","j","k","l","m"]},
		"choices":{"type":"array","uniqueItems":true,"items":{"enum":["a","b","c"]}},
		"date":{"type":"string","format":"date"},"time":{"type":"string","format":"time"},"at":{"type":"string","format":"date-time"},
		"tags":{"type":"array","items":{"type":"string"}},"numbers":{"type":"array","items":{"type":"number"}},
		"list":{"type":"array","items":{"type":"string","format":"date"}},
		"rows":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"number"},"b":{"type":"boolean"}}}},
		"address":{"type":"object","properties":{"town":{"type":"string"}}},"none":{"type":"object","properties":{"x":{"type":"string"}}},
		"file":{"type":"string","format":"kuflow-file"},"files":{"type":"array","items":{"type":"string","format":"kuflow-file"}},
		"who":{"type":"string","format":"kuflow-principal"},"any":{"type":"number"},"tuple":{"type":"string"},
		"new":{"type":["string","number"]},"text":{"type":["number","string"]},"amount":{"type":["string","integer"]},
		"fixed":{"type":"string","readOnly":true}}}`
	carol      = `kuflow-principal:type=USER;id=01970000-0000-7000-8000-00000000c002;name=Carol`
	everyValue = `{ "line":"x","lines":"a\r\nb","pin":"1234","n":1.50,"i":10,"huge":1e400000,"odd":"abc","nul":null,
		"check":true,"radio":"b","one":1.0,"search":"c","choices":["c","z","a"],"date":"2026-02-03","time":"09:30:00+01:00",
		"at":"2026-03-01T10:00:00.25+02:00","tags":["b","a","b"],"numbers":[1.0,2],"list":["2026-01-02","2026-01-03"],
		"rows":[{"a":"1","n":1.0,"hidden":{"k":[1]}},{"a":"2","b":true},{"a":"3"}],"address":{"town":"Y","secret":7},
		"file":"kuflow-file:name=a.pdf;uri=ku:x;type=a/b;size=1","files":["kuflow-file:uri=ku:1;type=a/b;size=1;name=1;","kuflow-file:uri=ku:2;type=a/b;size=1;name=2;"],
		"who":"` + carol + `","any":{"x":[1.0,"\ud800"]},"tuple":[1,  2.0],"text":"12","amount":12,"fixed":"f","unknown":{"deep":[{"a":1e5}]}}`
)

func berlin(tb testing.TB) form.Locale {
	tb.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(tb, err)
	german := locale.Of(language.German)
	return form.Locale{Zone: zone, Numbers: &german}
}

// submissionOf returns the submission of an untouched page.
func submissionOf(s *form.Editor, in form.Locale) form.Submission {
	submission := form.Submission{Locale: in, Texts: map[string][]string{}, Orders: map[string][]string{}}
	form.Walk(s.Nodes, func(n *form.Node) bool {
		switch {
		case n.Kind.HasRows():
			order := []string{""}
			for _, row := range n.Rows {
				order = append(order, row.Key)
			}
			submission.Orders[n.Name] = order
		case n.Kind == form.KindChoices, n.Kind == form.KindFiles:
			submission.Texts[n.Name] = append([]string{""}, n.Texts()...)
		case n.Pointer != "" && n.Children == nil:
			submission.Texts[n.Name] = []string{n.Text(in)}
		}
		return true
	})
	return submission
}

func patchOf(tb testing.TB, s *form.Editor, submission form.Submission) []string {
	tb.Helper()
	change, err := s.Changes(submission)
	require.NoError(tb, err)
	var lines []string
	for _, op := range change.Patch {
		lines = append(lines, op.Op+" "+op.Path+" "+string(op.Value))
	}
	after, err := jsondoc.Apply(s.Value(), change.Patch)
	require.NoError(tb, err)
	require.Equal(tb, string(after), string(change.Value()), "the patch leads to the value")
	return lines
}

func TestUnchangedTextsGiveNoPatch(t *testing.T) {
	t.Parallel()
	s := newEditor(t, everySchema, "", everyValue)
	for _, in := range []form.Locale{{}, berlin(t)} {
		require.Empty(t, patchOf(t, s, submissionOf(s, in)))
	}
	require.Empty(t, patchOf(t, s, form.Submission{}), "controls that are not sent stay")
	require.Empty(t, patchOf(t, newEditor(t, everySchema, "", `{}`), submissionOf(newEditor(t, everySchema, "", `{}`), berlin(t))))
}

func TestChangeGivesOneOperation(t *testing.T) {
	t.Parallel()
	s := newEditor(t, everySchema, "", everyValue)
	in := berlin(t)
	for name, test := range map[string]struct{ text, want string }{
		"/line":      {"y", `replace /line "y"`},
		"/lines":     {"a\r\nc", `replace /lines "a\nc"`},
		"/pin":       {"99", `replace /pin "99"`},
		"/n":         {"1,500", `replace /n 1.500`},
		"/i":         {"abc", `replace /i "abc"`},
		"/huge":      {"1e999999", `replace /huge "1e999999"`},
		"/odd":       {"2,5", `replace /odd 2.5`},
		"/nul":       {"0", `replace /nul 0`},
		"/check":     {"false", `replace /check false`},
		"/unticked":  {"true", `add /unticked true`},
		"/radio":     {`"a"`, `replace /radio "a"`},
		"/one":       {`2`, `replace /one 2`},
		"/search":    {"D", `replace /search "d"`},
		"/date":      {"2026-02-04", `replace /date "2026-02-04"`},
		"/time":      {"10:00", `replace /time "10:00:00+01:00"`},
		"/at":        {"2026-07-01T10:00", `replace /at "2026-07-01T10:00:00+02:00"`},
		"/tags":      {"b\n\nnew", `replace /tags ["b","new"]`},
		"/numbers":   {"1.0\n3", `replace /numbers [1.0,3]`},
		"/list/1":    {"2026-05-05", `replace /list/1 "2026-05-05"`},
		"/rows/0/n":  {"", `remove /rows/0/n `},
		"/rows/1/b":  {"false", `replace /rows/1/b false`},
		"/none/x":    {"q", `add /none {"x":"q"}`},
		"/who":       {"", `remove /who `},
		"/any":       {`{"x":1}`, `replace /any/x 1`},
		"/tuple":     {`[1,2.0,3]`, `replace /tuple [1,2.0,3]`},
		"/new":       {"12.50", `add /new 12.50`},
		"/text":      {"13", `replace /text "13"`},
		"/amount":    {"a dozen", `replace /amount "a dozen"`},
		"/fixed":     {"changed", ""},
		"/elsewhere": {"x", ""},
	} {
		submission := submissionOf(s, in)
		submission.Texts[name] = []string{test.text}
		if test.want == "" {
			require.Empty(t, patchOf(t, s, submission), name)
			continue
		}
		require.Equal(t, []string{test.want}, patchOf(t, s, submission), name)
		one := form.Submission{Locale: in, Texts: map[string][]string{name: {test.text}}}
		require.Equal(t, []string{test.want}, patchOf(t, s, one), "%s alone", name)
	}
}

func TestChoices(t *testing.T) {
	t.Parallel()
	s := newEditor(t, everySchema, "", everyValue)
	require.Equal(t, []string{`replace /choices ["z","a","b"]`}, patchOf(t, s, form.Submission{Texts: map[string][]string{
		"/choices": {"", `"a"`, `"b"`, `"z"`},
	}}))
	require.Equal(t, []string{`remove /choices `}, patchOf(t, s, form.Submission{Texts: map[string][]string{"/choices": {""}}}))
	require.Equal(t, []string{`replace /files ["kuflow-file:uri=ku:2;type=a/b;size=1;name=2;","kuflow-file:new"]`},
		patchOf(t, s, form.Submission{Texts: map[string][]string{"/files": {"", "kuflow-file:uri=ku:2;type=a/b;size=1;name=2;", "kuflow-file:new"}}}))
	require.Equal(t, []string{`replace /who "kuflow-group:x"`}, patchOf(t, s, form.Submission{
		Texts: map[string][]string{"/who": {"Bob"}}, References: map[string]string{"/who": "kuflow-group:x"},
	}))
	require.Equal(t, []string{`replace /who "kuflow-group:x"`}, patchOf(t, s, form.Submission{
		Texts: map[string][]string{"/who": {s.Find("/who").Text(form.Locale{})}}, References: map[string]string{"/who": "kuflow-group:x"},
	}), "another one of the same name")
}

func TestChangedRows(t *testing.T) {
	t.Parallel()
	s := newEditor(t, everySchema, "", everyValue)
	hidden := `{"a":"1","n":1.0,"hidden":{"k":[1]}}`
	for name, test := range map[string]struct {
		order []string
		texts map[string][]string
		want  []string
	}{
		"moved":           {[]string{"2", "0", "1"}, nil, []string{`replace /rows [{"a":"3"},` + hidden + `,{"a":"2","b":true}]`}},
		"removed":         {[]string{"0"}, nil, []string{`replace /rows [` + hidden + `]`}},
		"all removed":     {[]string{""}, nil, []string{`replace /rows []`}},
		"a blank one":     {[]string{"0", "1", "2", "n0"}, nil, nil},
		"a new one":       {[]string{"n0", "0"}, map[string][]string{"/rows/n0/a": {"new"}}, []string{`replace /rows [{"a":"new"},` + hidden + `]`}},
		"moved, changed":  {[]string{"1", "0"}, map[string][]string{"/rows/1/a": {"9"}}, []string{`replace /rows [{"a":"9","b":true},` + hidden + `]`}},
		"of no such row":  {[]string{"0", "1", "2"}, map[string][]string{"/rows/7/a": {"9"}}, nil},
		"with other text": {nil, map[string][]string{"/rows/2/a": {"9"}}, []string{`replace /rows/2/a "9"`}},
	} {
		submission := form.Submission{Texts: test.texts}
		if test.order != nil {
			submission.Orders = map[string][]string{"/rows": test.order}
		}
		require.Equal(t, test.want, patchOf(t, s, submission), name)
	}
	change, err := s.Changes(form.Submission{
		Texts:  map[string][]string{"/rows/n1/a": {"x"}, "/list/n0": {"2026-09-09"}},
		Orders: map[string][]string{"/rows": {"2", "n0", "n1"}, "/list": {"n0", "0", "1"}},
	})
	require.NoError(t, err)
	require.Equal(t, map[string]map[string]string{"/rows": {"2": "0", "n1": "1"}, "/list": {"n0": "0", "0": "1", "1": "2"}}, change.Keys)

	require.True(t, change.Moved)
	require.Equal(t, map[string][]string{"/rows": {"n0"}}, change.Blank)

	_, err = s.Changes(form.Submission{Orders: map[string][]string{"/rows": {"0", "0"}}})
	require.ErrorIs(t, err, form.ErrRows)
	var flood []string
	for i := range 2000 {
		flood = append(flood, "n"+strconv.Itoa(i))
	}
	_, err = s.Changes(form.Submission{Orders: map[string][]string{"/rows": flood}})
	require.ErrorIs(t, err, form.ErrRows)
}

func TestUnreadableTexts(t *testing.T) {
	t.Parallel()
	change, err := newEditor(t, everySchema, "", everyValue).Changes(form.Submission{Texts: map[string][]string{
		"/tuple": {"[1,"}, "/radio": {`"q"`}, "/check": {"maybe"}, "/line": {"kept"},
	}})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"/tuple", "/radio", "/check"}, change.Unreadable)
	require.Len(t, change.Patch, 1)
}

// A cleared object is removed: required members of an empty one would be missing.
func TestClearedObjectsAreRemoved(t *testing.T) {
	t.Parallel()
	s := newEditor(t, everySchema, "", `{"none":{"x":"1"}}`)
	require.Equal(t, []string{"remove /none "}, patchOf(t, s, form.Submission{Texts: map[string][]string{"/none/x": {""}}}))
}

func TestManyChangesReplaceMembers(t *testing.T) {
	t.Parallel()
	properties, texts := map[string]any{}, map[string][]string{}
	for i := range 1500 {
		name := fmt.Sprintf("f%d", i)
		properties[name] = map[string]any{"type": "string"}
		texts["/"+name] = []string{"x"}
	}
	schema, err := json.Marshal(map[string]any{"properties": properties})
	require.NoError(t, err)
	s := newEditor(t, string(schema), "", `{}`)
	change, err := s.Changes(form.Submission{Texts: texts})
	require.NoError(t, err)
	require.Len(t, change.Patch, 1)
	_, err = jsondoc.Apply(json.RawMessage("{}"), change.Patch)
	require.NoError(t, err)
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		base, theirs, mine, shown string
		patch, conflicts          int
	}{
		"different members":       {`{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":1,"b":3}`, `{"a":2,"b":3}`, 1, 0},
		"the same change":         {`{"a":1}`, `{"a":2}`, `{"a":2}`, `{"a":2}`, 0, 0},
		"a contradiction":         {`{"a":1,"b":1}`, `{"a":2,"b":1}`, `{"a":3,"b":2}`, `{"a":3,"b":2}`, 1, 1},
		"changed and removed":     {`{"a":1}`, `{}`, `{"a":3}`, `{"a":3}`, 0, 1},
		"removed and changed":     {`{"a":1}`, `{"a":2}`, `{}`, `{}`, 0, 1},
		"added twice":             {`{}`, `{"o":{"x":1}}`, `{"o":{"y":1}}`, `{"o":{"x":1,"y":1}}`, 1, 0},
		"different rows":          {`{"r":[{"a":1},{"a":2}]}`, `{"r":[{"a":5},{"a":2}]}`, `{"r":[{"a":1},{"a":6}]}`, `{"r":[{"a":5},{"a":6}]}`, 1, 0},
		"rows added by both":      {`{"r":[1]}`, `{"r":[1,2]}`, `{"r":[1,3]}`, `{"r":[1,2,3]}`, 1, 0},
		"a row moved meanwhile":   {`{"r":[1,2]}`, `{"r":[2,1]}`, `{"r":[1,5]}`, `{"r":[1,5]}`, 0, 1},
		"a row removed meanwhile": {`{"r":[1,2]}`, `{"r":[1]}`, `{"r":[1,5]}`, `{"r":[1,5]}`, 0, 1},
	} {
		merged, err := form.Merge(json.RawMessage(test.base), json.RawMessage(test.theirs), json.RawMessage(test.mine))
		require.NoError(t, err)
		require.JSONEq(t, test.shown, string(merged.Shown), name)
		require.Len(t, merged.Patch, test.patch, name)
		require.Len(t, merged.Conflicts, test.conflicts, name)
	}
	// A part of theirs that is my own earlier value is not changed by others, also if I go back to the base.
	for mine, shown := range map[string]string{`{"a":3,"b":1}`: `{"a":3,"b":5,"c":1}`, `{"a":1,"b":1}`: `{"a":1,"b":5,"c":1}`, `{"b":1}`: `{"b":5,"c":1}`} {
		merged, err := form.Merge(json.RawMessage(`{"a":1,"b":1}`), json.RawMessage(`{"a":2,"b":5,"c":1}`), json.RawMessage(mine), json.RawMessage(`{"a":2,"b":1}`))
		require.NoError(t, err)
		require.Empty(t, merged.Conflicts)
		require.JSONEq(t, shown, string(merged.Shown))
	}
	merged, err := form.Merge(json.RawMessage(`{"a":1.0}`), json.RawMessage(`{}`), json.RawMessage(`{"a":3}`))
	require.NoError(t, err)
	require.Equal(t, []form.Conflict{{Pointer: "/a", Mine: "3", Theirs: ""}}, merged.Conflicts)

	set, err := form.ReplaceValue(json.RawMessage(`{"a":{"b":1.0},"c":2}`), "/a/b", "")
	require.NoError(t, err)
	require.JSONEq(t, `{"a":{},"c":2}`, string(set))
}

// TestLargeIntegers checks that options beyond the precision of floating point differ.
func TestLargeIntegers(t *testing.T) {
	t.Parallel()
	s := newEditor(t, `{"properties":{"server":{"enum":[917126358974716233,917126358974716234,917126358974716235]},
		"ids":{"type":"array","uniqueItems":true,"items":{"enum":[9007199254740992,9007199254740993]}}}}`, "",
		`{"server":917126358974716234,"ids":[9007199254740993]}`)
	n := s.Find("/server")
	var chosen []string
	for _, option := range n.Options {
		if n.IsChosen(option) {
			chosen = append(chosen, option.Value)
		}
	}
	require.Equal(t, []string{"917126358974716234"}, chosen)
	require.Equal(t, "917126358974716234", n.Text(form.Locale{}))
	require.Equal(t, []string{"9007199254740993"}, s.Find("/ids").Texts())
	m, err := form.NewModel(t.Context(), form.Input{
		Schema: json.RawMessage(`{"properties":{"server":{"oneOf":[{"const":917126358974716233,"title":"A"},{"const":917126358974716234,"title":"B"}]}}}`),
		Value:  json.RawMessage(`{"server":917126358974716234}`),
	}, form.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, form.Text("B"), m.Fields[0].Content)
}

// TestGermanNumbers checks that numbers are shown and read in the notation of the viewer, and that ambiguous ones wait.
func TestGermanNumbers(t *testing.T) {
	t.Parallel()
	s := newEditor(t, `{"properties":{"n":{"type":"number"},"i":{"type":"integer"},"most":{"type":"number","maximum":1000},"tags":{"type":"array","items":{"type":"number"}}}}`,
		"", `{"n":1234567.50,"tags":[1.5,20000]}`)
	in := berlin(t)
	require.Equal(t, "1.234.567,50", s.Find("/n").Text(in))
	require.Equal(t, "1,5\n20000", s.Find("/tags").Text(in))
	for text, want := range map[string]string{
		"1.234,56": `replace /n 1234.56`, "12,90": `replace /n 12.90`, "1.234.567,5": `replace /n 1234567.5`, "100.000": "", "0.125": `replace /n 0.125`, "+5": `replace /n 5`,
	} {
		change, err := s.Changes(form.Submission{Locale: in, Texts: map[string][]string{"/n": {text}}})
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, change.Patch)
			require.Len(t, change.Ambiguous["/n"], 2)
			continue
		}
		require.Equal(t, []string{want}, patchOf(t, s, form.Submission{Locale: in, Texts: map[string][]string{"/n": {text}}}), text)
	}
	require.Equal(t, []string{`add /i 1000`}, patchOf(t, s, form.Submission{Locale: in, Texts: map[string][]string{"/i": {"1.000"}}}))
	require.Equal(t, []string{`add /most 100.000`}, patchOf(t, s, form.Submission{Locale: in, Texts: map[string][]string{"/most": {"100.000"}}}))
	require.Equal(t, []string{`replace /n 100000`}, patchOf(t, s, form.Submission{
		Locale: in, Texts: map[string][]string{"/n": {"100.000"}}, Readings: map[string]string{"/n": "100000"},
	}))
}
