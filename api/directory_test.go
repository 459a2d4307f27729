package api_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// staffOnly restricts the directory of north to its staff.
func (s *administered) staffOnly() {
	s.t.Helper()
	tenant := s.folder("north")[0]
	s.apply(s.as("owner"), strings.Replace(tenant, `"plan"`, `"directory":"STAFF","plan"`, 1))
}

// userOf is the tenant user of an account.
func (s *administered) userOf(as demo.Account) uuid.UUID {
	s.t.Helper()
	found := s.list(s.as("owner"), "/tenant-users?email="+as.Email).ids()
	require.Len(s.t, found, 1)
	return found[0]
}

// Where the directory is for the staff, others find themselves in lists, in both
// shapes, whatever the filters.
func TestADirectoryForTheStaff(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	viewer, stranger, candidate := s.as("viewer"), s.as("stranger"), s.as("candidate")
	north := s.list(s.as("owner"), "/tenants").ids()[0].String()
	group := s.list(s.as("owner"), "/groups").ids()[0]
	for _, as := range []demo.Account{viewer, stranger, s.as("initiator")} {
		require.Len(t, s.list(as, "/principals?type=USER").ids(), len(people()), "all members list all by default")
		s.get(200, as, "/principals/"+s.as("owner").ID.String())
	}
	s.staffOnly()

	for _, name := range []string{"owner", "administrator", "manager", "worker"} {
		for _, shape := range []string{shapeA, shapeB} {
			require.Len(t, s.list(s.as(name), shape+"/principals?type=USER").ids(), len(people()), name)
			require.Len(t, s.list(s.as(name), shape+"/tenant-users").ids(), len(people()), name)
			s.get(200, s.as(name), shape+"/principals/"+viewer.ID.String())
		}
		require.Equal(t, []uuid.UUID{group}, s.list(s.as(name), "/groups").ids(), name)
	}
	for _, shape := range []string{shapeA, shapeB} {
		for filters, found := range map[string][]uuid.UUID{
			"type=USER": {viewer.ID}, "type=APPLICATION": {}, "type=USER&tenantId=" + north: {viewer.ID},
			"type=USER&groupId=" + group.String(): {},
		} {
			require.Equal(t, found, s.list(viewer, shape+"/principals?"+filters).ids(), filters)
		}
		require.Equal(t, []uuid.UUID{s.userOf(viewer)}, s.list(viewer, shape+"/tenant-users").ids())
		require.Empty(t, s.list(viewer, shape+"/tenant-users?email="+s.as("owner").Email).ids())
		require.Empty(t, s.list(stranger, shape+"/tenant-users").ids())
		require.Equal(t, []uuid.UUID{stranger.ID}, s.list(stranger, shape+"/principals?type=APPLICATION").ids())
		for _, other := range []string{"owner", "initiator", "worker"} {
			s.refused(404, "NOT_FOUND", viewer, http.MethodGet, shape+"/principals/"+s.as(other).ID.String(), "")
		}
		s.get(200, viewer, shape+"/principals/"+viewer.ID.String())
		s.get(200, viewer, shape+"/tenant-users/"+s.userOf(viewer).String())
		s.refused(404, "NOT_FOUND", viewer, http.MethodGet, shape+"/tenant-users/"+s.userOf(s.as("owner")).String(), "")
	}
	require.Empty(t, s.list(viewer, "/groups").ids())
	require.Empty(t, s.list(viewer, "/groups?principalId="+candidate.ID.String()).ids())
	require.Equal(t, []uuid.UUID{group}, s.list(candidate, "/groups").ids())
	require.Equal(t, []uuid.UUID{group}, s.list(candidate, "/groups?principalId="+candidate.ID.String()).ids())
	require.Equal(t, []uuid.UUID{candidate.ID}, s.list(candidate, "/principals?groupId="+group.String()).ids())

	// The directory of another tenant is its own.
	require.Len(t, s.list(s.of("south", "viewer"), "/principals?type=USER").ids(), len(people()))
}

