package engine

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"github.com/procession-dev/procession/internal/loop"
)

// StarterOptions configure a Starter of workflows for runs R.
type StarterOptions[R any] struct {
	Engine *Engine
	// Name is the plural of the runs for logs.
	Name string
	// Exchange records the started runs and returns the due ones. A run is due until
	// its start is recorded.
	Exchange func(ctx context.Context, started []R) ([]R, error)
	// Workflow returns the workflow of a run. Its id must be unique to the run.
	Workflow func(R) OwnedWorkflow
	// Restart starts a workflow again that has ended without its run being recorded as ended.
	Restart bool
	// Wake notifies the starter that runs may be due; nil for a signal of its own.
	Wake   loop.Signal
	Logger *slog.Logger
}

// Starter starts the service's own workflow for each request once. The requests are in
// the database, so that none is lost; a repeated start has no effect.
type Starter[R any] struct {
	o        StarterOptions[R]
	failures loop.FailureLog
}

// NewStarter returns a Starter that is started with Run.
func NewStarter[R any](o StarterOptions[R]) *Starter[R] {
	o.Wake = cmp.Or(o.Wake, loop.NewSignal())
	return &Starter[R]{o: o, failures: loop.FailureLog{Logger: o.Logger}}
}

// starterPoll is the time between two polls for runs that another replica requested or
// that failed to start.
const starterPoll = time.Second

// Wake notifies the starter that runs may be due. It never blocks.
func (s *Starter[R]) Wake() { s.o.Wake.Wake() }

// Run starts runs until ctx ends. It must not be called twice.
func (s *Starter[R]) Run(ctx context.Context) {
	var started []R
	l := loop.Loop[struct{}]{Wake: s.o.Wake, Step: func(ctx context.Context) time.Duration {
		due, err := s.o.Exchange(ctx, started)
		switch {
		case err == nil:
			started = s.startAll(ctx, due)
		case ctx.Err() == nil:
			s.o.Logger.ErrorContext(ctx, "reading due runs failed", slog.String("runs", s.o.Name), slog.Any("error", err))
		}
		if len(started) > 0 && err == nil {
			return 0
		}
		return starterPoll
	}}
	l.Run(ctx)
}

// startAll starts the due runs and returns the started ones. The others stay due.
func (s *Starter[R]) startAll(ctx context.Context, due []R) []R {
	var started []R
	for _, run := range due {
		start := s.o.Engine.startOnce
		if s.o.Restart {
			start = s.o.Engine.StartOwned
		}
		err := start(ctx, s.o.Workflow(run))
		if err != nil {
			s.failures.Record(ctx, "starting "+s.o.Name+" failed", err)
			return started
		}
		s.failures.End()
		started = append(started, run)
	}
	return started
}

// startOnce starts a workflow unless Temporal knows one with its id, running or ended.
func (e *Engine) startOnce(ctx context.Context, w OwnedWorkflow) error {
	err := e.startOwned(ctx, w, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
	if _, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		return nil
	}
	return err
}
