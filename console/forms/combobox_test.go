package forms_test

import (
	"encoding/json"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/browsertest"
)

// countryForm returns a form with a long enumeration and a person.
func countryForm() *memoryStore {
	return &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{
			"country":{"title":"Country","enum":["Austria","Belgium","Chile","Denmark","Estonia","Finland","Germany","Hungary","Île de Ré","Japan","Kenya","Latvia","Malta","Norway"]},
			"adviser":{"type":"string","format":"kuflow-principal","title":"Adviser"},
			"note":{"type":"string","title":"Note"}}}`),
		value: json.RawMessage(`{}`),
	}
}

const shownOptions = `[...document.querySelectorAll("[role=listbox]:popover-open > *")].map((o) => o.textContent).join("|")`

func TestComboboxFiltersOptions(t *testing.T) {
	t.Parallel()
	m := countryForm()
	b := m.openForm(t)
	b.Type("#f-country", "an")
	require.Equal(t, "Finland|Germany|Japan", browsertest.Eval[string](b, shownOptions))
	b.Press(kb.ArrowDown)
	b.Press(kb.ArrowDown)
	require.Equal(t, "Germany", browsertest.Eval[string](b, `document.getElementById(document.querySelector("#f-country").getAttribute("aria-activedescendant")).textContent`))
	b.RequireAccessible()
	b.Press(kb.Enter)
	require.Empty(t, browsertest.Eval[string](b, shownOptions))
	m.requireStored(t, b, `{"country":"Germany"}`)

	// Accents and case do not matter. The only match is taken by Tab.
	typeText(t, b, "#f-country", "ILE D", true)
	require.Equal(t, "Île de Ré", browsertest.Eval[string](b, shownOptions))
	b.Press(kb.Tab)
	m.requireStored(t, b, `{"country":"Île de Ré"}`)

	typeText(t, b, "#f-country", "zz", true)
	require.Equal(t, "No match", browsertest.Eval[string](b, shownOptions))
	b.Press(kb.Escape)
	require.Empty(t, browsertest.Eval[string](b, shownOptions))
	b.AwaitText("Country must be one of the choices.")
}

func TestComboboxFindsPeople(t *testing.T) {
	t.Parallel()
	m := countryForm()
	b := m.openForm(t)
	b.Type("#f-adviser", "Car")
	b.Await(shownOptions + ` === "Carol"`)
	b.Press(kb.Tab)
	b.Await(`document.querySelector("[name=base]").value.includes("name=Carol;")`)
	require.Equal(t, "f-note", browsertest.Eval[string](b, "document.activeElement.id"))
	typeText(t, b, "#f-adviser", "Bo", true)
	b.Await(shownOptions + ` === "Bob|Bobby"`)
	b.Click("#f-adviser-options-1")
	b.Await(`document.querySelector("[name=base]").value.includes("name=Bobby;")`)
	typeText(t, b, "#f-adviser", "zz", true)
	b.Await(shownOptions + ` === "No match"`)
	m.setReachable(false)
	typeText(t, b, "#f-adviser", "Bob", true)
	b.Await(shownOptions + ` === "The search failed. Try again."`)
}
