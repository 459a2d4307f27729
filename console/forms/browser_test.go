package forms_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	browsertest.Close()
	os.Exit(code)
}

// loanForm returns a small form with a rule, a table and a person.
func loanForm() *memoryStore {
	return &memoryStore{
		schema: json.RawMessage(`{"type":"object","required":["name","amount"],"properties":{
			"name":{"type":"string","title":"Name"},"amount":{"type":"number","title":"Amount","maximum":10000},
			"married":{"type":"boolean","title":"Married"},"spouse":{"type":"string","title":"Spouse"},
			"adviser":{"type":"string","format":"kuflow-principal","title":"Adviser"},
			"paper":{"type":"string","format":"kuflow-file","title":"Paper","description":"The contract","accept":".txt"},
			"rows":{"type":"array","title":"Debts","items":{"type":"object","properties":{"to":{"type":"string","title":"To"},"much":{"type":"number","title":"Much"},
				"who":{"type":"string","format":"kuflow-principal","title":"Who"}}}}}}`),
		uiSchema: json.RawMessage(`{"type":"VerticalLayout","elements":[
			{"type":"HorizontalLayout","elements":[{"type":"Control","scope":"#/properties/name"},{"type":"Control","scope":"#/properties/amount"}]},
			{"type":"Control","scope":"#/properties/married"},
			{"type":"Control","scope":"#/properties/spouse","rule":{"effect":"SHOW","condition":{"scope":"#/properties/married","schema":{"const":true}}}},
			{"type":"Control","scope":"#/properties/adviser"},{"type":"Control","scope":"#/properties/paper"},
			{"type":"Control","scope":"#/properties/rows"}]}`),
		value: json.RawMessage(`{"name":"Carol","rows":[{"to":"a","much":1.50},{"to":"b","kept":true}]}`),
	}
}

// openForm shows the form in a tab.
func (m *memoryStore) openForm(t *testing.T) *browsertest.Tab {
	t.Helper()
	return showForm(t, m.startSite(t))
}

func showForm(t *testing.T, site *httptest.Server) *browsertest.Tab {
	t.Helper()
	b := browsertest.New(t)
	b.Open(site.URL + "/form")
	return b
}

// typeText types at the end of a field or, with instead, replaces its text.
func typeText(t *testing.T, b *browsertest.Tab, selector, text string, instead bool) {
	t.Helper()
	browsertest.Eval[bool](b, fmt.Sprintf(`(() => {
		const input = document.querySelector(%q);
		input.focus();
		input.setSelectionRange(%t ? 0 : input.value.length, input.value.length);
		return true;
	})()`, selector, instead))
	b.Press(text)
}

const saved = `document.querySelector("[data-status]").dataset.state === "saved"`

// requireStored waits until the form has stored a value.
func (m *memoryStore) requireStored(t *testing.T, b *browsertest.Tab, want string) {
	t.Helper()
	b.Await(`document.querySelector("[name=base]").value === ` + fmt.Sprintf("%q", want))
	b.Await(saved)
	require.Equal(t, want, m.storedValue())
}

func TestFormSavesByItself(t *testing.T) {
	t.Parallel()
	m := loanForm()
	m.value = json.RawMessage(`{"name":"Carol"}`)
	b := m.openForm(t)
	b.Type("#f-amount", "20000")
	b.AwaitText("Amount must be at most 10,000.")
	b.AwaitText("Saved ")
	require.JSONEq(t, `{"name":"Carol","amount":20000}`, m.storedValue())
	require.False(t, browsertest.Eval[bool](b, `document.getElementById("f-spouse-field").checkVisibility()`))
	b.Click("#f-married")
	b.Await(`document.getElementById("f-spouse-field").checkVisibility()`)
	b.Type("#f-spouse", "Bob")
	m.requireStored(t, b, `{"name":"Carol","amount":20000,"married":true,"spouse":"Bob"}`)
	typeText(t, b, "#f-amount", "7.50", true)
	m.requireStored(t, b, `{"name":"Carol","amount":7.50,"married":true,"spouse":"Bob"}`)
	require.Zero(t, b.Count(".is-invalid"))
	b.RequireAccessible()
	b.Press(kb.Enter, kb.ModifierCtrl)
	b.AwaitPath("/done")
	require.True(t, m.completed)
}

