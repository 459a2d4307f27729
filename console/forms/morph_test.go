package forms_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/browsertest"
)

// addressForm returns a form in which the country decides whether there is a state.
func addressForm() *memoryStore {
	return &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{
			"country":{"type":"string","title":"Country"},"state":{"type":"string","title":"State"},
			"name":{"type":"string","title":"Name"},"notes":{"type":"string","title":"Notes"}}}`),
		uiSchema: json.RawMessage(`{"type":"VerticalLayout","elements":[
			{"type":"Control","scope":"#/properties/country"},
			{"type":"Control","scope":"#/properties/state","rule":{"effect":"SHOW","condition":{"scope":"#/properties/country","schema":{"const":"US"}}}},
			{"type":"Control","scope":"#/properties/name"},
			{"type":"Control","scope":"#/properties/notes","options":{"multi":true}}]}`),
		value: json.RawMessage(`{}`),
	}
}

const stateShown = `document.getElementById("f-state-field").checkVisibility()`

// holdSave lets the next change wait until release is called. started is closed when the change has arrived.
func (m *memoryStore) holdSave() (started <-chan struct{}, release func()) {
	begun, held := make(chan struct{}), make(chan struct{})
	m.beforeSave = func() {
		close(begun)
		<-held
	}
	return begun, func() { close(held) }
}

// An answer that changes the form waits until an input method has committed its text.
func TestAnswersWaitForCompositions(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"#f-name", "#f-notes"} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			m := addressForm()
			b := m.openForm(t)
			started, release := m.holdSave()
			b.Type("#f-country", "US")
			<-started
			browsertest.Eval[bool](b, `(document.querySelector("`+field+`").focus(), true)`)
			b.Compose("に")
			b.Compose("にほ")
			release()
			b.Await(`performance.getEntriesByType("resource").some((entry) => entry.initiatorType === "fetch" && entry.responseEnd > 0)`)
			b.Compose("にほn")
			require.False(t, browsertest.Eval[bool](b, stateShown), "the form changed during the composition")
			b.Compose("日本")
			b.Commit("日本")
			b.Await(stateShown)
			require.Equal(t, "日本", browsertest.Eval[string](b, `document.querySelector("`+field+`").value`))
			require.True(t, browsertest.Eval[bool](b, `document.activeElement.matches("`+field+`")`))
			m.requireStored(t, b, `{"country":"US","`+field[3:]+`":"日本"}`)
		})
	}
}

// No save starts during a composition, however long it takes.
func TestCompositionsAreNotSaved(t *testing.T) {
	t.Parallel()
	m := addressForm()
	b := m.openForm(t)
	browsertest.Eval[bool](b, `(document.querySelector("#f-name").focus(), true)`)
	b.Compose("に")
	browsertest.Eval[bool](b, `new Promise((done) => setTimeout(() => done(true), 1000))`)
	b.Compose("にほん")
	require.JSONEq(t, `{}`, m.storedValue())
	b.Commit("日本")
	m.requireStored(t, b, `{"name":"日本"}`)
}

// An answer that changes the form leaves what was typed during the request, the caret and the page as they are.
func TestAnswersKeepInputsThatWereEditedMeanwhile(t *testing.T) {
	t.Parallel()
	m := addressForm()
	m.value = json.RawMessage(`{"name":"Carol","notes":"old"}`)
	b := m.openForm(t)
	started, release := m.holdSave()
	b.Type("#f-country", "US")
	<-started
	typeText(t, b, "#f-notes", " and more", false)
	typeText(t, b, "#f-name", "Ann ", false)
	browsertest.Eval[bool](b, `(document.querySelector("#f-name").setSelectionRange(2, 4), window.kept = document.querySelector("#f-name"), true)`)
	release()
	b.Await(stateShown)
	require.Equal(t, "CarolAnn |2|4|old and more", browsertest.Eval[string](b, `(() => {
		const name = document.querySelector("#f-name");
		return [name.value, name.selectionStart, name.selectionEnd, document.querySelector("#f-notes").value].join("|");
	})()`))
	require.True(t, browsertest.Eval[bool](b, `window.kept === document.activeElement`), "the input was replaced")
	m.requireStored(t, b, `{"name":"CarolAnn ","notes":"old and more","country":"US"}`)
}

// The focus stays in the form when its input is hidden.
func TestFocusStaysInTheFormWhenItsInputIsHidden(t *testing.T) {
	t.Parallel()
	m := addressForm()
	m.value = json.RawMessage(`{"country":"US"}`)
	b := m.openForm(t)
	started, release := m.holdSave()
	typeText(t, b, "#f-country", "NL", true)
	<-started
	browsertest.Eval[bool](b, `(document.querySelector("#f-state").focus(), true)`)
	release()
	b.Await("!" + stateShown)
	browsertest.Eval[bool](b, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	require.True(t, browsertest.Eval[bool](b, `document.activeElement.closest("[data-form]") !== null`))
}
