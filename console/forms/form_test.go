package forms_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/procession-dev/procession/console/forms"
)

const (
	everySchema = `{"type":"object","required":["line","must"],"properties":{
		"line":{"type":"string","description":"Help me","minLength":1},"must":{"type":"string"},"lines":{"type":"string"},"leading":{"type":"string"},
		"pin":{"type":"string","format":"password"},"n":{"type":"number","maximum":10000},"i":{"type":"integer"},"odd":{"type":"number"},
		"check":{"type":"boolean"},"toggle":{"type":"boolean"},"radio":{"enum":["a","b"]},"strange":{"enum":["a","b"]},
		"one":{"oneOf":[{"const":1,"title":"One"},{"const":2,"title":"Two"}]},"six":{"enum":["a","b","c","d","e","f"]},
		"search":{"enum":["a","b","c","d","e","f","g","h","i","j","k","l","m"]},
		"choices":{"type":"array","uniqueItems":true,"items":{"enum":["a","b","c"]}},
		"date":{"type":"string","format":"date"},"baddate":{"type":"string","format":"date"},"time":{"type":"string","format":"time"},
		"at":{"type":"string","format":"date-time"},"tags":{"type":"array","items":{"type":"string"}},
		"list":{"type":"array","items":{"type":"string","format":"date"}},
		"rows":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"n":{"type":"number"},"b":{"type":"boolean"},"r":{"enum":["x","y"]}}}},
		"cards":{"type":"array","items":{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}}}}},
		"address":{"type":"object","properties":{"town":{"type":"string"}}},
		"file":{"type":"string","format":"kuflow-file","accept":".pdf","maxSize":"1 MB"},"files":{"type":"array","items":{"type":"string","format":"kuflow-file"}},
		"who":{"type":"string","format":"kuflow-principal"},"open":{"type":"string"},"fixed":{"type":"string","readOnly":true},
		"fixedChoice":{"enum":["a","b"],"readOnly":true},"fixedFlag":{"type":"boolean","readOnly":true},
		"fixedChoices":{"type":"array","uniqueItems":true,"readOnly":true,"items":{"enum":["a","b"]}}}}`
	everyValue = `{"line":"x","must":"y","lines":"a\r\nb ","leading":"\n\nx\n","pin":"1234","n":1.50,"i":10,"odd":"abc",
		"check":true,"radio":"b","strange":{"q":1},"one":1.0,"six":"f","search":"c","choices":["c","z","a"],"date":"2026-02-03","baddate":"soon",
		"time":"09:30:00+01:00","at":"2026-03-01T10:00:00.25+02:00","tags":["b","a","b"],"list":["2026-01-02"],
		"rows":[{"a":"1","n":1.0,"hidden":{"k":[1]}},{"a":"2","b":true,"r":"x"},{"a":"3"}],
		"cards":[{"l":[{"x":"1"},{"x":"2","y":0}]}],"address":{"town":"Y","secret":7},
		"file":"kuflow-file:name=a.pdf;uri=ku:x;type=a/b;size=1","files":["kuflow-file:uri=ku:1;type=a/b;size=1;name=1;","kuflow-file:uri=ku:2;type=a/b;size=1;name=2;"],
		"who":"kuflow-principal:type=USER;id=01970000-0000-7000-8000-00000000c002;name=Carol","open":"a\u0000b","fixed":"f",
		"fixedChoice":"b","fixedFlag":true,"fixedChoices":["a"],"unknown":{"deep":[{"a":1e5}]}}`
	everyLayout = ``
)

func everyControl() *memoryStore {
	return &memoryStore{schema: json.RawMessage(everySchema), uiSchema: json.RawMessage(everyLayout), value: json.RawMessage(everyValue)}
}

// postForm sends a form as a browser does and returns the answer, redirects not followed.
func postForm(t *testing.T, site string, values url.Values, script bool) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site+"/form/form", strings.NewReader(values.Encode()))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if script {
		request.Header.Set("Accept", "application/json")
	}
	return sendRequest(t, request)
}

// fetchPage returns a page.
func fetchPage(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	_, page := sendRequest(t, request)
	return page
}

