// Command loan is a Temporal worker for the process LOAN. It knows the service by its REST API and by the engine
// contract only, like any worker.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], environment{
		getenv: os.Getenv,
		stdout: os.Stdout,
		stderr: os.Stderr,
		clock:  time.Now,
	})
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "loan:", err)
		os.Exit(1)
	}
}

// environment is what the process takes from the outside besides its arguments.
type environment struct {
	getenv         func(string) string
	stdout, stderr io.Writer
	clock          func() time.Time
}

// run serves the loan queue until ctx ends, then finishes the tasks in hand and returns nil. It returns an error when
// the configuration is wrong or when Temporal refuses the worker for good; a service or a Temporal that is down is
// waited for.
func run(ctx context.Context, args []string, env environment) error {
	cfg, err := parseConfig(args, env.getenv, env.stderr)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(env.stderr, &slog.HandlerOptions{Level: cfg.logLevel}))
	api, err := newAPI(cfg, logger)
	if err != nil {
		return err
	}
	defer api.CloseIdleConnections()
	served := &server{cfg: cfg, api: api, logger: logger, clock: env.clock, stdout: env.stdout}
	if err := served.serve(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	logger.InfoContext(ctx, "loan worker stopped")
	return nil
}
