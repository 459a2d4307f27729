// Package officialtemporal runs the development server of Temporal's command line, which tools/scripts/bootstrap installs from
// PyPI. It has neither TLS nor credentials nor access rules.
package officialtemporal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/procession-dev/procession/devstack/child"
)

// ErrNotInstalled is returned by Find.
var ErrNotInstalled = errors.New("the official Temporal is not installed; tools/scripts/bootstrap installs it")

// Find returns the path of the newest installed program.
func Find() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache directory: %w", err)
	}
	found, err := filepath.Glob(filepath.Join(cache, "procession", "temporal-[0-9]*", "bin", "temporal"))
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", ErrNotInstalled
	}
	return found[len(found)-1], nil
}

// Options configure a server. All fields are required.
type Options struct {
	// Binary is the program; see Find.
	Binary string
	// Listen is host:port of the frontend.
	Listen string
	// DataFile is the file of the workflows, which the server creates.
	DataFile string
	// LogWriter receives the log.
	LogWriter io.Writer
}

// Server is a running server. It ends with this program.
type Server struct{ process *child.Process }

// Start starts a server, and does not wait for it.
func Start(o Options) (*Server, error) {
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("the address of Temporal must be host:port: %w", err)
	}
	cmd := exec.Command(o.Binary, "server", "start-dev", "--headless", "--ip", host, "--port", port, //nolint:gosec,noctx // the installed program, until Stop
		"--log-level", "error", "--db-filename", o.DataFile)
	cmd.Stdout, cmd.Stderr = o.LogWriter, o.LogWriter
	process, err := child.Start(cmd, syscall.SIGTERM)
	if err != nil {
		return nil, err
	}
	return &Server{process}, nil
}

// Done returns a channel that is closed when the server has ended.
func (s *Server) Done() <-chan struct{} { return s.process.Done() }

// Stop ends the server and waits for it. When ctx ends first the server is killed and the error of ctx returned.
func (s *Server) Stop(ctx context.Context) error {
	return s.process.Stop(ctx, syscall.SIGTERM, syscall.SIGKILL)
}
