package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// EngineWatermark returns up to when the ends of workflows in a namespace have been
// read, in Temporal's time, or the zero time when none was.
func (s *Service) EngineWatermark(ctx context.Context, namespace string) (time.Time, error) {
	return s.store.Reader.GetEngineWatermark(ctx, namespace)
}

// RaiseEngineWatermark stores up to when the ends of workflows in a namespace have
// been read. A later watermark stays.
func (s *Service) RaiseEngineWatermark(ctx context.Context, namespace string, at time.Time) error {
	return s.note(ctx, func(tx *persistence.Tx) error {
		tx.RaiseEngineWatermark(namespace, at)
		return nil
	})
}

// ListOpenRuns returns, of the workflows with the given ids in a namespace, the
// runs that are not known to have ended.
func (s *Service) ListOpenRuns(ctx context.Context, namespace string, workflowIDs []string) ([]domain.EngineRun, error) {
	return s.store.Reader.ListOpenRunsOfWorkflows(ctx, namespace, workflowIDs)
}

// ListQuietRuns returns the next limit running runs after the id, of those in a
// namespace that the service has not touched since before.
func (s *Service) ListQuietRuns(
	ctx context.Context, namespace string, before time.Time, after uuid.UUID, limit int,
) ([]domain.EngineRun, error) {
	return s.store.Reader.ListQuietRuns(ctx, namespace, before, after, limit)
}

// LastActive returns when the service last touched a running run of a namespace,
// or nil when none is running.
func (s *Service) LastActive(ctx context.Context, namespace string) (*time.Time, error) {
	return s.store.Reader.LastActive(ctx, namespace)
}
