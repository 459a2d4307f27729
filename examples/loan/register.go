package main

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/procession-dev/procession/examples/loan/restapi"
)

// registration keeps the worker registered with the service.
type registration struct {
	create func(context.Context, restapi.WorkerCreateParams) (time.Duration, error)
	params restapi.WorkerCreateParams
	logger *slog.Logger
	wait   func(context.Context, time.Duration) error
	window time.Duration
}

func newRegistration(api *restapi.Client, logger *slog.Logger, params restapi.WorkerCreateParams) *registration {
	return &registration{create: api.CreateWorker, params: params, logger: logger, wait: restapi.Wait}
}

// once registers the worker and remembers the window the service wants.
func (r *registration) once(ctx context.Context) error {
	window, err := r.create(ctx, r.params)
	if err != nil {
		return err
	}
	r.window = window
	return nil
}

// keep registers again after each window until ctx ends. A failure shortens the pause: 1 s, growing by 2.5 up to the
// window.
func (r *registration) keep(ctx context.Context) {
	pause, backoff := r.window, time.Second
	for r.wait(ctx, pause) == nil {
		err := r.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			pause, backoff = r.window, time.Second
			continue
		}
		pause = min(backoff, r.window)
		backoff = min(backoff*5/2, r.window)
		r.logger.WarnContext(ctx, "worker registration failed, retrying",
			slog.Duration("pause", pause), slog.Any("error", err))
	}
}

// hostAddress is the address the worker reports: the first IPv4 address that is not the loopback's, if there is one.
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