// The principals that a process names are visible to the callers of that
// process.
func TestPeopleOfVisibleProcessesAreResolved(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	s.staffOnly()
	viewer, candidate, initiator := s.as("viewer"), s.as("candidate"), s.as("initiator")
	resolve := func(status int, as, who demo.Account) {
		t.Helper()
		for _, shape := range []string{shapeA, shapeB} {
			s.get(status, as, shape+"/principals/"+who.ID.String())
		}
	}
	resolve(404, viewer, initiator)
	process := s.process(initiator, s.definition("north")).ID
	resolve(200, viewer, initiator)
	resolve(404, candidate, initiator)
	resolve(404, s.as("stranger"), initiator)
	task := decode[oasb.ProcessItem](t, s.post(201, s.as("worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.String()+`","processItemDefinitionCode":"APPROVE"}`)).ID
	resolve(200, candidate, initiator)
	resolve(200, candidate, s.as("worker"))
	resolve(404, viewer, candidate)
	s.post(200, candidate, itemPath(task, "/task/~actions/claim"), "")
	resolve(200, viewer, candidate)
	resolve(404, initiator, candidate)
	resolve(404, viewer, s.as("administrator"))
}

// A principal that a visible resource names can be retrieved by id even after
// it has left the tenant, without the profiles of its other tenants.
func TestFormerUserVisibleWhereNamed(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	owner := s.as("owner")
	guest := demo.Account{Name: "guest", ID: uuid.New(), Email: "guest@elsewhere.example"}
	named := `{"name":"Guest","email":"` + guest.Email + `"}`
	s.apply(owner, identified("north", "User", "guest", guest.ID, named))
	s.apply(s.of("south", "owner"), document("south", "User", "guest", named))
	path := "/principals/" + guest.ID.String()
	require.Equal(t, guest.Email, *decode[oasb.Principal](t, s.get(200, s.as("viewer"), path)).User.Email)
	process := decode[oasb.Process](t, s.post(201, s.as("initiator"), "/processes",
		`{"processDefinitionId":"`+s.definition("north").String()+`","initiatorId":"`+guest.ID.String()+`"}`))
	require.Equal(t, guest.ID, *process.InitiatorID)
	s.call(204, owner, http.MethodDelete, resourcePath("north", "User", "guest", ""), "")

	for _, shape := range []string{shapeA, shapeB} {
		got := decode[oasb.Principal](t, s.get(200, s.as("viewer"), shape+path))
		require.Equal(t, oasb.Principal{
			ID: &guest.ID, Type: new(oasb.PrincipalTypeUSER), Name: new("Guest"), User: &oasb.PrincipalUser{ID: &guest.ID},
		}, got)
		require.NotContains(t, s.list(s.as("viewer"), shape+"/principals?size=1000").ids(), guest.ID)
		s.refused(404, "NOT_FOUND", s.as("stranger"), http.MethodGet, shape+path, "")
		s.refused(404, "NOT_FOUND", s.as("viewer"), http.MethodGet, shape+"/principals/"+s.of("south", "owner").ID.String(), "")
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
	s := newAdministered(t)
	s.staffOnly()
	owner := s.as("owner")
	paths := map[string]string{
		"findPrincipals": "/principals?type=USER", "findTenantUsers": "/tenant-users", "findGroups": "/groups",
		"retrievePrincipal": "/principals/" + owner.ID.String(), "retrieveTenantUser": "/tenant-users/" + s.userOf(owner).String(),
	}
	lines := strings.Split(strings.TrimSpace(staffMatrix), "\n")
	callers := strings.Fields(lines[0])[1:]
	for _, line := range lines[1:] {
		cells := strings.Fields(line)
		for i, caller := range callers {
			for _, shape := range []string{shapeA, shapeB} {
				if cells[0] == "findGroups" && shape == shapeA {
					continue
				}
				number, err := strconv.Atoi(cells[1+i])
				require.NoError(t, err)
				if strings.HasPrefix(cells[0], "find") {
					require.Len(t, s.list(s.as(caller), shape+paths[cells[0]]).Content, number, "%s of %s", cells[0], caller)
					continue
				}
				s.get(number, s.as(caller), shape+paths[cells[0]])
			}
		}
	}
}
