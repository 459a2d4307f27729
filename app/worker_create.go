package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// CreateWorker (B46) registers a worker, or renews the registration of the one
// with the same identity in the tenant, and reports whether it is new. It is
// also the worker's heartbeat: see domain.WorkerDelayWindow. The tenant may be
// nil for a caller who belongs to one. Errors: VALIDATION for a tenant that is
// missing or not the caller's, and for a task queue that Temporal keeps for itself.
func (s *Service) CreateWorker(
	ctx context.Context, caller domain.Caller, tenant *uuid.UUID, w domain.Worker,
) (*domain.Worker, bool, error) {
	member, err := caller.Tenant(tenant)
	if err != nil {
		return nil, false, err
	}
	if domain.ReservedTaskQueue(w.TaskQueue) {
		return nil, false, domain.InvalidBody("/taskQueue", "is a name that Temporal keeps for itself")
	}
	now := s.now()
	w.ID, w.TenantID, w.LastSeenAt = newID(), member.TenantID, now
	w.Audit = domain.NewAudit(caller.PrincipalID, now)
	created, err := s.db.UpsertWorker(ctx, &w, domain.WorkerEvent(&w, caller.PrincipalID, now))
	return &w, created, err
}