func sendRequest(t *testing.T, request *http.Request) (status int, body string) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode, string(text)
}

func answerOf(t *testing.T, body string) forms.Answer {
	t.Helper()
	var answer forms.Answer
	require.NoError(t, json.Unmarshal([]byte(body), &answer), body)
	return answer
}

// A page that is sent back unchanged changes no value, in any language and zone.
func TestUntouchedFormChangesNoValue(t *testing.T) {
	t.Parallel()
	for _, where := range [][2]string{{"en", "UTC"}, {"de", "Asia/Kathmandu"}} {
		for _, value := range []string{everyValue, `{}`} {
			m := everyControl()
			m.value = json.RawMessage(value)
			site := m.startSite(t)
			page := m.renderForm(t, viewerContext(t, where[0], where[1]))
			status, _ := postForm(t, site.URL, parseForm(t, page), false)
			require.Equal(t, http.StatusSeeOther, status)
			require.Empty(t, m.patches)
			require.Equal(t, value, m.storedValue())
		}
	}
}

// Each control that is changed in the page is one change of the value.
func TestOneControlIsOneChange(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"v/line": {"<b>", `replace /line "<b>"`}, "v/lines": {"a\r\nc", `replace /lines "a\nc"`}, "v/leading": {"", `remove /leading `},
		"v/n": {"2,5", `replace /n 2.5`}, "v/i": {"12", `replace /i 12`}, "v/radio": {`"a"`, `replace /radio "a"`},
		"v/six": {"", `remove /six `}, "v/search": {"m", `replace /search "m"`}, "v/date": {"2026-02-04", `replace /date "2026-02-04"`},
		"v/at": {"2026-03-01T09:00", `replace /at "2026-03-01T11:00:00+02:00"`}, "v/rows/1/r": {`"y"`, `replace /rows/1/r "y"`},
		"v/cards/0/l/1/x": {"z", `replace /cards/0/l/1/x "z"`}, "v/address/town": {"Z", `replace /address/town "Z"`},
		"v/open": {`"c"`, `replace /open "c"`}, "v/fixed": {"changed", ""}, "v/fixedChoice": {`"a"`, ""},
		"v/who": {"Bob", `replace /who "kuflow-principal:id=01970000-0000-7000-8000-00000000c002;type=USER;name=Bob;"`},
	} {
		m := everyControl()
		values := parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
		values.Set(name, test.text)
		if strings.HasPrefix(name, "v/who") {
			values.Del("r/who")
		}
		status, body := postForm(t, m.startSite(t).URL, values, false)
		require.Equal(t, http.StatusSeeOther, status, "%s: %s", name, body)
		require.Equal(t, test.want, strings.Join(m.patches, ";"), name)
		require.Contains(t, m.storedValue(), `"unknown":{"deep":[{"a":1e5}]}`)
	}
}

func TestRowsWithoutScript(t *testing.T) {
	t.Parallel()
	hidden := `{"a":"1","n":1.0,"hidden":{"k":[1]}}`
	for do, want := range map[string]string{
		"remove:/rows/1":      `replace /rows [` + hidden + `,{"a":"3"}]`,
		"up:/rows/2":          `replace /rows [` + hidden + `,{"a":"3"},{"a":"2","b":true,"r":"x"}]`,
		"down:/rows/0":        `replace /rows [{"a":"2","b":true,"r":"x"},` + hidden + `,{"a":"3"}]`,
		"up:/rows/0":          "",
		"down:/rows/9":        "",
		"remove:/cards/0/l/0": `replace /cards/0/l [{"x":"2","y":0}]`,
	} {
		m := everyControl()
		values := parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
		values.Set("do", do)
		status, body := postForm(t, m.startSite(t).URL, values, false)
		require.Equal(t, http.StatusSeeOther, status, body)
		require.Equal(t, want, strings.Join(m.patches, ";"), do)
	}
	m := everyControl()
	values := parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
	values.Set("do", "add:/rows")
	values.Set("v/line", "kept")
	status, page := postForm(t, m.startSite(t).URL, values, false)
	require.Equal(t, http.StatusOK, status)
	values = parseForm(t, page)
	require.Equal(t, []string{"", "0", "1", "2", "new0"}, values["o/rows"])
	values.Set("v/rows/new0/a", "4")
	status, _ = postForm(t, m.startSite(t).URL, values, false)
	require.Equal(t, http.StatusSeeOther, status)
	require.Equal(t, []string{`replace /line "kept"`, `replace /rows [` + hidden + `,{"a":"2","b":true,"r":"x"},{"a":"3"},{"a":"4"}]`}, m.patches)
}

