package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/devstack/pgcluster"
	"github.com/procession-dev/procession/devstack/temporalserver"
	"github.com/procession-dev/procession/test/kit/demotest"
	"github.com/procession-dev/procession/test/kit/nettest"
	"github.com/procession-dev/procession/test/kit/pgtest"
	"github.com/procession-dev/procession/test/kit/storestest"
)

// testTimeout bounds every wait for something that is to happen.
const testTimeout = 60 * time.Second

// testStack is the whole stack of one test: a database, a Temporal and the service. Each can be stopped, killed
// and restarted.
type testStack struct {
	t        *testing.T
	dir      string
	config   config.Config
	files    server.CertificateFiles
	store    *pgcluster.Cluster
	temporal *temporalserver.Server
	service  *child.Process
	http     *http.Client
	// counter is the client of countExecutions, nil before its first use.
	counter client.Client
	// env contains additional environment variables of the program.
	env []string
}

// configureStack returns a stack with settings and a database. Its programs are not started.
func configureStack(t *testing.T) *testStack {
	t.Helper()
	s := &testStack{t: t, dir: t.TempDir(), http: &http.Client{Timeout: 30 * time.Second}}
	s.config.BindFlags(pflag.NewFlagSet("test", pflag.ContinueOnError))
	s.config.DatabaseURL = demotest.URL(t)
	s.config.SealKeyFile = filepath.Join(s.dir, "seal.key")
	demotest.WriteSealKey(t, s.config.SealKeyFile)
	s.config.DocumentsURL = "file://" + filepath.Join(s.dir, "documents") + "?fsync=off"
	s.config.Listen, s.config.ListenHealth = nettest.FreeAddress(t), nettest.FreeAddress(t)
	s.config.TemporalAddress = nettest.FreeAddress(t)
	return s
}

// newStack starts everything and loads the demo data. With durable, Temporal
// keeps its state when it is stopped.
func newStack(t *testing.T, durable bool, options ...func(*testStack)) *testStack {
	t.Helper()
	s := configureStack(t)
	s.config.CancelGrace, s.config.DrainDelay = 2*time.Second, 0
	s.config.WebhookAllow = []string{"127.0.0.1"}
	if durable {
		s.startStore(databaseDir(t))
	}
	for _, option := range options {
		option(s)
	}
	k, err := server.OpenKeys(t.Context(), s.config, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer k.DB.Close()
	s.files, err = server.WriteCertificate(k.Issuer, s.dir, []string{"127.0.0.1", "localhost"}, time.Now())
	require.NoError(t, err)
	s.startService()
	t.Cleanup(func() { s.stopService() })
	s.startTemporal()
	t.Cleanup(func() { s.stopTemporal() })
	s.awaitReady()
	return s
}

// withConfig changes the configuration of a stack.
func withConfig(change func(*config.Config)) func(*testStack) {
	return func(s *testStack) { change(&s.config) }
}

// throughPooler has the service reach its database through a pooler in transaction mode.
func throughPooler(s *testStack) {
	s.config.DatabaseDirectURL = s.config.DatabaseURL
	s.config.DatabaseURL = pgtest.Pooler(s.t, s.config.DatabaseURL)
}

// database returns where the database is that the service uses.
func (s *testStack) database() string {
	return cmp.Or(s.config.DatabaseDirectURL, s.config.DatabaseURL)
}

// replica starts another replica of the service. Calls of the returned stack go to it.
func (s *testStack) replica() *testStack {
	s.t.Helper()
	return s.replicaAt(nettest.FreeAddress(s.t))
}

// replicaAt is replica at an address.
func (s *testStack) replicaAt(address string) *testStack {
	s.t.Helper()
	other := *s
	other.dir = s.t.TempDir()
	other.config.Listen, other.config.ListenHealth = address, nettest.FreeAddress(s.t)
	other.startService()
	s.t.Cleanup(other.stopService)
	other.awaitReady()
	return &other
}

// withEnv adds to the environment of the service.
func withEnv(env ...string) func(*testStack) {
	return func(s *testStack) { s.env = env }
}

// databaseInStore puts the database of the service into the cluster of a durable Temporal, which keeps commits
// when PostgreSQL is killed.
func databaseInStore(s *testStack) {
	require.NoError(s.t, s.store.CreateDatabase(s.t.Context(), "procession"))
	s.config.DatabaseURL = s.store.URL("procession")
	k, err := server.OpenKeys(s.t.Context(), s.config, slog.New(slog.DiscardHandler))
	require.NoError(s.t, err)
	defer k.DB.Close()
	require.NoError(s.t, demo.Load(s.t.Context(), k.DB, k.Sealer, time.Now()))
	conn := s.connect()
	_, err = conn.Exec(s.t.Context(), "ALTER DATABASE procession SET synchronous_commit = on")
	require.NoError(s.t, err)
}

// databaseDir returns a directory for PostgreSQL, which may run as a user that does not get into t.TempDir.
func databaseDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(pgcluster.ScratchDir(), "procession-e2e-") //nolint:usetesting // see above
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pgcluster.Remove(dir)) })
	return dir
}

