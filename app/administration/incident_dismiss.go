package administration

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// DismissIncident marks an incident as dealt with and leaves the process or the
// action as it is. The caller must be an owner or an administrator of the tenant; for others the
// incident is NOT_FOUND. A dismissed incident is returned as it is, a retried
// one refused with INVALID_STATE.
func (s *Service) DismissIncident(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.Incident, error) {
	var incident *domain.Incident
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := tx.LockIncident(ctx, persistence.AdministrationOf(call.Caller), id)
		if err != nil {
			return nil, err
		}
		incident = &locked.Incident
		before := incident.State
		changed, err := incident.Dismiss(now)
		if err != nil || !changed {
			return nil, err
		}
		tx.UpdateIncident(*incident)
		return domain.Events{domain.IncidentEvent(domain.EventIncidentStateChanged, incident, call.PrincipalID, now).
			From(string(before))}, nil
	})
	return incident, err
}
