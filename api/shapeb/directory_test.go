package shapeb_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// staffOnly restricts the directory of north to its staff.
func staffOnly(s *apitest.Administered) {
	s.T.Helper()
	tenant := s.Folder("north")[0]
	s.Apply(s.As("owner"), strings.Replace(tenant, `"plan"`, `"directory":"STAFF","plan"`, 1))
}

// userOf returns the tenant user of an account.
func userOf(s *apitest.Administered, as demo.Account) uuid.UUID {
	s.T.Helper()
	found := s.List(s.As("owner"), "/tenant-users?email="+as.Email).IDs()
	require.Len(s.T, found, 1)
	return found[0]
}

// Where the directory is for the staff, others find themselves in lists, in both
// shapes, whatever the filters.
func TestADirectoryForTheStaff(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	viewer, stranger, candidate := s.As("viewer"), s.As("stranger"), s.As("candidate")
	north := s.List(s.As("owner"), "/tenants").IDs()[0].String()
	group := s.List(s.As("owner"), "/groups").IDs()[0]
	for _, as := range []demo.Account{viewer, stranger, s.As("initiator")} {
		require.Len(t, s.List(as, "/principals?type=USER").IDs(), len(apitest.People()), "all members list all by default")
		s.Get(200, as, "/principals/"+s.As("owner").ID.String())
	}
	staffOnly(s)

	for _, name := range []string{"owner", "administrator", "manager", "worker"} {
		for _, shape := range []string{apitest.ShapeA, apitest.ShapeB} {
			require.Len(t, s.List(s.As(name), shape+"/principals?type=USER").IDs(), len(apitest.People()), name)
			require.Len(t, s.List(s.As(name), shape+"/tenant-users").IDs(), len(apitest.People()), name)
			s.Get(200, s.As(name), shape+"/principals/"+viewer.ID.String())
		}
		require.Equal(t, []uuid.UUID{group}, s.List(s.As(name), "/groups").IDs(), name)
	}
	for _, shape := range []string{apitest.ShapeA, apitest.ShapeB} {
		for filters, found := range map[string][]uuid.UUID{
			"type=USER": {viewer.ID}, "type=APPLICATION": {}, "type=USER&tenantId=" + north: {viewer.ID},
			"type=USER&groupId=" + group.String(): {},
		} {
			require.Equal(t, found, s.List(viewer, shape+"/principals?"+filters).IDs(), filters)
		}
		require.Equal(t, []uuid.UUID{userOf(s, viewer)}, s.List(viewer, shape+"/tenant-users").IDs())
		require.Empty(t, s.List(viewer, shape+"/tenant-users?email="+s.As("owner").Email).IDs())
		require.Empty(t, s.List(stranger, shape+"/tenant-users").IDs())
		require.Equal(t, []uuid.UUID{stranger.ID}, s.List(stranger, shape+"/principals?type=APPLICATION").IDs())
		for _, other := range []string{"owner", "initiator", "worker"} {
			s.Refused(404, "NOT_FOUND", viewer, http.MethodGet, shape+"/principals/"+s.As(other).ID.String(), "")
		}
		s.Get(200, viewer, shape+"/principals/"+viewer.ID.String())
		s.Get(200, viewer, shape+"/tenant-users/"+userOf(s, viewer).String())
		s.Refused(404, "NOT_FOUND", viewer, http.MethodGet, shape+"/tenant-users/"+userOf(s, s.As("owner")).String(), "")
	}
	require.Empty(t, s.List(viewer, "/groups").IDs())
	require.Empty(t, s.List(viewer, "/groups?principalId="+candidate.ID.String()).IDs())
	require.Equal(t, []uuid.UUID{group}, s.List(candidate, "/groups").IDs())
	require.Equal(t, []uuid.UUID{group}, s.List(candidate, "/groups?principalId="+candidate.ID.String()).IDs())
	require.Equal(t, []uuid.UUID{candidate.ID}, s.List(candidate, "/principals?groupId="+group.String()).IDs())

	// The directory of another tenant is its own.
	require.Len(t, s.List(s.Of("south", "viewer"), "/principals?type=USER").IDs(), len(apitest.People()))
}

