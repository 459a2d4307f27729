package administration

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// EngineAccessFilter narrows FindEngineAccess. Empty fields match all; Active selects accepted or ended access.
type EngineAccessFilter struct {
	TenantIDs    []uuid.UUID
	TenantCodes  []string
	PrincipalIDs []uuid.UUID
	Kinds        []domain.AuthenticationType
	Active       *bool
}

// FindEngineAccess returns a page of the access issued for the engine, the
// newest first by default: to the principals of the tenants that the caller
// owns or administers, and of all for operators. Expired access is listed for a
// day.
func (s *Service) FindEngineAccess(
	ctx context.Context, call domain.Call, filter EngineAccessFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.EngineGrant], error) {
	narrowed := persistence.EngineGrantFilter{
		TenantIDs: filter.TenantIDs, TenantCodes: filter.TenantCodes, PrincipalIDs: filter.PrincipalIDs, Kinds: filter.Kinds,
	}
	if filter.Active != nil {
		now := s.now()
		narrowed.ActiveAt, narrowed.Inactive = &now, !*filter.Active
	}
	return s.store.Reader.ListEngineGrants(ctx, grantScope(call.Caller), narrowed, page, sort)
}

func grantScope(caller domain.Caller) persistence.EngineGrantScope {
	return persistence.EngineGrantScope{Everywhere: caller.Operator, Tenants: caller.AdministeredTenants()}
}
