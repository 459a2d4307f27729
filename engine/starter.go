package engine

import (
	"context"
	"errors"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
)

// StarterOptions are what a Starter is made of.
type StarterOptions struct {
	Engine *Engine
	// Exchange is told which runs were started and returns those that are due. A run
	// is due until it was told.
	Exchange func(ctx context.Context, started []domain.DueAssistance) ([]domain.DueAssistance, error)
	// Workflow is the workflow of a run. Its id belongs to that run alone.
	Workflow func(domain.DueAssistance) OwnedWorkflow
	Logger   *slog.Logger
}

// Starter starts workflows of the service's own that requests ask for, each
// once. What asks for them is in the database, so that none is lost: a run that
// was started and not noted is started again in vain.
type Starter struct {
	o    StarterOptions
	wake loop.Signal
	down bool
}

// NewStarter makes a Starter. Run makes it work.
func NewStarter(o StarterOptions) *Starter { return &Starter{o: o, wake: loop.NewSignal()} }

// starterPoll is how soon a run is seen that another replica was asked for, or
// that could not be started before.
const starterPoll = time.Second

// Wake tells the starter that there may be something to start. It never blocks.
func (s *Starter) Wake() { s.wake.Wake() }

// Run works until ctx ends. It must not be called twice.
func (s *Starter) Run(ctx context.Context) {
	var started []domain.DueAssistance
	l := loop.Loop[struct{}]{Wake: s.wake, Step: func(ctx context.Context) time.Duration {
		due, err := s.o.Exchange(ctx, started)
		switch {
		case err == nil:
			started = s.startAll(ctx, due)
		case ctx.Err() == nil:
			s.o.Logger.ErrorContext(ctx, "runs of assistance cannot be read", slog.Any("error", err))
		}
		if len(started) > 0 && err == nil {
			return 0
		}
		return starterPoll
	}}
	l.Run(ctx)
}

// startAll starts what is due and returns what was started. The rest is due
// again, later.
func (s *Starter) startAll(ctx context.Context, due []domain.DueAssistance) []domain.DueAssistance {
	var started []domain.DueAssistance
	for _, run := range due {
		err := s.o.Engine.startOnce(ctx, s.o.Workflow(run))
		if err != nil {
			if !s.down && ctx.Err() == nil {
				s.o.Logger.WarnContext(ctx, "runs of assistance cannot be started", slog.Any("error", err))
			}
			s.down = true
			return started
		}
		s.down = false
		started = append(started, run)
	}
	return started
}

// startOnce starts a workflow unless one with its id was ever started, as far as
// Temporal remembers.
func (e *Engine) startOnce(ctx context.Context, w OwnedWorkflow) error {
	err := e.startOwned(ctx, w, enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE)
	var already *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &already) {
		return nil
	}
	return err
}
