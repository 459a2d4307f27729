package forms_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/ui"
)

// openForm returns a form without a layout, and the inputs of its page.
func openForm(t *testing.T, schema, value string) (*memoryStore, url.Values) {
	t.Helper()
	m := &memoryStore{schema: json.RawMessage(schema), value: json.RawMessage(value)}
	return m, parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
}

// enterText changes an input of a page without a script, and returns the patches and the next page.
func enterText(t *testing.T, m *memoryStore, values url.Values, name, text string) (patches, page string) {
	t.Helper()
	values.Set(name, text)
	status, page := postForm(t, m.startSite(t).URL, values, false)
	require.Contains(t, []int{http.StatusSeeOther, http.StatusOK}, status, "%s\n%v", page, values)
	return strings.Join(m.patches, ";"), page
}

// TestNullableValues checks that optional values as FastAPI describes them are entered by their own controls.
func TestNullableValues(t *testing.T) {
	t.Parallel()
	for kind, test := range map[string]struct{ schema, name, text, want string }{
		"integer": {`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, "v/a", "42", `add /a 42`},
		"number":  {`{"oneOf":[{"type":"null"},{"type":"number","minimum":1}]}`, "v/a", "1.50", `add /a 1.50`},
		"date":    {`{"anyOf":[{"type":"string","format":"date"},{"type":"null"}]}`, "v/a", "2026-01-02", `add /a "2026-01-02"`},
		"boolean": {`{"anyOf":[{"type":"boolean"},{"type":"null"}]}`, "v/a", "true", `add /a true`},
		"list":    {`{"anyOf":[{"type":"array","items":{"type":"integer"}},{"type":"null"}]}`, "v/a", "1\n2", `add /a [1,2]`},
		"object":  {`{"anyOf":[{"$ref":"#/$defs/o"},{"type":"null"}]}`, "v/a/x", "y", `add /a {"x":"y"}`},
		"choice":  {`{"anyOf":[{"$ref":"#/$defs/e"},{"type":"null"}]}`, "v/a", `"q"`, `add /a "q"`},
		"all of":  {`{"allOf":[{"anyOf":[{"type":"integer"},{"type":"null"}]},{"title":"T"}]}`, "v/a", "7", `add /a 7`},
		"anchor":  {`{"$ref":"#o"}`, "v/a/x", "y", `add /a {"x":"y"}`},
		"id":      {`{"$ref":"q"}`, "v/a/z", "y", `add /a {"z":"y"}`},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			m, values := openForm(t, `{"type":"object","properties":{"a":`+test.schema+`},"$defs":{"o":{"$anchor":"o","type":"object","properties":{"x":{"type":"string"}}},
				"e":{"enum":["p","q"]},"i":{"$id":"q","type":"object","properties":{"z":{"type":"string"}}}}}`, `{}`)
			require.Contains(t, values, test.name)
			patches, _ := enterText(t, m, values, test.name, test.text)
			require.Equal(t, test.want, patches)
		})
	}
}

// TestDependentFields checks that fields appear once they may be needed.
func TestDependentFields(t *testing.T) {
	t.Parallel()
	m, values := openForm(t, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","required":["pet"],"properties":{"pet":{"enum":["No","Yes: One"]}},
		"dependencies":{"pet":{"oneOf":[{"properties":{"pet":{"enum":["No"]}}},{"properties":{"pet":{"enum":["Yes: One"]},"age":{"type":"number"}},"required":["age"]}]}}}`, `{}`)
	require.NotContains(t, values, "v/age")
	patches, _ := enterText(t, m, values, "v/pet", `"Yes: One"`)
	require.Equal(t, `add /pet "Yes: One"`, patches)
	values = parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
	require.Contains(t, values, "v/age")
	patches, _ = enterText(t, m, values, "v/age", "3")
	require.Equal(t, `add /pet "Yes: One";add /age 3`, patches)
}

func TestAlternativesOfEntries(t *testing.T) {
	t.Parallel()
	m, values := openForm(t, `{"type":"object","properties":{"interfaces":{"type":"array","items":{"oneOf":[{"$ref":"#/definitions/eth"},{"$ref":"#/definitions/bond"}]}}},
		"definitions":{"eth":{"type":"object","required":["type"],"properties":{"type":{"const":"ethernet"},"mtu":{"type":"integer"}}},
		"bond":{"type":"object","required":["type"],"properties":{"type":{"const":"bond"},"members":{"type":"array","items":{"type":"string"}}}}}}`,
		`{"interfaces":[{"type":"bond"},{"type":"ethernet","mtu":1500}]}`)
	require.Contains(t, values, "v/interfaces/0/members")
	require.NotContains(t, values, "v/interfaces/0/mtu")
	require.Equal(t, "1500", values.Get("v/interfaces/1/mtu"))
	patches, _ := enterText(t, m, values, "v/interfaces/0/members", "eth0\neth1")
	require.Equal(t, `add /interfaces/0/members ["eth0","eth1"]`, patches)
}

// TestPickedAlternative checks that a person picks an alternative that no value tells.
func TestPickedAlternative(t *testing.T) {
	t.Parallel()
	const choice = "b/v~:/properties/v/anyOf"
	m, values := openForm(t, `{"type":"object","properties":{"v":{"title":"Size","anyOf":[{"type":"integer"},{"type":"string","maxLength":5},
		{"type":"object","title":"Range","properties":{"from":{"type":"number"},"to":{"type":"number"}}}]}}}`, `{}`)
	require.Equal(t, "0", values.Get(choice))
	patches, page := enterText(t, m, values, choice, "2")
	require.Empty(t, patches)
	values = parseForm(t, page)
	require.Equal(t, "2", values.Get(choice))
	patches, _ = enterText(t, m, values, "v/v/from", "1.5")
	require.Equal(t, `add /v {"from":1.5}`, patches)
	values = parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
	require.Equal(t, "2", values.Get(choice), "the value decides")

	m, values = openForm(t, string(m.schema), `{"v":7}`)
	require.Equal(t, "7", values.Get("v/v"))
	patches, _ = enterText(t, m, values, choice, "1")
	require.Equal(t, `replace /v "7"`, patches, "the text of the page is read by the picked alternative")
}

// TestRecursiveValues checks that a value of a schema that contains itself is added level by level.
func TestRecursiveValues(t *testing.T) {
	t.Parallel()
	m, values := openForm(t, `{"type":"object","properties":{"v":{"type":"string"},"next":{"$ref":"#"},"all":{"type":"array","items":{"$ref":"#"}}}}`, `{}`)
	require.NotContains(t, values, "v/next/v")
	_, page := enterText(t, m, values, "do", "open:/next")
	values = parseForm(t, page)
	require.Contains(t, values, "v/next/v")
	require.NotContains(t, values, "v/next/next/v")
	patches, _ := enterText(t, m, values, "v/next/v", "x")
	require.Equal(t, `add /next {"v":"x"}`, patches)
}

// TestStoredOtherwise checks that values of another type or spelling than their control writes are marked, and that
// confirming or clearing them leads to valid ones.
func TestStoredOtherwise(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"account":{"type":"integer"},"hour":{"type":"string","format":"time"},"name":{"type":"string"},
		"none":{"type":"string"},"at":{"type":"string","format":"date-time"},"tags":{"type":"array","items":{"type":"integer"}}}}`
	const value = `{"account":"5","hour":"10:00","name":7,"none":null,"at":"2026-03-01T10:00:00.25+02:00","tags":["1",2]}`
	m, values := openForm(t, schema, value)
	page := m.renderForm(t, viewerContext(t, "en", "UTC"))
	for _, name := range []string{"/account", "/hour", "/name", "/none", "/tags"} {
		require.Contains(t, page, `value="clear:`+name+`"`)
	}
	require.NotContains(t, page, `value="confirm:/at"`)
	require.Contains(t, page, "Stored as the text “5”.")
	_, _ = enterText(t, m, values, "v/none", "")
	require.Empty(t, m.patches, "an unchanged page changes no value")
	for do, want := range map[string]string{
		"confirm:/account": `replace /account 5`, "confirm:/hour": `replace /hour "10:00:00Z"`, "confirm:/name": `replace /name "7"`,
		"clear:/account": `remove /account `, "clear:/none": `remove /none `, "confirm:/tags": `replace /tags [1,2]`,
	} {
		m, values := openForm(t, schema, value)
		patches, page := enterText(t, m, values, "do", do)
		require.Equal(t, want, patches, do)
		require.NotContains(t, page, `value="`+do+`"`)
	}
	m, _ = openForm(t, schema, value)
	status, body := postForm(t, m.startSite(t).URL, url.Values{
		"version": {"0"}, "v/account": {"5"}, "confirmed": {"v/account"},
	}, true)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "saved", answerOf(t, body).Status)
	require.Equal(t, []string{`replace /account 5`}, m.patches, "typing the same text again reads it")
}

func TestDefaultsAreOffered(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"country":{"type":"string","default":"NL"},"n":{"oneOf":[{"const":1,"title":"One"},{"const":2,"title":"Two"}],"default":2},
		"odd":{"type":"integer","default":"x"},"has":{"type":"string","default":"b"},"nil":{"type":["string","null"],"default":null}}}`
	m, values := openForm(t, schema, `{"has":"a"}`)
	page := m.renderForm(t, viewerContext(t, "en", "UTC"))
	require.Contains(t, page, "Use NL")
	require.Contains(t, page, "Use Two")
	require.Equal(t, 2, strings.Count(page, `value="default:`))
	patches, _ := enterText(t, m, values, "do", "default:/n")
	require.Equal(t, `add /n 2`, patches)
}

