package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// RetrieveProcessItemAIAssistance (B24) returns the latest run of AI assistance
// with a process item, or NOT_FOUND if there is none or the item is not visible
// to the caller.
func (s *Service) RetrieveProcessItemAIAssistance(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.AssistanceRun, error) {
	return s.store.Reader.GetAssistance(ctx, call.Caller, id)
}

// RetryAssistanceAfter returns how many seconds clients should wait before they ask
// for a run again.
func (s *Service) RetryAssistanceAfter(run *domain.AssistanceRun) int {
	return run.RetryAfterSeconds(s.now())
}

// Assists reports whether a model can be asked for help with the items of a
// definition.
func (s *Service) Assists(d *domain.ItemDefinition) bool {
	return s.assistant != nil && d.Spec.Assistance != nil
}