// An answer of the server does not overwrite characters typed meanwhile.
func TestTypingContinuesWhileSaving(t *testing.T) {
	t.Parallel()
	m := loanForm()
	m.value = json.RawMessage(`{}`)
	b := m.openForm(t)
	want := ""
	for _, part := range []string{"one ", "two ", "three ", "four "} {
		typeText(t, b, "#f-name", part, false)
		want += part
		browsertest.Eval[bool](b, `new Promise((done) => setTimeout(() => done(true), 790))`)
	}
	m.requireStored(t, b, `{"name":"`+want+`"}`)
}

func TestRowsByKeyboard(t *testing.T) {
	t.Parallel()
	m := loanForm()
	b := m.openForm(t)
	focus := func(selector string) {
		t.Helper()
		require.True(t, browsertest.Eval[bool](b, fmt.Sprintf("(document.querySelector(%q).focus(), document.activeElement.matches(%q))", selector, selector)))
	}
	focus("[data-rows='/rows'] > button[data-do=add]")
	b.Press(kb.Enter)
	b.Press("new")
	m.requireStored(t, b, `{"name":"Carol","rows":[{"to":"a","much":1.50},{"to":"b","kept":true},{"to":"new"}]}`)
	b.Press("er")
	m.requireStored(t, b, `{"name":"Carol","rows":[{"to":"a","much":1.50},{"to":"b","kept":true},{"to":"newer"}]}`)
	focus("tr[data-row='2'] button[data-do=up]")
	b.Press(kb.Enter)
	b.Press(kb.Enter)
	m.requireStored(t, b, `{"name":"Carol","rows":[{"to":"newer"},{"to":"a","much":1.50},{"to":"b","kept":true}]}`)
	focus("tr[data-row='1'] button[data-do=remove]")
	b.Press(kb.Enter)
	m.requireStored(t, b, `{"name":"Carol","rows":[{"to":"newer"},{"to":"b","kept":true}]}`)
	typeText(t, b, "#f-rows-1-to", "!", false)
	m.requireStored(t, b, `{"name":"Carol","rows":[{"to":"newer"},{"to":"b!","kept":true}]}`)
}

func TestTwoPeopleAtOneForm(t *testing.T) {
	t.Parallel()
	m := loanForm()
	m.value = json.RawMessage(`{"name":"Carol","amount":1}`)
	b := m.openForm(t)
	m.setValue(`{"name":"Carol","amount":2}`)
	typeText(t, b, "#f-name", "ina", false)
	m.requireStored(t, b, `{"name":"Carolina","amount":2}`)
	b.Await(`document.getElementById("f-amount").value === "2"`)
	m.setValue(`{"name":"Theirs","amount":2}`)
	typeText(t, b, "#f-name", " B.", false)
	b.AwaitText("Another person changed Name at the same time.")
	b.AwaitText("Carolina B.")
	require.JSONEq(t, `{"name":"Theirs","amount":2}`, m.storedValue())
	typeText(t, b, "#f-name", "!", false)
	typeText(t, b, "#f-amount", "5", false)
	b.Await(`document.querySelector("[data-status]").dataset.state === "conflict" && document.querySelector("[name=base]").value.includes("25")`)
	require.JSONEq(t, `{"name":"Theirs","amount":25}`, m.storedValue())
	b.RequireAccessible()
	b.Click("[data-conflict] button[value^=mine]")
	b.Await(`!document.querySelector("[data-conflict]")`)
	require.JSONEq(t, `{"name":"Carolina B.!","amount":25}`, m.storedValue())
}

