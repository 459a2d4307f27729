package api_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
	"github.com/procession-dev/procession/persistence"
)

// membership is the tenant user of a user.
func (s *service) membership(of demo.Account) uuid.UUID {
	s.t.Helper()
	found := s.list(demo.Alice(), "/tenant-users?email="+of.Email).ids()
	require.Len(s.t, found, 1)
	return found[0]
}

// filteredInBothShapes is filtered for a list that both shapes have. Shape A has
// no filter groupCode.
func (s *service) filteredInBothShapes(as demo.Account, path string, want map[string][]uuid.UUID) {
	s.t.Helper()
	s.filtered(as, shapeB+path, want)
	inA := maps.Clone(want)
	maps.DeleteFunc(inA, func(query string, _ []uuid.UUID) bool { return strings.Contains(query, "groupCode") })
	s.filtered(as, shapeA+path, inA)
}

func TestFilteringIdentities(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alice, bob, carol := demo.Alice().ID, demo.Bob().ID, demo.Carol().ID
	worker, reader, stranger := demo.LoanWorker().ID, demo.Reader().ID, demo.Stranger().ID
	system, other := domain.SystemPrincipalID(), demo.OtherWorker().ID
	machines := s.addGroup(demo.TenantDemo(), "MACHINES", "Machines", worker, carol)
	s.addGroup(demo.TenantOther(), "MACHINES", "Machines", other)
	absent, tenant := uuid.NewString(), demo.TenantDemo().String()
	s.filteredInBothShapes(demo.Carol(), "/principals", map[string][]uuid.UUID{
		"":                             {alice, bob, carol, worker, reader, stranger, system},
		"type=USER":                    {alice, bob, carol},
		"type=APPLICATION":             {worker, reader, stranger},
		"type=SYSTEM":                  {system},
		"groupId=" + machines.String(): {worker, carol},
		"groupId=" + machines.String() + "&groupId=" + demo.Reviewers().String(): {worker, carol, bob},
		"groupId=" + machines.String() + "&type=USER":                            {carol},
		"groupId=" + absent:                                {},
		"groupCode=MACHINES":                               {worker, carol},
		"groupCode=MACHINES&groupCode=REVIEWERS":           {worker, carol, bob},
		"groupCode=MACHINES&type=USER":                     {carol},
		"groupCode=machines":                               {},
		"groupCode=REVIEWERS&groupId=" + machines.String(): {},
		"tenantId=" + tenant + "&tenantId=" + absent:       {alice, bob, carol, worker, reader, stranger},
		"tenantId=" + tenant + "&type=SYSTEM":              {},
		"tenantId=" + absent:                               {},
		"tenantId=" + demo.TenantOther().String():          {},
	})
	s.filteredInBothShapes(demo.OtherWorker(), "/principals", map[string][]uuid.UUID{
		"": {other, system}, "type=USER": {}, "groupCode=MACHINES": {other}, "groupCode=REVIEWERS": {},
		"groupId=" + machines.String(): {},
	})

	asAlice, asBob, asCarol := s.membership(demo.Alice()), s.membership(demo.Bob()), s.membership(demo.Carol())
	s.filteredInBothShapes(demo.Stranger(), "/tenant-users", map[string][]uuid.UUID{
		"":                             {asAlice, asBob, asCarol},
		"groupId=" + machines.String(): {asCarol},
		"groupId=" + machines.String() + "&groupId=" + demo.Reviewers().String(): {asBob, asCarol},
		"groupId=" + machines.String() + "&email=bob@demo.example":               {},
		"groupId=" + absent:                                                   {},
		"groupCode=MACHINES&groupCode=REVIEWERS":                              {asBob, asCarol},
		"email=" + url.QueryEscape("BOB@Demo.Example"):                        {asBob},
		"email=bob@demo.example&email=alice@demo.example":                     {asAlice, asBob},
		"email=absent@demo.example":                                           {},
		"email=bob@demo.example&groupCode=MACHINES":                           {},
		"tenantId=" + tenant:                                                  {asAlice, asBob, asCarol},
		"tenantId=" + demo.TenantOther().String() + "&email=bob@demo.example": {},
	})
	s.filteredInBothShapes(demo.OtherWorker(), "/tenant-users", map[string][]uuid.UUID{
		"": {}, "email=bob@demo.example": {},
	})
}

// Everything that can be retrieved can be found, and the reverse.
func TestListedIsRetrievable(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, shape := range []string{shapeA, shapeB} {
		for _, as := range []demo.Account{demo.Carol(), demo.OtherWorker()} {
			listed := s.list(as, shape+"/principals").ids()
			require.Contains(t, listed, domain.SystemPrincipalID())
			for _, id := range []uuid.UUID{
				demo.Alice().ID, demo.Reader().ID, demo.OtherWorker().ID, domain.SystemPrincipalID(), uuid.New(),
			} {
				status := 404
				if slices.Contains(listed, id) {
					status = 200
				}
				s.get(status, as, shape+"/principals/"+id.String())
			}
		}
	}
}