// The principals that a process names are visible to the callers of that
// process.
func TestPeopleOfVisibleProcessesAreResolved(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	staffOnly(s)
	viewer, candidate, initiator := s.As("viewer"), s.As("candidate"), s.As("initiator")
	resolve := func(status int, as, who demo.Account) {
		t.Helper()
		for _, shape := range []string{apitest.ShapeA, apitest.ShapeB} {
			s.Get(status, as, shape+"/principals/"+who.ID.String())
		}
	}
	resolve(404, viewer, initiator)
	process := s.Process(initiator, s.Definition("north")).ID
	resolve(200, viewer, initiator)
	resolve(404, candidate, initiator)
	resolve(404, s.As("stranger"), initiator)
	task := apitest.Decode[oasb.ProcessItem](t, s.Post(201, s.As("worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"APPROVE"}`)).ID
	resolve(200, candidate, initiator)
	resolve(200, candidate, s.As("worker"))
	resolve(404, viewer, candidate)
	s.Post(200, candidate, apitest.ItemPath(task, "/task/~actions/claim"), "")
	resolve(200, viewer, candidate)
	resolve(404, initiator, candidate)
	resolve(404, viewer, s.As("administrator"))
}

// A principal that a visible resource names can be retrieved by id even after
// it has left the tenant, without the profiles of its other tenants.
func TestFormerUserVisibleWhereNamed(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	owner := s.As("owner")
	guest := demo.Account{Name: "guest", ID: uuid.New(), Email: "guest@elsewhere.example"}
	named := `{"name":"Guest","email":"` + guest.Email + `"}`
	s.Apply(owner, apitest.Identified("north", "User", "guest", guest.ID, named))
	s.Apply(s.Of("south", "owner"), apitest.Document("south", "User", "guest", named))
	path := "/principals/" + guest.ID.String()
	require.Equal(t, guest.Email, *apitest.Decode[oasb.Principal](t, s.Get(200, s.As("viewer"), path)).User.Email)
	process := apitest.Decode[oasb.Process](t, s.Post(201, s.As("initiator"), "/processes",
		`{"processDefinitionId":"`+s.Definition("north").String()+`","initiatorId":"`+guest.ID.String()+`"}`))
	require.Equal(t, guest.ID, *process.InitiatorID)
	s.Call(204, owner, http.MethodDelete, apitest.ResourcePath("north", "User", "guest", "")+"&handOver=keep", "")

	for _, shape := range []string{apitest.ShapeA, apitest.ShapeB} {
		got := apitest.Decode[oasb.Principal](t, s.Get(200, s.As("viewer"), shape+path))
		require.Equal(t, oasb.Principal{
			ID: &guest.ID, Type: new(oasb.PrincipalTypeUSER), Name: new("Guest"), User: &oasb.PrincipalUser{ID: &guest.ID},
		}, got)
		require.NotContains(t, s.List(s.As("viewer"), shape+"/principals?size=1000").IDs(), guest.ID)
		s.Refused(404, "NOT_FOUND", s.As("stranger"), http.MethodGet, shape+path, "")
		s.Refused(404, "NOT_FOUND", s.As("viewer"), http.MethodGet, shape+"/principals/"+s.Of("south", "owner").ID.String(), "")
	}
}

// staffMatrix holds the answers of operations on people where the directory is
// restricted to the staff: the number of elements that a list returns, of seven
// users and one group, or a status.
const staffMatrix = `
operation          owner administrator manager worker definer viewer candidate initiator stranger
findPrincipals     7     7             7       7      1       1      1         1         0
findTenantUsers    7     7             7       7      1       1      1         1         0
findGroups         1     1             1       1      0       0      1         0         0
retrievePrincipal  200   200           200     200    404     404    404       404       404
retrieveTenantUser 200   200           200     200    404     404    404       404       404
`

func TestStaffMatrix(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	staffOnly(s)
	owner := s.As("owner")
	paths := map[string]string{
		"findPrincipals": "/principals?type=USER", "findTenantUsers": "/tenant-users", "findGroups": "/groups",
		"retrievePrincipal": "/principals/" + owner.ID.String(), "retrieveTenantUser": "/tenant-users/" + userOf(s, owner).String(),
	}
	lines := strings.Split(strings.TrimSpace(staffMatrix), "\n")
	callers := strings.Fields(lines[0])[1:]
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		for i, caller := range callers {
			for _, shape := range []string{apitest.ShapeA, apitest.ShapeB} {
				if cells[0] == "findGroups" && shape == apitest.ShapeA {
					continue
				}
				number, err := strconv.Atoi(cells[1+i])
				require.NoError(t, err)
				if strings.HasPrefix(cells[0], "find") {
					require.Len(t, s.List(s.As(caller), shape+paths[cells[0]]).Content, number, "%s of %s", cells[0], caller)
					continue
				}
				s.Get(number, s.As(caller), shape+paths[cells[0]])
			}
		}
	}
}
