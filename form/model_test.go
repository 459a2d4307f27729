package form_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/form"
)

func newModel(t *testing.T, schema, layout, value string) *form.Model {
	t.Helper()
	m, err := form.NewModel(t.Context(), form.Input{
		Schema: json.RawMessage(schema), UISchema: json.RawMessage(layout), Value: json.RawMessage(value),
	}, form.DefaultLimits())
	require.NoError(t, err)
	return m
}

// outline writes fields as lines, for tests to compare.
func fieldLines(fields []form.Field) []string {
	var lines []string
	for _, f := range fields {
		switch content := f.Content.(type) {
		case form.Text:
			lines = append(lines, f.Label+": "+string(content))
		case form.Files:
			for _, file := range content {
				lines = append(lines, f.Label+": file "+file.Name)
			}
		case form.Note:
			lines = append(lines, "note "+f.Label)
		case form.Group:
			lines = append(lines, f.Label+" {")
			lines = append(append(lines, fieldLines(content)...), "}")
		case form.Records:
			for _, record := range content {
				lines = append(lines, f.Label+" [ "+strings.Join(fieldLines(record), " | ")+" ]")
			}
		}
	}
	return lines
}

func TestModel(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for name, test := range map[string]struct {
		schema, layout, value string
		fields, other         []string
	}{
		"names without a schema": {
			value: `{"FIRST_NAME":"A","lastName":"B","postal-code":"1","useHTTPProxy":true,"address":{"a":null},"x":[1,"b"],"URL":1}`,
			fields: []string{
				"First name: A", "Last name: B", "Postal code: 1", "Use HTTPProxy: Yes",
				"Address {", "A: ", "}", "X: • 1\n• b", "Url: 1",
			},
		},
		"the order of the schema, then what is open": {
			schema: `{"properties":{"b":{},"a":{"title":"First"}},"additionalProperties":{"type":"number"}}`,
			value:  `{"c":3,"a":1}`,
			fields: []string{"B: ", "First: 1", "C: 3"},
		},
		"references and combinations": {
			schema: `{"$ref":"#/$defs/x~1y","$defs":{"x/y":{"allOf":[{"properties":{"a":{"title":"A of all"}}}],
				"oneOf":[{"title":"no label","properties":{"kind":{"const":"p"},"p":{"title":"P of one"}}},
				         {"properties":{"kind":{"const":"q"},"q":{"title":"Q of one"}}}],
				"if":{},"then":{"properties":{"t":{"title":"T of then"}}}}}}`,
			value:  `{"a":1,"kind":"q","q":2,"t":3}`,
			fields: []string{"A of all: 1", "Kind: q", "Q of one: 2", "T of then: 3"},
		},
		"a schema that refers to itself": {
			schema: `{"properties":{"next":{"$ref":"#"},"v":{"title":"Vee"}}}`,
			value:  `{"v":1,"next":{"v":2}}`,
			fields: []string{"Next {", "Next: ", "Vee: 2", "}", "Vee: 1"},
		},
		"a schema that cannot be compiled": {
			schema: `{"allOf":[{"$ref":"#"}],"properties":{"v":{"$ref":"#/nowhere"}}}`,
			value:  `{"v":1,"next":{"v":2}}`,
			fields: []string{"V: 1", "Next {", "V: 2", "}"},
		},
		"another branch's value": {
			schema: `{"oneOf":[{"properties":{"kind":{"const":"a"},"x":{}}},{"properties":{"kind":{"const":"b"},"y":{}}}],"properties":{"n":{"anyOf":[{"type":"integer","title":"N of any"},{"type":"null"}]}}}`,
			value:  `{"kind":"b","x":1,"y":2,"n":null}`,
			fields: []string{"N of any: ", "Kind: b", "Y: 2"}, other: []string{"X: 1"},
		},
		"kinds that the schema does not expect": {
			schema: `{"properties":{"o":{"type":"object"},"a":{"type":"array"},"s":{"type":"string"},"n":{"type":["number","null"]}}}`,
			value:  `{"o":"text","a":{"x":1},"s":[1],"n":"5"}`,
			fields: []string{"N: 5"},
			other:  []string{"O: text", "A: {\n  \"x\": 1\n}", "S: [\n  1\n]"},
		},
		"a layout decides, the rest is not lost": {
			schema: `{"properties":{"a":{},"b":{},"c":{"properties":{"d":{},"e":{}}},"f":{}}}`,
			layout: `{"type":"VerticalLayout","elements":[
				{"type":"Control","scope":"#/properties/c/properties/e","label":"E!"},
				{"type":"Control","scope":"#/properties/c/properties/e"},
				{"type":"Control","scope":"#/properties/b","rule":{"effect":"HIDE"}},
				{"type":"Group","label":"Hidden","rule":{"effect":"SHOW"},"elements":[{"type":"Control","scope":"#/properties/f"}]},
				{"type":"Control","scope":"#/nonsense"},{"type":"Control"},{"type":"Unheard"},7,
				{"type":"Control","scope":"#/properties/missing"}]}`,
			value:  `{"a":"1","c":{"e":"2","d":"3","g":"4"},"h":"5"}`,
			fields: []string{"E!: 2"},
			other:  []string{"A: 1", "D: 3", "C › G: 4", "H: 5"},
		},
		"a conditional field with a value": {
			layout: `{"type":"Control","scope":"#/properties/b","rule":{"effect":"HIDE"}}`,
			value:  `{"b":false}`,
			fields: []string{"B: No"},
		},
		"records and their detail": {
			schema: `{"properties":{"list":{"items":{"properties":{"a":{},"b":{"title":"Bee"}}}}}}`,
			layout: `{"type":"Control","scope":"#/properties/list","label":{"text":"Rows"},"options":{"detail":
				{"type":"VerticalLayout","elements":[{"type":"Control","scope":"#/properties/b"},{"type":"Control","scope":"#/properties/a"}]}}}`,
			value:  `{"list":[{"a":1,"b":2},{"a":3,"z":9}]}`,
			fields: []string{"Rows [ Bee: 2 | A: 1 ]", "Rows [ Bee:  | A: 3 ]"},
			other:  []string{"List › 1 › Z: 9"},
		},
		"arrays of everything": {
			schema: `{"properties":{"t":{"prefixItems":[{"const":1},{"oneOf":[{"const":"x","title":"Ex"}]}]}}}`,
			value:  `{"t":[1,"x",null],"m":[1,{"a":2},[3]],"e":[]}`,
			fields: []string{"T: • 1\n• Ex\n• null"},
			other:  []string{"M: [\n  1,\n  {\n    \"a\": 2\n  },\n  [\n    3\n  ]\n]"},
		},
		"mixed arrays": {
			value:  `{"m":[1,{"a":2},[3]]}`,
			fields: []string{"M {", "1: 1", "2 {", "A: 2", "}", "3: • 3", "}"},
		},
		"numbers equal to an option": {
			schema: `{"properties":{"n":{"oneOf":[{"const":1.0,"title":"One"}]},"m":{"oneOf":[{"const":1e99,"title":"Much"}]}}}`,
			value:  `{"n":1,"m":1E99}`,
			fields: []string{"N: One", "M: Much"},
		},
		"references": {
			value: `{"a":"kuflow-business-artifact:id=01970000-0000-7000-8000-00000000c002;definitionId=01970000-0000-7000-8000-00000000c002;title=Acme%3B;",
				"d":"kuflow-data-source:id=01970000-0000-7000-8000-00000000c002;","bad":"kuflow-principal:id=7;",
				"f":"kuflow-file:uri=x;type=a/b;size=1;name=..%2Fa%00.txt;","u":"data:text/plain;name=b.txt;base64,aGk="}`,
			fields: []string{
				"A: Acme;", "D: 01970000-0000-7000-8000-00000000c002", "Bad: kuflow-principal:id=7;",
				"F: file ../a\x00.txt", "U: file b.txt",
			},
		},
		"no object": {
			schema: `{"title":"Answer"}`, value: `[true,false]`,
			fields: []string{"Answer: • Yes\n• No"},
		},
		"nothing": {fields: []string{"Value: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, test.schema, test.layout, test.value)
			require.Equal(t, test.fields, fieldLines(m.Fields))
			require.Equal(t, test.other, fieldLines(m.Other))
		})
	}
}

