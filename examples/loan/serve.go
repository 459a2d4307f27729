package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/loan/customers"
	"github.com/procession-dev/procession/examples/loan/encryption"
	"github.com/procession-dev/procession/examples/loan/lending"
	"github.com/procession-dev/procession/examples/loan/restapi"
	"github.com/procession-dev/procession/examples/loan/useractions"
)

const (
	firstStartWait = 500 * time.Millisecond
	maxStartWait   = 5 * time.Second
	dialTimeout    = 10 * time.Second
	drainTimeout   = 20 * time.Second
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
	registered := newRegistration(s.api, s.logger, s.registrationParams())
	if err := s.untilDone(ctx, "worker registration", registered.once); err != nil {
		return err
	}
	var connected *connection
	err = s.untilDone(ctx, "Temporal connection", func(ctx context.Context) (err error) {
		connected, err = s.connect(ctx, access)
		return err
	})
	if err != nil {
		return err
	}
	defer connected.close()
	_, _ = fmt.Fprintf(s.stdout, "loan worker ready queue=%s namespace=%s identity=%s\n", s.cfg.taskQueue, access.namespace, s.cfg.identity)

	ctx, cancel := context.WithCancel(ctx)
	var renewals sync.WaitGroup
	renewals.Go(func() { registered.keep(ctx) })
	defer renewals.Wait()
	defer cancel()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err := <-connected.fatal:
		return fmt.Errorf("polling %s: %w", s.cfg.taskQueue, err)
	}
}

// untilDone repeats a step with growing pauses until it succeeds or ctx ends. Refusals are repeated too: the
// application may not be loaded yet when the worker starts beside the service.
func (s *server) untilDone(ctx context.Context, step string, attempt func(context.Context) error) error {
	for wait := firstStartWait; ; wait = min(2*wait, maxStartWait) {
		err := attempt(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: %w", step, ctx.Err())
		}
		s.logger.WarnContext(ctx, "start-up step did not succeed, trying again", slog.String("step", step),
			slog.Duration("pause", wait), slog.Any("error", err))
		if err := restapi.Wait(ctx, wait); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
}

func (s *server) registrationParams() restapi.WorkerCreateParams {
	return restapi.WorkerCreateParams{
		Identity:      s.cfg.identity,
		TaskQueue:     s.cfg.taskQueue,
		WorkflowTypes: slices.Concat(lending.WorkflowTypes(), customers.WorkflowTypes(), useractions.WorkflowTypes()),
		ActivityTypes: slices.Concat(lending.ActivityTypes(), customers.ActivityTypes(), useractions.ActivityTypes()),
		Hostname:      s.cfg.hostname,
		IP:            hostAddress(),
	}
}

// connection is a worker that polls.
type connection struct {
	client client.Client
	worker worker.Worker
	fatal  chan error
}

// connect dials Temporal and starts polling.
func (s *server) connect(ctx context.Context, access engineAccess) (*connection, error) {
	dialCtx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	dialled, err := client.DialContext(dialCtx, client.Options{
		HostPort:          s.cfg.temporalAddress,
		Namespace:         access.namespace,
		Identity:          s.cfg.identity,
		Logger:            log.NewStructuredLogger(s.logger),
		Credentials:       client.NewAPIKeyDynamicCredentials(access.token),
		ConnectionOptions: client.ConnectionOptions{TLS: access.tls.Clone()},
		// Workflows that the service starts with a key keep their payloads to themselves.
		DataConverter:      encryption.NewDataConverter(encryption.NewKeys(s.clock, s.api.RetrieveKmsKey)),
		ContextPropagators: []workflow.ContextPropagator{encryption.Propagator{}},
	})
	if err != nil {
		return nil, fmt.Errorf("dialling %s: %w", s.cfg.temporalAddress, err)
	}
	fatal := make(chan error, 1)
	polling := worker.New(dialled, s.cfg.taskQueue, worker.Options{
		Identity:          s.cfg.identity,
		WorkerStopTimeout: drainTimeout,
		OnFatalError: func(err error) {
			select {
			case fatal <- err:
			default:
			}
		},
	})
	(&lending.Activities{API: s.api}).Register(polling)
	(&customers.Activities{API: s.api}).Register(polling)
	(&useractions.Activities{API: s.api}).Register(polling)
	if err := polling.Start(); err != nil {
		dialled.Close()
		return nil, fmt.Errorf("starting the worker: %w", err)
	}
	return &connection{client: dialled, worker: polling, fatal: fatal}, nil
}

// close stops polling, waits for the tasks in hand (20 s at most) and hangs up.
func (c *connection) close() {
	c.worker.Stop()
	c.client.Close()
}