func TestFilesWithoutScript(t *testing.T) {
	t.Parallel()
	m := everyControl()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC"))) {
		for _, value := range values {
			if name != "v/files" || !strings.Contains(value, "ku:1") {
				require.NoError(t, w.WriteField(name, value))
			}
		}
	}
	part, err := w.CreateFormFile("u/files", `<i>"new".txt`)
	require.NoError(t, err)
	_, _ = part.Write([]byte("content"))
	require.NoError(t, w.Close())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.startSite(t).URL+"/form/form", &body)
	require.NoError(t, err)
	request.Header.Set("Content-Type", w.FormDataContentType())
	status, answer := sendRequest(t, request)
	require.Equal(t, http.StatusSeeOther, status, answer)
	require.Equal(t, "content", m.uploaded)
	require.Len(t, m.patches, 1)
	require.Contains(t, m.patches[0], `replace /files ["kuflow-file:uri=ku:2;type=a/b;size=1;name=2;","kuflow-file:uri=ku:up`)
	require.NotContains(t, m.renderForm(t, viewerContext(t, "en", "UTC")), "<i>")
}

// Invalid values are saved and marked; unreadable text stays in its control.
func TestInvalidTextIsKept(t *testing.T) {
	t.Parallel()
	m := everyControl()
	site := m.startSite(t)
	values := parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
	values.Set("v/n", "much")
	values.Set("v/open", `{"x":`)
	values.Set("v/who", "Bo")
	status, page := postForm(t, site.URL, values, false)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, []string{`replace /n "much"`}, m.patches)
	again := parseForm(t, page)
	require.Equal(t, "much", again.Get("v/n"))
	require.Equal(t, "{\"x\":", again.Get("v/open"))
	require.Equal(t, "Bo", again.Get("v/who"))
	require.Contains(t, page, "N must be a number.")
	require.Contains(t, page, "Open is not valid JSON: look at line 1, character")
	require.Contains(t, page, "Who was not found.")
	require.Contains(t, page, `href="#f-n"`)
}

func TestCompleteRequiresValidValues(t *testing.T) {
	t.Parallel()
	m := everyControl()
	m.value = json.RawMessage(`{"line":"x"}`)
	site := m.startSite(t)
	values := parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
	values.Set("do", "complete")
	status, page := postForm(t, site.URL, values, false)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, page, "Must is required.")
	require.NotContains(t, page, "violates", "what the values say is not said twice")
	require.Contains(t, page, "This cannot be completed yet.")
	status, body := postForm(t, site.URL, url.Values{"version": {"0"}, "do": {"complete"}}, true)
	require.Equal(t, http.StatusOK, status)
	answer := answerOf(t, body)
	require.Equal(t, "incomplete", answer.Status)
	require.Len(t, answer.Problems, 1)
	status, body = postForm(t, site.URL, url.Values{"version": {"0"}, "v/must": {"y"}, "do": {"complete"}}, true)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "/done", answerOf(t, body).To)
	require.True(t, m.completed)
}

