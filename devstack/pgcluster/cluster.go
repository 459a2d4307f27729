// Package pgcluster runs a private PostgreSQL cluster for development and tests: created if missing, kept
// between runs, reachable through a unix socket in a private directory and optionally on 127.0.0.1. Its
// processes end with the program that started them.
package pgcluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/procession-dev/procession/devstack/child"
)

const (
	// superuser is the only role of a new cluster.
	superuser = "procession"
	// socketPort names the socket file when there is no TCP port. The directory
	// is private, so the number can never be in another cluster's way.
	socketPort = 5432
	// defaultMaxConnections leaves room for the service, Temporal and tools.
	defaultMaxConnections = 200
)

// ErrInUse is returned by Start and Remove when another process runs the
// cluster of the same directory.
var ErrInUse = errors.New("the PostgreSQL directory is in use by another process")

// PortBusyError is returned by Start when something already listens on the TCP
// port that was asked for.
type PortBusyError struct {
	// Port is the port of 127.0.0.1 that is taken.
	Port int
	// Err is the error of the operating system.
	Err error
}

// Error implements error.
func (e *PortBusyError) Error() string {
	return fmt.Sprintf("port %d of 127.0.0.1, wanted for PostgreSQL, is busy: %v", e.Port, e.Err)
}

// Unwrap returns the error of the operating system.
func (e *PortBusyError) Unwrap() error { return e.Err }

// Options configure a cluster.
type Options struct {
	// Dir holds everything of the cluster and is created when missing. Its
	// mode becomes 0711 when the server has to run as another user.
	Dir string
	// Binaries is the directory of initdb and postgres. When empty they are
	// looked for on PATH and in /usr/lib/postgresql, newest first.
	Binaries string
	// Port is the TCP port on 127.0.0.1; 0 leaves only the unix socket.
	Port int
	// Fast trades durability for speed: for tests only, a crash loses data.
	Fast bool
	// MaxConnections is the connection limit of the server; 0 means 200.
	MaxConnections int
	// CacheDir keeps the data of a fresh cluster, and its password, for further ones
	// of the same version of PostgreSQL. For tests only; empty means no cache.
	CacheDir string
	// Settings are further ones of the server, as "name=value".
	Settings []string
	// Logger hears of the cluster's life; nil is silent. The messages of the
	// server itself go to the file postgresql.log in Dir.
	Logger *slog.Logger
}

// Cluster is a running PostgreSQL server.
type Cluster struct {
	files    *files
	password string
	port     int
	server   *child.Process
	lock     *flock.Flock
	logger   *slog.Logger
}

// Start creates the cluster in o.Dir when there is none, starts its server and
// returns when it answers. The context bounds the start only: the cluster runs
// until Stop or until this program dies.
//
// Errors to distinguish: *MissingError (no PostgreSQL here), *VersionError (the
// data belong to another major version), *PortBusyError and ErrInUse.
func Start(ctx context.Context, o Options) (_ *Cluster, err error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = defaultMaxConnections
	}
	runAs, err := serverAccount()
	if err != nil {
		return nil, err
	}
	files, err := openFiles(o.Dir, runAs)
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(files.dir)
	if err != nil {
		return nil, err
	}
	c := &Cluster{files: files, port: o.Port, lock: lock, logger: o.Logger}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.cleanUp())
		}
	}()

	if err := c.prepareFiles(ctx, o, runAs); err != nil {
		return nil, err
	}
	o.Logger.InfoContext(ctx, "PostgreSQL is ready", slog.String("dir", files.dir), slog.Int("port", o.Port))
	return c, nil
}

