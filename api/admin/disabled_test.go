package admin_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// callerTTL is longer than callers are cached.
const callerTTL = 11 * time.Second

// disabledUser returns the document of a member of a tenant; more are members of its
// spec.
func disabledUser(tenant string, a demo.Account, more string) string {
	return apitest.Identified(tenant, "User", a.Name, a.ID, `{"name":"`+a.Name+`","email":"`+a.Email+`",`+more+
		`"accessTokens":[`+apitest.Declared("first", a.Secret+"-in-"+tenant)+`]}`)
}

// inTenant returns the account with the token that the tenant declares.
func inTenant(a demo.Account, tenant string) demo.Account {
	a.Secret += "-in-" + tenant
	return a
}

func TestDisabledUserIsKeptOutOfTheTenantOnly(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	both := demo.Account{Name: "both", ID: uuid.New(), Email: "both@example.com", Secret: "both-token"}
	s.Apply(s.Operator, disabledUser("north", both, ""), disabledUser("south", both, ""))
	north, south := inTenant(both, "north"), inTenant(both, "south")
	s.Get(200, north, "/tenants")
	s.Get(200, south, "/tenants")

	done := s.Apply(s.As("administrator"), disabledUser("north", both, `"disabled":true,`))
	require.Equal(t, "CONFIGURED", string(done[0].Action))
	s.Advance(callerTTL)
	s.Get(401, north, "/tenants")
	s.Get(200, south, "/tenants")
	require.True(t, specMember[bool](t, s.Resource(s.As("owner"), "north", "User", "both"), "disabled"))

	s.Apply(s.As("administrator"), disabledUser("north", both, ""))
	s.Advance(callerTTL)
	s.Get(200, north, "/tenants")
}

func TestDisableUserEndsEngineAccessAndTasks(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	candidate, owner := s.As("candidate"), s.As("owner")
	conn := s.Connect()
	_, err := conn.Exec(t.Context(), `
INSERT INTO engine_grants (id, tenant_id, principal_id, kind, identifier, issued_at, expires_at)
SELECT gen_random_uuid(), t.id, $1, 'ENGINE_TOKEN', 'of the candidate in ' || t.code, $2, $2::timestamptz + interval '1 hour'
  FROM tenants t WHERE t.code IN ('north', 'south')`, candidate.ID, s.Now())
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	process := s.Process(s.As("initiator"), s.Definition("north"))
	task := apitest.Decode[oasb.ProcessItem](t, s.Post(201, s.As("worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"`+apitest.OwnedBy(candidate)+`}`))

	s.ApplyWith(owner, `"handOver":"keep",`, apitest.Identified("north", "User", "candidate", candidate.ID,
		`{"name":"candidate","email":"`+candidate.Email+`","disabled":true}`))
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM engine_grants WHERE principal_id = $1 AND revoked_at IS NOT NULL
		AND revoked_by = $2 AND identifier = 'of the candidate in north'`, candidate.ID, owner.ID))
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM engine_grants WHERE principal_id = $1 AND revoked_at IS NULL`, candidate.ID))
	require.Equal(t, 1, s.Count(`SELECT count(*) FROM events WHERE type = 'AUTHENTICATION.REVOKED' AND actor_id = $1`, owner.ID))

	stays := apitest.Decode[oasb.ProcessItem](t, s.Get(200, s.As("manager"), apitest.ItemPath(task.ID, "")))
	require.Equal(t, candidate.ID, *stays.OwnerID, "tasks stay where they are")
	other := apitest.Decode[oasb.ProcessItem](t, s.Post(201, s.As("worker"), "/process-items",
		`{"type":"TASK","processId":"`+process.ID.String()+`","processItemDefinitionCode":"APPROVE"}`))
	s.Refused(400, "VALIDATION", s.As("manager"), http.MethodPost, apitest.ItemPath(other.ID, "/task/~actions/assign"),
		`{"ownerId":"`+candidate.ID.String()+`"}`)
}

func TestOwnersStayAble(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	owner := s.As("owner")
	document := apitest.Identified("north", "User", "owner", owner.ID,
		`{"name":"owner","email":"`+owner.Email+`","role":"OWNER","disabled":true}`)
	s.RefusedApply(403, "ACCESS_DENIED", s.As("administrator"), document)
	s.RefusedApply(409, "CONFLICT", owner, document)
}
