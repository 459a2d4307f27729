package forms_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// A draft stays in the tab, with its rules and errors, until it is sent.
func TestDraftIsKeptInTheTab(t *testing.T) {
	t.Parallel()
	m := loanForm()
	site := m.startDraftSite(t)
	b := showForm(t, site)
	b.Size(1280, 1600)
	require.NotContains(t, b.Text("form"), "required.")
	b.Type("#f-amount", "20000")
	b.AwaitText("Amount must be at most 10,000.")
	b.Click("#f-married")
	b.Await(`document.getElementById("f-spouse-field").checkVisibility()`)
	b.Click("[data-rows='/rows'] > button[data-do=add]")
	b.Type("tr[data-row^=n] input:not([type=hidden])", "c")
	b.Type("#f-spouse", "Bob")
	b.Open(site.URL + "/form")
	b.Await(`document.getElementById("f-spouse")?.value === "Bob"`)
	b.Await(`document.getElementById("f-rows-2-to")?.value === "c"`)
	b.RequireAccessible()
	require.Empty(t, m.patches, "nothing is sent before its button")

	b.Click("[data-complete]")
	b.AwaitText("Something is missing or not valid.")
	b.Await(`document.activeElement.id === "f-amount"`)
	require.Empty(t, m.sent)
	typeText(t, b, "#f-amount", "5", true)
	b.Click("[data-complete]")
	b.AwaitPath("/done")
	require.Len(t, m.sent, 1)
	require.JSONEq(t, `{"name":"Carol","rows":[{"to":"a","much":1.50},{"to":"b","kept":true},{"to":"c"}],"amount":5,"married":true,"spouse":"Bob"}`, m.storedValue())
	b.Open(site.URL + "/form")
	require.False(t, browsertest.Eval[bool](b, `document.querySelector("[data-discard]").checkVisibility()`), "a form that was sent begins again")

	typeText(t, b, "#f-name", "x", false)
	b.Click("[data-discard]")
	b.Await(`document.getElementById("f-name")?.value === "Carol"`)
	b.Await(`sessionStorage.length === 0`)
}

func TestDraftWithoutScript(t *testing.T) {
	t.Parallel()
	m := loanForm()
	site := m.startDraftSite(t)
	b := browsertest.New(t)
	b.Scripts(false)
	b.Size(1280, 1600)
	b.Open(site.URL + "/form")
	b.Type("#f-amount", "20000")
	b.Click("[data-rows='/rows'] > button[data-do=add]")
	b.AwaitText("Amount must be at most 10,000.")
	b.Type("#f-rows-new0-to", "c")
	b.Click("tr[data-row='0'] button[data-do=remove]")
	b.Await(`document.querySelectorAll("tr[data-row]").length === 2`)
	b.Click("[data-complete]")
	b.AwaitText("Something is missing or not valid.")
	require.Empty(t, m.patches)
	typeText(t, b, "#f-amount", "5", true)
	b.Click("[data-complete]")
	b.AwaitPath("/done")
	require.JSONEq(t, `{"name":"Carol","rows":[{"to":"b","kept":true},{"to":"c"}],"amount":5}`, m.storedValue())
}

// Changes of others are merged with a draft before it is sent.
func TestDraftIsMergedWithChanges(t *testing.T) {
	t.Parallel()
	m := loanForm()
	m.value = json.RawMessage(`{"name":"Carol","amount":1}`)
	b := showForm(t, m.startDraftSite(t))
	typeText(t, b, "#f-name", "ina", false)
	m.setValue(`{"name":"Carol","amount":2}`)
	b.Click("[data-complete]")
	b.AwaitPath("/done")
	require.JSONEq(t, `{"name":"Carolina","amount":2}`, m.storedValue())

	b = showForm(t, m.startDraftSite(t))
	typeText(t, b, "#f-name", "!", false)
	m.beforeSave = func() { m.setValue(`{"name":"Theirs","amount":3}`) }
	b.Click("[data-complete]")
	b.AwaitText("Another person changed Name at the same time.")
	require.JSONEq(t, `{"name":"Theirs","amount":3}`, m.storedValue())
	b.Click("[data-conflict] button[value^=mine]")
	b.Await(`!document.querySelector("[data-conflict]")`)
	require.JSONEq(t, `{"name":"Theirs","amount":3}`, m.storedValue(), "choosing sends nothing")
	b.Click("[data-complete]")
	b.AwaitPath("/done")
	require.JSONEq(t, `{"name":"Carolina!","amount":3}`, m.storedValue())
}

// A refusal names the control and keeps the input. A draft that is sent twice has one id.
func TestDraftThatIsRefused(t *testing.T) {
	t.Parallel()
	m := loanForm()
	m.value = json.RawMessage(`{"name":"Carol","amount":1}`)
	site := m.startDraftSite(t)
	values := parseForm(t, fetchPage(t, site.URL+"/form"))
	values.Set("v/name", "Bob")
	values.Set("do", "complete")
	m.sendError = domain.InvalidAt(domain.FieldProcessEntity, "/name", "is taken")
	status, page := postForm(t, site.URL, values, false)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, page, "Name is taken")
	again := parseForm(t, page)
	require.Equal(t, "Bob", again.Get("v/name"))
	require.Equal(t, values.Get("once"), again.Get("once"))
	m.sendError = nil
	again.Set("do", "complete")
	status, _ = postForm(t, site.URL, again, false)
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, values.Get("once"), m.sent[0].ID.String())

	for name, value := range map[string]string{"base": "{", "origin": "", "once": "x"} {
		broken := parseForm(t, page)
		broken.Set("do", "complete")
		broken.Set(name, value)
		status, _ = postForm(t, site.URL, broken, false)
		require.Equal(t, http.StatusBadRequest, status, name)
	}
}
