package forms_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// plainBrowser is a browser without scripts: it sends the inputs and the buttons of the last page, and follows redirects.
type plainBrowser struct {
	t          *testing.T
	site, page string
}

// send enters texts into inputs of the page, given as "name=text", and presses a button, given as "do=value". An input
// with several texts separates them by |.
func (b *plainBrowser) send(entries ...string) {
	b.t.Helper()
	values := parseForm(b.t, b.page)
	for _, entry := range entries {
		name, text, _ := strings.Cut(entry, "=")
		texts := strings.Split(text, "|")
		offered, fixed := b.offeredValues(name)
		require.NotNil(b.t, offered, "the page has an input %s", name)
		for _, text := range texts {
			require.True(b.t, !fixed || slices.Contains(offered, text), "%s offers %s, but %q", name, text, offered)
		}
		values[name] = texts
	}
	status, page := postForm(b.t, b.site, values, false)
	if status == http.StatusSeeOther {
		page = fetchPage(b.t, b.site+"/form")
	}
	require.Contains(b.t, []int{http.StatusSeeOther, http.StatusOK, http.StatusConflict}, status, page)
	b.page = page
}

// offeredValues returns the values of the inputs with a name, and whether the input takes no others.
func (b *plainBrowser) offeredValues(name string) (values []string, fixed bool) {
	b.t.Helper()
	root, err := html.Parse(strings.NewReader(b.page))
	require.NoError(b.t, err)
	for n := range root.Descendants() {
		if named, _ := attributeValue(n, "name"); named != name || inTemplate(n) {
			continue
		}
		if _, disabled := attributeValue(n, "disabled"); disabled {
			continue
		}
		value, _ := attributeValue(n, "value")
		values = append(values, value)
		kind, _ := attributeValue(n, "type")
		fixed = fixed || slices.Contains([]string{"radio", "checkbox", "submit"}, kind) || n.Data == "select"
		for option := range n.Descendants() {
			if value, ok := attributeValue(option, "value"); ok && n.Data == "select" {
				values = append(values, value)
			}
		}
	}
	return values, fixed
}

