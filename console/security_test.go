package console_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

func TestPagesForbidForeignContent(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	bob := s.clientWithToken(demo.Bob().Secret)
	seen := map[string]bool{}
	for path, status := range map[string]int{
		"tasks": 200, "sign-in": 303, "nothing": 404, "tasks/" + uuid.NewString(): 404, "audit": 403,
	} {
		answer := s.sendRequest(bob, http.MethodGet, path, nil)
		require.Equal(t, status, answer.status, path)
		policy := regexp.MustCompile(`^default-src 'none'; script-src 'nonce-([A-Z2-7]{26})'; style-src 'nonce-([A-Z2-7]{26})'; img-src 'self' data:; ` +
			`font-src 'self'; connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$`).
			FindStringSubmatch(answer.header.Get("Content-Security-Policy"))
		require.Len(t, policy, 3, path)
		require.Equal(t, policy[1], policy[2])
		require.False(t, seen[policy[1]], "a nonce is used once")
		seen[policy[1]] = true
		require.Equal(t, "nosniff", answer.header.Get("X-Content-Type-Options"))
		require.Equal(t, "same-origin", answer.header.Get("Cross-Origin-Resource-Policy"))
		require.Equal(t, "no-store", answer.header.Get("Cache-Control"))
		requireNoInlineCode(t, answer.body, path)
		require.Equal(t, strings.Count(string(answer.body), "<script")+strings.Count(string(answer.body), "<link rel=\"stylesheet"),
			strings.Count(string(answer.body), `nonce="`+policy[1]+`"`), path)
	}
	answer := s.sendRequest(s.clientWithToken(""), http.MethodGet, "tasks", nil)
	require.Equal(t, http.StatusSeeOther, answer.status)
}

func TestFormsOfOtherOriginsAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createTask(s.startLoan("Cross origin"), "APPROVE_LOAN", "")
	bob := s.clientWithToken(demo.Bob().Secret)
	for _, headers := range [][]string{
		{"Origin", "https://attacker.example"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "null"},
	} {
		for _, path := range []string{"tasks/claim", "sign-in", "sign-out", "preferences"} {
			answer := s.sendRequest(bob, http.MethodPost, path, url.Values{"task": {task.String()}, "token": {demo.Carol().Secret}}, headers...)
			require.Equal(t, http.StatusForbidden, answer.status, "%s %v", path, headers)
			require.Empty(t, answer.cookies)
		}
	}
	item, err := s.app.RetrieveProcessItem(t.Context(), s.callerOf(demo.Bob()), task)
	require.NoError(t, err)
	require.Equal(t, domain.TaskReady, item.Task.State)
}

func TestSignInChangesTheSession(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	site, err := url.Parse(s.url)
	require.NoError(t, err)
	session := func(c *http.Client) *http.Cookie {
		for _, cookie := range c.Jar.Cookies(site) {
			if cookie.Name == "procession-session" {
				return cookie
			}
		}
		return nil
	}
	planted := s.clientWithToken("")
	planted.Jar.SetCookies(site, []*http.Cookie{{Name: "procession-session", Value: "chosen-by-an-attacker", Path: "/"}})
	answer := s.sendRequest(planted, http.MethodPost, "sign-in", url.Values{"token": {demo.Bob().Secret}})
	first := session(planted)
	require.NotEqual(t, "chosen-by-an-attacker", first.Value)
	for _, cookie := range answer.cookies {
		require.True(t, cookie.HttpOnly && cookie.SameSite == http.SameSiteLaxMode, cookie.Name)
	}

	// Another sign-in in the same browser ends the session before it.
	s.sendRequest(planted, http.MethodPost, "sign-in", url.Values{"token": {demo.Carol().Secret}})
	require.NotEqual(t, first.Value, session(planted).Value)
	old := s.clientWithToken("")
	old.Jar.SetCookies(site, []*http.Cookie{{Name: "procession-session", Value: first.Value, Path: "/"}})
	answer = s.sendRequest(old, http.MethodGet, "tasks", nil)
	require.Contains(t, answer.header.Get("Location"), "/console/sign-in")
}

func TestReturnStaysInTheConsole(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, to := range []string{
		"https://attacker.example/console/", "//attacker.example/console/", `/\attacker.example`, `\\attacker.example/console/`,
		"/console/..//attacker.example", "javascript:alert(1)", "/v2024-06-14/processes", "console/", "http:/console/", "/console/\r\nX: y",
		"/%2fattacker.example", "", "/console/tasks?q=" + strings.Repeat("x", 6000),
	} {
		answer := s.sendRequest(s.clientWithToken(""), http.MethodPost, "sign-in", url.Values{"token": {demo.Bob().Secret}, "return": {to}})
		location, err := url.Parse(answer.header.Get("Location"))
		require.NoError(t, err, to)
		require.Empty(t, location.Host, to)
		require.Less(t, len(location.String()), 2100, "it fits into a cookie")
		require.True(t, strings.HasPrefix(location.ResolveReference(location).Path, web.Root), "%q leads to %q", to, location)
	}
}