func TestTheScriptSendsWhatChanged(t *testing.T) {
	t.Parallel()
	m := everyControl()
	site := m.startSite(t)
	status, body := postForm(t, site.URL, url.Values{"version": {"0"}, "v/n": {"10001"}, "v/check": {"false"}}, true)
	require.Equal(t, http.StatusOK, status, body)
	answer := answerOf(t, body)
	require.Equal(t, "saved", answer.Status)
	require.Equal(t, "1", answer.Version)
	require.Empty(t, answer.HTML)
	require.JSONEq(t, m.storedValue(), answer.Base)
	require.Contains(t, body, `{"id":"f-n","name":"/n","text":"N must be at most 10,000."}`)
	require.Equal(t, []string{"replace /n 10001", "replace /check false"}, m.patches)

	_, body = postForm(t, site.URL, url.Values{"version": {"1"}, "o/rows": {"", "2", "n7"}, "v/rows/n7/a": {"9"}}, true)
	answer = answerOf(t, body)
	require.Equal(t, map[string]string{"2": "0", "n7": "1"}, answer.Keys["/rows"])
	require.Contains(t, answer.HTML, `data-row="1"`)
}

func TestNamesInNewRows(t *testing.T) {
	t.Parallel()
	m := loanForm()
	site := m.startSite(t)
	_, body := postForm(t, site.URL, url.Values{
		"version": {"0"}, "o/rows": {"", "0", "1", "n7", "n8"}, "v/rows/n7/to": {"c"}, "v/rows/n7/who": {"Bob"},
		"v/rows/n8/to": {"d"}, "v/rows/n8/who": {"Nemo"},
	}, true)
	require.Contains(t, body, `{"id":"f-rows-3-who","name":"/rows/3/who","text":"Who was not found. Choose one of the suggestions.","unsaved":true}`)
	require.JSONEq(t, `{"name":"Carol","rows":[{"to":"a","much":1.50},{"to":"b","kept":true},
		{"to":"c","who":"kuflow-principal:id=01970000-0000-7000-8000-00000000c002;type=USER;name=Bob;"},{"to":"d"}]}`, m.storedValue())
}

func TestTwoPeopleChangeDifferentValues(t *testing.T) {
	t.Parallel()
	m := everyControl()
	m.value = json.RawMessage(`{"line":"x","must":"y","i":1}`)
	site := m.startSite(t)
	page := parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
	m.setValue(`{"line":"theirs","must":"y","i":1}`)
	status, body := postForm(t, site.URL, url.Values{"version": {"0"}, "v/i": {"2"}}, true)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "base", answerOf(t, body).Status)
	require.Empty(t, m.patches)
	_, body = postForm(t, site.URL, url.Values{"version": {"0"}, "v/i": {"2"}, "base": page["base"]}, true)
	require.Equal(t, "saved", answerOf(t, body).Status)
	require.JSONEq(t, `{"line":"theirs","must":"y","i":2}`, m.storedValue())

	m.beforeSave = func() { m.setValue(`{"line":"again","must":"y","i":2}`) }
	_, body = postForm(t, site.URL, url.Values{"version": {"2"}, "v/i": {"3"}}, true)
	require.Equal(t, "saved", answerOf(t, body).Status, "a change that comes in between")
	require.JSONEq(t, `{"line":"again","must":"y","i":3}`, m.storedValue())
}

// Both values are shown until one is chosen, with and without a script.
func TestTwoPeopleChangeOneValue(t *testing.T) {
	t.Parallel()
	for choice, want := range map[string]string{"mine:/line": "mine", "theirs:/line": "theirs", "save": "theirs"} {
		m := everyControl()
		m.value = json.RawMessage(`{"line":"x","must":"y"}`)
		site := m.startSite(t)
		values := parseForm(t, m.renderForm(t, viewerContext(t, "en", "UTC")))
		m.setValue(`{"line":"theirs","must":"y"}`)
		values.Set("v/line", "mine")
		values.Set("v/must", "also")
		status, page := postForm(t, site.URL, values, false)
		require.Equal(t, http.StatusConflict, status)
		require.JSONEq(t, `{"line":"theirs","must":"also"}`, m.storedValue(), "what nobody else changed is saved") // wording: of the rows
		require.Contains(t, page, "Another person changed Line at the same time.")
		values = parseForm(t, page)
		require.Equal(t, "mine", values.Get("v/line"))
		require.JSONEq(t, `"theirs"`, values.Get("theirs"))
		values.Set("do", choice)
		values.Set("v/i", "7")
		status, page = postForm(t, site.URL, values, false)
		require.JSONEq(t, `{"line":"`+want+`","must":"also","i":7}`, m.storedValue(), choice)
		if choice == "save" {
			require.Equal(t, http.StatusConflict, status, "it is not decided")
			require.Equal(t, "mine", parseForm(t, page).Get("v/line"))
			continue
		}
		require.Equal(t, http.StatusSeeOther, status)
	}
}

