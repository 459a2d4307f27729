package administration

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// Identity is the caller with its memberships.
type Identity struct {
	Principal domain.Principal
	// Operator callers may make tenants and administer all of them.
	Operator bool
	// Memberships are the memberships covered by the caller's credentials, in the order of the tenants' codes.
	Memberships []IdentityMembership
}

// IdentityMembership is a place in a tenant.
type IdentityMembership struct {
	TenantID   uuid.UUID
	TenantCode string
	TenantName string
	Role       domain.TenantRole
}

// RetrieveIdentity returns the identity of the caller, or NOT_FOUND for a
// principal that has been deleted meanwhile.
func (s *Service) RetrieveIdentity(ctx context.Context, call domain.Call) (*Identity, error) {
	principal, tenants, err := s.store.Reader.GetCaller(ctx, call.Caller)
	if err != nil {
		return nil, err
	}
	identity := &Identity{Principal: *principal, Operator: call.Operator}
	for _, t := range tenants {
		m, err := call.Tenant(&t.ID)
		if err != nil {
			return nil, fmt.Errorf("finding a tenant of the caller: %w", err)
		}
		identity.Memberships = append(identity.Memberships, IdentityMembership{
			TenantID: t.ID, TenantCode: t.Code, TenantName: t.Name, Role: m.Role,
		})
	}
	return identity, nil
}
