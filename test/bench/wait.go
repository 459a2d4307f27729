package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
	"time"
)

// pollUntil calls done at intervals until it returns true or an error, or ctx
// ends.
func pollUntil(ctx context.Context, every time.Duration, done func(context.Context) (bool, error)) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		ok, err := done(ctx)
		if ok || err != nil {
			return err
		}
		if err := awaitTick(ctx, ticker); err != nil {
			return err
		}
	}
}

func awaitTick(ctx context.Context, ticker *time.Ticker) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("waiting: %w", ctx.Err())
	case <-ticker.C:
		return nil
	}
}

// waitFor waits for d.
func waitFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return fmt.Errorf("waiting: %w", ctx.Err())
	case <-timer.C:
		return nil
	}
}

// freeAddresses returns free addresses of this machine, with ports below the range of outgoing connections.
func freeAddresses(ctx context.Context, n int) (addresses []string, err error) {
	for len(addresses) < n {
		var config net.ListenConfig
		port := strconv.Itoa(20000 + rand.IntN(10000)) //nolint:gosec // any free port will do
		l, err := config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		defer func() { _ = l.Close() }()
		addresses = append(addresses, l.Addr().String())
	}
	return addresses, nil
}