func TestHostileTexts(t *testing.T) {
	t.Parallel()
	const evil = `</textarea></script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>`
	quoted := `"` + strings.ReplaceAll(evil, `"`, `\"`) + `"`
	quoted = strings.ReplaceAll(quoted, `\\"`, `\"`)
	schema := `{"properties":{` + quoted + `:{"title":` + quoted + `,"description":` + quoted + `,"type":"string"},
		"lines":{"type":"string"},"o":{"oneOf":[{"const":` + quoted + `,"title":` + quoted + `}]},"f":{"type":"string","format":"kuflow-file"},
		"rows":{"title":` + quoted + `,"type":"array","items":{"type":"object","properties":{` + quoted + `:{"type":"string","title":` + quoted + `}}}},
		"j":{"type":"object"},"pattern":{"type":"string","pattern":"^a","title":` + quoted + `}}}`
	file := `"kuflow-file:uri=javascript:alert(1);type=a/b;size=1;name=%3Cscript%3Ealert(1)%3C/script%3E;"`
	value := `{` + quoted + `:` + quoted + `,"lines":"\n` + quoted[1:] + `,"o":` + quoted + `,"f":` + file + `,"rows":[{` + quoted + `:` + quoted + `}],
		"j":{` + quoted + `:1},"pattern":` + quoted + `}`
	m := &memoryStore{schema: json.RawMessage(schema), value: json.RawMessage(value)}
	page := m.renderForm(t, viewerContext(t, "en", "UTC"))
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	for n := range root.Descendants() {
		require.NotEqual(t, "script", n.Data)
		require.NotEqual(t, "img", n.Data)
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on"), a.Key)
			if a.Key == "href" {
				require.NotContains(t, a.Val, "javascript:alert(1);")
			}
		}
	}
	status, _ := postForm(t, m.startSite(t).URL, parseForm(t, page), false)
	require.Equal(t, http.StatusSeeOther, status)
	require.Empty(t, m.patches)
}

func TestPostsAreBounded(t *testing.T) {
	t.Parallel()
	m := everyControl()
	site := m.startSite(t)
	for name, test := range map[string]struct {
		values url.Values
		status int
	}{
		"too long":      {url.Values{"version": {"0"}, "v/line": {strings.Repeat("x", 5<<20)}}, http.StatusRequestEntityTooLarge},
		"rows twice":    {url.Values{"version": {"0"}, "o/rows": {"1", "1"}}, http.StatusBadRequest},
		"no JSON":       {url.Values{"version": {"9"}, "base": {"{"}}, http.StatusBadRequest},
		"many rows":     {url.Values{"version": {"0"}, "o/rows": strings.Split(strings.Repeat("a,", 2000), ",")}, http.StatusBadRequest},
		"no such names": {url.Values{"version": {"0"}, "v": {`{}`}, "v/": {"x"}, "o/line": {"0"}, "do": {"remove:x"}}, http.StatusSeeOther},
	} {
		status, body := postForm(t, site.URL, test.values, false)
		require.Equal(t, test.status, status, "%s: %s", name, body)
	}
	require.Empty(t, m.patches)
	m.readOnly = true
	status, _ := postForm(t, site.URL, url.Values{"version": {"0"}, "v/line": {"y"}}, true)
	require.Equal(t, http.StatusConflict, status)
	require.NotContains(t, m.renderForm(t, viewerContext(t, "en", "UTC")), "data-complete")
}

// A value without a schema is edited as JSON.
func TestFormWithoutSchema(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "{}", `[1]`} {
		page := (&memoryStore{value: json.RawMessage(value)}).renderForm(t, viewerContext(t, "en", "UTC"))
		require.Contains(t, parseForm(t, page), "v", value)
	}
}
