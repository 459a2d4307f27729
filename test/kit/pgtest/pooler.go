package pgtest

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/pgcluster"
)

// poolerSessions is how many sessions of a database all clients of a pooler share.
const poolerSessions = 6

// TakesAllSettings makes a pooler drop the settings of a connection instead of refusing it.
const TakesAllSettings = "ignore_startup_parameters = jit, statement_timeout, idle_in_transaction_session_timeout"

// Pooler runs PgBouncer in transaction mode before the database at address until the test ends, and returns the URL of
// the same database through it. settings are further ones of PgBouncer, as "name = value".
func Pooler(tb testing.TB, address string, settings ...string) string {
	tb.Helper()
	binary, err := exec.LookPath("pgbouncer")
	if err != nil {
		// Debian has it where only root looks.
		binary, err = exec.LookPath("/usr/sbin/pgbouncer")
	}
	require.NoError(tb, err, "tools/scripts/bootstrap --tests installs PgBouncer")
	// It does not run as root, so the directory is for another user.
	dir, err := os.MkdirTemp(pgcluster.ScratchDir(), "procession-pooler-") //nolint:usetesting // see above
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(tb, os.Chmod(dir, 0o777)) //nolint:gosec // see above
	config := filepath.Join(dir, "pgbouncer.ini")
	require.NoError(tb, os.WriteFile(config, poolerConfig(tb, address, dir, settings), 0o644)) //nolint:gosec // see above

	cmd := exec.Command(binary, "--quiet", config) //nolint:gosec,noctx // the path of a program, which is stopped in its turn
	cmd.SysProcAttr, err = pgcluster.ServerProcess()
	require.NoError(tb, err)
	server, err := child.Start(cmd, syscall.SIGKILL)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, server.Stop(context.Background(), syscall.SIGINT, syscall.SIGKILL)) })
	u, err := url.Parse(address)
	require.NoError(tb, err)
	u.RawQuery = url.Values{"host": {dir}, "port": {"6432"}}.Encode()
	require.Eventually(tb, func() bool {
		conn, err := pgx.Connect(tb.Context(), u.String())
		return err == nil && conn.Close(tb.Context()) == nil
	}, 30*time.Second, 5*time.Millisecond)
	return u.String()
}

func poolerConfig(tb testing.TB, address, dir string, settings []string) []byte {
	tb.Helper()
	u, err := url.Parse(address)
	require.NoError(tb, err)
	password, _ := u.User.Password()
	text := fmt.Sprintf(`[databases]
* = host=%s port=%s user=%s password=%s
[pgbouncer]
pool_mode = transaction
default_pool_size = %d
max_client_conn = 500
auth_type = any
unix_socket_dir = %s
logfile = %s
`, u.Query().Get("host"), u.Query().Get("port"), u.User.Username(), password, poolerSessions, dir, filepath.Join(dir, "log"))
	for _, setting := range settings {
		text += setting + "\n"
	}
	return []byte(text)
}
