// Package activities contains the activities of the service's own workflows. They call
// the application and are idempotent.
package activities

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/bulk"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/events/dispatch"
)

// Engine contains the calls to Temporal that activities make. Tests inject faults
// into it.
type Engine interface {
	ReadResult(ctx context.Context, tenant uuid.UUID, returned *commonpb.Payload) (json.RawMessage, string, error)
}

var _ Engine = (*engine.Engine)(nil)

// Options configure Activities.
type Options struct {
	App      *app.Service
	Bulk     *bulk.Service
	Webhooks *dispatch.Attempts
	Engine   Engine
	Clock    func() time.Time
	Logger   *slog.Logger
}

// Activities contains the activities. It is safe for concurrent use.
type Activities struct {
	o          Options
	documents  documentCounts
	assistance assistanceCounts
}

// New returns Activities.
func New(o Options) *Activities {
	o.App = o.App.Background()
	if o.Bulk != nil {
		o.Bulk = o.Bulk.Background()
	}
	return &Activities{o: o}
}

// Register registers the activities with a worker.
func (a *Activities) Register(r worker.ActivityRegistry) {
	r.RegisterActivityWithOptions(a.ExpireDocuments, activity.RegisterOptions{Name: ExpireDocumentsName})
	r.RegisterActivityWithOptions(a.ExpireRegistrations, activity.RegisterOptions{Name: ExpireRegistrationsName})
	r.RegisterActivityWithOptions(a.SweepDocuments, activity.RegisterOptions{Name: SweepDocumentsName})
	r.RegisterActivityWithOptions(a.RetryDelivery, activity.RegisterOptions{Name: RetryDeliveryName})
	r.RegisterActivityWithOptions(a.ExpireDeliveries, activity.RegisterOptions{Name: ExpireDeliveriesName})
	r.RegisterActivityWithOptions(a.RunBulkBatch, activity.RegisterOptions{Name: RunBulkBatchName})
	for name, step := range map[string]any{
		ReadAssistanceDocumentsName: a.ReadAssistanceDocuments, EmbedAssistancePassagesName: a.EmbedAssistancePassages,
		PrepareAssistancePromptName: a.PrepareAssistancePrompt, AskAssistanceModelName: a.AskAssistanceModel,
		FinishAssistanceName: a.FinishAssistance, FailAssistanceName: a.FailAssistance,
	} {
		r.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: name})
	}
}
