package forms_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/browsertest"
)

// An untouched form shows no errors. Missing values are marked after a control was left empty, and everywhere
// after completing was tried.
func TestPristineForm(t *testing.T) {
	t.Parallel()
	m := loanForm()
	m.value = json.RawMessage(`{}`)
	b := m.openForm(t)
	require.Zero(t, b.Count(".is-invalid, .invalid-feedback"))
	require.False(t, browsertest.Eval[bool](b, `document.getElementById("form-summary").checkVisibility()`))
	require.NotContains(t, b.Text("form"), "required.")

	browsertest.Eval[bool](b, `!document.getElementById("f-name").focus()`)
	b.Press(kb.Tab)
	b.AwaitText("Name is required.")
	require.NotContains(t, b.Text("form"), "Amount is required.")
	b.Press("1")
	m.requireStored(t, b, `{"amount":1}`)
	require.NotContains(t, b.Text("form"), "Amount is required.")
	typeText(t, b, "#f-amount", kb.Backspace, true)
	b.AwaitText("Amount is required.")
	require.False(t, browsertest.Eval[bool](b, `document.getElementById("form-summary").checkVisibility()`), "the page does not jump while one types")
	b.RequireAccessible()
	b.Click("[data-complete]")
	b.Await(`document.activeElement.id === "form-summary"`)
	require.Equal(t, 2, b.Count("#form-summary a"))
	b.Type("#f-name", "Carol")
	b.Await(`document.querySelectorAll("#form-summary a").length === 1`)
}

// Where values need not be valid, completing without them takes a second step.
func TestCompletingAnyway(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		m := loanForm()
		m.value, m.acceptsInvalid = json.RawMessage(`{}`), true
		site := m.startSite(t)
		b := browsertest.New(t)
		b.Scripts(scripts)
		b.Open(site.URL + "/form")
		b.Click("[data-complete]")
		b.AwaitText("Name is required.")
		b.AwaitText("Amount is required.")
		require.False(t, m.completed)
		if scripts {
			b.Await(`document.activeElement.id === "form-summary"`)
			b.RequireAccessible()
		}
		b.Click("[data-complete]")
		b.AwaitText("Something is missing or not valid.")
		require.False(t, m.completed, "again it only lists what is missing")
		b.Click("[data-anyway] button")
		b.AwaitPath("/done")
		require.True(t, m.completed)
	}
}

// The button that completes anyway has no effect where values must be valid.
func TestCompleteAnywayIsIgnoredWhereValuesMustBeValid(t *testing.T) {
	t.Parallel()
	m := loanForm()
	status, body := postForm(t, m.startSite(t).URL, url.Values{"version": {"0"}, "do": {"anyway"}}, true)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "incomplete", answerOf(t, body).Status)
	require.NotContains(t, answerOf(t, body).HTML, "data-anyway")
	require.False(t, m.completed)
}

// A toggle shows a value from the beginning. Completing sends it where one is required;
// a question with two answers has to be answered.
func TestUntouchedTogglesAreSentIfRequired(t *testing.T) {
	t.Parallel()
	for _, scripts := range []bool{true, false} {
		m := &memoryStore{
			schema: json.RawMessage(`{"type":"object","required":["on","asked"],"properties":{
				"on":{"type":"boolean","title":"On"},"extra":{"type":"boolean","title":"Extra"},"asked":{"type":"boolean","title":"Asked"}}}`),
			uiSchema: json.RawMessage(`{"type":"VerticalLayout","elements":[
				{"type":"Control","scope":"#/properties/on","options":{"toggle":true}},
				{"type":"Control","scope":"#/properties/extra"},{"type":"Control","scope":"#/properties/asked"}]}`),
			value: json.RawMessage(`{}`),
		}
		site := m.startSite(t)
		b := browsertest.New(t)
		b.Scripts(scripts)
		b.Open(site.URL + "/form")
		b.Click("[data-complete]")
		b.AwaitText("Asked is required.")
		require.NotContains(t, b.Text("form"), "On is required.")
		require.JSONEq(t, `{"on":false}`, m.storedValue())
		b.Click("#f-asked")
		b.Click("[data-complete]")
		b.AwaitPath("/done")
		require.JSONEq(t, `{"on":false,"asked":true}`, m.storedValue())
	}
}