func (s *testStack) startStore(dir string) {
	s.t.Helper()
	var err error
	s.store, err = pgcluster.Start(s.t.Context(), pgcluster.Options{Dir: dir, Fast: true, CacheDir: pgcluster.CacheDir()})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { require.NoError(s.t, s.store.Stop(context.Background())) })
}

func (s *testStack) url() string { return "http://" + s.config.Listen }

func (s *testStack) startService() {
	s.t.Helper()
	out, err := s.config.YAML()
	require.NoError(s.t, err)
	file := filepath.Join(s.dir, "procession.yaml")
	require.NoError(s.t, os.WriteFile(file, out, 0o600))
	cmd := program("serve", "--config", file)
	cmd.Env = append(cmd.Env, s.env...)
	cmd.Stderr = s.logTo("service.log")
	s.service, err = child.Start(cmd, syscall.SIGKILL)
	require.NoError(s.t, err)
	s.await("the service to listen", func() bool {
		return s.get("http://"+s.config.ListenHealth+"/livez") == http.StatusOK
	})
}

func (s *testStack) stopService() { s.stopProcess(s.service, syscall.SIGTERM) }

func (s *testStack) killService() { s.stopProcess(s.service, syscall.SIGKILL) }

func (s *testStack) stopProcess(p *child.Process, sig syscall.Signal) {
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	require.NoError(s.t, p.Stop(ctx, sig, syscall.SIGKILL))
}

func (s *testStack) startTemporal() {
	s.t.Helper()
	o := temporalserver.Options{
		Binary: temporalBinary(s.t), Listen: s.config.TemporalAddress, Store: temporalserver.StoreSQLite,
		JWKSURL: s.url() + "/.well-known/jwks.json", JWKSRefresh: s.config.KeyReload, Issuer: s.config.Issuer,
		TLSCert: s.files.Cert, TLSKey: s.files.Key, ClientCA: s.files.CA, LogWriter: s.logTo("temporal.log"),
	}
	if s.store != nil {
		o.Store, o.DatabaseURL = temporalserver.StorePostgres, s.store.URL("postgres")
	}
	storestest.UseLists(s.t, &o)
	ctx, cancel := context.WithTimeout(s.t.Context(), testTimeout)
	defer cancel()
	var err error
	s.temporal, err = temporalserver.Start(ctx, o)
	require.NoError(s.t, err)
}

func (s *testStack) stopTemporal() {
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	require.NoError(s.t, s.temporal.Stop(ctx))
}

// awaitReady waits until Temporal accepts the service and the tenants'
// namespaces can be used.
func (s *testStack) awaitReady() {
	s.t.Helper()
	s.await("Temporal to accept the service", func() bool {
		answer, err := s.http.Get("http://" + s.config.ListenHealth + "/readyz")
		if err != nil {
			return false
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		return err == nil && answer.StatusCode == http.StatusOK && !bytes.Contains(body, []byte(`"ok":false`))
	})
}

// startWorker runs the example worker; stop it with stopProcess.
func (s *testStack) startWorker() *child.Process {
	s.t.Helper()
	account := demo.LoanWorker()
	cmd := exec.Command(example(s.t, "loan"))
	cmd.Env = append(os.Environ(), "LOAN_WORKER_ENDPOINT="+s.url(),
		"LOAN_WORKER_TEMPORAL_ADDRESS="+s.config.TemporalAddress,
		"LOAN_WORKER_TEMPORAL_PLAINTEXT="+strconv.FormatBool(!s.config.TemporalTLS),
		"LOAN_WORKER_CLIENT_ID="+account.ID.String(), "LOAN_WORKER_CLIENT_SECRET="+account.Secret)
	log := s.logTo("worker.log")
	cmd.Stdout, cmd.Stderr = log, log
	p, err := child.Start(cmd, syscall.SIGKILL)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { s.stopProcess(p, syscall.SIGKILL) })
	return p
}

