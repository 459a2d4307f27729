package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/test/kit/oidctest"
)

// newStaff starts an issuer that signs in the member of the tenant north.
func newStaff(t *testing.T) *oidctest.Issuer {
	t.Helper()
	issuer := oidctest.NewIssuer(t, oidctest.NewKey(t, "RS256", "first"))
	issuer.SetClock(now)
	issuer.SetUser(member())
	return issuer
}

func member() oidctest.Members {
	return oidctest.Members{"sub": "member-at-issuer", "email": "member@north.example", "email_verified": true}
}

func (w *terminal) newTerminalOf(issuer string) *terminal {
	w.t.Helper()
	folder := w.t.TempDir()
	other := w.as("").with("XDG_CONFIG_HOME", folder)
	other.clock = now
	other.succeeds("context", "add", "north", "--server", w.env["PROCESSION_SERVER"], "--tenant", "north")
	require.Contains(w.t, other.fails(cli.ExitUsage, "whoami"), "no credentials")
	require.Contains(w.t, other.fails(cli.ExitUsage, "login", "--issuer", issuer), "needs --issuer and --client-id")
	return other
}

// login runs login with more arguments and returns the address to open, and the end.
func (w *terminal) login(issuer string, args ...string) (address string, ended <-chan error) {
	w.t.Helper()
	shown := &screen{}
	done := make(chan error, 1)
	go func() {
		root := w.rootCommand()
		root.SetErr(shown)
		root.SetArgs(append([]string{"login", "--issuer", issuer, "--client-id", "procession"}, args...))
		done <- root.ExecuteContext(w.t.Context())
	}()
	require.Eventually(w.t, func() bool {
		var found bool
		address, found = strings.CutPrefix(shown.printedLines()[0], "Open ")
		return found
	}, timeout, 10*time.Millisecond)
	return address, done
}

func TestLogin(t *testing.T) {
	t.Parallel()
	issuer := newStaff(t)
	w := newTerminal(t, authn.OIDCIssuer{Issuer: issuer.URL(), Audiences: []string{"procession"}})
	w.succeeds("apply", "-f", "testdata/north")
	user := w.newTerminalOf(issuer.URL())
	file := filepath.Join(user.env["XDG_CONFIG_HOME"], "procession", "contexts.json")

	// The browser is played by the test.
	address, ended := user.login(issuer.URL())
	redirect, err := url.Parse(address)
	require.NoError(t, err)
	back, state := redirect.Query().Get("redirect_uri"), redirect.Query().Get("state")
	require.Equal(t, "S256", redirect.Query().Get("code_challenge_method"))
	require.Contains(t, browse(t, back+"?code=another&state=guessed"), "not an answer to the sign-in")
	require.Contains(t, browse(t, back+"?code=another&iss=https://attacker.example&state="+state), "not an answer to the sign-in")
	require.Contains(t, browse(t, address), "You are signed in.")
	require.NoError(t, <-ended)

	require.Equal(t, "Member\n", user.succeeds("whoami", "-o", "jq=.principal.name"))
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	listed := user.succeeds("context", "list")
	require.Regexp(t, `\* +north +http://127\S+ +north +through `+issuer.URL(), listed)
	require.NotContains(t, listed, "a-refresh-token")

	// A token that expires is renewed.
	user.clock = func() time.Time { return now().Add(10 * time.Minute) }
	require.Equal(t, "Member\n", user.succeeds("whoami", "-o", "jq=.principal.name"))
	require.Equal(t, []string{"authorization_code", "refresh_token"}, issuer.Grants())

	// The settings of a context apply to its server only.
	require.Contains(t, user.with("PROCESSION_SERVER", "http://127.0.0.1:1").fails(cli.ExitUsage, "whoami"), "no credentials")

	// Signing in again needs no flags, and no browser on this machine.
	user.clock = now
	o := user.runs("login", "--device")
	require.NoError(t, o.err)
	require.Contains(t, o.stderr, "Open "+issuer.URL()+"/enter and enter ABCD-EFGH\n")

	require.NoError(t, os.Chmod(file, 0o644))
	require.Contains(t, user.fails(cli.ExitUsage, "whoami"), "may be read by others: chmod 600")
}

func TestLoginRequiresTheIssuerInResponses(t *testing.T) {
	t.Parallel()
	issuer := newStaff(t)
	issuer.NameItself()
	user := newTerminal(t).newTerminalOf(issuer.URL())
	address, ended := user.login(issuer.URL())
	redirect, err := url.Parse(address)
	require.NoError(t, err)
	back, state := redirect.Query().Get("redirect_uri"), redirect.Query().Get("state")
	require.Contains(t, browse(t, back+"?code=another&state="+state), "not an answer to the sign-in")
	require.Contains(t, browse(t, address), "You are signed in.")
	require.NoError(t, <-ended)
}

