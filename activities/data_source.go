package activities

import (
	"context"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
)

// The activity types of the ends of data source runs in Temporal.
const (
	FinishDataSourceRunName = "FinishDataSourceRun"
	FailDataSourceRunName   = "FailDataSourceRun"
)

// FinishDataSourceRunInput names a run that has an answer.
type FinishDataSourceRunInput struct {
	Run    uuid.UUID `json:"run"`
	Tenant uuid.UUID `json:"tenant"`
}

// FailDataSourceRunInput contains the reason why a run has no answer.
type FailDataSourceRunInput struct {
	Run  uuid.UUID `json:"run"`
	Code string    `json:"code"`
}

// FinishDataSourceRun ends a run with the worker's answer, which may be
// encrypted.
func (a *Activities) FinishDataSourceRun(
	ctx context.Context, in FinishDataSourceRunInput, answer converter.RawValue,
) error {
	text, problem, err := a.o.Engine.ReadResult(ctx, in.Tenant, answer.Payload())
	if err != nil {
		return err
	}
	if text == nil && problem == "" {
		problem = "the answer of the data source is not JSON, or too large"
	}
	return a.o.App.FinishDataSourceRun(ctx, in.Run, text, problem)
}

// FailDataSourceRun ends a run that gets no answer.
func (a *Activities) FailDataSourceRun(ctx context.Context, in FailDataSourceRunInput) error {
	return a.o.App.FailDataSourceRun(ctx, in.Run, in.Code)
}

// RegisterDataSources registers the activities with a worker in the namespace of a
// tenant.
func (a *Activities) RegisterDataSources(r worker.ActivityRegistry) {
	r.RegisterActivityWithOptions(a.FinishDataSourceRun, activity.RegisterOptions{Name: FinishDataSourceRunName})
	r.RegisterActivityWithOptions(a.FailDataSourceRun, activity.RegisterOptions{Name: FailDataSourceRunName})
}