// logTo appends to a file that is shown when the test fails.
func (s *testStack) logTo(name string) io.Writer {
	file, err := os.OpenFile(filepath.Join(s.dir, name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(s.t, err)
	s.t.Cleanup(func() {
		_ = file.Close()
		if !s.t.Failed() {
			return
		}
		if content, err := os.ReadFile(file.Name()); err == nil {
			s.t.Logf("%s:\n%s", name, tail(string(content), 40))
		}
	})
	return file
}

func tail(text string, lines int) string {
	all := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// await polls a condition until it holds, less often the longer that takes: each look costs the service and its database time.
func (s *testStack) await(what string, condition func() bool) {
	s.t.Helper()
	began := time.Now()
	for !condition() {
		waited := time.Since(began)
		require.Less(s.t, waited, testTimeout, "waiting for "+what)
		<-time.After(min(max(waited/10, 10*time.Millisecond), 500*time.Millisecond))
	}
}

func (s *testStack) get(url string) int {
	answer, err := s.http.Get(url)
	if err != nil {
		return 0
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// call sends a request of Shape B and returns the status and the decoded body.
// A request that got no answer has the status 0.
func (s *testStack) call(as demo.Account, method, path string, body any) (int, map[string]any) {
	s.t.Helper()
	return s.callAt(as, method, "/v2024-06-14"+path, body)
}

// callAt sends a request as call does, to a path of any interface.
func (s *testStack) callAt(as demo.Account, method, path string, body any) (int, map[string]any) {
	s.t.Helper()
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		require.NoError(s.t, err)
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, s.url()+path, content)
	require.NoError(s.t, err)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if as.Email == "" {
		request.SetBasicAuth(as.ID.String(), as.Secret)
	} else {
		request.Header.Set("Authorization", "Bearer "+as.Secret)
	}
	answer, err := s.http.Do(request)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = answer.Body.Close() }()
	var decoded map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&decoded); err != nil {
		return 0, nil
	}
	return answer.StatusCode, decoded
}

// field finds a member of a decoded body.
func field[T any](t *testing.T, body any, path ...string) T {
	t.Helper()
	for _, name := range path {
		object, ok := body.(map[string]any)
		require.True(t, ok, "no object that could have a %s: %v", name, body)
		body = object[name]
	}
	value, ok := body.(T)
	require.True(t, ok, "%v is %v", path, body)
	return value
}

// program returns the service's own program with the arguments.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=yes")
	return cmd
}

// built contains the binaries that all tests share.
var built struct {
	mu       sync.Mutex
	dir      string
	programs map[string]string
	temporal string
}

func removeBuilt() {
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
}

// example builds a program below examples, such as loan/drive, once.
func example(t *testing.T, name string) string {
	t.Helper()
	built.mu.Lock()
	defer built.mu.Unlock()
	if path, ok := built.programs[name]; ok {
		return path
	}
	if built.dir == "" {
		// It outlives the test that happens to come first.
		dir, err := os.MkdirTemp("", "procession-examples-") //nolint:usetesting // see above
		require.NoError(t, err)
		built.dir, built.programs = dir, map[string]string{}
	}
	path := filepath.Join(built.dir, strings.ReplaceAll(name, "/", "-"))
	out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "../../examples/"+name).CombinedOutput()
	require.NoError(t, err, string(out))
	built.programs[name] = path
	return path
}

func temporalBinary(t *testing.T) string {
	t.Helper()
	built.mu.Lock()
	defer built.mu.Unlock()
	if built.temporal != "" {
		return built.temporal
	}
	source, err := temporalserver.FindSource()
	require.NoError(t, err)
	built.temporal, err = temporalserver.Build(t.Context(), temporalserver.BuildOptions{Source: source, Progress: os.Stderr})
	require.NoError(t, err)
	return built.temporal
}
