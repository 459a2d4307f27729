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

// The activity types of the steps of a run of assistance in Temporal.
const (
	ReadAssistanceDocumentsName = "ReadAssistanceDocuments"
	EmbedAssistancePassagesName = "EmbedAssistancePassages"
	PrepareAssistancePromptName = "PrepareAssistancePrompt"
	AskAssistanceModelName      = "AskAssistanceModel"
	FinishAssistanceName        = "FinishAssistance"
	FailAssistanceName          = "FailAssistance"
)

// The types of errors of the steps, in addition to the service's own.
const (
	// AssistanceFaultType means that the provider failed; the fault is stored with
	// the run.
	AssistanceFaultType = "AssistanceFault"
	// AssistanceOverType means that the run has already ended.
	AssistanceOverType = "AssistanceOver"
)

// assistanceBeat is the time between two heartbeats of a step.
const assistanceBeat = 3 * time.Second

// FailAssistanceInput contains the reason why a run fails. An empty Code stands
// for the fault that is stored with the run.
type FailAssistanceInput struct {
	Key  domain.AssistanceKey `json:"key"`
	Code string               `json:"code"`
}

// assistanceCounts counts the runs of assistance that this process has ended.
type assistanceCounts struct{ completed, failed atomic.Uint64 }

// AssistanceStats counts the runs of assistance that this process has ended since
// it started.
type AssistanceStats struct{ Completed, Failed uint64 }

// AssistanceStats returns the counts.
func (a *Activities) AssistanceStats() AssistanceStats {
	return AssistanceStats{Completed: a.assistance.completed.Load(), Failed: a.assistance.failed.Load()}
}

// ReadAssistanceDocuments extracts the passages of the documents of a run.
func (a *Activities) ReadAssistanceDocuments(ctx context.Context, key domain.AssistanceKey) error {
	return a.runAssistanceStep(ctx, key, a.o.App.ReadAssistanceDocuments)
}

// EmbedAssistancePassages computes the missing embeddings of a run.
func (a *Activities) EmbedAssistancePassages(ctx context.Context, key domain.AssistanceKey) error {
	return a.runAssistanceStep(ctx, key, func(ctx context.Context, key domain.AssistanceKey) error {
		for {
			more, err := a.o.App.EmbedAssistancePassages(ctx, key)
			if err != nil || !more {
				return err
			}
		}
	})
}

// PrepareAssistancePrompt stores the prompt of a run.
func (a *Activities) PrepareAssistancePrompt(ctx context.Context, key domain.AssistanceKey) error {
	return a.runAssistanceStep(ctx, key, a.o.App.PrepareAssistancePrompt)
}

// AskAssistanceModel sends the prompt of a run to its model and stores the
// answer.
func (a *Activities) AskAssistanceModel(ctx context.Context, key domain.AssistanceKey) error {
	return a.runAssistanceStep(ctx, key, a.o.App.AskAssistanceModel)
}

// FinishAssistance ends a run that has an answer.
func (a *Activities) FinishAssistance(ctx context.Context, key domain.AssistanceKey) error {
	err := a.runAssistanceStep(ctx, key, a.o.App.FinishAssistance)
	if err == nil {
		a.assistance.completed.Add(1)
	}
	return err
}

// FailAssistance ends a run that failed.
func (a *Activities) FailAssistance(ctx context.Context, in FailAssistanceInput) error {
	err := a.o.App.FailAssistance(ctx, in.Key, in.Code)
	if err == nil {
		a.assistance.failed.Add(1)
	}
	return err
}

// runAssistanceStep executes a step. Its errors go to Temporal and contain no details of a
// provider's fault: its code and text are stored with the run, outside of the
// workflow's history.
func (a *Activities) runAssistanceStep(
	ctx context.Context, key domain.AssistanceKey, step func(context.Context, domain.AssistanceKey) error,
) error {
	err := runWithHeartbeats(ctx, func() error { return step(ctx, key) })
	code, message := app.AssistanceFault(err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, app.ErrAssistanceOver):
		return temporal.NewNonRetryableApplicationError("the run is over", AssistanceOverType, nil)
	case ctx.Err() != nil:
		return errors.New("the step was interrupted")
	case code == "":
		a.o.Logger.ErrorContext(ctx, "step of an assistance run failed",
			slog.String("run", key.WorkflowID()), slog.Any("error", err))
		return errors.New("the step failed")
	}
	a.o.Logger.WarnContext(ctx, "assistance provider failed",
		slog.String("run", key.WorkflowID()), slog.String("code", code), slog.Any("error", err))
	if err := a.o.App.NoteAssistanceFault(ctx, key, code, message); err != nil {
		return fmt.Errorf("recording a fault of a run of assistance: %w", err)
	}
	var fault *assistance.Error
	options := temporal.ApplicationErrorOptions{NonRetryable: true}
	if errors.As(err, &fault) && fault.Retryable() {
		options.NonRetryable, options.NextRetryDelay = false, fault.RetryAfter
	}
	return temporal.NewApplicationErrorWithOptions("the provider has a fault", AssistanceFaultType, options)
}

// runWithHeartbeats runs a step and sends heartbeats to Temporal meanwhile.
func runWithHeartbeats(ctx context.Context, step func() error) error {
	done := make(chan error, 1)
	go func() {
		var err error
		// Temporal recovers panics in its own goroutines only.
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
