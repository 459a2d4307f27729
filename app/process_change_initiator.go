package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// ChangeProcessInitiator (B13) makes an active principal of the tenant the initiator of a running process. If named by
// id and by e-mail, both must name the same principal. Naming the current initiator has no effect. It requires the
// Manager permission; a finished process is refused with PROCESS_FINISHED, a principal of another tenant with
// VALIDATION.
func (s *Service) ChangeProcessInitiator(
	ctx context.Context, call domain.Call, id uuid.UUID, initiator PrincipalKey,
) (*domain.Process, error) {
	if initiator.Empty() {
		return nil, domain.InvalidField(domain.FieldNewInitiator.Member(domain.MemberID), "is required, or else initiatorEmail")
	}
	var process *domain.Process
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, found, err := persistence.Both(ctx, tx, persistence.LockProcess(call.Caller, id), persistence.FindPrincipal(initiator))
		if err != nil {
			return nil, err
		}
		process = locked.Process
		if err := process.CheckMayWrite(locked.Rights); err != nil {
			return nil, err
		}
		principal, err := resolvePrincipal(initiator, found, process.TenantID, domain.FieldNewInitiator)
		if err != nil {
			return nil, err
		}
		before := process.InitiatorID
		if !process.ChangeInitiator(*principal, call.PrincipalID, now) {
			return nil, nil
		}
		return domain.Events{domain.InitiatorEvent(process, before, call.PrincipalID, now)}, tx.UpdateProcess(process)
	})
	return process, err
}
