package administer

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// IncidentFilter narrows a list of incidents; empty fields match all.
type IncidentFilter = persistence.IncidentFilter

// ListIncidents returns a page of incidents, the newest first by default. They
// are visible to the owners and administrators of their tenant and, in all
// tenants, to the service itself.
func (s *Administration) ListIncidents(
	ctx context.Context, caller domain.Caller, filter IncidentFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Incident], error) {
	return s.store.Reader.ListIncidents(ctx, incidentScope(caller), filter, page, sort)
}

// RetrieveIncident returns an incident that exists for the caller, or NOT_FOUND.
func (s *Administration) RetrieveIncident(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.Incident, error) {
	return s.store.Reader.GetIncident(ctx, incidentScope(caller), id)
}

func incidentScope(caller domain.Caller) persistence.IncidentScope {
	scope := persistence.IncidentScope{Everywhere: caller.Type == domain.PrincipalSystem}
	for _, m := range caller.Memberships {
		if m.Role == domain.RoleOwner || m.Role == domain.RoleAdministrator {
			scope.Tenants = append(scope.Tenants, m.TenantID)
		}
	}
	return scope
}
