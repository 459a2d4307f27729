package forms_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// defaultOfEach has a default for each kind of control, and some that a draft does not begin with.
const defaultOfEach = `{"type":"object","required":["must"],"properties":{
	"line":{"type":"string","default":"a"},"lines":{"type":"string","contentMediaType":"text/plain","default":"a\nb"},
	"number":{"type":"number","default":1.50},"integer":{"type":"integer","default":7},"check":{"type":"boolean","default":true},
	"radio":{"enum":["x","y"],"default":"y"},"select":{"enum":["a","b","c","d","e","f","g"],"default":"g"},
	"search":{"enum":["a","b","c","d","e","f","g","h","i","j","k","l","m","n"],"default":"n"},
	"choices":{"type":"array","uniqueItems":true,"items":{"enum":["a","b"]},"default":["b"]},
	"date":{"type":"string","format":"date","default":"2026-01-31"},"time":{"type":"string","format":"time","default":"10:00:00Z"},
	"at":{"type":"string","format":"date-time","default":"2026-01-31T10:00:00Z"},"tags":{"type":"array","items":{"type":"string"},"default":["t"]},
	"fixed":{"type":"string","readOnly":true,"default":"R"},"json":{"type":"object","additionalProperties":false,"default":{}},
	"must":{"type":"object","properties":{"in":{"type":"string","default":"i"}}},
	"maybe":{"type":"object","properties":{"in":{"type":"string","default":"i"}}},"odd":{"type":"integer","default":"x"}}}`

const defaultsOfEach = `{"line":"a","lines":"a\nb","number":1.50,"integer":7,"check":true,"radio":"y","select":"g","search":"n","choices":["b"],
	"date":"2026-01-31","time":"10:00:00Z","at":"2026-01-31T10:00:00Z","tags":["t"],"fixed":"R","json":{},"must":{"in":"i"}}`

// TestDraftSuggestsDefaults checks that a draft shows the defaults of the schema, and that they are stored on completion alone.
func TestDraftSuggestsDefaults(t *testing.T) {
	t.Parallel()
	m := &memoryStore{schema: json.RawMessage(defaultOfEach), value: json.RawMessage(`{}`)}
	site := m.startDraftSite(t)
	page := fetchPage(t, site.URL+"/form")
	require.Equal(t, 16, strings.Count(page, "Suggested"))
	values := parseForm(t, page)
	require.Equal(t, "7", values.Get("v/integer"))
	require.Empty(t, values.Get("v/maybe/in"))
	values.Set("do", "save")
	status, page := postForm(t, site.URL, values, false)
	require.Equal(t, http.StatusOK, status)
	require.Empty(t, m.patches, "a suggestion is not stored before the form is completed")
	values = parseForm(t, page)
	values.Set("do", "complete")
	status, page = postForm(t, site.URL, values, false)
	require.Equal(t, http.StatusSeeOther, status, page)
	require.JSONEq(t, defaultsOfEach, m.storedValue())
}

// TestDraftWithoutSuggestions checks that a person may change and remove suggestions, and that a form with values has none.
func TestDraftWithoutSuggestions(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"a":{"type":"string","default":"A"},"b":{"type":"string","default":"B"},"c":{"type":"string"}}}`
	m := &memoryStore{schema: json.RawMessage(schema), value: json.RawMessage(`{}`)}
	site := m.startDraftSite(t)
	values := parseForm(t, fetchPage(t, site.URL+"/form"))
	values.Set("v/a", "")
	values.Set("v/b", "other")
	values.Set("do", "save")
	_, page := postForm(t, site.URL, values, false)
	require.NotContains(t, page, "Suggested")
	require.Contains(t, page, "Use A")
	values = parseForm(t, page)
	values.Set("do", "complete")
	_, _ = postForm(t, site.URL, values, false)
	require.JSONEq(t, `{"b":"other"}`, m.storedValue())

	m.value = json.RawMessage(`{"c":"stored"}`)
	page = fetchPage(t, site.URL+"/form")
	require.NotContains(t, page, "Suggested")
	require.Contains(t, page, "Use A")
}

func TestSuggestionsInTheBrowser(t *testing.T) {
	t.Parallel()
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{"country":{"type":"string","default":"NL"},"size":{"type":"integer","default":3}}}`),
		value:  json.RawMessage(`{}`),
	}
	b := showForm(t, m.startDraftSite(t))
	b.Await(`document.getElementById("f-country")?.value === "NL" && !!document.getElementById("f-country-mark")`)
	b.Await(`!document.querySelector("[data-discard]").checkVisibility()`)
	b.RequireAccessible()
	typeText(t, b, "#f-country", "DE", true)
	b.Await(`!document.getElementById("f-country-mark") && !!document.getElementById("f-size-mark")`)
	require.Empty(t, m.patches)
	b.Click("[data-complete]")
	b.AwaitPath("/done")
	require.JSONEq(t, `{"country":"DE","size":3}`, m.storedValue())
}

