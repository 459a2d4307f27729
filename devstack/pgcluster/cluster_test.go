package pgcluster_test

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/pgcluster"
)

// newDir returns a directory for one cluster which any account can reach.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(pgcluster.ScratchDir(), "pgcluster-test-") //nolint:usetesting // t.TempDir is closed to the account that runs PostgreSQL for root
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, pgcluster.Remove(dir)) })
	return dir
}

func start(t *testing.T, o pgcluster.Options) *pgcluster.Cluster {
	t.Helper()
	o.Fast = true
	c, err := pgcluster.Start(t.Context(), o)
	require.NoError(t, err)
	return c
}

func stop(t *testing.T, c *pgcluster.Cluster) {
	t.Helper()
	require.NoError(t, c.Stop(context.WithoutCancel(t.Context())))
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

func TestClusterKeepsDataOverRestart(t *testing.T) {
	t.Parallel()
	dir := newDir(t)

	c := start(t, pgcluster.Options{Dir: dir})
	_, err := connect(t, c.URL("postgres")).Exec(t.Context(), "CREATE TABLE kept AS SELECT 'Émile' AS name")
	require.NoError(t, err)
	stop(t, c)
	<-c.Done()

	c = start(t, pgcluster.Options{Dir: dir})
	defer stop(t, c)
	var lower, fsync, listen string
	row := connect(t, c.URL("postgres")).QueryRow(t.Context(),
		"SELECT lower(name), current_setting('fsync'), current_setting('listen_addresses') FROM kept")
	require.NoError(t, row.Scan(&lower, &fsync, &listen))
	require.Equal(t, []string{"émile", "off", ""}, []string{lower, fsync, listen})
}

func TestClusterAsksForThePassword(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := start(t, pgcluster.Options{Dir: dir})
	defer stop(t, c)

	password, err := os.ReadFile(filepath.Join(dir, "password"))
	require.NoError(t, err)
	_, err = pgx.Connect(t.Context(), strings.Replace(c.URL("postgres"), string(password), "guess", 1))
	require.ErrorContains(t, err, "password authentication failed")

	log, err := os.ReadFile(c.LogFile())
	require.NoError(t, err)
	require.NotContains(t, string(log), string(password))

	for name, mode := range map[string]fs.FileMode{"password": 0o600, "socket": fs.ModeDir | 0o700, "data": fs.ModeDir | 0o700} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode(), name)
	}
}

func TestClusterListensOnAPort(t *testing.T) {
	t.Parallel()
	port, held := holdPort(t)
	require.NoError(t, held.Close())
	c := start(t, pgcluster.Options{Dir: newDir(t), Port: port})
	defer stop(t, c)
	for _, url := range []string{c.URL("postgres"), c.TCPURL("postgres")} {
		require.NoError(t, connect(t, url).Ping(t.Context()))
	}
}

func TestStartNamesABusyPort(t *testing.T) {
	t.Parallel()
	port, held := holdPort(t)
	defer held.Close()
	_, err := pgcluster.Start(t.Context(), pgcluster.Options{Dir: newDir(t), Port: port, Fast: true})
	var busy *pgcluster.PortBusyError
	require.ErrorAs(t, err, &busy)
	require.Equal(t, port, busy.Port)
	require.ErrorIs(t, err, syscall.EADDRINUSE)
}

func TestStartRefusesADirectoryInUse(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := start(t, pgcluster.Options{Dir: dir})
	defer stop(t, c)
	_, err := pgcluster.Start(t.Context(), pgcluster.Options{Dir: dir, Fast: true})
	require.ErrorIs(t, err, pgcluster.ErrInUse)
	require.ErrorIs(t, pgcluster.Remove(dir), pgcluster.ErrInUse)
	require.NoError(t, connect(t, c.URL("postgres")).Ping(t.Context()))
}

func TestStartSurvivesAStalePIDFile(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	stop(t, start(t, pgcluster.Options{Dir: dir}))

	// An unrelated process of the server's account has the id in the file, which
	// makes PostgreSQL itself refuse to start.
	sleeper := exec.CommandContext(t.Context(), "sleep", "600")
	info, err := os.Stat(filepath.Join(dir, "data"))
	require.NoError(t, err)
	owner, ok := info.Sys().(*syscall.Stat_t)
	require.True(t, ok)
	if os.Geteuid() == 0 {
		sleeper.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: owner.Uid, Gid: owner.Gid}}
	}
	require.NoError(t, sleeper.Start())
	defer func() { _ = sleeper.Wait() }()
	defer func() { _ = sleeper.Process.Kill() }()
	pidFile := filepath.Join(dir, "data", "postmaster.pid")
	require.NoError(t, os.WriteFile(pidFile, []byte(strconv.Itoa(sleeper.Process.Pid)+"\n"), 0o600))
	require.NoError(t, os.Chown(pidFile, int(owner.Uid), int(owner.Gid)))

	stop(t, start(t, pgcluster.Options{Dir: dir}))
}

