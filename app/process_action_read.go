package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// RetrieveProcessAction returns an action on a process visible to the caller,
// or NOT_FOUND.
func (s *Service) RetrieveProcessAction(
	ctx context.Context, call domain.Call, process, action uuid.UUID,
) (*domain.ProcessAction, error) {
	return s.store.Reader.GetProcessAction(ctx, call.Caller, process, action, s.now())
}