// Opening a form that saves itself stores no default; the first save stores the suggestions that the person leaves.
func TestSavedFormSuggestsDefaults(t *testing.T) {
	t.Parallel()
	for _, script := range []bool{true, false} {
		m := &memoryStore{schema: json.RawMessage(defaultOfEach), value: json.RawMessage(`{}`)}
		site := m.startSite(t)
		values := parseForm(t, fetchPage(t, site.URL+"/form"))
		require.Len(t, values["suggested"], 16)
		require.Equal(t, "{}", values.Get("base"))
		require.Empty(t, m.patches)
		if script {
			values = url.Values{"version": values["version"], "suggested": slices.DeleteFunc(values["suggested"], func(name string) bool {
				return name == "/line" || name == "/integer"
			})}
			values.Add("confirmed", "v/line")
		}
		values.Set("v/line", "")
		values.Set("v/integer", "8")
		values.Set("do", "save")
		status, page := postForm(t, site.URL, values, script)
		require.Contains(t, []int{http.StatusOK, http.StatusSeeOther}, status, page)
		require.JSONEq(t, strings.Replace(strings.Replace(defaultsOfEach, `"line":"a",`, "", 1), `"integer":7`, `"integer":8`, 1), m.storedValue(), script)
		page = fetchPage(t, site.URL+"/form")
		require.NotContains(t, page, "Suggested")
		require.Contains(t, page, `value="default:/line"`)
	}
}

// Completing stores the suggestions, and the defaults of absent read-only values of any form.
func TestCompletionStoresDefaults(t *testing.T) {
	t.Parallel()
	m := &memoryStore{schema: json.RawMessage(defaultOfEach), value: json.RawMessage(`{}`)}
	site := m.startSite(t)
	values := parseForm(t, fetchPage(t, site.URL+"/form"))
	values = url.Values{"version": values["version"], "suggested": values["suggested"], "do": {"complete"}}
	_, page := postForm(t, site.URL, values, true)
	require.True(t, m.completed, page)
	require.JSONEq(t, defaultsOfEach, m.storedValue())

	const schema = `{"type":"object","properties":{"a":{"type":"string","default":"A"},"b":{"type":"string"},
		"fixed":{"type":"string","readOnly":true,"default":"R"}},"if":{"required":["b"]},"then":{"properties":{"more":{"type":"integer","readOnly":true,"default":3}}}}`
	for _, draft := range []bool{false, true} {
		m = &memoryStore{schema: json.RawMessage(schema), value: json.RawMessage(`{"a":"x"}`)}
		if site = m.startSite(t); draft {
			site = m.startDraftSite(t)
		}
		page = fetchPage(t, site.URL+"/form")
		require.Equal(t, 1, strings.Count(page, "Suggested"))
		values = parseForm(t, page)
		values.Set("v/b", "y")
		values.Set("do", "complete")
		status, page := postForm(t, site.URL, values, false)
		require.Equal(t, http.StatusSeeOther, status, page)
		require.JSONEq(t, `{"a":"x","fixed":"R","b":"y","more":3}`, m.storedValue())
	}
}

// A suggestion yields to the change of another person.
func TestSuggestionYieldsToOthers(t *testing.T) {
	t.Parallel()
	m := &memoryStore{schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","default":"A"},"b":{"type":"string"}}}`), value: json.RawMessage(`{}`)}
	site := m.startSite(t)
	values := parseForm(t, fetchPage(t, site.URL+"/form"))
	m.setValue(`{"a":"theirs"}`)
	values = url.Values{"version": values["version"], "base": {"{}"}, "suggested": values["suggested"], "v/b": {"mine"}, "do": {"save"}}
	_, page := postForm(t, site.URL, values, true)
	require.JSONEq(t, `{"a":"theirs","b":"mine"}`, m.storedValue(), page)
}
