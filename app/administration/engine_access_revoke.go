package administration

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// EngineAccessSelection selects the access to revoke by each field that is not nil.
type EngineAccessSelection = persistence.EngineGrantSelection

// RevokeEngineAccess revokes tokens and certificates that were issued for the
// engine, before they expire, and returns how many. The engine refuses them
// within seconds. The caller must be an owner or an administrator of their
// tenant, or an operator: no others are found. A principal that is not disabled
// can ask for access again. Errors: VALIDATION for a selection of everything,
// NOT_FOUND for an unknown ID.
func (s *Service) RevokeEngineAccess(
	ctx context.Context, call domain.Call, selection EngineAccessSelection,
) (int64, error) {
	if selection == (EngineAccessSelection{}) {
		return 0, domain.InvalidBody("", "must name what to revoke: id, principalId or tenantId")
	}
	now := s.now()
	var revoked int64
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		found, err := tx.LockEngineGrants(ctx, grantScope(call.Caller), selection, now)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && selection.ID != nil {
			return nil, domain.NotFound("engine access")
		}
		var active []uuid.UUID
		var events domain.Events
		for _, grant := range found {
			if grant.Active {
				active = append(active, grant.ID)
				events = append(events, domain.EngineAccessEvent(grant.TenantID, grant.ID, call.PrincipalID, now))
			}
		}
		revoked = int64(len(active))
		if revoked > 0 {
			tx.RevokeEngineGrants(active, call.PrincipalID, now)
		}
		return events, nil
	})
	if err != nil {
		return 0, err
	}
	return revoked, nil
}
