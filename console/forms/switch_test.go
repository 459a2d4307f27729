package forms_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSwitchInTheBrowser checks that a switch asks before it removes values.
func TestSwitchInTheBrowser(t *testing.T) {
	t.Parallel()
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{},
			"oneOf":[{"title":"Basic","required":["kind"],"properties":{"kind":{"const":"default"},"content":{"type":"string"}}},
			{"title":"More","required":["kind"],"properties":{"kind":{"const":"advanced"},"size":{"type":"integer","title":"Size"}}}]}`),
		value: json.RawMessage(`{"kind":"advanced","size":5}`),
	}
	b := m.openForm(t)
	b.Click(`input[name="v/kind"][value='"default"']`)
	b.AwaitText("Switching removes these values: Size.")
	require.JSONEq(t, `{"kind":"advanced","size":5}`, m.storedValue())
	b.RequireAccessible()
}