func TestSessionEndsElsewhere(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	here, there := s.signIn("Alice"), s.signIn("Alice")
	there.openPath("sessions")
	there.Await(`document.querySelectorAll(".session").length === 2`)
	there.Click(".session:not(:has(.badge)) button")
	there.Await(`document.querySelectorAll(".session").length === 1`)
	here.Click(".area[href$=tasks]")
	here.AwaitPath(web.Root + "sign-in?return=%2Fconsole%2F")
	there.openPath("tasks")
	there.AwaitText("To claim")
}

// Names, titles, data and log lines are shown as they are and never become markup.
func TestHostileTextsAreText(t *testing.T) {
	t.Parallel()
	const hostile = `<img src=x onerror=alert(1)>"'&<script>alert(2)</script>{{7*7}}${8*8}`
	s := makeSite(t)
	s.t = t
	mallory := uuid.New()
	require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
		audit := domain.NewAudit(domain.SystemPrincipalID(), s.currentTime())
		require.NoError(t, tx.PutTenantUser(domain.TenantUser{
			ID: uuid.New(), TenantID: demo.TenantDemo(), Role: domain.RoleMember, Audit: audit,
			Principal: domain.Principal{ID: mallory, Name: hostile, Email: "mallory@demo.example"},
		}))
		tx.InsertCredential(domain.Credential{
			ID: uuid.New(), PrincipalID: mallory, Kind: domain.CredentialPersonalAccessToken,
			SecretSHA256: authn.HashSecret("mallory-token"), CreatedAt: audit.CreatedAt,
		})
		return nil
	}))
	task := s.createTask(s.startLoan(hostile), "APPROVE_LOAN", `{"FIRST_NAME":"`+strings.ReplaceAll(hostile, `"`, `\"`)+`"}`)
	_, err := s.app.AssignProcessItemTask(t.Context(), s.callerOf(demo.Alice()), task, app.PrincipalKey{ID: &mallory})
	require.NoError(t, err)
	_, err = s.app.AppendProcessItemTaskLog(t.Context(), s.callerOf(demo.Alice()), task, app.NewTaskLog{Level: domain.LogInfo, Message: hostile})
	require.NoError(t, err)
	b := s.openBrowser()
	b.Type("#token", "mallory-token\r")
	b.AwaitPath(web.Root)
	for _, path := range []string{
		"", "tasks/" + task.String(), "tasks/assign?task=" + task.String() + "&q=" + url.QueryEscape("<img"),
		"palette?q=" + url.QueryEscape("<img"), "tasks?view=mine&q=" + url.QueryEscape(`"><script>alert(3)</script>`), "sessions",
	} {
		b.Open(s.url + path)
		b.Await(`document.readyState === "complete"`)
		require.Zero(t, b.Count("img, main script, [onerror]"), path)
		require.Contains(t, b.Text("header"), hostile, path)
	}
	b.Open(s.url + "tasks/" + task.String())
	b.Await(`document.readyState === "complete" && document.querySelector(".pane input[name$=FIRST_NAME]")`)
	require.Equal(t, 3, strings.Count(b.Text(".pane"), hostile), "subject, owner and log")
	require.Equal(t, hostile, browsertest.Eval[string](b, `document.querySelector(".pane input[name$=FIRST_NAME]").value`))
}

// An uploaded file runs in no page: neither does a page load it, nor is it sent to be loaded.
func TestUploadedScriptsDoNotRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task, reference := s.attachDocument("text/javascript", "attack.js", "document.title = 'run'")
	path := "tasks/" + task.String() + "/file?" + url.Values{"reference": {reference}}.Encode()
	client := s.clientWithToken(demo.Carol().Secret)
	for _, destination := range []string{
		"script", "style", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet", "manifest", "xslt", "object", "embed", "font", "track",
	} {
		require.Equal(t, http.StatusForbidden, s.sendRequest(client, http.MethodGet, path, nil, "Sec-Fetch-Dest", destination).status, destination)
	}
	for _, destination := range []string{"", "document", "empty", "iframe", "image"} {
		answer := s.sendRequest(client, http.MethodGet, path, nil, "Sec-Fetch-Dest", destination)
		require.Equal(t, http.StatusOK, answer.status, destination)
		require.Equal(t, "application/octet-stream", answer.header.Get("Content-Type"))
		require.Equal(t, "same-origin", answer.header.Get("Cross-Origin-Resource-Policy"))
		require.Equal(t, "nosniff", answer.header.Get("X-Content-Type-Options"))
	}

	carol := s.signIn("Carol")
	carol.openPath("tasks/" + task.String())
	load := func(nonce string) string {
		return browsertest.Eval[string](carol.Tab, `new Promise((done) => {
			const script = document.createElement("script");
			script.onload = () => done("loaded");
			script.onerror = () => done("refused");
			script.nonce = `+nonce+`;
			script.src = "`+s.url+path+`";
			document.head.append(script);
		})`)
	}
	require.Equal(t, "refused", load(`document.querySelector("script").nonce`), "not even a page that allows it gets it")
	require.NotContains(t, strings.Join(carol.TakeProblems(), "\n"), "Content Security Policy")
	require.Equal(t, "refused", load(`""`))
	require.Contains(t, strings.Join(carol.TakeProblems(), "\n"), "Content Security Policy")
	require.NotEqual(t, "run", browsertest.Eval[string](carol.Tab, "document.title"))
}

