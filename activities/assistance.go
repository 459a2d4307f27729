package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/domain"
)

// The names under which Temporal knows the steps of a run of assistance.
const (
	ReadAssistanceDocumentsName = "ReadAssistanceDocuments"
	EmbedAssistancePassagesName = "EmbedAssistancePassages"
	PrepareAssistancePromptName = "PrepareAssistancePrompt"
	AskAssistanceModelName      = "AskAssistanceModel"
	FinishAssistanceName        = "FinishAssistance"
	FailAssistanceName          = "FailAssistance"
)

// The types of errors of the steps, beside those of the service itself.
const (
	// AssistanceFaultType says that the provider has a fault, which the run's row has.
	AssistanceFaultType = "AssistanceFault"
	// AssistanceOverType says that there is nothing left to be done.
	AssistanceOverType = "AssistanceOver"
)

// assistanceBeat is how often a step that takes long says that it goes on.
const assistanceBeat = 3 * time.Second

// FailAssistanceInput says why a run fails. An empty Code stands for the fault that
// its row has.
type FailAssistanceInput struct {
	Key  domain.AssistanceKey `json:"key"`
	Code string               `json:"code"`
}

// assistanceCounts are the runs of assistance that this process has ended.
type assistanceCounts struct{ completed, failed atomic.Uint64 }

// AssistanceStats are the runs of assistance that this process has ended since
// it began.
type AssistanceStats struct{ Completed, Failed uint64 }

// AssistanceStats returns the counts.
func (a *Activities) AssistanceStats() AssistanceStats {
	return AssistanceStats{Completed: a.assistance.completed.Load(), Failed: a.assistance.failed.Load()}
}

// ReadAssistanceDocuments makes passages of the documents of a run.
func (a *Activities) ReadAssistanceDocuments(ctx context.Context, key domain.AssistanceKey) error {
	return a.assist(ctx, key, a.o.App.ReadAssistanceDocuments)
}

// EmbedAssistancePassages makes the embeddings of a run that are not there yet.
func (a *Activities) EmbedAssistancePassages(ctx context.Context, key domain.AssistanceKey) error {
	return a.assist(ctx, key, func(ctx context.Context, key domain.AssistanceKey) error {
		for {
			more, err := a.o.App.EmbedAssistancePassages(ctx, key)
			if err != nil || !more {
				return err
			}
		}
	})
}

// PrepareAssistancePrompt settles what a run asks.
func (a *Activities) PrepareAssistancePrompt(ctx context.Context, key domain.AssistanceKey) error {
	return a.assist(ctx, key, a.o.App.PrepareAssistancePrompt)
}

// AskAssistanceModel asks the model of a run.
func (a *Activities) AskAssistanceModel(ctx context.Context, key domain.AssistanceKey) error {
	return a.assist(ctx, key, a.o.App.AskAssistanceModel)
}

// FinishAssistance ends a run that has its answer.
func (a *Activities) FinishAssistance(ctx context.Context, key domain.AssistanceKey) error {
	err := a.assist(ctx, key, a.o.App.FinishAssistance)
	if err == nil {
		a.assistance.completed.Add(1)
	}
	return err
}

// FailAssistance ends a run that gets no answer.
func (a *Activities) FailAssistance(ctx context.Context, in FailAssistanceInput) error {
	err := a.o.App.FailAssistance(ctx, in.Key, in.Code)
	if err == nil {
		a.assistance.failed.Add(1)
	}
	return err
}

// assist carries out a step. Its errors are for Temporal and say nothing about a
// fault of the provider but that there is one: its code and text are kept with the
// run, out of the workflow's history.
func (a *Activities) assist(
	ctx context.Context, key domain.AssistanceKey, step func(context.Context, domain.AssistanceKey) error,
) error {
	err := beating(ctx, func() error { return step(ctx, key) })
	code, message := app.AssistanceFault(err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, app.ErrAssistanceOver):
		return temporal.NewNonRetryableApplicationError("the run is over", AssistanceOverType, nil)
	case ctx.Err() != nil:
		return errors.New("the step was interrupted")
	case code == "":
		a.o.Logger.ErrorContext(ctx, "a step of a run of assistance fails",
			slog.String("run", key.WorkflowID()), slog.Any("error", err))
		return errors.New("the step failed")
	}
	a.o.Logger.WarnContext(ctx, "the provider of assistance has a fault",
		slog.String("run", key.WorkflowID()), slog.String("code", code), slog.Any("error", err))
	if err := a.o.App.NoteAssistanceFault(ctx, key, code, message); err != nil {
		return fmt.Errorf("noting a fault of a run of assistance: %w", err)
	}
	var fault *assistance.Error
	options := temporal.ApplicationErrorOptions{NonRetryable: true}
	if errors.As(err, &fault) && fault.Retryable() {
		options.NonRetryable, options.NextRetryDelay = false, fault.RetryAfter
	}
	return temporal.NewApplicationErrorWithOptions("the provider has a fault", AssistanceFaultType, options)
}

// beating runs a step and tells Temporal meanwhile that it goes on.
func beating(ctx context.Context, step func() error) error {
	done := make(chan error, 1)
	go func() {
		var err error
		// A panic in a goroutine would end the process; Temporal's own recovery is in
		// another one.
		defer func() {
			if broken := recover(); broken != nil {
				err = fmt.Errorf("the step panicked: %v\n%s", broken, debug.Stack())
			}
			done <- err
		}()
		err = step()
	}()
	ticker := time.NewTicker(assistanceBeat)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
			activity.RecordHeartbeat(ctx)
		}
	}
}
