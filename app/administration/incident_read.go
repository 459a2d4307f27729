package administration

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
func (s *Service) ListIncidents(
	ctx context.Context, call domain.Call, filter IncidentFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Incident], error) {
	filter.Now = s.now()
	return s.store.Reader.ListIncidents(ctx, call.Caller, persistence.AdministrationOf(call.Caller), filter, page, sort)
}

// RetrieveIncident returns an incident that exists for the caller with its newest comments, or NOT_FOUND.
func (s *Service) RetrieveIncident(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.Incident, []domain.IncidentComment, error) {
	return s.store.Reader.GetIncident(ctx, persistence.AdministrationOf(call.Caller), id)
}

// FindIncidentReports returns a page of incidents with reports on their workflows, the newest first by default, under
// the conditions of ListIncidents. Subjects of processes that are not visible to the caller are left out.
func (s *Service) FindIncidentReports(
	ctx context.Context, call domain.Call, filter IncidentFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.IncidentReport], error) {
	filter.Now = s.now()
	return s.store.Reader.ListIncidentReports(ctx, call.Caller, persistence.AdministrationOf(call.Caller), filter, page, sort)
}

// maxIncidentGroups bounds the groups that are listed.
const maxIncidentGroups = 100

// FindIncidentGroups returns the largest groups of at least smallest open incidents with one cause, under the conditions of
// ListIncidents.
func (s *Service) FindIncidentGroups(
	ctx context.Context, call domain.Call, filter IncidentFilter, smallest int,
) ([]domain.IncidentGroup, error) {
	filter.Now = s.now()
	return s.store.Reader.ListIncidentGroups(ctx, call.Caller, persistence.AdministrationOf(call.Caller), filter, smallest, maxIncidentGroups)
}

// RetrieveIncidentReport returns an incident as FindIncidentReports does, or NOT_FOUND.
func (s *Service) RetrieveIncidentReport(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.IncidentReport, error) {
	found, err := s.FindIncidentReports(ctx, call, IncidentFilter{ID: &id}, domain.PageRequest{Size: 1}, nil)
	if err != nil {
		return nil, err
	}
	if len(found.Items) == 0 {
		return nil, domain.NotFound("incident")
	}
	return &found.Items[0], nil
}
