package procession

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/procession-dev/procession/sdk/rest"
)

const (
	// defaultWindow is the registration period when the service names none.
	defaultWindow = 300 * time.Second
	// refusalsAllowed is how many refusals in a row mean that the access is revoked and not just being changed.
	refusalsAllowed = 3
)

// registration keeps the worker registered with the service.
type registration struct {
	create func(context.Context) (time.Duration, error)
	logger *slog.Logger
	// wait waits for that long or until woken, whichever is first.
	wait   func(ctx context.Context, d time.Duration, woken <-chan struct{}) error
	woken  chan struct{}
	window time.Duration
}

func newRegistration(api *Client, logger *slog.Logger, params rest.WorkerCreateParams) *registration {
	return &registration{
		create: func(ctx context.Context) (time.Duration, error) { return register(ctx, api, params) },
		logger: logger, wait: pausingUnlessWoken, woken: make(chan struct{}, 1),
	}
}

// wake ends a pause between two renewals of the registration, to see whether the service still accepts the worker.
func (r *registration) wake() {
	select {
	case r.woken <- struct{}{}:
	default:
	}
}

func pausingUnlessWoken(ctx context.Context, d time.Duration, woken <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	select {
	case <-woken:
		return nil
	case <-ctx.Done():
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil
	}
	return ctx.Err()
}

// register registers the worker, or renews its registration, under its identity. The result is the period after which
// to register again, which the service names in seconds.
func register(ctx context.Context, api *Client, params rest.WorkerCreateParams) (time.Duration, error) {
	response, err := api.CreateWorker(ctx, params)
	if err != nil {
		return 0, err
	}
	_ = response.Body.Close()
	seconds, err := strconv.Atoi(response.Header.Get("X-Kf-Delay-Window"))
	if err != nil || seconds <= 0 {
		return defaultWindow, nil //nolint:nilerr // an absent or odd header is no failure: the registration stands
	}
	return time.Duration(seconds) * time.Second, nil
}

// registerOnce registers the worker and remembers the window that the service wants.
func (r *registration) registerOnce(ctx context.Context) error {
	window, err := r.create(ctx)
	if err != nil {
		return err
	}
	r.window = window
	return nil
}

// keepRegistered registers again after each window until ctx ends; then it returns nil. A failure shortens the pause: 1 s, growing
// by 2.5 up to the window. Refusals in a row end it with ErrAccessRevoked.
func (r *registration) keepRegistered(ctx context.Context) error {
	pause, backoff, refusals := r.window, time.Second, 0
	woken := r.woken
	for r.wait(ctx, pause, woken) == nil {
		err := r.registerOnce(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // what failed because the worker stops is no failure
		}
		if err == nil {
			pause, backoff, refusals = r.window, time.Second, 0
			// Being woken again and again takes no more than a call in a while.
			woken = r.woken
			continue
		}
		woken = nil
		if status := Status(err); status != http.StatusUnauthorized && status != http.StatusForbidden {
			refusals = 0
		} else if refusals++; refusals == refusalsAllowed {
			return fmt.Errorf("%w: %w", ErrAccessRevoked, err)
		}
		pause = min(backoff, r.window)
		backoff = min(backoff*5/2, r.window)
		r.logger.WarnContext(ctx, "worker registration failed, retrying",
			slog.Duration("pause", pause), slog.Any("error", err))
	}
	return nil
}

// hostAddress returns the address the worker reports: the first IPv4 address that is not the loopback's, if there is one.
func hostAddress() string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "127.0.0.1"
	}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && !network.IP.IsLoopback() && network.IP.To4() != nil {
			return network.IP.String()
		}
	}
	return "127.0.0.1"
}
