package pgcluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// initializeCluster creates the data directory. It is made under another name and
// renamed when complete, so that an interrupted one is never taken for data.
func (f *files) initializeCluster(ctx context.Context, binaries string, runAs *account, o Options) error {
	fresh := filepath.Join(f.store, "data.new")
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("removing an unfinished data directory: %w", err)
	}
	initialize := f.runInitdb
	if o.CacheDir != "" {
		initialize = f.copyCached
	}
	if err := initialize(ctx, fresh, binaries, runAs, o); err != nil {
		return err
	}
	if err := os.Rename(fresh, f.dataDir()); err != nil {
		return fmt.Errorf("putting the data directory in place: %w", err)
	}
	return nil
}

// initdbArgs returns the settings of new clusters.
func initdbArgs() []string {
	return []string{
		"--username=" + superuser,
		"--auth=scram-sha-256",
		"--encoding=UTF8",
		// Byte order sorts fast and the same everywhere; the character type makes
		// upper and lower case work beyond ASCII.
		"--locale=C",
		"--lc-ctype=C.UTF-8",
		"--no-instructions",
	}
}

// runInitdb creates the data directory fresh, with a new password.
func (f *files) runInitdb(ctx context.Context, fresh, binaries string, runAs *account, o Options) (err error) {
	// The text has 130 random bits.
	password := rand.Text()
	if err := os.WriteFile(f.passwordFile(), []byte(password), 0o600); err != nil {
		return fmt.Errorf("keeping the password of the PostgreSQL cluster: %w", err)
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return fmt.Errorf("making the data directory: %w", err)
	}
	if err := runAs.changeOwner(fresh); err != nil {
		return err
	}
	// A copy, because the account must read it and the original stays ours.
	passwordCopy := filepath.Join(f.store, "password.new")
	if err := os.WriteFile(passwordCopy, []byte(password), 0o600); err != nil {
		return fmt.Errorf("handing the password to initdb: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(passwordCopy)) }()
	if err := runAs.changeOwner(passwordCopy); err != nil {
		return err
	}

	args := append(initdbArgs(), "--pgdata="+fresh, "--pwfile="+passwordCopy)
	if o.Fast {
		args = append(args, "--no-sync")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(binaries, "initdb"), args...) //nolint:gosec // a PostgreSQL binary the operator chose
	cmd.Env = serverEnv()
	cmd.Dir = f.store
	cmd.SysProcAttr = runAs.sysProcAttr()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("running initdb: %w:\n%s", err, out)
	}
	return nil
}