func TestStartNamesAnotherVersionsData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("7\n"), 0o600))
	_, err := pgcluster.Start(t.Context(), pgcluster.Options{Dir: dir})
	var version *pgcluster.VersionError
	require.ErrorAs(t, err, &version)
	require.Equal(t, 7, version.Data)
}

func TestStartNamesMissingBinaries(t *testing.T) {
	t.Parallel()
	_, err := pgcluster.Start(t.Context(), pgcluster.Options{Dir: newDir(t), Binaries: t.TempDir()})
	var missing *pgcluster.MissingError
	require.ErrorAs(t, err, &missing)
	require.ErrorContains(t, err, "apt-get install postgresql")
}

func TestStartShowsTheServersLastWords(t *testing.T) {
	t.Parallel()
	_, err := pgcluster.Start(t.Context(), pgcluster.Options{Dir: newDir(t), Fast: true, MaxConnections: 1 << 30})
	require.ErrorContains(t, err, `parameter "max_connections"`)
}

func TestStartEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := pgcluster.Start(ctx, pgcluster.Options{Dir: newDir(t), Fast: true})
	require.ErrorIs(t, err, context.Canceled)
}

// A directory no other account can reach, as a checkout in /root.
func TestRootKeepsDataWhereTheServerGets(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as another user")
	}
	private, err := os.MkdirTemp("", "pgcluster-private-") //nolint:usetesting // the path must be short and its mode known
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(private)) }()
	dir := filepath.Join(private, "cluster")

	c := start(t, pgcluster.Options{Dir: dir})
	require.NoError(t, connect(t, c.URL("postgres")).Ping(t.Context()))
	stop(t, c)
	store, err := os.Readlink(filepath.Join(dir, "store"))
	require.NoError(t, err)
	stop(t, start(t, pgcluster.Options{Dir: dir}))

	info, err := os.Stat(private)
	require.NoError(t, err)
	require.Equal(t, fs.ModeDir|0o700, info.Mode(), "a private directory of another user is left as it was")
	require.NoError(t, pgcluster.Remove(dir))
	require.NoDirExists(t, store)
	require.NoDirExists(t, dir)
}

func TestOrdinaryUserOwnsTheCluster(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the other tests show it: they run as an ordinary user already")
	}
	other, err := user.Lookup("nobody")
	require.NoError(t, err)
	uid, err := strconv.ParseUint(other.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(other.Gid, 10, 32)
	require.NoError(t, err)

	// The test binary lies where only its owner may look: run a copy. It does
	// not go to ScratchDir, where programs may be forbidden.
	dir, err := os.MkdirTemp("", "pgcluster-test-") //nolint:usetesting // t.TempDir is closed to the account that runs PostgreSQL for root
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(dir)) }()
	require.NoError(t, os.Chmod(dir, 0o755))
	self, err := os.ReadFile("/proc/self/exe")
	require.NoError(t, err)
	binary := filepath.Join(dir, "pgcluster.test")
	require.NoError(t, os.WriteFile(binary, self, 0o755))

	cmd := exec.CommandContext(t.Context(), binary, "-test.run=^TestCluster", "-test.v")
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: TestClusterKeepsDataOverRestart")
}

// killedRunDir makes a copy of the test binary play the program that is killed,
// and in which directory.
const killedRunDir = "PGCLUSTER_KILLED_RUN_DIR"

func TestNothingOutlivesAKilledProgram(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv(killedRunDir); dir != "" {
		start(t, pgcluster.Options{Dir: dir})
		self, err := os.FindProcess(os.Getpid())
		require.NoError(t, err)
		require.NoError(t, self.Kill())
		<-t.Context().Done()
	}
	dir := newDir(t)
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^TestNothingOutlivesAKilledProgram$")
	cmd.Env = append(os.Environ(), killedRunDir+"="+dir)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, string(out))
	require.Equal(t, -1, exit.ExitCode(), string(out))
	require.ErrorContains(t, err, "signal: killed")

	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "data", "postmaster.pid"))
		return errors.Is(err, fs.ErrNotExist)
	}, 30*time.Second, 10*time.Millisecond)
	stop(t, start(t, pgcluster.Options{Dir: dir}))
}

// holdPort listens on a free port outside the range of ephemeral ports.
func holdPort(t *testing.T) (int, net.Listener) {
	t.Helper()
	for {
		port := 20_000 + rand.IntN(12_000)
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		require.NoError(t, err)
		return port, listener
	}
}
