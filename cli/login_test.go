package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
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
	"github.com/procession-dev/procession/internal/testkit/oidctest"
)

// staff is an issuer that signs in the member of the tenant north, whatever the way.
type staff struct {
	*oidctest.Issuer

	t         *testing.T
	challenge string
	nonce     string
	// grants are those that tokens were given for.
	grants []string
}

func newStaff(t *testing.T) *staff {
	t.Helper()
	s := &staff{Issuer: oidctest.NewIssuer(t, oidctest.NewKey(t, "RS256", "first")), t: t}
	s.Answer(oidctest.MetadataPath, func(w http.ResponseWriter, _ *http.Request) {
		s.reply(w, map[string]any{
			"issuer": s.URL(), "jwks_uri": s.URL() + oidctest.KeysPath, "authorization_endpoint": s.URL() + "/authorize",
			"token_endpoint": s.URL() + "/token", "device_authorization_endpoint": s.URL() + "/device",
		})
	})
	s.Answer("/authorize", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		s.challenge, s.nonce = query.Get("code_challenge"), query.Get("nonce")
		http.Redirect(w, r, query.Get("redirect_uri")+"?code=a-code&state="+url.QueryEscape(query.Get("state")), http.StatusFound)
	})
	s.Answer("/device", func(w http.ResponseWriter, _ *http.Request) {
		s.nonce = ""
		s.reply(w, map[string]any{
			"device_code": "a-device", "user_code": "ABCD-EFGH", "verification_uri": s.URL() + "/enter", "expires_in": 60, "interval": 1,
		})
	})
	s.Answer("/token", s.token)
	return s
}

func (s *staff) reply(w http.ResponseWriter, answer map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	text, err := json.Marshal(answer)
	if err != nil {
		s.t.Error(err)
	}
	_, _ = w.Write(text)
}

// token gives a token for five minutes, and one for an hour when it is renewed.
func (s *staff) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	grant, lasts := r.Form.Get("grant_type"), 5*time.Minute
	proof := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
	good := false
	switch grant {
	case "authorization_code":
		good = r.Form.Get("code") == "a-code" && base64.RawURLEncoding.EncodeToString(proof[:]) == s.challenge
	case "urn:ietf:params:oauth:grant-type:device_code":
		good = r.Form.Get("device_code") == "a-device"
	case "refresh_token":
		good, lasts = r.Form.Get("refresh_token") == "a-refresh-token", time.Hour
	}
	if !good {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	s.grants = append(s.grants, grant)
	claims := oidctest.Members{
		"iss": s.URL(), "aud": "procession", "sub": "member-at-issuer", "email": "member@north.example", "email_verified": true,
		"iat": now().Unix(), "exp": now().Add(lasts).Unix(), "nonce": s.nonce,
	}
	s.reply(w, map[string]any{
		"access_token": "opaque", "token_type": "Bearer", "expires_in": 300, "refresh_token": "a-refresh-token",
		"id_token": s.Key("RS256").Token(claims),
	})
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

func TestLogin(t *testing.T) {
	t.Parallel()
	issuer := newStaff(t)
	w := newTerminal(t, authn.OIDCIssuer{Issuer: issuer.URL(), Audiences: []string{"procession"}})
	w.succeeds("apply", "-f", "testdata/north")
	user := w.newTerminalOf(issuer.URL())
	file := filepath.Join(user.env["XDG_CONFIG_HOME"], "procession", "contexts.json")

	// The browser is played by the test.
	shown := &screen{}
	ended := make(chan error, 1)
	go func() {
		root := user.root()
		root.SetErr(shown)
		root.SetArgs([]string{"login", "--issuer", issuer.URL(), "--client-id", "procession"})
		ended <- root.ExecuteContext(t.Context())
	}()
	var address string
	require.Eventually(t, func() bool {
		var found bool
		address, found = strings.CutPrefix(shown.lines()[0], "Open ")
		return found
	}, patience, 10*time.Millisecond)
	redirect, err := url.Parse(address)
	require.NoError(t, err)
	back := redirect.Query().Get("redirect_uri")
	require.Equal(t, "S256", redirect.Query().Get("code_challenge_method"))
	require.Contains(t, browse(t, back+"?code=another&state=guessed"), "not an answer to the sign-in")
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
	require.Equal(t, []string{"authorization_code", "refresh_token"}, issuer.grants)

	// What a context holds is for its server alone.
	require.Contains(t, user.with("PROCESSION_SERVER", "http://127.0.0.1:1").fails(cli.ExitUsage, "whoami"), "no credentials")

	// Signing in again needs no flags, and no browser on this machine.
	user.clock = now
	o := user.runs("login", "--device")
	require.NoError(t, o.err)
	require.Contains(t, o.stderr, "Open "+issuer.URL()+"/enter and enter ABCD-EFGH\n")

	require.NoError(t, os.Chmod(file, 0o644))
	require.Contains(t, user.fails(cli.ExitUsage, "whoami"), "may be read by others: chmod 600")
}

// browse follows an address as a browser does, and returns what it ends at.
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
	token := w.file("token", ownerToken)
	user.succeeds("context", "add", "owner", "--server", w.env["PROCESSION_SERVER"], "--token-file", token)
	user.succeeds("context", "add", "operator", "--server", w.env["PROCESSION_SERVER"], "--token-file", w.file("token", w.operator), "--tenant", "north")
	require.Equal(t, "Operator\n", user.succeeds("whoami", "-o", "jq=.principal.name"))
	require.Equal(t, "Owner\n", user.succeeds("whoami", "--context", "owner", "-o", "jq=.principal.name"))
	require.Equal(t, "Owner\n", user.with("PROCESSION_CONTEXT", "owner").succeeds("whoami", "-o", "jq=.principal.name"))
	// The tenant of the context is what lists are about; a flag overrides it.
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
	require.Equal(t, cli.ExitUsage, o.code())
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
	w.succeeds("apply", "-f", w.file("loan.yaml", string(changed)))
	golden(t, "versions/list.txt", w.succeeds("versions", "list", "LOAN"))
	golden(t, "versions/show.yaml", w.succeeds("versions", "show", "LOAN", "1"))
	for _, args := range [][]string{{"versions", "diff", "LOAN", "1"}, {"versions", "diff", "LOAN", "1", "2"}} {
		o := w.runs(args...)
		require.ErrorIs(t, o.err, cli.ErrDifferences)
		require.Contains(t, o.stdout, "-      name: Review\n+      name: Judge\n")
	}
	require.Empty(t, w.succeeds("versions", "diff", "LOAN", "2"))

	o := w.runs("versions", "restore", "LOAN", "1", "--dry-run")
	require.ErrorIs(t, o.err, cli.ErrDifferences)
	o = w.typing("n\n").runs("versions", "restore", "LOAN", "1")
	require.ErrorContains(t, o.err, "nothing was done")
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
