package forms_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSwitchInTheBrowser switches an alternative, declines, confirms and undoes the switch, and enters members of a map.
func TestSwitchInTheBrowser(t *testing.T) {
	t.Parallel()
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{"labels":{"type":"object","title":"Labels","additionalProperties":{"type":"string"}}},
			"oneOf":[{"title":"Basic","required":["kind"],"properties":{"kind":{"const":"default"},"content":{"type":"string"}}},
			{"title":"More","required":["kind"],"properties":{"kind":{"const":"advanced"},"size":{"type":"integer","title":"Size"}}}]}`),
		value: json.RawMessage(`{"kind":"advanced","size":5}`),
	}
	b := m.openForm(t)
	b.Click(`input[name="v/kind"][value='"default"']`)
	b.AwaitText("Switching removes these values: Size.")
	require.JSONEq(t, `{"kind":"advanced","size":5}`, m.storedValue())
	b.RequireAccessible()
	b.Click("#form-switch button[value=save]")
	b.Await(`!document.getElementById("form-switch") && document.querySelector("[name='v/size']").value === "5"`)
	require.JSONEq(t, `{"kind":"advanced","size":5}`, m.storedValue())

	b.Click(`input[name="v/kind"][value='"default"']`)
	b.AwaitText("Switching removes these values: Size.")
	b.Click("#form-switch button[value=switch]")
	b.AwaitText("Removed: Size.")
	require.JSONEq(t, `{"kind":"default"}`, m.storedValue())
	b.Click("button[value=undo]")
	b.Await(`document.querySelector("[name='v/size']")?.value === "5"`)
	require.JSONEq(t, `{"kind":"advanced","size":5}`, m.storedValue())

	b.Click("[data-rows='/labels'] > button[data-do=add]")
	typeText(t, b, "[data-rows='/labels'] input[name^='k/labels/n']", "env", false)
	typeText(t, b, "[data-rows='/labels'] input[name^='v/labels/n']", "prod", false)
	b.Await(`document.querySelector("[name='v/labels/env']")?.value === "prod"`)
	require.JSONEq(t, `{"kind":"advanced","size":5,"labels":{"env":"prod"}}`, m.storedValue())
	b.RequireAccessible()
}
