package api_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/apitest"
	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/localstack/demo"
	"github.com/procession-dev/procession/persistence"
)

// membership is the tenant user of a user.
func (s *service) membership(of demo.Account) uuid.UUID {
	s.t.Helper()
	found := s.list(demo.Alice(), "/tenant-users?email="+of.Email).ids()
	require.Len(s.t, found, 1)
	return found[0]
}

func TestFilteringIdentities(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alice, bob, carol := demo.Alice().ID, demo.Bob().ID, demo.Carol().ID
	worker, reader, stranger := demo.LoanWorker().ID, demo.Reader().ID, demo.Stranger().ID
	machines := s.addGroup(demo.TenantDemo(), "MACHINES", "Machines", worker, carol)
	s.addGroup(demo.TenantOther(), "MACHINES", "Machines", demo.OtherWorker().ID)
	absent, tenant := uuid.NewString(), demo.TenantDemo().String()
	s.filtered(demo.Carol(), "/principals", map[string][]uuid.UUID{
		"":                             {alice, bob, carol, worker, reader, stranger},
		"type=USER":                    {alice, bob, carol},
		"type=APPLICATION":             {worker, reader, stranger},
		"groupId=" + machines.String(): {worker, carol},
		"groupId=" + machines.String() + "&groupId=" + demo.Reviewers().String(): {worker, carol, bob},
		"groupId=" + absent:                                {},
		"groupCode=MACHINES":                               {worker, carol},
		"groupCode=MACHINES&groupCode=REVIEWERS":           {worker, carol, bob},
		"groupCode=MACHINES&type=USER":                     {carol},
		"groupCode=machines":                               {},
		"groupCode=REVIEWERS&groupId=" + machines.String(): {},
		"tenantId=" + tenant + "&tenantId=" + absent:       {alice, bob, carol, worker, reader, stranger},
		"tenantId=" + absent:                               {},
		"tenantId=" + demo.TenantOther().String():          {},
	})
	s.filtered(demo.OtherWorker(), "/principals", map[string][]uuid.UUID{
		"": {demo.OtherWorker().ID}, "groupCode=MACHINES": {demo.OtherWorker().ID}, "groupCode=REVIEWERS": {},
	})

	asAlice, asBob, asCarol := s.membership(demo.Alice()), s.membership(demo.Bob()), s.membership(demo.Carol())
	s.filtered(demo.Stranger(), "/tenant-users", map[string][]uuid.UUID{
		"":                                       {asAlice, asBob, asCarol},
		"groupId=" + machines.String():           {asCarol},
		"groupCode=MACHINES&groupCode=REVIEWERS": {asBob, asCarol},
		"email=" + url.QueryEscape("BOB@Demo.Example"):                        {asBob},
		"email=bob@demo.example&email=alice@demo.example":                     {asAlice, asBob},
		"email=nobody@demo.example":                                           {},
		"email=bob@demo.example&groupCode=MACHINES":                           {},
		"tenantId=" + tenant:                                                  {asAlice, asBob, asCarol},
		"tenantId=" + demo.TenantOther().String() + "&email=bob@demo.example": {},
	})
	s.filtered(demo.OtherWorker(), "/tenant-users", map[string][]uuid.UUID{"": {}, "email=bob@demo.example": {}})
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
	for sort, want := range map[string][]uuid.UUID{
		"":                                      {changed, rest[0], rest[1]},
		"sort=createdAt,desc":                   {rest[0], rest[1], changed},
		"sort=lastModifiedAt":                   {rest[0], rest[1], changed},
		"sort=lastModifiedAt,desc":              {changed, rest[0], rest[1]},
		"sort=id,desc":                          descending,
		"sort=lastModifiedAt,desc&sort=id,desc": {changed, rest[1], rest[0]},
	} {
		require.Equal(t, want, s.list(demo.Bob(), "/tenant-users?"+sort).ids(), sort)
	}
	for path, names := range map[string][]string{
		"/principals?sort=name,desc&type=USER": {"Carol", "Bob", "Alice"},
		"/principals?type=USER":                {"Alice", "Bob", "Carol"},
		"/principals?sort=id,desc&type=USER":   {"Carol", "Bob", "Alice"},
		"/tenants?sort=name":                   {"Demo"},
	} {
		var got []string
		for _, element := range s.list(demo.Bob(), path).Content {
			got = append(got, element.Name)
		}
		require.Equal(t, names, got, path)
	}
	page := s.list(demo.Bob(), "/principals?size=4&page=1")
	require.Len(t, page.Content, 2)
	require.Equal(t, oasb.PageMetadata{Size: 4, Page: 1, TotalElements: 6, TotalPages: 2}, page.Metadata)
	for _, path := range []string{"/principals?sort=createdAt", "/tenants?sort=plan", "/tenant-users?sort=name", "/groups?sort=code"} {
		got := s.send(apitest.Invalid(request(t, demo.Bob(), "GET", path, "")))
		require.Equal(t, 400, got.status, path)
	}
}

// A user of two tenants is one principal and two tenant users, of which each
// tenant sees its own.
func TestUserOfTwoTenants(t *testing.T) {
	t.Parallel()
	s := newService(t)
	carol, here, there := demo.Carol(), s.membership(demo.Carol()), uuid.New()
	require.NoError(t, s.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.InsertTenantUser(domain.TenantUser{
			ID: there, TenantID: demo.TenantOther(), Role: domain.RoleMember,
			Audit:     domain.NewAudit(domain.SystemPrincipalID(), s.now()),
			Principal: domain.Principal{ID: carol.ID, Name: carol.Name, Email: carol.Email},
		})
		return nil
	}))
	s.filtered(carol, "/tenant-users", map[string][]uuid.UUID{
		"email=carol@demo.example": {here, there},
		"email=carol@demo.example&tenantId=" + demo.TenantOther().String():    {there},
		"email=carol@demo.example&tenantId=" + demo.TenantDemo().String():     {here},
		"tenantId=" + demo.TenantOther().String() + "&email=bob@demo.example": nil,
	})
	s.filtered(carol, "/principals", map[string][]uuid.UUID{
		"tenantId=" + demo.TenantOther().String(): {carol.ID, demo.OtherWorker().ID},
	})
	require.Equal(t, 7, s.total(carol, "/principals"), "she is there once")
	s.filtered(demo.Bob(), "/tenant-users", map[string][]uuid.UUID{"email=carol@demo.example": {here}})
	s.filtered(demo.OtherWorker(), "/tenant-users", map[string][]uuid.UUID{"": {there}})
	s.get(404, demo.Bob(), "/tenant-users/"+there.String())
	s.get(404, demo.OtherWorker(), "/tenant-users/"+here.String())
	s.get(200, demo.OtherWorker(), "/principals/"+carol.ID.String())
}

// Old processes name who was disabled since, so that stays readable.
func TestDisabledPrincipalsStayReadable(t *testing.T) {
	t.Parallel()
	s := newService(t)
	bob, membership := demo.Bob(), s.membership(demo.Bob())
	paths := []string{
		"/principals", "/principals/" + bob.ID.String(), "/tenant-users", "/tenant-users/" + membership.String(),
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
