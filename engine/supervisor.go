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
	// retryInterval is the pause after a failed check, and the minimum time between two
	// requested checks.
	retryInterval = 2 * time.Second
	// reconfirmAfter is the time after which schedules are checked again.
	reconfirmAfter = time.Minute
	maxChecks      = 4
	// allSchedules is the key of the schedules among the confirmed namespaces.
	allSchedules    = "schedules of the service"
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
	// RegisterDataSources registers the workflow and activities of data sources with a
	// worker in such a namespace.
	RegisterDataSources func(worker.Registry)
	Clock               func() time.Time
	Logger              *slog.Logger
}

// Supervisor maintains the service's own namespace and worker and a namespace for every
// tenant in Temporal. It sets them up once Temporal is available, and again when
// Temporal has lost them.
type Supervisor struct {
	o              SupervisorOptions
	checkRequested loop.Signal
	workerDied     loop.Signal

	mu        sync.Mutex
	confirmed map[string]time.Time
	ready     bool
	// deadDataSources are the namespaces of workers that have stopped by themselves.
	deadDataSources map[string]bool

	// dataSources are the workers in namespaces of tenants. They belong to the goroutine of Run.
	dataSources map[string]worker.Worker
}

// NewSupervisor returns a Supervisor that is started with Run.
func NewSupervisor(o SupervisorOptions) *Supervisor {
	return &Supervisor{
		o: o, checkRequested: loop.NewSignal(), workerDied: loop.NewSignal(), confirmed: map[string]time.Time{},
		deadDataSources: map[string]bool{}, dataSources: map[string]worker.Worker{},
	}
}

// Check requests an early check for new tenants. It never blocks.
func (s *Supervisor) Check() { s.checkRequested.Wake() }

// Recheck requests the setup of a missing namespace and of the service's own. It never
// blocks for long.
func (s *Supervisor) Recheck(namespace string) {
	s.mu.Lock()
	delete(s.confirmed, namespace)
	delete(s.confirmed, s.o.Engine.namespace)
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
			w, err = s.ensureAll(ctx, w)
			s.logChange(ctx, err)
			if err != nil {
				return retryInterval
			}
			return checkInterval
		},
		Wake: s.checkRequested, MinInterval: retryInterval,
		Results: s.workerDied, OnResult: func(struct{}) {
			// A worker stops by itself after a fatal error.
			w = nil
			s.forgetConfirmations()
		},
	}
	l.Run(ctx)
}

// logChange logs a change between success and failure, not each check.
func (s *Supervisor) logChange(ctx context.Context, err error) {
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

func (s *Supervisor) forgetConfirmations() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.confirmed)
}

// confirmationDue reports whether a confirmation is due. A missing time counts as long ago.
func (s *Supervisor) confirmationDue(namespace string) (first, confirmationDue bool) {
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

// ensureAll sets up missing namespaces, schedules and workers, and returns the running worker.
func (s *Supervisor) ensureAll(ctx context.Context, w worker.Worker) (worker.Worker, error) {
	if first, _ := s.confirmationDue(s.o.Engine.namespace); first {
		if err := s.o.Engine.EnsureNamespace(ctx, s.o.Engine.namespace); err != nil {
			return w, err
		}
		s.confirm(s.o.Engine.namespace)
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
	group.SetLimit(maxChecks)
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
	if _, due := s.confirmationDue(allSchedules); !due {
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
	if first, _ := s.confirmationDue(namespace); !first {
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
		OnFatalError:      func(error) { s.workerDied.Wake() },
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

// startOwned starts a workflow of the service's own unless it runs; reuse is the policy
// for an ended workflow with the same id.
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