// TestSwitchedAlternative checks that a switch names the values of the former alternative before it removes them, and that they
// can be restored.
func TestSwitchedAlternative(t *testing.T) {
	t.Parallel()
	const stored = `{"kind":"advanced","size":5,"rows":["a"]}`
	m, values := openForm(t, `{"type":"object","oneOf":[{"title":"Basic","properties":{"kind":{"const":"default"},"content":{"type":"string"}}},
		{"title":"More","properties":{"kind":{"const":"advanced"},"size":{"type":"integer"},"rows":{"type":"array","items":{"type":"string"}}}}]}`,
		stored)
	require.Equal(t, "5", values.Get("v/size"))
	values.Set("v/kind", `"default"`)
	_, page := enterText(t, m, values, "v/size", "6")
	require.Contains(t, page, "Switching removes these values: Rows, Size.")
	require.JSONEq(t, `{"kind":"advanced","size":6,"rows":["a"]}`, m.storedValue(), "the other input is saved")
	_, page = enterText(t, m, parseForm(t, page), "do", "switch")
	require.JSONEq(t, `{"kind":"default"}`, m.storedValue())
	require.Contains(t, page, "Removed: Rows, Size.")
	undo := parseForm(t, page)
	_, _ = enterText(t, m, undo, "do", "undo")
	require.JSONEq(t, `{"kind":"advanced","size":6,"rows":["a"]}`, m.storedValue())
	undo.Set("version", "3")
	status, _ := postForm(t, m.startSite(t).URL, undo, false)
	require.Equal(t, http.StatusBadRequest, status, "the values are there again")
}

