package pgcluster

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// MissingError is returned when no PostgreSQL server binaries are found.
type MissingError struct {
	// Searched lists the directories that were searched.
	Searched []string
}

// Error implements error. It names the packages to install.
func (e *MissingError) Error() string {
	return "no PostgreSQL server binaries (initdb, postgres) in " + strings.Join(e.Searched, ", ") +
		"; install the server package of your distribution (Debian and Ubuntu: apt-get install postgresql;" +
		" Fedora: dnf install postgresql-server postgresql-contrib) or name the directory of the binaries"
}

// VersionError is returned if the data of a cluster need the binaries of a major version of PostgreSQL that is
// not installed.
type VersionError struct {
	// Data is the major version that wrote the data.
	Data int
	// Found are the major versions of the binaries at hand.
	Found []int
}

// Error implements error.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the data directory was made by PostgreSQL %d and the binaries found are of %v;"+
		" install PostgreSQL %d, or remove the directory to start afresh", e.Data, e.Found, e.Data)
}

// findBinaries returns the directory of initdb and postgres: explicit when that
// is not empty, else the one on PATH, else the newest in /usr/lib/postgresql,
// restricted to the major version of existing data; 0 accepts any. It returns a
// *MissingError when there is none and a *VersionError when only others are
// found.
func findBinaries(ctx context.Context, explicit string, major int) (string, error) {
	dirs, err := findCandidates(explicit)
	if err != nil {
		return "", err
	}
	if major == 0 {
		return dirs[0], nil
	}
	var found []int
	for _, dir := range dirs {
		m, err := binaryMajor(ctx, dir)
		if err != nil {
			return "", err
		}
		if m == major {
			return dir, nil
		}
		found = append(found, m)
	}
	return "", &VersionError{Data: major, Found: found}
}

// findCandidates returns the directories that hold a server, best first, and never
// an empty list without an error.
func findCandidates(explicit string) ([]string, error) {
	if explicit != "" {
		if !hasServer(explicit) {
			return nil, &MissingError{Searched: []string{explicit}}
		}
		return []string{explicit}, nil
	}
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		// A link on PATH is followed: its own directory may lack the other tools.
		if target, err := filepath.EvalSymlinks(path); err == nil && hasServer(filepath.Dir(target)) {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	const pattern = "/usr/lib/postgresql/*/bin"
	installed, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("looking for PostgreSQL: %w", err)
	}
	slices.SortFunc(installed, func(a, b string) int { return cmp.Compare(pathMajor(b), pathMajor(a)) })
	for _, dir := range installed {
		if hasServer(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, &MissingError{Searched: []string{"PATH", pattern}}
	}
	return dirs, nil
}

func hasServer(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// pathMajor reads the version in …/postgresql/<major>/bin; 0 when it is none.
func pathMajor(dir string) int {
	major, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	if err != nil {
		return 0
	}
	return major
}

// binaryVersion returns the answer of the server binary in dir to --version.
func binaryVersion(ctx context.Context, dir string) (string, error) {
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output() //nolint:gosec // a PostgreSQL binary the operator chose
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", dir, err)
	}
	return string(out), nil
}

// binaryMajor returns the major version of the server binary in dir.
func binaryMajor(ctx context.Context, dir string) (int, error) {
	out, err := binaryVersion(ctx, dir)
	if err != nil {
		return 0, err
	}
	// "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "… 18beta1".
	fields := strings.Fields(out)
	if len(fields) < 3 {
		return 0, fmt.Errorf("reading the version of %s: unexpected answer %q", dir, out)
	}
	digits := fields[2]
	if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		digits = digits[:end]
	}
	major, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("reading the version of %s: %w", dir, err)
	}
	return major, nil
}