func TestSortingIdentities(t *testing.T) {
	t.Parallel()
	s := newService(t)
	byID := []uuid.UUID{s.membership(demo.Alice()), s.membership(demo.Bob()), s.membership(demo.Carol())}
	changed := byID[1]
	conn := s.connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `UPDATE tenant_users
	   SET created_at = created_at - interval '1 hour', last_modified_at = last_modified_at + interval '1 hour'
	 WHERE id = $1`, changed)
	require.NoError(t, err)
	slices.SortFunc(byID, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	rest := slices.DeleteFunc(slices.Clone(byID), func(id uuid.UUID) bool { return id == changed })
	descending := slices.Clone(byID)
	slices.Reverse(descending)
	for _, shape := range []string{shapeA, shapeB} {
		for sort, want := range map[string][]uuid.UUID{
			"":                                      {changed, rest[0], rest[1]},
			"sort=createdAt,desc":                   {rest[0], rest[1], changed},
			"sort=lastModifiedAt":                   {rest[0], rest[1], changed},
			"sort=lastModifiedAt,desc":              {changed, rest[0], rest[1]},
			"sort=id,desc":                          descending,
			"sort=lastModifiedAt,desc&sort=id,desc": {changed, rest[1], rest[0]},
		} {
			require.Equal(t, want, s.list(demo.Bob(), shape+"/tenant-users?"+sort).ids(), sort)
		}
	}
	for path, names := range map[string][]string{
		shapeA + "/principals?sort=name,desc&type=USER": {"Carol", "Bob", "Alice"},
		shapeA + "/principals?sort=id,DESC&type=USER":   {"Carol", "Bob", "Alice"},
		"/principals?sort=name,desc&type=USER":          {"Carol", "Bob", "Alice"},
		"/principals?type=USER":                         {"Alice", "Bob", "Carol"},
		"/principals?sort=id,desc&type=USER":            {"Carol", "Bob", "Alice"},
		"/tenants?sort=name":                            {"Demo"},
	} {
		var got []string
		for _, element := range s.list(demo.Bob(), path).Content {
			got = append(got, element.Name)
		}
		require.Equal(t, names, got, path)
	}
	for _, path := range []string{
		"/principals?sort=createdAt", "/tenants?sort=plan", "/tenant-users?sort=name", "/groups?sort=code",
		shapeA + "/principals?sort=createdAt", shapeA + "/tenant-users?sort=name", shapeA + "/tenant-users?sort=id,up",
	} {
		got := s.send(contracttest.Invalid(request(t, demo.Bob(), "GET", path, "")))
		require.Equal(t, 400, got.status, path)
	}
}

func TestPagingIdentities(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, shape := range []string{shapeA, shapeB} {
		all := s.list(demo.Bob(), shape+"/principals")
		require.Equal(t, oasb.PageMetadata{Size: 25, TotalElements: 7, TotalPages: 1}, all.Metadata)
		page := s.list(demo.Bob(), shape+"/principals?size=4&page=1")
		require.Equal(t, all.ids()[4:], page.ids())
		require.Equal(t, oasb.PageMetadata{Size: 4, Page: 1, TotalElements: 7, TotalPages: 2}, page.Metadata)
		for path, total := range map[string]int64{"/principals": 7, "/tenant-users": 3} {
			for query, want := range map[string]oasb.PageMetadata{
				"?size=0":                {TotalElements: total},
				"?size=1000&page=400000": {Size: 1000, Page: 400000, TotalElements: total, TotalPages: 1},
			} {
				got := s.get(200, demo.Bob(), shape+path+query)
				require.Contains(t, got.body, `"content":[]`)
				require.Equal(t, want, decode[listed](t, got).Metadata)
			}
		}
	}
}

// join makes a user a member of one more tenant, with a token for all of them.
func (s *service) join(user *demo.Account, tenant uuid.UUID) (membership uuid.UUID) {
	s.t.Helper()
	membership, user.Secret = uuid.New(), uuid.NewString()
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		tx.InsertCredential(domain.Credential{
			ID: uuid.New(), PrincipalID: user.ID, Kind: domain.CredentialPersonalAccessToken,
			SecretSHA256: authn.HashSecret(user.Secret), CreatedAt: s.now(),
		})
		return tx.PutTenantUser(domain.TenantUser{
			ID: membership, TenantID: tenant, Role: domain.RoleMember,
			Audit:     domain.NewAudit(domain.SystemPrincipalID(), s.now()),
			Principal: domain.Principal{ID: user.ID, Name: user.Name, Email: user.Email},
		})
	}))
	return membership
}