func TestSwitchWithoutValuesAsksNothing(t *testing.T) {
	t.Parallel()
	m, values := openForm(t, `{"type":"object","oneOf":[{"properties":{"kind":{"const":"a"},"x":{"type":"string"}}},
		{"properties":{"kind":{"const":"b"},"y":{"type":"integer"}}}]}`, `{"kind":"a"}`)
	_, _ = enterText(t, m, values, "v/kind", `"b"`)
	require.JSONEq(t, `{"kind":"b"}`, m.storedValue())
}

// TestSwitchOfPickedAlternative checks the question for alternatives that no value selects, and that a person may decline.
func TestSwitchOfPickedAlternative(t *testing.T) {
	t.Parallel()
	const choice = "b~:/anyOf"
	m, values := openForm(t, `{"type":"object","anyOf":[{"title":"A","properties":{"x":{"type":"string"}},"required":["x"]},
		{"title":"B","properties":{"y":{"type":"integer"}},"required":["y"]}]}`, `{"x":"1"}`)
	require.Equal(t, "0", values.Get(choice))
	_, page := enterText(t, m, values, choice, "1")
	require.Contains(t, page, "Switching removes these values: X.")
	kept := parseForm(t, page)
	require.Equal(t, "0", kept.Get(choice))
	_, page = enterText(t, m, parseForm(t, page), "do", "switch")
	require.JSONEq(t, `{}`, m.storedValue())
	require.Equal(t, "1", parseForm(t, page).Get(choice))
	m.setValue(`{"x":"1"}`)
	_, _ = enterText(t, m, kept, "do", "keep")
	require.JSONEq(t, `{"x":"1"}`, m.storedValue())
}

