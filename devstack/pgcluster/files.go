package pgcluster

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	// storeLink is the link in Options.Dir to data that lie elsewhere.
	storeLink = "store"
	// storeParent is where the data go when the server's account cannot reach
	// Options.Dir, as in a checkout below /root.
	storeParent = "/var/lib/procession"
	// maxSocketDir keeps directory + "/.s.PGSQL.65535" inside the 107 bytes a
	// unix socket's address has.
	maxSocketDir = 90
	// maxLogSize is the size, in bytes, at which a start sets the old log aside.
	maxLogSize = 8 << 20
)

// files are the places of one cluster on disk.
type files struct {
	// dir is Options.Dir without links: the lock, the password, the log.
	dir string
	// store contains the files that the account of the server needs: data and socket.
	store string
	// socketDir is set by openSocketDir; temporary says it dies with the run.
	socketDir string
	temporary bool
}

// openFiles creates the directories that are missing.
func openFiles(dir string, runAs *account) (*files, error) {
	if dir == "" {
		return nil, errors.New("no directory given for the PostgreSQL cluster")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the PostgreSQL directory: %w", err)
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("resolving the PostgreSQL directory: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("resolving the PostgreSQL directory: %w", err)
	}
	f := &files{dir: dir, store: dir}
	target, err := os.Readlink(filepath.Join(dir, storeLink))
	switch {
	case err == nil:
		f.store = target
		return f, nil
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("reading the link to the data: %w", err)
	}
	if runAs == nil {
		return f, nil
	}
	if reachable, err := canReach(runAs, filepath.Dir(dir)); err != nil {
		return nil, err
	} else if !reachable {
		return f, f.moveStore()
	}
	return f, openToAll(dir)
}

// moveStore puts the data of a new cluster where every account gets, and leaves
// a link behind. Opening up a home directory instead would be worse.
func (f *files) moveStore() error {
	if err := os.MkdirAll(storeParent, 0o755); err != nil { //nolint:gosec // must be passable, and holds only private directories
		return fmt.Errorf("making a place for the data: %w", err)
	}
	store, err := os.MkdirTemp(storeParent, "postgresql-")
	if err != nil {
		return fmt.Errorf("making a place for the data: %w", err)
	}
	if err := openToAll(store); err != nil {
		return err
	}
	if err := os.Symlink(store, filepath.Join(f.dir, storeLink)); err != nil {
		return fmt.Errorf("linking to the data: %w", err)
	}
	f.store = store
	return nil
}

// openToAll lets every account pass through dir, but not list it.
func openToAll(dir string) error {
	if err := os.Chmod(dir, 0o711); err != nil { //nolint:gosec // see above
		return fmt.Errorf("opening the PostgreSQL directory to the server: %w", err)
	}
	return nil
}

// canReach reports whether the account can pass through dir and all above it.
func canReach(runAs *account, dir string) (bool, error) {
	for {
		info, err := os.Stat(dir)
		if err != nil {
			return false, fmt.Errorf("checking the way to the data: %w", err)
		}
		if !runAs.mayTraverse(info) {
			return false, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return true, nil
		}
		dir = parent
	}
}

func (f *files) dataDir() string      { return filepath.Join(f.store, "data") }
func (f *files) logFile() string      { return filepath.Join(f.dir, "postgresql.log") }
func (f *files) passwordFile() string { return filepath.Join(f.dir, "password") }

// dataMajor returns the major version that made the data, 0 when there are none.
func (f *files) dataMajor() (int, error) {
	text, err := os.ReadFile(filepath.Join(f.dataDir(), "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("reading the version of the data: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("reading the version of the data: %w", err)
	}
	return major, nil
}

// findOwner returns the account the existing data belong to, when this program may
// choose: a cluster made by an ordinary user, or before the user postgres
// existed, still runs when root starts it. Otherwise it returns runAs.
func (f *files) findOwner(runAs *account) (*account, error) {
	if runAs == nil {
		return nil, nil //nolint:nilnil // nil is the current user
	}
	info, err := os.Stat(f.dataDir())
	if errors.Is(err, os.ErrNotExist) {
		return runAs, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking at the data: %w", err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid == 0 || stat.Uid == runAs.uid {
		return runAs, nil
	}
	return &account{uid: stat.Uid, gid: stat.Gid}, nil
}

// readPassword returns the superuser's password.
func (f *files) readPassword() (string, error) {
	password, err := os.ReadFile(f.passwordFile())
	if err != nil {
		return "", fmt.Errorf("reading the password of the PostgreSQL cluster (without it the data are of no use;"+
			" remove %s to start afresh): %w", f.dir, err)
	}
	return string(password), nil
}

// openSocketDir creates the private directory of the socket.
func (f *files) openSocketDir(runAs *account) error {
	f.socketDir = filepath.Join(f.store, "socket")
	if len(f.socketDir) > maxSocketDir {
		dir, err := os.MkdirTemp("", "procession-pg-")
		if err != nil {
			return fmt.Errorf("making the socket directory: %w", err)
		}
		f.socketDir, f.temporary = dir, true
	} else if err := os.Mkdir(f.socketDir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("making the socket directory: %w", err)
	}
	return runAs.changeOwner(f.socketDir)
}

// removeSocketDir removes a socket directory that is not part of the cluster's.
func (f *files) removeSocketDir() error {
	if !f.temporary {
		return nil
	}
	if err := os.RemoveAll(f.socketDir); err != nil {
		return fmt.Errorf("removing the socket directory: %w", err)
	}
	return nil
}

// openLog opens the server's log for appending and sets a big one aside.
func (f *files) openLog() (*os.File, error) {
	if info, err := os.Stat(f.logFile()); err == nil && info.Size() > maxLogSize {
		if err := os.Rename(f.logFile(), f.logFile()+".1"); err != nil {
			return nil, fmt.Errorf("setting the PostgreSQL log aside: %w", err)
		}
	}
	log, err := os.OpenFile(f.logFile(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the PostgreSQL log: %w", err)
	}
	return log, nil
}

// tailLog returns up to size bytes of the log's end for an error message.
func (f *files) tailLog(size int64) string {
	log, err := os.Open(f.logFile())
	if err != nil {
		return err.Error()
	}
	defer log.Close()
	if info, err := log.Stat(); err == nil && info.Size() > size {
		if _, err := log.Seek(-size, io.SeekEnd); err != nil {
			return err.Error()
		}
	}
	text, err := io.ReadAll(log)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}