func TestReconnectSavesInput(t *testing.T) {
	t.Parallel()
	m := loanForm()
	m.value = json.RawMessage(`{"name":"Carol"}`)
	b := m.openForm(t)
	m.setReachable(false)
	typeText(t, b, "#f-name", "ina", false)
	b.AwaitText("No connection. Your input is kept here and saved when the connection is back.")
	typeText(t, b, "#f-amount", "5", false)
	m.setValue(`{"name":"Carol","married":true}`)
	m.setReachable(true)
	browsertest.Eval[bool](b, `dispatchEvent(new Event("online"))`)
	m.requireStored(t, b, `{"name":"Carolina","married":true,"amount":5}`)
	b.Await(`sessionStorage.getItem("procession-form /form") === null`)

	// A page was left without a connection: the next page saves its input.
	browsertest.Eval[bool](b, `!sessionStorage.setItem("procession-form /form",
		new URLSearchParams({version: "0", zone: "UTC", base: '{"name":"Carol"}', "v/spouse": "Bob", full: "1"}).toString())`)
	b.Open(browsertest.Eval[string](b, "location.href"))
	m.requireStored(t, b, `{"name":"Carolina","married":true,"amount":5,"spouse":"Bob"}`)
}

// A person alone has no conflict with earlier input of the same page that was saved while its answer was lost.
func TestLostAnswersAreNoConflicts(t *testing.T) {
	t.Parallel()
	m := loanForm()
	m.value = json.RawMessage(`{"name":"Carol"}`)
	b := m.openForm(t)
	m.setLossy(true)
	typeText(t, b, "#f-name", "in", false)
	b.AwaitText("No connection. Your input is kept here and saved when the connection is back.")
	require.JSONEq(t, `{"name":"Carolin"}`, m.storedValue())
	m.setLossy(false)
	m.setValue(`{"name":"Carolin","married":true}`)
	typeText(t, b, "#f-name", "a", false)
	m.requireStored(t, b, `{"name":"Carolina","married":true}`)
	require.Equal(t, 0, b.Count("[data-conflict]"))
}

func TestNamesAndFiles(t *testing.T) {
	t.Parallel()
	m := loanForm()
	m.value = json.RawMessage(`{"name":"Carol"}`)
	b := m.openForm(t)
	b.Type("#f-adviser", "Bob")
	b.Await(`document.querySelectorAll("#f-adviser-options [role=option]").length === 2`)
	b.Await(`document.querySelector("[name=base]").value.includes("name=Bob;")`)
	// A row that is not saved yet finds names too.
	b.Click("[data-rows='/rows'] > button[data-do=add]")
	b.Type("tr[data-row^=n] [data-search]", "Bob")
	b.Await(`document.querySelector("[name=base]").value.includes('"rows":[{"who":"kuflow-principal:')`)
	b.Await(`document.getElementById("f-rows-0-who").value === "Bob"`)
	browsertest.Eval[bool](b, `(() => {
		const input = document.querySelector("#f-paper-upload"), files = new DataTransfer();
		files.items.add(new File(["the contract"], "Ünï <b>.txt", {type: "text/plain"}));
		input.closest("[data-files]").dispatchEvent(new DragEvent("drop", {bubbles: true, cancelable: true, dataTransfer: files}));
		return true;
	})()`)
	b.Await(`document.querySelector("[name=base]").value.includes("kuflow-file:")`)
	require.Equal(t, "the contract", m.uploaded)
	b.AwaitText("Ünï <b>.txt")
}

