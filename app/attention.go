package app

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// CountAttention returns the number of processes that need attention and that the caller manages, and the number of open
// incidents of the tenants that it administers.
func (s *Service) CountAttention(ctx context.Context, call domain.Call) (domain.AttentionCounts, error) {
	return s.store.Reader.CountAttention(ctx, call.Caller, persistence.AdministrationOf(call.Caller), s.now())
}
