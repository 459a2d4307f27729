package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// believed is longer than a caller is remembered.
const believed = 11 * time.Second

// advance moves the clock of the service.
func (s *service) advance(by time.Duration) { s.ticks.Add(by.Milliseconds()) }

// disabling is the document of a member of a tenant; more are members of its
// spec.
func (s *administered) disabling(tenant string, a demo.Account, more string) string {
	return identified(tenant, "User", a.Name, a.ID, `{"name":"`+a.Name+`","email":"`+a.Email+`",`+more+
		`"accessTokens":[`+declared("first", a.Secret+"-in-"+tenant)+`]}`)
}

// inTenant is the account with the token that the tenant declares.
func inTenant(a demo.Account, tenant string) demo.Account {
	a.Secret += "-in-" + tenant
	return a
}

func TestDisabledUserIsKeptOutOfTheTenantOnly(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	both := demo.Account{Name: "both", ID: uuid.New(), Email: "both@example.com", Secret: "both-token"}
	s.apply(s.operator, s.disabling("north", both, ""), s.disabling("south", both, ""))
	north, south := inTenant(both, "north"), inTenant(both, "south")
	s.get(200, north, "/tenants")
	s.get(200, south, "/tenants")

	done := s.apply(s.as("administrator"), s.disabling("north", both, `"disabled":true,`))
	require.Equal(t, "CONFIGURED", string(done[0].Action))
	s.advance(believed)
	s.get(401, north, "/tenants")
	s.get(200, south, "/tenants")
	require.True(t, specMember[bool](t, s.resource(s.as("owner"), "north", "User", "both"), "disabled"))

	s.apply(s.as("administrator"), s.disabling("north", both, ""))
	s.advance(believed)
	s.get(200, north, "/tenants")
}

func TestDisableUserEndsEngineAccessAndTasks(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	candidate, owner := s.as("candidate"), s.as("owner")
	conn := s.connect()
	_, err := conn.Exec(t.Context(), `
INSERT INTO engine_grants (id, tenant_id, principal_id, kind, identifier, issued_at, expires_at)
SELECT gen_random_uuid(), t.id, $1, 'ENGINE_TOKEN', 'of the candidate in ' || t.code, $2, $2::timestamptz + interval '1 hour'
  FROM tenants t WHERE t.code IN ('north', 'south')`, candidate.ID, s.now())
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	process := s.process(s.as("initiator"), s.definition("north"))
	task := decode[oasb.ProcessItem](t, s.post(201, s.as("worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"`+ownedBy(candidate)+`}`))

	s.apply(owner, identified("north", "User", "candidate", candidate.ID,
		`{"name":"candidate","email":"`+candidate.Email+`","disabled":true}`))
	require.Equal(t, 1, s.count(`SELECT count(*) FROM engine_grants WHERE principal_id = $1 AND revoked_at IS NOT NULL
		AND revoked_by = $2 AND identifier = 'of the candidate in north'`, candidate.ID, owner.ID))
	require.Equal(t, 1, s.count(`SELECT count(*) FROM engine_grants WHERE principal_id = $1 AND revoked_at IS NULL`, candidate.ID))
	require.Equal(t, 1, s.count(`SELECT count(*) FROM events WHERE type = 'AUTHENTICATION.REVOKED' AND actor_id = $1`, owner.ID))

	stays := decode[oasb.ProcessItem](t, s.get(200, s.as("manager"), itemPath(task.ID, "")))
	require.Equal(t, candidate.ID, *stays.OwnerID, "tasks stay where they are")
	other := decode[oasb.ProcessItem](t, s.post(201, s.as("worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"}`))
	s.refused(400, "VALIDATION", s.as("manager"), http.MethodPost, itemPath(other.ID, "/task/~actions/assign"),
		`{"ownerId":"`+candidate.ID.String()+`"}`)
}

func TestOwnersStayAble(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	owner := s.as("owner")
	document := identified("north", "User", "owner", owner.ID,
		`{"name":"owner","email":"`+owner.Email+`","role":"OWNER","disabled":true}`)
	s.refusedApply(403, "ACCESS_DENIED", s.as("administrator"), document)
	s.refusedApply(409, "CONFLICT", owner, document)
}