// Search results of a data source appear below the control after its worker has answered.
func TestItemsAppearWhileTyping(t *testing.T) {
	t.Parallel()
	query := &domain.DataSourceRun{ID: uuid.New(), State: domain.DataSourceRunPending}
	m := &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{"good":{"type":"string","title":"Good","format":"kuflow-data-source","dataSource":"GOODS"}}}`),
		value:  json.RawMessage(`{}`),
	}
	m.items = func(forms.Search) (*domain.DataSourceRun, error) {
		run := *query
		return &run, nil
	}
	const bolt = "kuflow-data-source:id=01970000-0000-7000-8000-00000000d001;name=Bolt%3B%20M4;"
	b := m.openForm(t)
	b.Type("#f-good", "bolt")
	b.AwaitText("Asking the data source")
	b.AwaitText("Good is not chosen yet.")
	m.mu.Lock()
	query.Complete(&domain.DataSourcePage{TotalPages: 1, Items: []domain.DataSourceItem{{Value: bolt}}}, time.Now())
	require.Equal(t, "bolt", m.searches[len(m.searches)-1].Words)
	m.mu.Unlock()
	b.AwaitText("Bolt; M4")
	b.RequireAccessible()
	b.Click("[data-choose]")
	m.requireStored(t, b, `{"good":"`+bolt+`"}`)
	require.Zero(t, b.Count("[data-found] *, .is-invalid"))
}

func TestFormWithoutScript(t *testing.T) {
	t.Parallel()
	m := loanForm()
	site := m.startSite(t)
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
	require.JSONEq(t, `{"name":"Carol","rows":[{"to":"b","kept":true},{"to":"c"}],"amount":20000}`, m.storedValue())
	b.Click("[data-complete]")
	b.AwaitText("This cannot be completed yet.")
	b.AwaitText("Amount must be at most 10,000.")
	typeText(t, b, "#f-amount", "5", true)
	b.Click("[data-complete]")
	b.AwaitPath("/done")
}

func TestFormsFitEveryScreen(t *testing.T) {
	t.Parallel()
	m := everyControl()
	m.uiSchema = json.RawMessage(`{"type":"Categorization","elements":[
		{"type":"Category","label":"One","elements":[{"type":"Control","scope":"#/properties/line"},{"type":"Control","scope":"#/properties/choices"},
			{"type":"Control","scope":"#/properties/n"},{"type":"Control","scope":"#/properties/file"},{"type":"Control","scope":"#/properties/tags"}]},
		{"type":"Category","label":"Two","elements":[{"type":"Control","scope":"#/properties/rows"},{"type":"Control","scope":"#/properties/cards"},
			{"type":"Control","scope":"#/properties/must"},{"type":"Control","scope":"#/properties/at"},{"type":"Control","scope":"#/properties/radio"}]}]}`)
	m.value = json.RawMessage(`{"line":"x","n":99999,"choices":["a"],"rows":[{"a":"1"}],"cards":[{"l":[{"x":"1"}]}]}`)
	b := m.openForm(t)
	b.Size(320, 640)
	b.RequireNoSidewaysScroll()
	for _, scheme := range []string{"light", "dark"} {
		b.Scheme(scheme)
		b.Await("document.documentElement.dataset.bsTheme === " + fmt.Sprintf("%q", scheme))
		b.Await("document.getAnimations().length === 0")
		b.RequireAccessible()
	}
	require.False(t, browsertest.Eval[bool](b, `document.getElementById("f-must").checkVisibility()`))
	b.Click("[data-complete]")
	b.AwaitText("This cannot be completed yet.")
	b.Await(`document.activeElement.id === "form-summary"`)
	browsertest.Eval[bool](b, `!document.querySelector("a[href='#f-n']").click()`)
	b.Await(`document.activeElement.id === "f-n" && document.activeElement.checkVisibility()`)
	browsertest.Eval[bool](b, `!document.querySelector("a[href='#f-must']").click()`)
	b.Await(`document.activeElement.id === "f-must" && document.activeElement.checkVisibility()`)
	b.Await("document.getAnimations().length === 0")
	b.RequireAccessible()
	b.RequireNoSidewaysScroll()
}

// A form of 200 fields and a table of 50 rows is usable.
func TestWideFormIsUsable(t *testing.T) {
	t.Parallel()
	b := wideForm().openForm(t)
	typeText(t, b, "#f-rows-49-remark", "!", false)
	b.Await(saved)
	t.Logf("first paint after %.0f ms, an autosave took %.0f ms, answer of %.0f bytes",
		browsertest.Eval[float64](b, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1`),
		browsertest.Eval[float64](b, `performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/form/form")).at(-1).duration`),
		browsertest.Eval[float64](b, `performance.getEntriesByType("resource").filter((e) => e.name.endsWith("/form/form")).at(-1).decodedBodySize`))
}
