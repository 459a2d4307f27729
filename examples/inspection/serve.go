package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/procession-dev/procession/examples/inspection/inspecting"
	"github.com/procession-dev/procession/examples/inspection/restapi"
)

const (
	firstWait    = 500 * time.Millisecond
	maxWait      = 5 * time.Second
	dialTimeout  = 10 * time.Second
	drainTimeout = 20 * time.Second
)

// server is one run of the worker.
type server struct {
	cfg    config
	api    *restapi.Client
	logger *slog.Logger
	clock  func() time.Time
	stdout io.Writer
}

// serve gets access, registers, polls until ctx ends and then drains. Each step of the start is repeated until it
// succeeds. After that it fails only when Temporal refuses the worker for good.
func (s *server) serve(ctx context.Context) error {
	var access engineAccess
	err := s.untilDone(ctx, "engine access", func(ctx context.Context) (err error) {
		access, err = obtainEngineAccess(ctx, s.api, s.clock)
		return err
	})
	if err != nil {
		return err
	}
	// Registered before the first poll, so that the service knows the queue when it issues the first token.
	window, err := s.register(ctx)
	if err != nil {
		return err
	}
	var temporal client.Client
	err = s.untilDone(ctx, "Temporal connection", func(ctx context.Context) (err error) {
		temporal, err = s.dial(ctx, access)
		return err
	})
	if err != nil {
		return err
	}
	defer temporal.Close()
	return s.poll(ctx, temporal, window)
}

// poll serves the queue and keeps the worker registered until ctx ends.
func (s *server) poll(ctx context.Context, temporal client.Client, window time.Duration) error {
	fatal := make(chan error, 1)
	polling := worker.New(temporal, inspecting.TaskQueue, worker.Options{
		Identity:          s.cfg.identity,
		WorkerStopTimeout: drainTimeout,
		OnFatalError: func(err error) {
			select {
			case fatal <- err:
			default:
			}
		},
	})
	(&inspecting.Activities{API: s.api}).Register(polling, s.cfg.withActivityToken)
	if err := polling.Start(); err != nil {
		return fmt.Errorf("starting the worker: %w", err)
	}
	defer polling.Stop()
	_, _ = fmt.Fprintf(s.stdout, "inspection worker ready queue=%s identity=%s activity-token=%t\n",
		inspecting.TaskQueue, s.cfg.identity, s.cfg.withActivityToken)

	ctx, cancel := context.WithCancel(ctx)
	var registered sync.WaitGroup
	registered.Go(func() {
		for wait(ctx, window) == nil {
			if again, err := s.register(ctx); err == nil {
				window = again
			}
		}
	})
	defer registered.Wait()
	defer cancel()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-fatal:
		return fmt.Errorf("polling %s: %w", inspecting.TaskQueue, err)
	}
}

// register registers the worker with the service, retrying until it succeeds, and returns when to register again.
func (s *server) register(ctx context.Context) (window time.Duration, err error) {
	err = s.untilDone(ctx, "worker registration", func(ctx context.Context) (err error) {
		window, err = s.api.CreateWorker(ctx, restapi.Worker{
			Identity: s.cfg.identity, TaskQueue: inspecting.TaskQueue,
			WorkflowTypes: []string{inspecting.WorkflowType}, ActivityTypes: inspecting.ActivityTypes(),
			Hostname: s.cfg.hostname, IP: hostAddress(),
		})
		return err
	})
	return window, err
}

func (s *server) dial(ctx context.Context, access engineAccess) (client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	return client.DialContext(ctx, client.Options{
		HostPort:          s.cfg.temporalAddress,
		Namespace:         access.namespace,
		Identity:          s.cfg.identity,
		Logger:            log.NewStructuredLogger(s.logger),
		Credentials:       client.NewAPIKeyDynamicCredentials(access.token),
		ConnectionOptions: client.ConnectionOptions{TLS: access.tls.Clone()},
	})
}

// untilDone repeats a step with growing pauses until it succeeds or ctx ends. Refusals are repeated too: the
// application may not be loaded yet when the worker starts beside the service.
func (s *server) untilDone(ctx context.Context, step string, attempt func(context.Context) error) error {
	for pause := firstWait; ; pause = min(2*pause, maxWait) {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil {
			s.logger.WarnContext(ctx, "step failed, retrying", slog.String("step", step),
				slog.Duration("pause", pause), slog.Any("error", err))
		}
		if err := wait(ctx, pause); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
}

// wait pauses for d, or returns the context's error as soon as ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
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
