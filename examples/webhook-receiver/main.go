// Command webhook-receiver drives the process ORDER over REST: it receives events by webhooks, and answers by creating
// items and completing processes. It needs no Temporal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// readTimeout bounds how long a webhook may take to arrive.
	readTimeout = 10 * time.Second
	// drainTimeout bounds how long webhooks in hand may take when the program stops.
	drainTimeout = 10 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "webhook-receiver:", err)
		os.Exit(1)
	}
}

// run serves webhooks until ctx ends, and finishes those in hand.
func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	cfg, err := parseConfig(args, getenv, stderr)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	received, err := newReceiver(cfg.webhookSecrets, orderDesk{api: newClient(cfg)}.handle, logger)
	if err != nil {
		return err
	}
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", cfg.listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	server := &http.Server{Handler: received, ReadTimeout: readTimeout, BaseContext: func(net.Listener) context.Context {
		return context.WithoutCancel(ctx)
	}}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	_, _ = fmt.Fprintf(stdout, "webhook-receiver ready address=%s\n", listener.Addr())
	select {
	case err := <-served:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(draining); err != nil {
		return fmt.Errorf("stopping: %w", err)
	}
	return nil
}
