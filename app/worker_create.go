package app

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// maxWorkers is how many workers of one application may be online, and how many
// registrations of it are stored.
const maxWorkers = 1000

// CreateWorker (B46) registers a worker, or renews the registration of the one
// with the same identity in the tenant, and reports whether it is new. It is
// also the worker's heartbeat: see domain.WorkerDelayWindow. The tenant may be
// nil for a caller who belongs to one.
//
// Only applications that a manifest makes workers may register, and only for
// the task queues that they may serve. Errors: VALIDATION for a tenant that is
// missing or not the caller's, and for a task queue reserved by Temporal or the
// service; ACCESS_DENIED; CONFLICT for the identity of another application's
// worker that is online, for more than maxWorkers, and for the id of another
// worker. The id is used only for a new identity.
func (s *Service) CreateWorker(
	ctx context.Context, call domain.Call, tenant *uuid.UUID, w domain.Worker,
) (*domain.Worker, bool, error) {
	member, err := call.Tenant(tenant)
	if err != nil {
		return nil, false, err
	}
	if domain.ReservedTaskQueue(w.TaskQueue) {
		return nil, false, domain.InvalidField(domain.FieldTaskQueue, "is a name that Temporal or the service keeps for itself")
	}
	if call.Type != domain.PrincipalApplication {
		return nil, false, notWorker()
	}
	now := s.now()
	if w.ID == uuid.Nil {
		w.ID = domain.NewID()
	}
	w.TenantID, w.LastSeenAt = member.TenantID, now
	w.Audit = domain.NewAudit(call.PrincipalID, now)
	result, err := s.store.DB.RegisterWorker(ctx, call.Precondition, &w, maxWorkers, domain.WorkerEvent(&w, call.PrincipalID, now))
	if err == nil && !result.Stored {
		err = refusedRegistration(&w, result)
	}
	return &w, result.Created, err
}

// refusedRegistration returns the reason why a worker was not stored.
func refusedRegistration(w *domain.Worker, result persistence.WorkerRegistration) error {
	switch {
	case !result.Worker:
		return notWorker()
	case !result.Servable:
		return domain.Denied(fmt.Sprintf("the application may not serve the task queue %q: it is not one of what the application "+
			"runs, and spec.engine.taskQueues of its manifest does not list it", w.TaskQueue))
	case result.Crowded:
		return domain.Conflict(domain.CodeConflict, fmt.Sprintf("the application has %d workers online already, which is the most: "+
			"give a worker that restarts the identity that it had", maxWorkers))
	default:
		return domain.Conflict(domain.CodeConflict,
			fmt.Sprintf("a worker of another application is online with the identity %q: choose another identity", w.Identity))
	}
}

// notWorker refuses callers that have no business with the engine.
func notWorker() error {
	return domain.Denied("only workers have access to the engine: an application that a manifest names as the runner of a " +
		"published process definition, an action, a data source or a robot, or whose own manifest lists spec.engine.taskQueues")
}
