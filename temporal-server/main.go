// Command temporal-server is a Temporal server with Procession's access rules: callers
// authenticate with a client certificate and a token of one namespace.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.temporal.io/server/common/log"

	"github.com/procession-dev/procession/temporal-server/internal/certs"
	"github.com/procession-dev/procession/temporal-server/internal/options"
	"github.com/procession-dev/procession/temporal-server/internal/server"
	"github.com/procession-dev/procession/temporal-server/internal/store"
)

const usage = `Usage: temporal-server start [flags]
       temporal-server schema [flags]
       temporal-server certificate FILE

start runs a Temporal server whose frontend accepts Procession's engine certificates and tokens.
schema creates the databases of a server with the same flags, or updates them to the schema of this build, and prints what it did.
temporal-server start -h lists the flags; each can also be set as PROCESSION_TEMPORAL_<FLAG>.
certificate writes the certificate and key that the processes of a cluster share to a new file.
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := runCommand(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "temporal-server:", err)
		os.Exit(1)
	}
}

// runCommand executes one command line and returns when the server has stopped. Only the ready line goes to stdout; the log and the help go to
// stderr.
func runCommand(ctx context.Context, args []string, lookupEnv func(string) (string, bool), stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return fmt.Errorf("no command given\n%s", usage)
	}
	switch args[0] {
	case "start":
		opts, err := options.Parse(args[1:], lookupEnv, stderr)
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		if err != nil {
			return err
		}
		logger := slog.New(slog.NewJSONHandler(stderr, nil))
		return serveUntilDone(ctx, opts, logger, stdout)
	case "schema":
		return updateStores(ctx, args[1:], lookupEnv, stdout, stderr)
	case "certificate":
		if len(args) != 2 {
			return fmt.Errorf("certificate needs the name of a file\n%s", usage)
		}
		return certs.WriteShared(args[1], time.Now())
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(stdout, usage)
		return err
	default:
		return fmt.Errorf("unknown command %q\n%s", args[0], usage)
	}
}

// updateStores executes the command schema. Its log goes to stderr.
func updateStores(ctx context.Context, args []string, lookupEnv func(string) (string, bool), stdout, stderr io.Writer) error {
	opts, err := options.ParseStores("schema", args, lookupEnv, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	quiet := log.NewZapLogger(log.BuildZapLogger(log.Config{Level: opts.LogLevel}))
	return store.Update(ctx, opts, quiet, func(line string) { _, _ = fmt.Fprintln(stdout, line) })
}

// serveUntilDone runs the server until ctx ends. A second interrupt ends the process, because the caller no longer handles signals.
func serveUntilDone(ctx context.Context, opts options.Options, logger *slog.Logger, stdout io.Writer) error {
	configureMemory(logger)
	srv, err := server.Start(ctx, opts, logger, time.Now)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "temporal-server ready address=%s\n", srv.Address()); err != nil {
		return errors.Join(fmt.Errorf("printing the ready line: %w", err), srv.Stop())
	}
	<-ctx.Done()
	return srv.Stop()
}