// prepareFiles creates the cluster when needed and brings its server up.
func (c *Cluster) prepareFiles(ctx context.Context, o Options, runAs *account) error {
	if err := c.files.awaitFormerServer(ctx); err != nil {
		return err
	}
	runAs, err := c.files.findOwner(runAs)
	if err != nil {
		return err
	}
	if err := checkPort(ctx, o.Port); err != nil {
		return err
	}
	wantMajor, err := c.files.dataMajor()
	if err != nil {
		return err
	}
	binaries, err := findBinaries(ctx, o.Binaries, wantMajor)
	if err != nil {
		return err
	}
	if wantMajor == 0 {
		o.Logger.InfoContext(ctx, "making a PostgreSQL cluster", slog.String("dir", c.files.dir))
		if err := c.files.initializeCluster(ctx, binaries, runAs, o); err != nil {
			return err
		}
	}
	if c.password, err = c.files.readPassword(); err != nil {
		return err
	}
	if err := c.files.openSocketDir(runAs); err != nil {
		return err
	}
	return c.startServer(ctx, binaries, runAs, o)
}

// URL returns a connection string for the database through the unix socket, as
// the superuser. It holds the password: keep it out of logs.
func (c *Cluster) URL(database string) string {
	return c.connectionURL(database, "", url.Values{
		"host": {c.files.socketDir},
		"port": {strconv.Itoa(c.socketPort())},
	})
}

// TCPURL is URL over 127.0.0.1. It is only of use with Options.Port.
func (c *Cluster) TCPURL(database string) string {
	return c.connectionURL(database, net.JoinHostPort("127.0.0.1", strconv.Itoa(c.port)), url.Values{"sslmode": {"disable"}})
}

func (c *Cluster) connectionURL(database, host string, query url.Values) string {
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(superuser, c.password),
		Host:     host,
		Path:     "/" + database,
		RawQuery: query.Encode(),
	}
	return u.String()
}

// socketPort returns the number in the socket's file name, which PostgreSQL takes
// from the TCP port.
func (c *Cluster) socketPort() int {
	if c.port != 0 {
		return c.port
	}
	return socketPort
}

// LogFile returns the path of the file that receives the server's messages.
func (c *Cluster) LogFile() string { return c.files.logFile() }

// Done returns a channel that is closed when the server has ended, by Stop or by itself.
func (c *Cluster) Done() <-chan struct{} { return c.server.Done() }

// Stop ends open sessions, shuts the server down and waits for it. If ctx ends first, Stop kills the server
// without a checkpoint, which loses no commits, and returns the error of ctx. A stopped cluster can be started
// again with the same options. Stop must be called once.
func (c *Cluster) Stop(ctx context.Context) error {
	err := c.server.Stop(ctx, syscall.SIGINT, syscall.SIGQUIT)
	c.logger.InfoContext(ctx, "PostgreSQL has stopped", slog.String("dir", c.files.dir))
	return errors.Join(err, c.cleanUp())
}

// cleanUp releases the resources of Start except the server.
func (c *Cluster) cleanUp() error {
	return errors.Join(c.files.removeSocketDir(), c.lock.Unlock())
}

// Remove deletes the cluster of dir with all its data, and dir itself. It
// returns ErrInUse when the cluster runs. A missing directory is no error.
func Remove(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lock, err := lockDir(dir)
	if err != nil {
		return err
	}
	// The data may lie elsewhere, behind a link; see files.relocate.
	target, err := os.Readlink(filepath.Join(dir, storeLink))
	switch {
	case err == nil && filepath.Dir(target) == storeParent:
		err = os.RemoveAll(target)
	case err == nil:
		err = fmt.Errorf("the data link leads to %s, outside %s", target, storeParent)
	case errors.Is(err, os.ErrNotExist):
		err = nil
	}
	if err = errors.Join(err, os.RemoveAll(dir), lock.Unlock()); err != nil {
		return fmt.Errorf("removing the PostgreSQL cluster: %w", err)
	}
	return nil
}

func lockDir(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, "lock"))
	locked, err := lock.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	case !locked:
		return nil, fmt.Errorf("%s: %w", dir, ErrInUse)
	}
	return lock, nil
}

// checkPort detects a busy port. The server would report it in its log only.
func checkPort(ctx context.Context, port int) error {
	if port == 0 {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return &PortBusyError{Port: port, Err: err}
	}
	if err := listener.Close(); err != nil {
		return fmt.Errorf("closing the port probe: %w", err)
	}
	return nil
}