// Each control writes, changes and removes its value without a script. Alternatives have tests of their own.
func TestEachControlWithoutScript(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	for name, test := range map[string]struct {
		schema, layout, value string
		// steps are the entries of each form that is sent, and the value that is stored then.
		steps []string
	}{
		"line":    {`{"type":"string"}`, ``, `{}`, []string{"v/x=a", `{"x":"a"}`, "v/x=b", `{"x":"b"}`, "v/x=", `{}`}},
		"lines":   {`{"type":"string"}`, `{"multi":true}`, `{}`, []string{"v/x=a\r\nb", `{"x":"a\nb"}`, "v/x=", `{}`}},
		"secret":  {`{"type":"string","format":"password"}`, ``, `{"x":"old"}`, []string{"v/x=", `{"x":"old"}`, "v/x=new", `{"x":"new"}`}},
		"number":  {`{"type":"number"}`, ``, `{}`, []string{"v/x=1,234.50", `{"x":1234.50}`, "v/x=", `{}`}},
		"integer": {`{"type":"integer"}`, ``, `{"x":"5"}`, []string{"do=confirm:/x", `{"x":5}`, "v/x=6", `{"x":6}`}},
		"check":   {`{"type":"boolean"}`, ``, `{}`, []string{"v/x=false|true", `{"x":true}`, "v/x=false", `{"x":false}`, "do=clear:/x", `{}`}},
		"toggle":  {`{"type":"boolean"}`, `{"toggle":true}`, `{}`, []string{"v/x=false|true", `{"x":true}`}},
		"radio":   {`{"enum":["a","b"]}`, ``, `{}`, []string{`v/x="b"`, `{"x":"b"}`, `v/x="a"`, `{"x":"a"}`, "do=clear:/x", `{}`}},
		"select":  {`{"enum":["a","b","c","d","e","f"]}`, ``, `{}`, []string{`v/x="b"`, `{"x":"b"}`, "do=clear:/x", `{}`, `v/x="c"`, `{"x":"c"}`}},
		"search":  {`{"enum":["a","b","c","d","e","f","g","h","i","j","k","l","m"]}`, ``, `{}`, []string{"v/x=c", `{"x":"c"}`, "v/x=zz", `{"x":"zz"}`, "v/x=", `{}`}},
		"choices": {
			`{"type":"array","uniqueItems":true,"items":{"enum":["a","b","c"]}}`, ``, `{}`,
			[]string{`v/x=|"a"|"c"`, `{"x":["a","c"]}`, `v/x=|"c"`, `{"x":["c"]}`},
		},
		"date":      {`{"type":"string","format":"date"}`, ``, `{}`, []string{"v/x=2026-02-03", `{"x":"2026-02-03"}`, "v/x=", `{}`}},
		"time":      {`{"type":"string","format":"time"}`, ``, `{"x":"09:30:00Z"}`, []string{"v/x=", `{}`}},
		"date-time": {`{"type":"string","format":"date-time"}`, ``, `{}`, []string{"v/x=2026-02-03T04:05", `{"x":"2026-02-03T04:05:00Z"}`, "v/x=", `{}`}},
		"tags":      {`{"type":"array","items":{"type":"string"}}`, ``, `{}`, []string{"v/x=a\r\nb", `{"x":["a","b"]}`}},
		"table": {
			`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}`, ``, `{}`,
			[]string{
				"do=add:/x", `{}`, "v/x/new0/a=1", `{"x":[{"a":"1"}]}`, "do=add:/x", `{"x":[{"a":"1"}]}`, "v/x/new0/a=2 && do=up:/x/new0", `{"x":[{"a":"2"},{"a":"1"}]}`,
				"do=down:/x/0", `{"x":[{"a":"1"},{"a":"2"}]}`, "do=remove:/x/0", `{"x":[{"a":"2"}]}`,
			},
		},
		"object":           {`{"type":"object","properties":{"a":{"type":"string"}}}`, ``, `{}`, []string{"v/x/a=1", `{"x":{"a":"1"}}`}},
		"recursive object": {`{"$ref":"#/$defs/t"}`, ``, `{}`, []string{"do=open:/x/t", `{}`, "v/x/t/a=1", `{"x":{"t":{"a":"1"}}}`}},
		"file":             {`{"type":"string","format":"kuflow-file"}`, ``, `{"x":"kuflow-file:uri=ku:1;type=a/b;size=1;name=1;"}`, []string{"do=drop:/x kuflow-file:uri=ku:1;type=a/b;size=1;name=1;", `{}`}},
		"principal": {
			`{"type":"string","format":"kuflow-principal"}`, ``, `{}`,
			[]string{"v/x=Carol", `{"x":"kuflow-principal:id=01970000-0000-7000-8000-00000000c002;type=USER;name=Carol;"}`, "v/x=", `{}`},
		},
		"default":          {`{"type":"string","default":"NL"}`, ``, `{"y":1}`, []string{"do=default:/x", `{"y":1,"x":"NL"}`}},
		"JSON":             {`{"type":"string"}`, ``, `{"x":"a\u0000b"}`, []string{`v/x={`, `{"x":"a\u0000b"}`, `v/x="c"`, `{"x":"c"}`}},
		"map":              {`{"additionalProperties":{"type":"string"}}`, ``, `{}`, []string{`do=add:/x`, `{}`, `k/x/new0=a && v/x/new0=b`, `{"x":{"a":"b"}}`}},
		"tuple":            {`{"prefixItems":[{"type":"string"},{"type":"number"}]}`, ``, `{}`, []string{`v/x/0=a && v/x/1=2`, `{"x":["a",2]}`}},
		"ambiguous number": {`{"type":"number"}`, ``, `{}`, []string{"v/x=1.234", `{}`, "do=read:/x 1234", `{"x":1234}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &memoryStore{value: []byte(test.value), schema: []byte(`{"type":"object","properties":{"x":` + test.schema +
				`},"$defs":{"t":{"type":"object","properties":{"a":{"type":"string"},"t":{"$ref":"#/$defs/t"}}}}}`)}
			if test.layout != "" {
				m.uiSchema = []byte(`{"type":"Control","scope":"#/properties/x","options":` + test.layout + `}`)
			}
			if name == "ambiguous number" {
				m.accept = "de"
			}
			b := &plainBrowser{t: t, site: m.startSite(t).URL}
			b.page = fetchPage(t, b.site+"/form")
			for step := range slices.Chunk(test.steps, 2) {
				b.send(strings.Split(step[0], " && ")...)
				require.Equal(t, step[1], m.storedValue(), step[0])
			}
		})
	}
}
