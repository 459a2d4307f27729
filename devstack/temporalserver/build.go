package temporalserver

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/procession-dev/procession/devstack/gobuild"
)

const (
	binaryName = "temporal-server"
	// keptBuilds is how many older binaries, of some 150 MB each, stay cached.
	keptBuilds = 3
)

// BuildOptions configure a build and the place of its result.
type BuildOptions struct {
	// Source is the directory of the temporal-server module; see FindSource.
	Source string
	// CacheDir keeps the binaries; empty means procession/temporal-server in the
	// user's cache directory.
	CacheDir string
	// Progress hears of a build that is really made; nil is silent.
	Progress io.Writer
	// ProgressEvery is the time between two lines of progress; 0 means 10 s.
	ProgressEvery time.Duration
}

// Build returns the path of a binary of the sources in o.Source: the cached one
// when neither sources nor toolchain have changed, else a new one. Of several
// programs that build at once, one does the work and the others wait for it.
func Build(ctx context.Context, o BuildOptions) (string, error) {
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	o.ProgressEvery = cmp.Or(o.ProgressEvery, 10*time.Second)
	key, err := o.locate(ctx)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(o.CacheDir, key, binaryName)
	if isBuilt(binary) {
		return binary, nil
	}
	if err := os.MkdirAll(filepath.Dir(binary), 0o700); err != nil {
		return "", fmt.Errorf("making the cache directory: %w", err)
	}
	lock, err := gobuild.Lock(ctx, o.CacheDir, func() {
		fmt.Fprintln(o.Progress, "temporal-server: another program is building it; waiting")
	})
	if err != nil {
		return "", err
	}
	// The one waited for may have built the same.
	if !isBuilt(binary) {
		err = compileServer(ctx, o, binary)
	}
	if err == nil {
		err = gobuild.Prune(o.CacheDir, key, keptBuilds)
	}
	if err := errors.Join(err, lock.Unlock()); err != nil {
		return "", err
	}
	return binary, nil
}

// Built reports whether Build would return a cached binary at once.
func Built(ctx context.Context, o BuildOptions) (bool, error) {
	key, err := o.locate(ctx)
	return err == nil && isBuilt(filepath.Join(o.CacheDir, key, binaryName)), err
}

// locate completes CacheDir, and returns the name of the binary's directory below it.
func (o *BuildOptions) locate(ctx context.Context) (string, error) {
	if o.CacheDir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding the cache directory: %w", err)
		}
		o.CacheDir = filepath.Join(base, "procession", "temporal-server")
	}
	toolchain, err := goToolchain(ctx, o.Source)
	if err != nil {
		return "", err
	}
	return sourceKey(o.Source, toolchain)
}

func isBuilt(binary string) bool {
	info, err := os.Stat(binary)
	return err == nil && info.Mode().IsRegular()
}

// goToolchain returns version and platform of the Go that builds source.
func goToolchain(ctx context.Context, source string) (string, error) {
	out, err := gobuild.Command(ctx, source, "env", "GOVERSION", "GOOS", "GOARCH").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("building temporal-server takes Go 1.26 or newer (https://go.dev/dl): %w", err)
	}
	if err != nil {
		return "", fmt.Errorf("asking for the Go version: %w", withOutput(err))
	}
	return strings.Join(strings.Fields(string(out)), " "), nil
}

func withOutput(err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		return fmt.Errorf("%s: %w", bytes.TrimSpace(exit.Stderr), err)
	}
	return err
}

// compileServer builds a temporary file and renames it, so that the cache contains complete binaries only.
func compileServer(ctx context.Context, o BuildOptions, binary string) error {
	fresh := binary + ".new"
	args := append([]string{"build", "-v", "-o", fresh}, gobuild.Flags()...)
	cmd := gobuild.Command(ctx, o.Source, append(args, ".")...)
	// A group of its own keeps Ctrl-C from killing the compilers before go can
	// end them.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	progress := newProgress(o.Progress, o.ProgressEvery)
	cmd.Stdout, cmd.Stderr = progress, progress
	err := cmd.Run()
	progress.finishBuild(err)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("building temporal-server: %w\n%s", err, progress.errorLines())
	}
	if err := os.Rename(fresh, binary); err != nil {
		return fmt.Errorf("putting the temporal-server binary in place: %w", err)
	}
	return nil
}
