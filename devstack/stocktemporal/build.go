// Package stocktemporal builds Temporal's own server and schema tool, in the
// version that the nested module temporal-server pins. Tests run Procession
// against them.
package stocktemporal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/procession-dev/procession/devstack/gobuild"
)

// Packages of the two programs; Go names a program after the last element.
const (
	serverPackage = "go.temporal.io/server/cmd/server"
	toolPackage   = "go.temporal.io/server/cmd/tools/sql"
)

// BuildOptions configure a build and the place of its result.
type BuildOptions struct {
	// Source is the directory of the temporal-server module, see
	// temporalserver.FindSource.
	Source string
	// CacheDir keeps the programs; empty means procession/stock-temporal in the
	// user's cache directory.
	CacheDir string
	// Progress hears of a build that is really made; nil is silent.
	Progress io.Writer
}

// Programs contains the paths of the built programs.
type Programs struct {
	// Server is the Temporal server.
	Server string
	// SQLTool creates and updates its databases.
	SQLTool string
}

// Build returns the programs of the version that o.Source pins, cached ones if neither versions nor toolchain
// changed. Flags and environment equal those for temporal-server, so that both share the cache of Go.
func Build(ctx context.Context, o BuildOptions) (Programs, error) {
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if o.CacheDir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return Programs{}, fmt.Errorf("finding the cache directory: %w", err)
		}
		o.CacheDir = filepath.Join(base, "procession", "stock-temporal")
	}
	key, err := buildKey(ctx, o.Source)
	if err != nil {
		return Programs{}, err
	}
	dir := filepath.Join(o.CacheDir, key)
	built := Programs{Server: filepath.Join(dir, "server"), SQLTool: filepath.Join(dir, "sql")}
	if dirExists(dir) {
		return built, nil
	}
	if err := os.MkdirAll(o.CacheDir, 0o700); err != nil {
		return Programs{}, fmt.Errorf("making the cache directory: %w", err)
	}
	lock, err := gobuild.Lock(ctx, o.CacheDir, func() {
		fmt.Fprintln(o.Progress, "stock Temporal: another program is building it; waiting")
	})
	if err != nil {
		return Programs{}, err
	}
	// The one waited for may have built the same.
	if !dirExists(dir) {
		fmt.Fprintln(o.Progress, "stock Temporal: building")
		err = compilePrograms(ctx, o.Source, dir)
	}
	if err == nil {
		err = gobuild.Prune(o.CacheDir, key, 0)
	}
	if err := errors.Join(err, lock.Unlock()); err != nil {
		return Programs{}, err
	}
	return built, nil
}

func dirExists(dir string) bool {
	_, err := os.Stat(dir)
	return err == nil
}

// compilePrograms builds into a temporary folder and renames it, so that the cache contains complete programs only.
func compilePrograms(ctx context.Context, source, dir string) error {
	fresh := dir + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.Mkdir(fresh, 0o700)); err != nil {
		return fmt.Errorf("making room for the stock Temporal: %w", err)
	}
	args := append([]string{"build", "-o", fresh + "/"}, gobuild.Flags()...)
	cmd := gobuild.Command(ctx, source, append(args, serverPackage, toolPackage)...)
	// A group of its own keeps Ctrl-C from killing the compilers before go can
	// end them.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the stock Temporal: %w\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("putting the stock Temporal in place: %w", err)
	}
	return nil
}

// buildKey returns the cache key of a build: the pinned versions and the toolchain.
func buildKey(ctx context.Context, source string) (string, error) {
	toolchain, err := gobuild.Command(ctx, source, "env", "GOVERSION", "GOOS", "GOARCH").Output()
	if err != nil {
		return "", fmt.Errorf("asking for the Go version: %w", err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n", toolchain)
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(source, name)) //nolint:gosec // a file of the checkout
		if err != nil {
			return "", fmt.Errorf("reading the versions of the stock Temporal: %w", err)
		}
		fmt.Fprintf(sum, "%s %x\n", name, sha256.Sum256(content))
	}
	return hex.EncodeToString(sum.Sum(nil))[:24], nil
}
