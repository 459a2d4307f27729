// Package temporalserver builds Procession's Temporal server from the nested
// module temporal-server and runs it for development and tests. The server
// never outlives the program that started it.
package temporalserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/procession-dev/procession/devstack/child"
)

// The stores a server can keep its state in.
const (
	// StoreSQLite keeps everything in memory: it is gone when the server ends.
	StoreSQLite = "sqlite"
	// StorePostgres keeps everything in the databases temporal and
	// temporal_visibility, which the server makes and migrates itself.
	StorePostgres = "postgres"
)

// Options are the flags of the server. Every field without a remark is
// required.
type Options struct {
	// Binary is the program to run; see Build.
	Binary string
	// Listen is host:port of the frontend; port 0 takes a free one, see
	// Server.Address.
	Listen string
	// Store is StoreSQLite or StorePostgres; empty leaves the choice to More.
	Store string
	// More are further arguments of the server; nil: none.
	More []string
	// Database is the name of the main database of StorePostgres, and the beginning of the name of the other one; empty leaves the server's
	// default.
	Database string
	// DatabaseURL leads to PostgreSQL; only with StorePostgres. It may hold a
	// password and therefore travels in the environment, never in an argument.
	DatabaseURL string
	// JWKSURL is where the keys that sign engine tokens are published: an https
	// URL, or one that leads to this machine.
	JWKSURL string
	// JWKSRefresh is how often they are read again; 0 leaves the server's default.
	JWKSRefresh time.Duration
	// Issuer is the issuer engine tokens must name; empty leaves the default.
	Issuer string
	// TLSCert and TLSKey are the files of the server's certificate and key.
	TLSCert, TLSKey string
	// ClientCA is the file of the authority client certificates must come from.
	ClientCA string
	// Services are the services of this process of a cluster of several, Advertise
	// its IP address for the others, Ports the ports of services other than the
	// frontend, as "history=7234", and Internal the file of WriteInternal. Without
	// them the process has all services.
	Services, Ports     []string
	Advertise, Internal string
	// LogLevel is debug, info, warn or error; empty leaves the server's default.
	LogLevel string
	// LogWriter receives the log of the server; nil discards it.
	LogWriter io.Writer
}

// WriteInternal creates the certificate and key that the processes of a cluster share
// and writes them to a new file.
func WriteInternal(ctx context.Context, binary, file string) error {
	//nolint:gosec // the binary built here, or the operator's
	if out, err := exec.CommandContext(ctx, binary, "certificate", file).CombinedOutput(); err != nil {
		return fmt.Errorf("making the internal certificate: %w\n%s", err, out)
	}
	return nil
}

// ExitError is returned by Start when the server ended before it was ready.
type ExitError struct {
	// Output is the end of the output of the server.
	Output string
	// Err is how it exited.
	Err error
}

// Error implements error.
func (e *ExitError) Error() string {
	return fmt.Sprintf("temporal-server ended before it was ready (%v):\n%s", e.Err, e.Output)
}

// Unwrap returns how the server exited.
func (e *ExitError) Unwrap() error { return e.Err }

// Server is a running Temporal server.
type Server struct {
	process *child.Process
	address string
}

// Start runs the server and returns when its frontend answers. The context
// bounds the start only: the server runs until Stop or until this program dies.
// It returns an *ExitError when the server ends instead.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.LogWriter == nil {
		o.LogWriter = io.Discard
	}
	out := newOutput(o.LogWriter)
	// The server must outlive ctx, which bounds the start only.
	cmd := exec.Command(o.Binary, append([]string{"start"}, o.commandLine()...)...) //nolint:gosec,noctx // the binary built here, or the operator's; see above
	cmd.Env = append(os.Environ(), "PROCESSION_TEMPORAL_DATABASE_URL="+o.DatabaseURL)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = 5 * time.Second
	process, err := child.Start(cmd, syscall.SIGTERM)
	if err != nil {
		return nil, err
	}
	select {
	case address := <-out.ready:
		return &Server{process: process, address: address}, nil
	case <-process.Done():
		err := process.Err()
		if err == nil {
			err = errors.New("exit status 0")
		}
		return nil, &ExitError{Output: out.lastLines(), Err: err}
	case <-ctx.Done():
		// A server that did not become ready needs no orderly shutdown.
		if err := process.Stop(ctx, syscall.SIGKILL, syscall.SIGKILL); err != nil && !errors.Is(err, ctx.Err()) {
			return nil, err
		}
		return nil, fmt.Errorf("waiting for temporal-server to be ready: %w", ctx.Err())
	}
}

// UpdateSchema prepares the stores of a server, and returns what the program prints.
func UpdateSchema(ctx context.Context, o Options) (string, error) {
	cmd := exec.CommandContext(ctx, o.Binary, append([]string{"schema"}, o.commandLine()...)...) //nolint:gosec // the binary built here, or the operator's
	cmd.Env = append(os.Environ(), "PROCESSION_TEMPORAL_DATABASE_URL="+o.DatabaseURL)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("preparing the stores of Temporal: %w\n%s", err, out)
	}
	return string(out), nil
}

func (o Options) commandLine() []string {
	var args []string
	for _, flag := range []struct{ name, value string }{
		{"listen", o.Listen},
		{"store", o.Store},
		{"database", o.Database},
		{"jwks-url", o.JWKSURL},
		{"issuer", o.Issuer},
		{"tls-cert", o.TLSCert},
		{"tls-key", o.TLSKey},
		{"client-ca", o.ClientCA},
		{"services", strings.Join(o.Services, ",")},
		{"advertise", o.Advertise},
		{"ports", strings.Join(o.Ports, ",")},
		{"internal-certificate", o.Internal},
		{"log-level", o.LogLevel},
	} {
		if flag.value != "" {
			args = append(args, "--"+flag.name, flag.value)
		}
	}
	// More would cost a stack for one user time: tasks would wait in partitions that no worker polls at the moment.
	args = append(args, "--task-queue-partitions", "1")
	if o.Database != "" {
		args = append(args, "--visibility-database", o.Database+"_visibility")
	}
	if o.Store == StorePostgres {
		// Each shard takes time at each start.
		args = append(args, "--history-shards", "4")
	}
	if o.JWKSRefresh != 0 {
		args = append(args, "--jwks-refresh", o.JWKSRefresh.String())
	}
	return append(args, o.More...)
}

// Address returns host:port of the frontend.
func (s *Server) Address() string { return s.address }

// PID returns the process id of the server.
func (s *Server) PID() int { return s.process.PID() }

// Done returns a channel that is closed when the server has ended, by Stop or by itself.
func (s *Server) Done() <-chan struct{} { return s.process.Done() }

// Err returns how the server ended: nil while it runs and after a clean end.
func (s *Server) Err() error { return s.process.Err() }

// Stop ends the server cleanly and waits for it. When ctx ends first the server
// is killed and the error of ctx returned. A server that has ended is no error.
func (s *Server) Stop(ctx context.Context) error {
	return s.process.Stop(ctx, syscall.SIGTERM, syscall.SIGKILL)
}

// readyPrefix begins the line the server prints when its frontend answers.
const readyPrefix = "temporal-server ready address="

// parseReady returns the address in a line of the server's output.
func parseReady(line string) (address string, ready bool) {
	address, ready = strings.CutPrefix(strings.TrimSpace(line), readyPrefix)
	return address, ready
}