// A user of two tenants is one principal and two tenant users. Only the tenant
// user of a tenant is visible in it.
func TestUserOfTwoTenants(t *testing.T) {
	t.Parallel()
	s := newService(t)
	carol, here := demo.Carol(), s.membership(demo.Carol())
	there := s.join(&carol, demo.TenantOther())
	demoTenant, otherTenant := "tenantId="+demo.TenantDemo().String(), "tenantId="+demo.TenantOther().String()
	s.filteredInBothShapes(carol, "/tenant-users", map[string][]uuid.UUID{
		"email=carol@demo.example":                {here, there},
		"email=carol@demo.example&" + otherTenant: {there},
		"email=carol@demo.example&" + demoTenant:  {here},
		otherTenant + "&email=bob@demo.example":   nil,
	})
	s.filteredInBothShapes(carol, "/principals", map[string][]uuid.UUID{
		otherTenant: {carol.ID, demo.OtherWorker().ID},
	})
	require.Equal(t, 8, s.total(carol, "/principals"), "she is there once")
	s.filteredInBothShapes(demo.Bob(), "/tenant-users", map[string][]uuid.UUID{"email=carol@demo.example": {here}})
	s.filteredInBothShapes(demo.OtherWorker(), "/tenant-users", map[string][]uuid.UUID{"": {there}})
	// Members of one tenant do not learn of her other tenants.
	s.filteredInBothShapes(demo.Bob(), "/principals", map[string][]uuid.UUID{otherTenant: nil})
	s.filteredInBothShapes(demo.OtherWorker(), "/principals", map[string][]uuid.UUID{demoTenant: nil})
	for _, shape := range []string{shapeA, shapeB} {
		s.get(404, demo.Bob(), shape+"/tenant-users/"+there.String())
		s.get(404, demo.OtherWorker(), shape+"/tenant-users/"+here.String())
		s.get(200, demo.OtherWorker(), shape+"/principals/"+carol.ID.String())
	}
}

// A tenant user is a member of groups of its tenant, whatever other groups the
// same person is in.
func TestGroupsAreOfTheMembershipsTenant(t *testing.T) {
	t.Parallel()
	s := newService(t)
	carol, here := demo.Carol(), s.membership(demo.Carol())
	there := s.join(&carol, demo.TenantOther())
	local := s.addGroup(demo.TenantDemo(), "LOCAL", "Local", carol.ID)
	away := s.addGroup(demo.TenantOther(), "AWAY", "Away", carol.ID)
	s.addGroup(demo.TenantDemo(), "BOTH", "Both", carol.ID)
	s.addGroup(demo.TenantOther(), "BOTH", "Both", carol.ID)
	s.filteredInBothShapes(carol, "/tenant-users", map[string][]uuid.UUID{
		"groupId=" + local.String():                                            {here},
		"groupId=" + away.String():                                             {there},
		"groupId=" + local.String() + "&groupId=" + away.String():              {here, there},
		"groupCode=LOCAL":                                                      {here},
		"groupCode=AWAY":                                                       {there},
		"groupCode=BOTH":                                                       {here, there},
		"groupCode=BOTH&tenantId=" + demo.TenantOther().String():               {there},
		"groupId=" + local.String() + "&groupCode=AWAY":                        nil,
		"groupId=" + away.String() + "&tenantId=" + demo.TenantDemo().String(): nil,
	})
	s.filteredInBothShapes(carol, "/principals", map[string][]uuid.UUID{
		"groupId=" + local.String(): {carol.ID}, "groupId=" + away.String(): {carol.ID},
	})
	s.filteredInBothShapes(demo.Bob(), "/principals", map[string][]uuid.UUID{"groupId=" + away.String(): nil})
	s.filteredInBothShapes(demo.Bob(), "/tenant-users", map[string][]uuid.UUID{"groupId=" + away.String(): nil})
}

// Old processes name who was disabled since, so that stays readable.
func TestDisabledPrincipalsStayReadable(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bob, membership := demo.Bob(), s.membership(demo.Bob())
	paths := []string{
		"/principals", "/principals/" + bob.ID.String(), "/tenant-users", "/tenant-users/" + membership.String(),
		shapeA + "/principals", shapeA + "/tenant-users/" + membership.String(),
		"/groups?principalId=" + bob.ID.String(),
	}
	before := map[string]string{}
	for _, path := range paths {
		before[path] = s.get(200, demo.Carol(), path).body
	}
	conn := s.connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `UPDATE principals SET disabled_at = now() WHERE id = $1`, bob.ID)
	require.NoError(t, err)
	for _, path := range paths {
		require.Equal(t, before[path], s.get(200, demo.Carol(), path).body)
	}
}

func TestGroupsOfOtherTenantsFilterNobody(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret := s.addGroup(demo.TenantOther(), "SECRET", "Secret", demo.Carol().ID)
	for _, path := range []string{"/principals", "/tenant-users"} {
		absent := s.get(200, demo.Stranger(), path+"?groupId="+uuid.NewString())
		require.Equal(t, absent.body, s.get(200, demo.Stranger(), path+"?groupId="+secret.String()).body)
		require.Equal(t, absent.body, s.get(200, demo.Stranger(), path+"?groupCode=SECRET").body)
	}
}