// TestOtherType checks that a value of another type than the picked alternative is shown, and can be replaced or removed.
func TestOtherType(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"v":{"anyOf":[{"type":"string"},{"type":"object","properties":{"x":{"type":"string"}}}]}}}`
	const choice = "b/v~:/properties/v/anyOf"
	for name, test := range map[string]struct{ input, text, want string }{
		"replaced": {"v/v", "y", `replace /v "y"`}, "removed": {"do", "clear:/v", `remove /v `},
	} {
		m, values := openForm(t, schema, `{"v":{"x":"1"}}`)
		_, page := enterText(t, m, values, choice, "0")
		require.Contains(t, page, "Stored as", name)
		patches, _ := enterText(t, m, parseForm(t, page), test.input, test.text)
		require.Equal(t, test.want, patches, name)
	}
}

// TestErrorsNameEntries checks that errors name entries of lists and come from the selected alternative.
func TestErrorsNameEntries(t *testing.T) {
	t.Parallel()
	m, _ := openForm(t, `{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string","minLength":2}},
		"lines":{"type":"array","items":{"oneOf":[{"properties":{"t":{"const":"a"},"amount":{"type":"integer"}}},{"properties":{"t":{"const":"b"},"amount":{"type":"string"}}}]}},
		"age":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`,
		`{"tags":["ok","x"],"lines":[{"t":"b","amount":"1"},{"t":"a","amount":"much"}],"age":"42"}`)
	page := m.renderForm(t, viewerContext(t, "en", "UTC"))
	for _, sentence := range []string{
		"Entry 2 of Tags must have at least 2 characters.", "Amount in entry 2 of Lines must be a whole number.", "Age must be a whole number.",
	} {
		require.Contains(t, page, sentence)
	}
	require.NotContains(t, page, "must match exactly one")
	require.NotContains(t, page, "one of the choices")
	require.NotContains(t, page, "must be a text")
}

// TestGermanAmount checks that a number that a German may mean in two ways is not saved before the person has chosen.
func TestGermanAmount(t *testing.T) {
	t.Parallel()
	m := &memoryStore{schema: json.RawMessage(`{"type":"object","properties":{"price":{"type":"number"}}}`), value: json.RawMessage(`{"price":12.90}`)}
	site := m.startSite(t)
	post := func(values url.Values) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site.URL+"/form/form", strings.NewReader(values.Encode()))
		require.NoError(t, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.AddCookie(&http.Cookie{Name: ui.LanguageCookie, Value: "de"})
		_, page := sendRequest(t, request)
		return page
	}
	values := parseForm(t, m.renderForm(t, viewerContext(t, "de", "UTC")))
	require.Equal(t, "12,90", values.Get("v/price"))
	values.Set("v/price", "100.000")
	page := post(values)
	require.Empty(t, m.patches)
	require.Contains(t, page, "100.000: der Punkt trennt Tausender")
	values = parseForm(t, page)
	require.Equal(t, "100.000", values.Get("v/price"))
	values.Set("do", "read:/price 100000")
	post(values)
	require.Equal(t, []string{`replace /price 100000`}, m.patches)
}