func TestModelRefuses(t *testing.T) {
	t.Parallel()
	limits := form.Limits{Depth: 3, Fields: 9, Rows: 4}
	for name, test := range map[string]struct {
		in   form.Input
		what string
	}{
		"fields":                {form.Input{Value: json.RawMessage(`{"a":[1,2,3,4],"b":[1,2,3,4]}`)}, "fields"},
		"elements of an array":  {form.Input{Value: json.RawMessage(`{"a":[1,2,3,4,5]}`)}, "elements of an array"},
		"a broken value":        {form.Input{Value: json.RawMessage(`{"a":`)}, ""},
		"two values":            {form.Input{Value: json.RawMessage(`1 2`)}, ""},
		"a broken schema":       {form.Input{Schema: json.RawMessage(`{`)}, ""},
		"a broken UI schema":    {form.Input{UISchema: json.RawMessage(`]`)}, ""},
		"brackets without end":  {form.Input{Value: json.RawMessage(strings.Repeat("[", 100_000))}, ""},
		"a schema without end":  {form.Input{Schema: json.RawMessage(strings.Repeat(`{"a":`, 100_000))}, ""},
		"a name without member": {form.Input{Value: json.RawMessage(`{"a"}`)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := form.NewModel(t.Context(), test.in, limits)
			require.Nil(t, m)
			if test.what == "" {
				require.Error(t, err)
				return
			}
			var limit *form.LimitError
			require.ErrorAs(t, err, &limit)
			require.Equal(t, test.what, limit.What)
		})
	}
}

