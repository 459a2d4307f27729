package apitest

import (
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// Membership returns the tenant user of a user.
func (s *Service) Membership(of demo.Account) uuid.UUID {
	s.T.Helper()
	found := s.List(demo.Alice(), "/tenant-users?email="+of.Email).IDs()
	require.Len(s.T, found, 1)
	return found[0]
}

// Join makes a user a member of one more tenant, with a token for all of them.
func (s *Service) Join(user *demo.Account, tenant uuid.UUID) (membership uuid.UUID) {
	s.T.Helper()
	membership, user.Secret = uuid.New(), uuid.NewString()
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		tx.InsertCredential(domain.Credential{
			ID: uuid.New(), PrincipalID: user.ID, Kind: domain.CredentialPersonalAccessToken,
			SecretSHA256: authn.HashSecret(user.Secret), CreatedAt: s.Now(),
		})
		return tx.PutTenantUser(domain.TenantUser{
			ID: membership, TenantID: tenant, Role: domain.RoleMember,
			Audit:     domain.NewAudit(domain.SystemPrincipalID(), s.Now()),
			Principal: domain.Principal{ID: user.ID, Name: user.Name, Email: user.Email},
		})
	}))
	return membership
}

// Listed is a page of any list.
type Listed struct {
	Metadata oasb.PageMetadata
	Content  []struct {
		ID   uuid.UUID
		Name string
	}
}

// IDs returns the ids of the elements, in order.
func (l Listed) IDs() []uuid.UUID {
	ids := make([]uuid.UUID, len(l.Content))
	for i, element := range l.Content {
		ids[i] = element.ID
	}
	return ids
}

// List reads a page.
func (s *Service) List(as demo.Account, path string) Listed {
	s.T.Helper()
	return Decode[Listed](s.T, s.Get(200, as, path))
}

// Total returns how many elements a list has on all pages.
func (s *Service) Total(as demo.Account, path string) int {
	s.T.Helper()
	return int(s.List(as, path).Metadata.TotalElements)
}

// Filtered requires that each query finds exactly these.
func (s *Service) Filtered(as demo.Account, path string, want map[string][]uuid.UUID) {
	s.T.Helper()
	for query, ids := range want {
		got := s.List(as, path+"?sort=id&"+query)
		ids = append([]uuid.UUID{}, ids...)
		slices.SortFunc(ids, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
		require.Equal(s.T, ids, got.IDs(), query)
		require.Equal(s.T, int64(len(ids)), got.Metadata.TotalElements, query)
	}
}
