package domain_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

func TestTenant(t *testing.T) {
	t.Parallel()
	first := domain.Membership{TenantID: id(1), Namespace: "one", Role: domain.RoleOwner}
	second := domain.Membership{TenantID: id(2), Namespace: "two", Role: domain.RoleMember}
	requested := func(n byte) *uuid.UUID {
		tenant := id(n)
		return &tenant
	}
	for _, c := range []struct {
		name        string
		memberships []domain.Membership
		tenant      *uuid.UUID
		want        domain.Membership
		failure     string
	}{
		{"the only one is meant", []domain.Membership{first}, nil, first, ""},
		{"the only one is named", []domain.Membership{first}, requested(1), first, ""},
		{"one of several is named", []domain.Membership{first, second}, requested(2), second, ""},
		{"one of several must be named", []domain.Membership{first, second}, nil, domain.Membership{}, "is required"},
		{"of nothing one must be named", nil, nil, domain.Membership{}, "is required"},
		{"another one is named", []domain.Membership{first}, requested(2), domain.Membership{}, "is not a tenant that you belong to"},
		{"no one is named", []domain.Membership{first}, requested(0), domain.Membership{}, "is not a tenant that you belong to"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := domain.Caller{Memberships: c.memberships}.Tenant(c.tenant)
			require.Equal(t, c.want, got)
			if c.failure == "" {
				require.NoError(t, err)
				return
			}
			var e *domain.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, domain.KindInvalid, e.Kind)
			require.Equal(t, domain.FieldTenant, e.Details[0].Field)
			require.Contains(t, e.Details[0].Message, c.failure)
		})
	}
	require.Equal(t, []uuid.UUID{id(1), id(2)}, domain.Caller{Memberships: []domain.Membership{first, second}}.TenantIDs())
	require.Empty(t, domain.Caller{}.TenantIDs())
}
