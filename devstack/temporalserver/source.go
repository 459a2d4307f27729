package temporalserver

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/procession-dev/procession/devstack/gobuild"
)

// sourceModule is the first line of temporal-server's go.mod.
const sourceModule = "module github.com/procession-dev/procession/temporal-server"

// ErrNoSource is returned by FindSource outside a checkout of Procession.
var ErrNoSource = errors.New("no temporal-server/go.mod in this directory or above it: run inside a checkout of Procession, or name a temporal-server binary")

// FindSource returns the directory of the temporal-server module of the
// checkout the working directory is in. It returns ErrNoSource outside one.
func FindSource() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for temporal-server: %w", err)
	}
	for {
		source := filepath.Join(dir, "temporal-server")
		text, err := os.ReadFile(filepath.Join(source, "go.mod")) //nolint:gosec // looking upwards is the purpose
		if err == nil && strings.HasPrefix(string(text), sourceModule+"\n") {
			return source, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("looking for temporal-server: %w", err)
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ErrNoSource
		}
		dir = parent
	}
}

// sourceKey returns the cache key of a build: the sources, the flags and the toolchain by its version and
// platform.
func sourceKey(source, toolchain string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%q\n", toolchain, gobuild.Flags())
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != source && (strings.HasPrefix(name, ".") || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() || !isSource(name) {
			return nil
		}
		relative, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		return addFile(sum, path, relative)
	})
	if err != nil {
		return "", fmt.Errorf("reading the sources of temporal-server: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:24], nil
}

// isSource takes in files that may be embedded, not only Go's.
func isSource(name string) bool {
	return !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".md")
}

func addFile(sum hash.Hash, path, name string) error {
	file, err := os.Open(path) //nolint:gosec // a source file of the checkout
	if err != nil {
		return err
	}
	defer file.Close()
	content := sha256.New()
	if _, err := io.Copy(content, file); err != nil {
		return err
	}
	fmt.Fprintf(sum, "%q %x\n", name, content.Sum(nil))
	return nil
}
