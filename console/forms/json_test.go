package forms_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/browsertest"
)

// manyMachines are more rows than controls show.
var manyMachines = "[" + strings.Repeat(`{"name":"xy","mode":"slow"},`, 301) + `{"name":"last","mode":"slow"}]`

// machineForm returns a form with a value that is edited as JSON, because it has many rows.
func machineForm() *memoryStore {
	return &memoryStore{
		schema: json.RawMessage(`{"type":"object","properties":{"kind":{"type":"string"},"machines":{"type":"array","title":"Machines","items":{"type":"object","required":["name","mode"],"additionalProperties":false,
			"properties":{"name":{"type":"string","title":"Name","description":"As on the plate","minLength":2},"mode":{"enum":["fast","slow"]},
				"speed":{"type":"integer","maximum":9}},
			"if":{"properties":{"mode":{"const":"fast"}},"required":["mode"]},"then":{"required":["speed"]}}}}}`),
		value: json.RawMessage(`{"machines":` + manyMachines + `}`),
	}
}

func postText(t *testing.T, site string, values url.Values) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site+"/form/form/json", strings.NewReader(values.Encode()))
	require.NoError(t, err)
	return sendRequest(t, request)
}

// askAboutText posts a text of the control of machineForm and returns the answer.
func askAboutText(t *testing.T, site, text string, more url.Values) (answer struct {
	Problems []struct {
		From, To int
		Message  string
	}
	From, To int
	Options  []struct{ Label, Text, Detail, Info string }
},
) {
	t.Helper()
	values := url.Values{"at": {"/machines"}, "text": {text}}
	for name, value := range more {
		values[name] = value
	}
	status, body := postText(t, site, values)
	require.Equal(t, http.StatusOK, status, body)
	require.NoError(t, json.Unmarshal([]byte(body), &answer))
	return answer
}

// The positions of errors count UTF-16 units, as the editor does.
func TestTextOfJSONIsChecked(t *testing.T) {
	t.Parallel()
	site := machineForm().startSite(t)
	for text, want := range map[string][]string{
		"":           nil,
		`[]`:         nil,
		`[{"name":1`: {"10 Machines is not valid JSON: look at line 1, character 10."},
		`{"a": 1}`:   {`{"a": 1} Machines must be a list.`},
		"[\n {\"näme😀\": 1, \"name\": \"x\", \"mode\": \"fast\", \"speed\": 10}]": {
			`1 /0/näme😀: Näme😀 in entry 1 of Machines is not expected here.`,
			`"x" /0/name: Name in entry 1 of Machines must have at least 2 characters.`,
			`10 /0/speed: Speed in entry 1 of Machines must be at most 9.`,
		},
		`[{"name": "xy", "mode": "fast"}, 7]`: {
			`{"name": "xy", "mode": "fast"} /0/speed: Speed in entry 1 of Machines is required because of Mode.`,
			`7 /1: Entry 2 of Machines must have fields.`,
		},
	} {
		var found []string
		units := utf16.Encode([]rune(text))
		for _, problem := range askAboutText(t, site.URL, text, nil).Problems {
			part := string(utf16.Decode(units[problem.From:problem.To]))
			if part == "" {
				part = strconv.Itoa(problem.From)
			}
			found = append(found, part+" "+problem.Message)
		}
		require.Equal(t, want, found, text)
	}
}

func TestTextOfJSONIsCompleted(t *testing.T) {
	t.Parallel()
	site := machineForm().startSite(t)
	const text = `[{"name": "😀", "mode": "fast" }]`
	answer := askAboutText(t, site.URL, text, url.Values{"cursor": {"31"}})
	require.Equal(t, 31, answer.From)
	require.Equal(t, 31, answer.To)
	require.Len(t, answer.Options, 1)
	require.Equal(t, `, "speed": `, answer.Options[0].Text)
	require.Equal(t, "Whole number, required", answer.Options[0].Detail)
	answer = askAboutText(t, site.URL, `[{"na`, url.Values{"cursor": {"5"}})
	require.Equal(t, 2, answer.From)
	require.Equal(t, "Name\nAs on the plate", answer.Options[0].Info)
	for _, at := range []string{"", "/kind", "/missing", "x"} {
		status, _ := postText(t, site.URL, url.Values{"at": {at}, "text": {"{"}})
		require.Equal(t, http.StatusNotFound, status, at)
	}
}

// shadow evaluates an expression about the root of the editor.
func shadow(expression string) string {
	return `(() => { const area = document.querySelector("#f-machines"), root = area.parentElement.shadowRoot; return root && ` + expression + `; })()`
}

// A person completes members and values, sees errors while typing, and the form saves the text. The editor and its focus stay
// when the form is shown again.
func TestEditorOfJSON(t *testing.T) {
	t.Parallel()
	m := machineForm()
	b := m.openForm(t)
	const completions = `[...root.querySelectorAll(".cm-completionLabel")].map((l) => l.textContent).join()`
	accept := func(down int) {
		t.Helper()
		// The list takes no keys at first. A pressed key would reach the text as well.
		browsertest.Eval[bool](b, `new Promise((done) => setTimeout(() => done(true), 200))`)
		for range down {
			b.Press(kb.ArrowDown)
		}
		b.Await(shadow(`!root.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", bubbles: true, cancelable: true}))`))
	}
	b.Await(shadow(`root.querySelector(".cm-content") !== null`))
	browsertest.Eval[bool](b, `(document.querySelector("label[for=f-machines]").click(), true)`)
	b.Await(shadow(`root.activeElement !== null`))
	b.Press(kb.End, kb.ModifierCtrl)
	b.Press(kb.ArrowLeft)
	b.Press(",{")
	b.Await(shadow(completions + ` === '"name","mode","speed"'`))
	b.Await(shadow(`root.querySelector(".cm-completionDetail").textContent === "Text, required"`))
	accept(1)
	b.Await(shadow(`area.value.endsWith(',{"mode": }]')`))
	b.Press(`"f`)
	b.Await(shadow(completions + ` === '"fast"'`))
	accept(0)
	b.Await(shadow(`area.value.endsWith(',{"mode": "fast"}]')`))
	b.Await(shadow(`root.querySelectorAll(".cm-lintRange-error").length > 0 && root.querySelectorAll(".cm-lint-marker-error").length === 1`))
	want := `{"machines":` + strings.TrimSuffix(manyMachines, "]") + `,{"mode":"fast"}]}`
	m.requireStored(t, b, want)
	b.RequireAccessible()
	b.Press(kb.Enter, kb.ModifierCtrl)
	b.AwaitText("This cannot be completed yet.")
	b.Await(shadow(`root.activeElement === null && area.value.endsWith('"mode": "fast"\n  }\n]') && root.querySelector(".cm-content") !== null`))
	browsertest.Eval[bool](b, `(document.querySelector("[data-summary] a[href='#f-machines']").click(), true)`)
	b.Await(shadow(`root.activeElement !== null`))
}

func TestEditorOfJSONWithoutScript(t *testing.T) {
	t.Parallel()
	m := machineForm()
	b := browsertest.New(t)
	b.Scripts(false)
	b.Open(m.startSite(t).URL + "/form")
	typeText(t, b, "#f-machines", `[ ]`, true)
	b.Click("[data-complete]")
	b.AwaitPath("/done")
	require.JSONEq(t, `{"machines":[]}`, m.storedValue())
}
