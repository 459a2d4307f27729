package cli_test

import (
	"bytes"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api"
	"github.com/procession-dev/procession/api/chain"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/cli"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

var update = flag.Bool("update", false, "write what commands print to testdata instead of comparing")

// Tokens of the tenant north, which testdata/north describes.
const (
	ownerToken         = "north-owner-token"
	administratorToken = "north-administrator-token"
	memberToken        = "north-member-token"
	workerPair         = "01980000-0000-7000-8000-000000000021:north-worker-secret"
)

// terminal runs commands against a service of its own.
type terminal struct {
	t       *testing.T
	url     string
	db      *persistence.DB
	handler http.Handler
	// operator is the token of a principal that may create tenants.
	operator string
	env      map[string]string
	// clock is the clock of the commands; nil for three days after the service's.
	clock func() time.Time
	stdin string
}

// now returns the time of the service. The clock of the commands is three days ahead.
func now() time.Time { return time.Date(2026, time.March, 2, 10, 30, 0, 0, time.UTC) }

// newTerminal starts a service with a first tenant. Commands run as the operator.
func newTerminal(t *testing.T, issuers ...authn.OIDCIssuer) *terminal {
	t.Helper()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	key, err := authn.LoadOrCreateSealKey(filepath.Join(t.TempDir(), "seal.key"))
	require.NoError(t, err)
	sealer, err := authn.NewSealer(key)
	require.NoError(t, err)
	keys := authn.NewKeys(db, sealer, now)
	require.NoError(t, keys.EnsureKeys(t.Context()))
	issuer, err := authn.NewIssuer(keys, "procession", authn.DefaultCertificateLifetime)
	require.NoError(t, err)
	trusted, err := authn.NewOIDC(db, issuers, now)
	require.NoError(t, err)
	authenticator, err := authn.NewAuthenticator(db, now, authn.WithOIDC(trusted))
	require.NoError(t, err)
	documents, err := blobstore.Open(t.Context(), "mem://")
	require.NoError(t, err)
	store := storage.New(storage.Options{DB: db, Clock: now})
	operations := app.New(app.Options{
		Store: store, TaskLogLimit: app.DefaultTaskLogLimit, Issuer: issuer, Sealer: sealer, Documents: documents,
	})
	administrators := administration.New(administration.Options{
		Store: store, Sealer: sealer, Issuer: issuer, EngineAddresses: map[string]string{"": "temporal.example:7233"}, Documents: documents,
	})
	first, err := administrators.BootstrapTenant(t.Context(), administration.FirstTenant{
		Code: "home", Name: "Home", Email: "operator@home.example", UserName: "Operator",
	})
	require.NoError(t, err)
	passed := chain.Options{Log: slog.New(slog.DiscardHandler), Clock: now}
	router, err := api.NewRouter(api.Options{
		Options: passed, Service: operations, Administration: administrators,
		Bulk:          bulk.New(bulk.Options{Store: store, App: operations, Administration: administrators, Logger: passed.Log}),
		Revocations:   store.Revocations(),
		Authenticator: authenticator, Issuer: issuer,
	})
	require.NoError(t, err)
	handler := chain.New(passed).Handler(router)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	w := &terminal{t: t, db: db, url: url, handler: handler, operator: first.Token.Reveal(), env: map[string]string{
		"PROCESSION_SERVER": server.URL,
	}}
	w.env["PROCESSION_TOKEN"] = w.operator
	return w
}

// newNorth starts a service with the tenant north. Commands run as its owner.
func newNorth(t *testing.T) *terminal {
	t.Helper()
	w := newTerminal(t)
	w.succeeds("apply", "-f", "testdata/north")
	return w.as(ownerToken)
}

// with returns the terminal with another value of an environment variable.
func (w *terminal) with(name, value string) *terminal {
	other := *w
	other.env = map[string]string{}
	for n, v := range w.env {
		other.env[n] = v
	}
	other.env[name] = value
	return &other
}

func (w *terminal) as(token string) *terminal { return w.with("PROCESSION_TOKEN", token) }

// withInput returns the terminal with something to read.
func (w *terminal) withInput(text string) *terminal {
	other := *w
	other.stdin = text
	return &other
}

// outcome contains the output and error of a command.
type outcome struct {
	stdout, stderr string
	err            error
}

func (o outcome) exitCode() int { return cli.ExitCode(o.err) }

// runs runs a command. No token may appear in anything it says.
func (w *terminal) runs(args ...string) outcome {
	w.t.Helper()
	root := w.rootCommand()
	var stdout, stderr bytes.Buffer
	root.SetArgs(args)
	root.SetIn(strings.NewReader(w.stdin))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	err := root.ExecuteContext(w.t.Context())
	o := outcome{stdout.String(), stderr.String(), err}
	said := o.stdout + o.stderr
	if err != nil {
		said += err.Error()
	}
	for _, token := range []string{w.operator, ownerToken, administratorToken, memberToken, "north-worker-secret"} {
		require.NotContains(w.t, said, token)
	}
	return o
}

// rootCommand returns the program with the commands of the terminal.
func (w *terminal) rootCommand() *cobra.Command {
	clock := w.clock
	if clock == nil {
		clock = func() time.Time { return now().Add(72 * time.Hour) }
	}
	root := &cobra.Command{Use: "procession", SilenceErrors: true, SilenceUsage: true}
	cli.AddCommands(root, cli.Environment{
		LookupEnv: func(name string) (string, bool) {
			value, ok := w.env[name]
			return value, ok
		},
		Clock: clock,
	})
	return root
}

// succeeds runs a command that must succeed, and returns its output.
func (w *terminal) succeeds(args ...string) string {
	w.t.Helper()
	o := w.runs(args...)
	require.NoError(w.t, o.err, "%v: %s", args, o.stderr)
	return o.stdout
}

// fails runs a command that must fail with an exit code and without output, and
// returns its error message.
func (w *terminal) fails(code int, args ...string) string {
	w.t.Helper()
	o := w.runs(args...)
	require.Error(w.t, o.err, "%v: %s", args, o.stdout)
	require.Equal(w.t, code, o.exitCode(), "%v: %v", args, o.err)
	require.Empty(w.t, o.stdout)
	return o.err.Error()
}

// allResources returns all resources with their status.
func (w *terminal) allResources() string {
	w.t.Helper()
	return w.as(w.operator).succeeds("get", "all", "-o", "json")
}

// writeFile writes a file and returns its path.
func (w *terminal) writeFile(name, content string) string {
	w.t.Helper()
	path := filepath.Join(w.t.TempDir(), name)
	require.NoError(w.t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

var identifier = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// requireGolden compares text with a file of testdata, but for identifiers that the
// service made up.
func requireGolden(t *testing.T, file, text string) {
	t.Helper()
	text = identifier.ReplaceAllStringFunc(text, func(id string) string {
		if strings.HasPrefix(id, "01980000-") {
			return id
		}
		return "00000000-aaaa-bbbb-cccc-000000000000"
	})
	path := filepath.Join("testdata", "golden", file)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), text)
}

func group(code, more string) string {
	return "apiVersion: procession/v1\nkind: Group\nmetadata: {code: " + code + ", tenant: north, labels: {app: more}}\n" +
		"spec:\n  name: " + code + "\n" + more
}
