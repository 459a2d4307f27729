// Command webhook-receiver drives the process ORDER over REST: it receives events by webhooks, and answers by creating
// items and completing processes. It needs no Temporal.
package main

import (
	"cmp"
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
	"strings"
	"syscall"
	"time"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/webhooks"
)

const (
	// callTimeout leaves time to answer a webhook, which has 15 seconds.
	callTimeout = 8 * time.Second
	// readTimeout bounds how long a webhook may take to arrive.
	readTimeout = 10 * time.Second
	// drainTimeout bounds how long webhooks in hand may take when the program stops.
	drainTimeout = 10 * time.Second
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := runReceiver(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "webhook-receiver:", err)
		os.Exit(1)
	}
}

// runReceiver serves webhooks until ctx ends, and finishes those in hand.
func runReceiver(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	const prefix = "WEBHOOK_RECEIVER"
	flags := flag.NewFlagSet("webhook-receiver", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", cmp.Or(getenv(prefix+"_LISTEN"), "127.0.0.1:8099"), "address that webhooks are sent to (env "+prefix+"_LISTEN)")
	calling := procession.ClientFlags(flags, prefix, getenv)
	if err := flags.Parse(args); err != nil {
		return err
	}
	cfg, err := calling()
	if err != nil {
		return err
	}
	// The service retries failed webhooks, so a call is tried once.
	cfg.Attempts, cfg.Timeout = 1, callTimeout
	api, err := procession.NewClient(cfg)
	if err != nil {
		return err
	}
	// Two secrets while one takes the place of the other.
	secrets := strings.Fields(getenv(prefix + "_WEBHOOK_SECRETS"))
	if len(secrets) == 0 {
		return errors.New("no webhook secret: set " + prefix + "_WEBHOOK_SECRETS")
	}
	handler, err := webhooks.NewHandler(secrets, orderDesk{api}.handleEvent, slog.New(slog.NewTextHandler(stderr, nil)))
	if err != nil {
		return err
	}
	return serveWebhooks(ctx, *listen, handler, stdout)
}

func serveWebhooks(ctx context.Context, address string, handler http.Handler, stdout io.Writer) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	server := &http.Server{Handler: handler, ReadTimeout: readTimeout, BaseContext: func(net.Listener) context.Context {
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
	return server.Shutdown(draining)
}
