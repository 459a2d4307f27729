package server_test

import (
	"context"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// newPostgres starts a PostgreSQL of the test's own, reachable through a unix socket only, and returns the URL of its maintenance
// database. It runs as user postgres when the test runs as root, which PostgreSQL refuses.
func newPostgres(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	require.NoError(t, err)
	if path, err := exec.LookPath("initdb"); err == nil {
		found = append(found, path)
	}
	require.NotEmpty(t, found, "these tests need PostgreSQL's server programs (Debian: apt-get install postgresql)")
	bin := filepath.Dir(found[len(found)-1])

	// A socket's path must be short, and PostgreSQL's user does not get into t.TempDir.
	base, err := os.MkdirTemp(shortTempDir(), "ts-pg-") //nolint:usetesting // see above
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
	if os.Geteuid() == 0 {
		account, err := user.Lookup("postgres")
		require.NoError(t, err)
		uid, err := strconv.Atoi(account.Uid)
		require.NoError(t, err)
		gid, err := strconv.Atoi(account.Gid)
		require.NoError(t, err)
		require.NoError(t, os.Chown(base, uid, gid))
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	data := filepath.Join(base, "data")
	passwordFile := filepath.Join(base, "password")
	require.NoError(t, os.WriteFile(passwordFile, []byte("p w:@/d"), 0o644))
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.SysProcAttr, cmd.Dir = attr, base
		return cmd
	}
	out, err := run("initdb", "--pgdata", data, "--username", "postgres", "--pwfile", passwordFile, "--auth", "scram-sha-256", "--no-sync").CombinedOutput()
	require.NoError(t, err, "%s", out)
	server := run("postgres", "-D", data, "-k", base, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGINT)
		_ = server.Wait()
	})
	at := url.URL{Scheme: "postgres", User: url.UserPassword("postgres", "p w:@/d"), Path: "/postgres", RawQuery: url.Values{"host": {base}, "sslmode": {"disable"}}.Encode()}
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), at.String())
		if err != nil {
			return false
		}
		return conn.Close(context.Background()) == nil
	}, 30*time.Second, 10*time.Millisecond, "PostgreSQL answers")
	return at.String()
}

// shortTempDir prefers memory; a unix socket's path may have 107 bytes only.
func shortTempDir() string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return "/dev/shm"
	}
	return "/tmp"
}

func queryInt(t *testing.T, databaseURL, database, sql string) int {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	u.Path = "/" + database
	conn, err := pgx.Connect(t.Context(), u.String())
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	var n int
	require.NoError(t, conn.QueryRow(t.Context(), sql).Scan(&n), "%s in %s", sql, database)
	return n
}

// execute executes a statement in a database.
func execute(t *testing.T, databaseURL, database, sql string) {
	t.Helper()
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	u.Path = "/" + database
	conn, err := pgx.Connect(t.Context(), u.String())
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	_, err = conn.Exec(t.Context(), sql)
	require.NoError(t, err, "%s in %s", sql, database)
}
