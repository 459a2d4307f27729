package forms_test

import (
	"encoding/json"
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
