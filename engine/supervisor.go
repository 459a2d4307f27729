package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/internal/loop"
)

const (
	checkInterval = 10 * time.Second
	// retryInterval is the pause after a failed check, and the least time between
	// two requested checks.
	retryInterval = 2 * time.Second
	// reconfirmAfter is how long schedules are assumed to be there without checking.
	reconfirmAfter = time.Minute
	checksAtOnce   = 4
	// allSchedules is what is confirmed of the schedules, which are no namespace.
	allSchedules    = "schedules of " + Namespace
	workerStopGrace = 5 * time.Second
)

// OwnedWorkflow is a workflow that the service runs in its own namespace.
type OwnedWorkflow struct {
	ID    string
	Type  string
	Input any
}

// SupervisorOptions configure a Supervisor.
type SupervisorOptions struct {
	Engine *Engine
	// Namespaces lists the namespaces of all tenants.
	Namespaces func(context.Context) ([]string, error)
	// Schedules are the schedules in the service's own namespace.
	Schedules []Schedule
	// Register registers the service's workflows and activities with its worker.
	Register func(worker.Registry)
	// DataSources lists the namespaces of the tenants that have data sources.
	DataSources func(context.Context) ([]string, error)
	// RegisterDataSources makes what asks data sources known to a worker in such a
	// namespace.
	RegisterDataSources func(worker.Registry)
	Clock               func() time.Time
	Logger              *slog.Logger
}

// Supervisor maintains what the service needs in Temporal: its own namespace and
// worker, and a namespace for every tenant. It sets them up once Temporal can be
// reached, and again when Temporal has lost something.
type Supervisor struct {
	o     SupervisorOptions
	asked loop.Signal
	dead  loop.Signal

	mu        sync.Mutex
	confirmed map[string]time.Time
	ready     bool
	// deadDataSources are the namespaces whose worker has stopped by itself.
	deadDataSources map[string]bool

	// dataSources are the workers in namespaces of tenants, of the goroutine of Run.
	dataSources map[string]worker.Worker
}

// NewSupervisor returns a Supervisor that is started with Run.
func NewSupervisor(o SupervisorOptions) *Supervisor {
	return &Supervisor{
		o: o, asked: loop.NewSignal(), dead: loop.NewSignal(), confirmed: map[string]time.Time{},
		deadDataSources: map[string]bool{}, dataSources: map[string]worker.Worker{},
	}
}

// Check requests an early search for new tenants. It never blocks.
func (s *Supervisor) Check() { s.asked.Wake() }

// Recheck requests that a missing namespace is set up again, together with that of the
// service. It never blocks for long.
func (s *Supervisor) Recheck(namespace string) {
	s.mu.Lock()
	delete(s.confirmed, namespace)
	delete(s.confirmed, Namespace)
	delete(s.confirmed, allSchedules)
	s.mu.Unlock()
	s.Check()
}

// Ready reports whether the worker runs and the last check succeeded.
func (s *Supervisor) Ready() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ready
}

// Run supervises until ctx ends and the worker has stopped. It must not be called
// twice.
func (s *Supervisor) Run(ctx context.Context) {
	var w worker.Worker
	defer func() {
		s.stopDataSources()
		if w != nil {
			w.Stop()
		}
	}()
	l := loop.Loop[struct{}]{
		Step: func(ctx context.Context) time.Duration {
			var err error
			w, err = s.check(ctx, w)
			s.report(ctx, err)
			if err != nil {
				return retryInterval
			}
			return checkInterval
		},
		Wake: s.asked, Rest: retryInterval,
		Results: s.dead, Note: func(struct{}) {
			// A worker that has met a fatal error has stopped by itself.
			w = nil
			s.forget()
		},
	}
	l.Run(ctx)
}

// report logs a change between success and failure, not each check.
func (s *Supervisor) report(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	was := s.ready
	s.ready = err == nil
	s.mu.Unlock()
	switch {
	case err == nil && !was:
		s.o.Logger.InfoContext(ctx, "Temporal is set up")
	case err != nil:
		s.o.Logger.WarnContext(ctx, "Temporal is not fully set up", slog.Any("error", err))
	}
}

func (s *Supervisor) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.confirmed)
}

// due reports whether a confirmation is due. A missing time counts as long ago.
func (s *Supervisor) due(namespace string) (first, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.confirmed[namespace]
	return !ok, s.o.Clock().Sub(at) >= reconfirmAfter
}

func (s *Supervisor) confirm(namespace string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.confirmed[namespace] = s.o.Clock()
}

// check sets up what is missing and returns the running worker.
func (s *Supervisor) check(ctx context.Context, w worker.Worker) (worker.Worker, error) {
	if first, _ := s.due(Namespace); first {
		if err := s.o.Engine.EnsureNamespace(ctx, Namespace); err != nil {
			return w, err
		}
		s.confirm(Namespace)
	}
	if w == nil {
		started, err := s.startWorker()
		if err != nil {
			return nil, err
		}
		w = started
	}
	namespaces, err := s.o.Namespaces(ctx)
	if err != nil {
		return w, err
	}
	scheduled := s.checkSchedules(ctx)
	errs := make([]error, len(namespaces))
	var group errgroup.Group
	group.SetLimit(checksAtOnce)
	for i, namespace := range namespaces {
		group.Go(func() error {
			// A failure for one tenant does not affect the others.
			errs[i] = s.checkTenant(ctx, namespace)
			return nil
		})
	}
	_ = group.Wait()
	return w, errors.Join(scheduled, errors.Join(errs...), s.checkDataSources(ctx))
}

// checkSchedules creates or updates the schedules.
func (s *Supervisor) checkSchedules(ctx context.Context) error {
	if _, due := s.due(allSchedules); !due {
		return nil
	}
	for _, schedule := range s.o.Schedules {
		if err := s.o.Engine.ensureSchedule(ctx, schedule); err != nil {
			return err
		}
	}
	s.confirm(allSchedules)
	return nil
}

func (s *Supervisor) checkTenant(ctx context.Context, namespace string) error {
	if first, _ := s.due(namespace); !first {
		return nil
	}
	if err := s.o.Engine.EnsureNamespace(ctx, namespace); err != nil {
		return err
	}
	s.confirm(namespace)
	return nil
}

func (s *Supervisor) startWorker() (worker.Worker, error) {
	w := worker.New(s.o.Engine.client, TaskQueue, worker.Options{
		WorkerStopTimeout: workerStopGrace,
		OnFatalError:      func(error) { s.dead.Wake() },
	})
	s.o.Register(w)
	if err := w.Start(); err != nil {
		return nil, fmt.Errorf("starting the service's worker: %w", err)
	}
	return w, nil
}

// StartOwned starts a workflow of the service's own unless it runs.
func (e *Engine) StartOwned(ctx context.Context, w OwnedWorkflow) error {
	return e.startOwned(ctx, w, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE)
}

// startOwned starts a workflow of the service's own unless it runs; reuse is the
// policy for when one with its id has ended.
func (e *Engine) startOwned(ctx context.Context, w OwnedWorkflow, reuse enumspb.WorkflowIdReusePolicy) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	_, err := e.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: w.ID, TaskQueue: TaskQueue,
		WorkflowIDReusePolicy:    reuse,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, w.Type, w.Input)
	if err != nil {
		return fmt.Errorf("starting the workflow %s: %w", w.ID, err)
	}
	return nil
}
