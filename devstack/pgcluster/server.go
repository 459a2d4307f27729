package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/devstack/child"
)

const (
	// probeEvery is how often a starting server is asked whether it answers.
	probeEvery = 10 * time.Millisecond
	// logTail is how much of the server's log an error shows, in bytes.
	logTail = 2048
)

// startServer runs postgres and returns when it answers a query.
func (c *Cluster) startServer(ctx context.Context, binaries string, runAs *account, o Options) error {
	log, err := c.files.openLog()
	if err != nil {
		return err
	}
	defer log.Close() // the server has a copy of its own

	// The server must outlive ctx, which bounds the start only.
	cmd := exec.Command(filepath.Join(binaries, "postgres"), c.serverArgs(o)...) //nolint:gosec,noctx // a PostgreSQL binary the operator chose; see above
	cmd.Env = serverEnv()
	cmd.Dir = c.files.store
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = runAs.sysProcAttr()
	server, err := child.Start(cmd, syscall.SIGINT)
	if err != nil {
		return err
	}
	c.server = server
	if err := c.awaitReady(ctx); err != nil {
		// ctx may have ended already and must not cut the cleaning up short.
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		return errors.Join(err, server.Stop(stopCtx, syscall.SIGINT, syscall.SIGQUIT))
	}
	return nil
}

// serverArgs sets everything on the command line: postgresql.conf stays as
// initdb wrote it, so new defaults of ours reach old clusters.
func (c *Cluster) serverArgs(o Options) []string {
	listen := ""
	if o.Port != 0 {
		listen = "127.0.0.1"
	}
	settings := []string{
		"listen_addresses=" + listen,
		"port=" + strconv.Itoa(c.socketPort()),
		"unix_socket_directories=" + quoteIdentifier(c.files.socketDir),
		"unix_socket_permissions=0700",
		"max_connections=" + strconv.Itoa(o.MaxConnections),
		"shared_buffers=128MB",
		"timezone=UTC",
		"log_timezone=UTC",
		"logging_collector=off",
		// Statements and details of errors can hold personal data and secrets.
		"log_error_verbosity=terse",
		"log_min_error_statement=panic",
	}
	if o.Fast {
		settings = append(settings,
			"fsync=off",
			"synchronous_commit=off",
			"full_page_writes=off",
			"wal_level=minimal",
			"max_wal_senders=0",
		)
	}
	args := []string{"-D", c.files.dataDir()}
	for _, setting := range append(settings, o.Settings...) {
		args = append(args, "-c", setting)
	}
	return args
}

// quoteIdentifier keeps a path with commas or blanks one entry of a list.
func quoteIdentifier(s string) string {
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// serverEnv keeps PG* variables of the caller from changing the cluster.
func serverEnv() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C"}
}

// awaitReady returns nil once the server answers, and an error when it exits
// or ctx ends before.
func (c *Cluster) awaitReady(ctx context.Context) error {
	config, err := pgx.ParseConfig(c.URL("postgres"))
	if err != nil {
		return fmt.Errorf("making the connection string: %w", err)
	}
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for {
		// An answer counts only from a server that is ours and still there.
		select {
		case <-c.server.Done():
			return fmt.Errorf("PostgreSQL exited while starting (%w):\n%s", exitError(c.server), c.files.tailLog(logTail))
		case <-ctx.Done():
			return fmt.Errorf("waiting for PostgreSQL: %w", ctx.Err())
		case <-ticker.C:
		}
		if acceptsConnections(ctx, config) {
			return nil
		}
	}
}

func acceptsConnections(ctx context.Context, config *pgx.ConnConfig) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false
	}
	err = conn.Ping(ctx)
	return conn.Close(ctx) == nil && err == nil
}

func exitError(p *child.Process) error {
	if err := p.Err(); err != nil {
		return err
	}
	return os.ErrProcessDone
}