func TestLoginRefusesUnsafeIssuers(t *testing.T) {
	t.Parallel()
	issuer := newStaff(t)
	user := newTerminal(t).newTerminalOf(issuer.URL())
	for _, address := range []string{"http://192.0.2.1/", "http://login.example/", "https://user:secret@login.example/", "ftp://login.example/"} {
		require.Contains(t, user.fails(cli.ExitUsage, "login", "--issuer", address, "--client-id", "procession"), "https URL", address)
	}
	for name, answer := range map[string]http.HandlerFunc{
		"an authorization endpoint over http": metadata(issuer, "authorization_endpoint", "http://192.0.2.1/authorize"),
		"a token endpoint over http":          metadata(issuer, "token_endpoint", "http://192.0.2.1/token"),
		"a token endpoint with credentials":   metadata(issuer, "token_endpoint", "https://user:secret@login.example/token"),
		"a device endpoint over http":         metadata(issuer, "device_authorization_endpoint", "http://192.0.2.1/device"),
		"keys over http":                      metadata(issuer, "jwks_uri", "http://192.0.2.1/keys"),
		"no token endpoint":                   metadata(issuer, "token_endpoint", ""),
		"a redirect":                          http.RedirectHandler(issuer.URL()+"/elsewhere", http.StatusFound).ServeHTTP,
		"metadata without end": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"issuer":"` + strings.Repeat("x", 2<<20) + `"}`))
		},
	} {
		issuer.Answer(oidctest.MetadataPath, answer)
		o := user.runs("login", "--issuer", issuer.URL(), "--client-id", "procession")
		require.ErrorContains(t, o.err, "looking for the issuer", name)
	}
}

// metadata answers with the metadata of an issuer with one member changed.
func metadata(issuer *oidctest.Issuer, member, value string) http.HandlerFunc {
	text := `{"issuer":"` + issuer.URL() + `"`
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "jwks_uri"} {
		address := issuer.URL() + "/" + name
		if name == member {
			address = value
		}
		text += `,"` + name + `":"` + address + `"`
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(text + "}"))
	}
}

//nolint:paralleltest,tparallel // the steps share one context
func TestLoginRenewal(t *testing.T) {
	t.Parallel()
	issuer := newStaff(t)
	issuer.IssueAccessTokens("at+jwt")
	w := newTerminal(t, authn.OIDCIssuer{Issuer: issuer.URL(), Audiences: []string{"procession"}, TokenType: authn.TokenTypeAccess})
	w.succeeds("apply", "-f", "testdata/north")
	user := w.newTerminalOf(issuer.URL())
	signIn := func(args ...string) {
		user.clock = now
		address, ended := user.login(issuer.URL(), args...)
		browse(t, address)
		require.NoError(t, <-ended)
	}
	t.Run("an ID token is no credential where access tokens are required", func(t *testing.T) {
		signIn()
		user.fails(cli.ExitDenied, "whoami")
	})
	t.Run("an access token is renewed", func(t *testing.T) {
		signIn("--access-token")
		require.Equal(t, "Member\n", user.succeeds("whoami", "-o", "jq=.principal.name"))
		user.clock = func() time.Time { return now().Add(10 * time.Minute) }
		require.Equal(t, "Member\n", user.succeeds("whoami", "-o", "jq=.principal.name"))
	})
	t.Run("tokens of another user are refused", func(t *testing.T) {
		signIn()
		issuer.SetUser(member().With(oidctest.Members{"sub": "another"}))
		user.clock = func() time.Time { return now().Add(10 * time.Minute) }
		require.Contains(t, user.fails(cli.ExitDenied, "whoami"), "for another user than before")
	})
}

// browse follows redirects as a browser does, and returns the last page.
func browse(t *testing.T, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	answer, err := new(http.Client).Do(request)
	require.NoError(t, err)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return string(text)
}

func TestContexts(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	user := w.as("").with("PROCESSION_SERVER", "").with("XDG_CONFIG_HOME", t.TempDir())
	o := user.runs("context", "list")
	require.NoError(t, o.err)
	require.Equal(t, "no contexts\n", o.stderr)
	token := w.writeFile("token", ownerToken)
	user.succeeds("context", "add", "owner", "--server", w.env["PROCESSION_SERVER"], "--token-file", token)
	user.succeeds("context", "add", "operator", "--server", w.env["PROCESSION_SERVER"], "--token-file", w.writeFile("token", w.operator), "--tenant", "north")
	require.Equal(t, "Operator\n", user.succeeds("whoami", "-o", "jq=.principal.name"))
	require.Equal(t, "Owner\n", user.succeeds("whoami", "--context", "owner", "-o", "jq=.principal.name"))
	require.Equal(t, "Owner\n", user.with("PROCESSION_CONTEXT", "owner").succeeds("whoami", "-o", "jq=.principal.name"))
	// Lists are restricted to the tenant of the context; a flag overrides it.
	require.Equal(t, "3\n", user.succeeds("get", "users", "-o", "jq=length"))
	require.Equal(t, "1\n", user.succeeds("get", "users", "--tenant", "home", "-o", "jq=length"))
	require.Contains(t, user.fails(cli.ExitUsage, "access", "revoke"), "needs an id, --principal or --tenant")
	user.succeeds("context", "use", "owner")
	require.Equal(t, "Owner\n", user.succeeds("whoami", "-o", "jq=.principal.name"))
	user.succeeds("context", "remove", "owner")
	require.Contains(t, user.fails(cli.ExitUsage, "whoami"), "no credentials")
	for code, wrong := range map[int][]string{
		cli.ExitNotFound: {"context use owner", "context remove owner", "whoami --context owner"},
		cli.ExitUsage:    {"context add x", "context add x --server ftp://x", "context add", "login", "login --context operator"},
	} {
		for _, args := range wrong {
			user.fails(code, strings.Fields(args)...)
		}
	}
}

func TestEdit(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	o := w.with("EDITOR", "true").runs("edit", "group", "REVIEWERS")
	require.NoError(t, o.err)
	require.Equal(t, "no changes\n", o.stderr)
	edited := w.with("VISUAL", "sed -i s/Reviewers/Judges/").succeeds("edit", "group", "REVIEWERS")
	require.Equal(t, "Group/REVIEWERS configured\n", edited)
	require.Equal(t, "Judges\n", w.succeeds("get", "group", "REVIEWERS", "-o", "jq=.spec.name"))
	o = w.with("EDITOR", "sed -i s/name:/label:/").runs("edit", "group", "REVIEWERS")
	require.Equal(t, cli.ExitUsage, o.exitCode())
	kept := strings.Fields(o.stderr[strings.Index(o.stderr, "is in "):])[2]
	text, err := os.ReadFile(strings.TrimSuffix(kept, ";"))
	require.NoError(t, err)
	require.Contains(t, string(text), "label: Judges")
	require.NoError(t, os.Remove(strings.TrimSuffix(kept, ";")))
	require.ErrorContains(t, w.with("EDITOR", "false").runs("edit", "group", "REVIEWERS").err, "running the editor")
	w.fails(cli.ExitNotFound, "edit", "group", "NONE")
}

func TestVersions(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	loan, err := os.ReadFile("testdata/north/loan.yaml")
	require.NoError(t, err)
	changed := bytes.Replace(loan, []byte("      name: Review\n"), []byte("      name: Judge\n"), 1)
	w.succeeds("apply", "-f", w.writeFile("loan.yaml", string(changed)))
	requireGolden(t, "versions/list.txt", w.succeeds("versions", "list", "LOAN"))
	requireGolden(t, "versions/show.yaml", w.succeeds("versions", "show", "LOAN", "1"))
	for _, args := range [][]string{{"versions", "diff", "LOAN", "1"}, {"versions", "diff", "LOAN", "1", "2"}} {
		o := w.runs(args...)
		require.ErrorIs(t, o.err, cli.ErrDifferences)
		require.Contains(t, o.stdout, "-      name: Review\n+      name: Judge\n")
	}
	require.Empty(t, w.succeeds("versions", "diff", "LOAN", "2"))

	o := w.runs("versions", "restore", "LOAN", "1", "--dry-run")
	require.ErrorIs(t, o.err, cli.ErrDifferences)
	o = w.withInput("n\n").runs("versions", "restore", "LOAN", "1")
	require.ErrorContains(t, o.err, "aborted without a change")
	require.Contains(t, o.stdout, "-      name: Judge\n+      name: Review\n")
	require.Contains(t, w.succeeds("versions", "restore", "LOAN", "1", "--yes"), "ProcessDefinition/LOAN configured\n")
	o = w.runs("versions", "restore", "LOAN", "1")
	require.NoError(t, o.err)
	require.Equal(t, "no changes\n", o.stderr)
	require.Equal(t, "3 true\n2 false\n1 false\n", w.succeeds("versions", "list", "LOAN", "-o", `jq=.[] | "\(.number) \(.published)"`))

	require.Equal(t, "version 9 of ProcessDefinition/LOAN not found", w.fails(cli.ExitNotFound, "versions", "show", "LOAN", "9"))
	w.fails(cli.ExitNotFound, "versions", "list", "NONE")
	w.as(memberToken).fails(cli.ExitNotFound, "versions", "show", "LOAN", "1")
	w.fails(cli.ExitUsage, "versions", "show", "LOAN", "first")
}
