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
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// filteredInBothShapes is filtered for a list that both shapes have. Shape A has
// no filter groupCode.
func filteredInBothShapes(s *apitest.Service, as demo.Account, path string, want map[string][]uuid.UUID) {
	s.T.Helper()
	s.Filtered(as, apitest.ShapeB+path, want)
	inA := maps.Clone(want)
	maps.DeleteFunc(inA, func(query string, _ []uuid.UUID) bool { return strings.Contains(query, "groupCode") })
	s.Filtered(as, apitest.ShapeA+path, inA)
}

func TestFilteringIdentities(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	alice, bob, carol := demo.Alice().ID, demo.Bob().ID, demo.Carol().ID
	worker, reader, stranger := demo.LoanWorker().ID, demo.Reader().ID, demo.Stranger().ID
	system, other := domain.SystemPrincipalID(), demo.OtherWorker().ID
	machines := s.AddGroup(demo.TenantDemo(), "MACHINES", "Machines", worker, carol)
	s.AddGroup(demo.TenantOther(), "MACHINES", "Machines", other)
	absent, tenant := uuid.NewString(), demo.TenantDemo().String()
	filteredInBothShapes(s, demo.Carol(), "/principals", map[string][]uuid.UUID{
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
	filteredInBothShapes(s, demo.OtherWorker(), "/principals", map[string][]uuid.UUID{
		"": {other, system}, "type=USER": {}, "groupCode=MACHINES": {other}, "groupCode=REVIEWERS": {},
		"groupId=" + machines.String(): {},
	})

	asAlice, asBob, asCarol := s.Membership(demo.Alice()), s.Membership(demo.Bob()), s.Membership(demo.Carol())
	filteredInBothShapes(s, demo.Stranger(), "/tenant-users", map[string][]uuid.UUID{
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
	filteredInBothShapes(s, demo.OtherWorker(), "/tenant-users", map[string][]uuid.UUID{
		"": {}, "email=bob@demo.example": {},
	})
}

// Everything that can be retrieved can be found, and the reverse. The technical author of the changes of directories is only
// retrieved, because resources name it.
func TestListedIsRetrievable(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for _, shape := range []string{apitest.ShapeA, apitest.ShapeB} {
		for _, as := range []demo.Account{demo.Carol(), demo.OtherWorker()} {
			listed := s.List(as, shape+"/principals").IDs()
			require.Contains(t, listed, domain.SystemPrincipalID())
			require.NotContains(t, listed, domain.DirectoryPrincipalID())
			s.Get(200, as, shape+"/principals/"+domain.DirectoryPrincipalID().String())
			for _, id := range []uuid.UUID{
				demo.Alice().ID, demo.Reader().ID, demo.OtherWorker().ID, domain.SystemPrincipalID(), uuid.New(),
			} {
				status := 404
				if slices.Contains(listed, id) {
					status = 200
				}
				s.Get(status, as, shape+"/principals/"+id.String())
			}
		}
	}
}

func TestSortingIdentities(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	byID := []uuid.UUID{s.Membership(demo.Alice()), s.Membership(demo.Bob()), s.Membership(demo.Carol())}
	changed := byID[1]
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `UPDATE tenant_users
	   SET created_at = created_at - interval '1 hour', last_modified_at = last_modified_at + interval '1 hour'
	 WHERE id = $1`, changed)
	require.NoError(t, err)
	slices.SortFunc(byID, func(a, b uuid.UUID) int { return strings.Compare(a.String(), b.String()) })
	rest := slices.DeleteFunc(slices.Clone(byID), func(id uuid.UUID) bool { return id == changed })
	descending := slices.Clone(byID)
	slices.Reverse(descending)
	for _, shape := range []string{apitest.ShapeA, apitest.ShapeB} {
		for sort, want := range map[string][]uuid.UUID{
			"":                                      {changed, rest[0], rest[1]},
			"sort=createdAt,desc":                   {rest[0], rest[1], changed},
			"sort=lastModifiedAt":                   {rest[0], rest[1], changed},
			"sort=lastModifiedAt,desc":              {changed, rest[0], rest[1]},
			"sort=id,desc":                          descending,
			"sort=lastModifiedAt,desc&sort=id,desc": {changed, rest[1], rest[0]},
		} {
			require.Equal(t, want, s.List(demo.Bob(), shape+"/tenant-users?"+sort).IDs(), sort)
		}
	}
	for path, names := range map[string][]string{
		apitest.ShapeA + "/principals?sort=name,desc&type=USER": {"Carol", "Bob", "Alice"},
		apitest.ShapeA + "/principals?sort=id,DESC&type=USER":   {"Carol", "Bob", "Alice"},
		"/principals?sort=name,desc&type=USER":                  {"Carol", "Bob", "Alice"},
		"/principals?type=USER":                                 {"Alice", "Bob", "Carol"},
		"/principals?sort=id,desc&type=USER":                    {"Carol", "Bob", "Alice"},
		"/tenants?sort=name":                                    {"Demo"},
	} {
		var got []string
		for _, element := range s.List(demo.Bob(), path).Content {
			got = append(got, element.Name)
		}
		require.Equal(t, names, got, path)
	}
	for _, path := range []string{
		"/principals?sort=createdAt", "/tenants?sort=plan", "/tenant-users?sort=name", "/groups?sort=code",
		apitest.ShapeA + "/principals?sort=createdAt", apitest.ShapeA + "/tenant-users?sort=name", apitest.ShapeA + "/tenant-users?sort=id,up",
	} {
		got := s.Send(contracttest.Invalid(apitest.Request(t, demo.Bob(), "GET", path, "")))
		require.Equal(t, 400, got.Status, path)
	}
}

func TestPagingIdentities(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for _, shape := range []string{apitest.ShapeA, apitest.ShapeB} {
		all := s.List(demo.Bob(), shape+"/principals")
		require.Equal(t, oasb.PageMetadata{Size: 25, TotalElements: 7, TotalPages: 1}, all.Metadata)
		page := s.List(demo.Bob(), shape+"/principals?size=4&page=1")
		require.Equal(t, all.IDs()[4:], page.IDs())
		require.Equal(t, oasb.PageMetadata{Size: 4, Page: 1, TotalElements: 7, TotalPages: 2}, page.Metadata)
		for path, total := range map[string]int64{"/principals": 7, "/tenant-users": 3} {
			for query, want := range map[string]oasb.PageMetadata{
				"?size=0":                {TotalElements: total},
				"?size=1000&page=400000": {Size: 1000, Page: 400000, TotalElements: total, TotalPages: 1},
			} {
				got := s.Get(200, demo.Bob(), shape+path+query)
				require.Contains(t, got.Body, `"content":[]`)
				require.Equal(t, want, apitest.Decode[apitest.Listed](t, got).Metadata)
			}
		}
	}
}

// A user of two tenants is one principal and two tenant users. Only the tenant
// user of a tenant is visible in it.
func TestUserOfTwoTenants(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	carol, here := demo.Carol(), s.Membership(demo.Carol())
	there := s.Join(&carol, demo.TenantOther())
	demoTenant, otherTenant := "tenantId="+demo.TenantDemo().String(), "tenantId="+demo.TenantOther().String()
	filteredInBothShapes(s, carol, "/tenant-users", map[string][]uuid.UUID{
		"email=carol@demo.example":                {here, there},
		"email=carol@demo.example&" + otherTenant: {there},
		"email=carol@demo.example&" + demoTenant:  {here},
		otherTenant + "&email=bob@demo.example":   nil,
	})
	filteredInBothShapes(s, carol, "/principals", map[string][]uuid.UUID{
		otherTenant: {carol.ID, demo.OtherWorker().ID},
	})
	require.Equal(t, 8, s.Total(carol, "/principals"), "she is there once")
	filteredInBothShapes(s, demo.Bob(), "/tenant-users", map[string][]uuid.UUID{"email=carol@demo.example": {here}})
	filteredInBothShapes(s, demo.OtherWorker(), "/tenant-users", map[string][]uuid.UUID{"": {there}})
	// Members of one tenant do not learn of her other tenants.
	filteredInBothShapes(s, demo.Bob(), "/principals", map[string][]uuid.UUID{otherTenant: nil})
	filteredInBothShapes(s, demo.OtherWorker(), "/principals", map[string][]uuid.UUID{demoTenant: nil})
	for _, shape := range []string{apitest.ShapeA, apitest.ShapeB} {
		s.Get(404, demo.Bob(), shape+"/tenant-users/"+there.String())
		s.Get(404, demo.OtherWorker(), shape+"/tenant-users/"+here.String())
		s.Get(200, demo.OtherWorker(), shape+"/principals/"+carol.ID.String())
	}
}

// A tenant user is a member of groups of its tenant, whatever other groups the
// same person is in.
func TestGroupsAreOfTheMembershipsTenant(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	carol, here := demo.Carol(), s.Membership(demo.Carol())
	there := s.Join(&carol, demo.TenantOther())
	local := s.AddGroup(demo.TenantDemo(), "LOCAL", "Local", carol.ID)
	away := s.AddGroup(demo.TenantOther(), "AWAY", "Away", carol.ID)
	s.AddGroup(demo.TenantDemo(), "BOTH", "Both", carol.ID)
	s.AddGroup(demo.TenantOther(), "BOTH", "Both", carol.ID)
	filteredInBothShapes(s, carol, "/tenant-users", map[string][]uuid.UUID{
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
	filteredInBothShapes(s, carol, "/principals", map[string][]uuid.UUID{
		"groupId=" + local.String(): {carol.ID}, "groupId=" + away.String(): {carol.ID},
	})
	filteredInBothShapes(s, demo.Bob(), "/principals", map[string][]uuid.UUID{"groupId=" + away.String(): nil})
	filteredInBothShapes(s, demo.Bob(), "/tenant-users", map[string][]uuid.UUID{"groupId=" + away.String(): nil})
}

// Old processes name who was disabled since, so that stays readable.
func TestDisabledPrincipalsStayReadable(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	bob, membership := demo.Bob(), s.Membership(demo.Bob())
	paths := []string{
		"/principals", "/principals/" + bob.ID.String(), "/tenant-users", "/tenant-users/" + membership.String(),
		apitest.ShapeA + "/principals", apitest.ShapeA + "/tenant-users/" + membership.String(),
		"/groups?principalId=" + bob.ID.String(),
	}
	before := map[string]string{}
	for _, path := range paths {
		before[path] = s.Get(200, demo.Carol(), path).Body
	}
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `UPDATE principals SET disabled_at = now() WHERE id = $1`, bob.ID)
	require.NoError(t, err)
	for _, path := range paths {
		require.Equal(t, before[path], s.Get(200, demo.Carol(), path).Body)
	}
}

func TestGroupsOfOtherTenantsMatchNoPrincipal(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	secret := s.AddGroup(demo.TenantOther(), "SECRET", "Secret", demo.Carol().ID)
	for _, path := range []string{"/principals", "/tenant-users"} {
		absent := s.Get(200, demo.Stranger(), path+"?groupId="+uuid.NewString())
		require.Equal(t, absent.Body, s.Get(200, demo.Stranger(), path+"?groupId="+secret.String()).Body)
		require.Equal(t, absent.Body, s.Get(200, demo.Stranger(), path+"?groupCode=SECRET").Body)
	}
}
