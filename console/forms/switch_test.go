package forms_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSwitchInTheBrowser checks that a switch asks before it removes values, that a person may decline it, and that the removed
// values can be set again.
func TestSwitchInTheBrowser(t *testing.T) {
	t.Parallel()
	const stored = `{"kind":"advanced","size":5}`
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{},
			"oneOf":[{"title":"Basic","required":["kind"],"properties":{"kind":{"const":"default"},"content":{"type":"string"}}},
			{"title":"More","required":["kind"],"properties":{"kind":{"const":"advanced"},"size":{"type":"integer","title":"Size"}}}]}`),
		value: json.RawMessage(stored),
	}
	b := m.openForm(t)
	b.Click(`input[name="v/kind"][value='"default"']`)
	b.AwaitText("Switching removes these values: Size.")
	require.JSONEq(t, stored, m.storedValue())
	b.RequireAccessible()

	b.Click(`button[value^="keep"]`)
	b.Await(`!document.getElementById("form").textContent.includes("Switching removes")`)
	b.Await(`document.getElementById("f-size")?.value === "5"`)
	b.Await(`document.querySelector('input[name="v/kind"]:checked').value === '"advanced"'`)
	require.JSONEq(t, stored, m.storedValue())

	b.Click(`input[name="v/kind"][value='"default"']`)
	b.AwaitText("Switching removes these values: Size.")
	b.Click(`button[value^="switch"]`)
	b.AwaitText("Removed: Size.")
	b.Await(`!document.getElementById("f-size") && document.getElementById("f-content")`)
	require.JSONEq(t, `{"kind":"default"}`, m.storedValue())

	b.Click(`button[value^="undo"]`)
	b.Await(`document.getElementById("f-size")?.value === "5"`)
	b.Await(`document.querySelector('input[name="v/kind"]:checked').value === '"advanced"'`)
	require.JSONEq(t, stored, m.storedValue())
}

// A post of a form with alternatives does not build the form more often than a post of a form without.
//
//nolint:paralleltest // it counts allocations
func TestPicksCostNoForms(t *testing.T) {
	var properties []string
	for i := range 100 {
		properties = append(properties, fmt.Sprintf(`"F%03d":{"type":"string"}`, i))
	}
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{"how":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"string"}}]},` +
			strings.Join(properties, ",") + `}}`),
		value: json.RawMessage(`{"how":5}`),
	}
	site := m.startSite(t)
	count := func(more url.Values) float64 {
		return testing.AllocsPerRun(10, func() {
			values := url.Values{"version": {strconv.Itoa(m.version)}, "v/F001": {strconv.Itoa(m.version)}}
			maps.Copy(values, more)
			status, body := postForm(t, site.URL, values, true)
			require.Equal(t, http.StatusOK, status)
			require.Contains(t, body, `"saved"`)
		})
	}
	with, without := count(url.Values{"b/how~:/properties/how/anyOf": {"0"}}), count(nil)
	require.Less(t, with, 1.05*without)
}
