package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// AssignProcessItemTask (B27) makes an active principal of the tenant the owner of an open task, which is then CLAIMED.
// The caller must have the Manager permission or own the task. Repeating it has no effect. A task without an owner
// before gets its robot, as with ClaimProcessItemTask.
func (s *Service) AssignProcessItemTask(
	ctx context.Context, call domain.Call, id uuid.UUID, owner PrincipalKey,
) (*domain.ProcessItem, error) {
	if owner.Empty() {
		return nil, domain.InvalidField(domain.FieldNewOwner.Member(domain.MemberID), "is required, or else ownerEmail")
	}
	var item *domain.ProcessItem
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, found, err := persistence.Both(ctx, tx, persistence.LockTaskForOwner(call.Caller, id),
			persistence.And(persistence.FindPrincipal(owner), persistence.RobotOfTask(id)))
		if err != nil {
			return nil, err
		}
		item = locked.ProcessItem
		if err := item.CheckMayHandle(locked.Rights, call.PrincipalID); err != nil {
			return nil, err
		}
		principal, err := resolvePrincipal(owner, found.First, item.TenantID, domain.FieldNewOwner)
		if err != nil {
			return nil, err
		}
		robot := found.Second
		if item.OwnerID != nil {
			// The robot does not depend on the owner.
			robot = nil
		}
		before := taskState(item)
		changed, err := item.Assign(locked.FourEyes, *principal, call.PrincipalID, now)
		if err != nil || !changed {
			return nil, err
		}
		saved := saveTaskState(tx, item, before, call.PrincipalID, now)
		return domain.Events{saved}, startAssistance(tx, call.Caller, item, robot, now)
	})
	return item, err
}