func TestDeepValuesAreShownAsJSON(t *testing.T) {
	t.Parallel()
	m, err := form.NewModel(t.Context(), form.Input{Value: json.RawMessage(`{"a":{"b":{"c":{"d":[ 1e5 ]}}}}`)}, form.Limits{
		Depth: 3, Fields: 10, Rows: 10,
	})
	require.NoError(t, err)
	require.Equal(t, []string{"A {", "B {", `C: {"d":[ 1e5 ]}`, "}", "}"}, fieldLines(m.Fields))
}

func TestModelStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	value := json.RawMessage("[" + strings.Repeat("1,", 100) + "1]")
	_, err := form.NewModel(ctx, form.Input{Value: value}, form.DefaultLimits())
	require.ErrorIs(t, err, context.Canceled)
}

func TestDates(t *testing.T) {
	t.Parallel()
	for input, want := range map[[2]string]string{
		{"date", "2026-02-03"}:                        "3 February 2026",
		{"date", "2026-02-30"}:                        "2026-02-30",
		{"date", "soon"}:                              "soon",
		{"date-time", "2026-02-03T04:05:06Z"}:         "3 February 2026 at 04:05:06 GMT",
		{"date-time", "2026-02-03t04:05:00.25-03:30"}: "3 February 2026 at 04:05:00.25 GMT-3:30",
		{"date-time", "2026-02-03 04:05"}:             "2026-02-03 04:05",
		{"time", "04:05:00Z"}:                         "04:05 GMT",
		{"time", "04:05"}:                             "04:05",
		{"email", "2026-02-03"}:                       "2026-02-03",
	} {
		m := newModel(t, `{"properties":{"d":{"format":"`+input[0]+`"}}}`, "", `{"d":"`+input[1]+`"}`)
		require.Equal(t, []string{"D: " + want}, fieldLines(m.Fields))
	}
}

func TestSelect(t *testing.T) {
	t.Parallel()
	in := form.Input{
		Title: "Task", Subject: "Loan",
		Schema: json.RawMessage(`{"$defs":{"p":{"properties":{"name":{"title":"Full name"}}}},
			"properties":{"one":{"$ref":"#/$defs/p","title":"The one"},"all":{"type":"array","items":{"$ref":"#/$defs/p"}},"in":{"properties":{"a/b":{"$ref":"#/$defs/p"}}}}}`),
		UISchema: json.RawMessage(`{"type":"Group","elements":[{"type":"Control","scope":"#/properties/one","options":{"detail":
			{"type":"Control","scope":"#/properties/name","label":"By layout"}}}]}`),
		Value: json.RawMessage(`{"one":{"name":"A"},"all":[{"name":"B"},{"name":"C","x":1}],"in":{"a/b":{"name":"D"}},"none":[],"mixed":[{},1],"plain":1}`),
	}
	for pointer, want := range map[string]struct {
		title   string
		several bool
		fields  [][]string
	}{
		"/one":      {"The one", false, [][]string{{"By layout: A"}}},
		"/all":      {"All", true, [][]string{{"Full name: B"}, {"Full name: C"}}},
		"/all/1":    {"All", false, [][]string{{"Full name: C"}}},
		"/in/a~1b":  {"A/b", false, [][]string{{"Full name: D"}}},
		"/in":       {"In", false, [][]string{{"A/b {", "Full name: D", "}"}}},
		"/none":     {},
		"/mixed":    {},
		"/plain":    {},
		"/absent":   {},
		"/all/01":   {},
		"/all/-":    {},
		"one":       {},
		"/all/9999": {},
	} {
		forms, several, err := form.Select(t.Context(), in, pointer, 2)
		if want.fields == nil {
			require.ErrorIs(t, err, form.ErrNoForm, pointer)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want.several, several, pointer)
		require.Len(t, forms, len(want.fields))
		for i := range forms {
			require.Equal(t, want.title, forms[i].Title)
			require.Equal(t, "Loan", forms[i].Subject)
			m, err := form.NewModel(t.Context(), forms[i], form.DefaultLimits())
			require.NoError(t, err)
			require.Equal(t, want.fields[i], fieldLines(m.Fields), pointer)
		}
	}
	forms, several, err := form.Select(t.Context(), in, "", 1)
	require.NoError(t, err)
	require.False(t, several)
	require.Equal(t, "Task", forms[0].Title)

	_, _, err = form.Select(t.Context(), in, "/all", 1)
	require.Equal(t, &form.LimitError{What: "forms", Max: 1}, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = form.Select(ctx, in, "/all", 2)
	require.ErrorIs(t, err, context.Canceled)
}
