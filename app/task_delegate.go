package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DelegateProcessItemTask makes an active principal of the tenant the owner of an open task on behalf of the caller, who
// must have the Manager permission or own the task. The caller still sees the task, and takes it back with
// ClaimProcessItemTask. Repeating it has no effect. A task without an owner before gets its robot.
func (s *Service) DelegateProcessItemTask(
	ctx context.Context, call domain.Call, id uuid.UUID, owner PrincipalKey, note string,
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
		principal, err := resolveDelegate(owner, found.First, locked, call.PrincipalID)
		if err != nil {
			return nil, err
		}
		robot := found.Second
		if item.OwnerID != nil {
			// The robot does not depend on the owner.
			robot = nil
		}
		before := taskState(item)
		to := domain.Delegate{ID: *principal, Field: memberOf(owner, domain.FieldNewOwner), Note: note}
		changed, err := item.Delegate(locked.Rights, locked.FourEyes, to, call.PrincipalID, now)
		if err != nil || !changed {
			return nil, err
		}
		saved := saveDelegation(tx, domain.WayDelegation, item, before, call.PrincipalID, now)
		return domain.Events{saved}, startAssistance(tx, call.Caller, item, robot, now)
	})
	return item, err
}

// resolveDelegate returns the id of the named principal. Only principals that may delegate the task, or did, get to know
// whether it exists.
func resolveDelegate(
	owner PrincipalKey, found *persistence.PrincipalTenants, locked *persistence.TaskForOwner, by uuid.UUID,
) (*uuid.UUID, error) {
	principal, err := resolvePrincipal(owner, found, locked.TenantID, domain.FieldNewOwner)
	if err == nil {
		return principal, nil
	}
	if denied := locked.CheckMayHandle(locked.Rights, by); denied != nil {
		return nil, denied
	}
	return nil, err
}