// First pages are small: 150 KB in all and 60 KB of scripts, compressed. The editor is the
// exception.
func TestBudgets(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	process := s.startLoan("Budget of bytes")
	for range 25 {
		s.createTask(process, "APPROVE_LOAN", "")
	}
	require.Equal(t, 25, s.requireBudget(s.clientWithToken(demo.Bob().Secret), "tasks?q=Budget", 60_000, 150_000))
	alice := s.clientWithToken(demo.Alice().Secret)
	for _, path := range []string{
		"definitions", "definitions/new", "definitions/playground", "definitions/demo/ProcessDefinition/LOAN",
		"people", "people?kind=Group", "people?kind=Application", "people?kind=Robot", "people/demo/User/bob",
		"queues", "queues/queue?tenant=demo&name=QUEUE_SAMPLE_LOAN&language=java", "incidents", "webhooks", "audit",
		"health", "processes/" + process.String() + "/engine", "reference", "reference/2024-06-14", "reference/admin",
		"reference/2024-06-14/operations/deliverEvent", "reference/2024-06-14/schemas/Process",
	} {
		s.requireBudget(alice, path, 60_000, 150_000)
	}
	s.requireBudget(alice, "definitions/demo/ProcessDefinition/LOAN/edit", 150_000, 270_000)
}

// requireBudget requires that a page has at most 25 KB, its scripts and all it loads at most
// as many bytes as given, compressed. It returns how many rows the page has.
func (s *site) requireBudget(client *http.Client, path string, scripts, all int) (rows int) {
	s.t.Helper()
	answer := s.sendRequest(client, http.MethodGet, path, nil, "Accept-Encoding", "gzip")
	require.Equal(s.t, http.StatusOK, answer.status, path)
	require.Equal(s.t, "gzip", answer.header.Get("Content-Encoding"), path)
	plain, err := gzip.NewReader(strings.NewReader(string(answer.body)))
	require.NoError(s.t, err)
	html, err := io.ReadAll(plain)
	require.NoError(s.t, err)
	total, script := len(answer.body), 0
	for _, file := range regexp.MustCompile(`(?:src|href)="/console/(assets/[^"]+)"`).FindAllStringSubmatch(string(html), -1) {
		loaded := s.sendRequest(client, http.MethodGet, file[1], nil, "Accept-Encoding", "br")
		require.Equal(s.t, "br", loaded.header.Get("Content-Encoding"), file[1])
		require.Contains(s.t, loaded.header.Get("Cache-Control"), "immutable")
		total += len(loaded.body)
		if strings.HasSuffix(file[1], ".js") {
			script += len(loaded.body)
		}
	}
	s.t.Logf("%s: page %d, scripts %d, in all %d bytes", path, len(answer.body), script, total)
	require.LessOrEqual(s.t, len(answer.body), 25_000, path)
	require.LessOrEqual(s.t, script, scripts, path)
	require.LessOrEqual(s.t, total, all, path)
	return strings.Count(string(html), `class="row-item"`)
}

// requireNoInlineCode requires that a page has neither scripts nor styles in elements or attributes of its own.
func requireNoInlineCode(t *testing.T, page []byte, path string) {
	t.Helper()
	parsed, err := html.Parse(bytes.NewReader(page))
	require.NoError(t, err)
	for node := range parsed.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		require.NotEqual(t, "style", node.Data, path)
		require.False(t, node.Data == "script" && node.FirstChild != nil, "a script in %s", path)
		for _, a := range node.Attr {
			require.False(t, a.Key == "style" || strings.HasPrefix(a.Key, "on"), "%s of a %s in %s", a.Key, node.Data, path)
		}
	}
}
