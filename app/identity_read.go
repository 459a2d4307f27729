package app

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// PrincipalFilter narrows FindPrincipals.
type PrincipalFilter = persistence.PrincipalFilter

// TenantUserFilter narrows FindTenantUsers.
type TenantUserFilter = persistence.TenantUserFilter

// GroupFilter narrows FindGroups.
type GroupFilter = persistence.GroupFilter

// FindPrincipals (B1) returns a page of the principals of the caller's tenants, as
// far as their directories are open to the caller, and of the caller itself.
func (s *Service) FindPrincipals(
	ctx context.Context, call domain.Call, filter PrincipalFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Principal], error) {
	return s.store.Reader.ListPrincipals(ctx, call.Caller, filter, page, sort)
}

// RetrievePrincipal (B2) returns a principal that FindPrincipals finds, or that
// something visible to the caller names, or NOT_FOUND. One that has left the
// caller's tenants has no e-mail.
func (s *Service) RetrievePrincipal(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.Principal, error) {
	return s.store.Reader.GetPrincipal(ctx, call.Caller, id)
}

// FindTenants (B3) returns a page of the caller's tenants, restricted to ids unless it is empty.
func (s *Service) FindTenants(
	ctx context.Context, call domain.Call, ids []uuid.UUID, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Tenant], error) {
	return s.store.Reader.ListTenants(ctx, call.Caller, ids, page, sort)
}

// RetrieveTenant (B4) returns one of the caller's tenants, or NOT_FOUND.
func (s *Service) RetrieveTenant(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.Tenant, error) {
	return s.store.Reader.GetTenant(ctx, call.Caller, id)
}

// FindTenantUsers (B5) calls show with a page of the users of the caller's tenants,
// and returns its error.
func (s *Service) FindTenantUsers(
	ctx context.Context, call domain.Call, filter TenantUserFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.TenantUser]) error,
) error {
	return s.store.Reader.ShowTenantUsers(ctx, call.Caller, filter, page, sort, show)
}

// RetrieveTenantUser (B6) returns a user that FindTenantUsers finds, or
// NOT_FOUND.
func (s *Service) RetrieveTenantUser(
	ctx context.Context, call domain.Call, id uuid.UUID,
) (*domain.TenantUser, error) {
	return s.store.Reader.GetTenantUser(ctx, call.Caller, id)
}

// FindGroups returns a page of the groups in tenants with directories open to the caller, and of the caller's own
// groups.
func (s *Service) FindGroups(
	ctx context.Context, call domain.Call, filter GroupFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Group], error) {
	return s.store.Reader.ListGroups(ctx, call.Caller, filter, page, sort)
}
