package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

// The other tenant gets the same answer for resources of this tenant as for ids
// that do not exist.
func TestForeignIsAbsent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	before := s.snapshot()
	tested := 0
	for name, op := range f.operations() {
		if !op.byID && name != "B.createProcessItem" && name != "A.createTask" && name != "B.createBusinessArtifact" {
			continue
		}
		tested++
		got := map[string]answer{}
		absent := strings.NewReplacer(f.process.String(), uuid.NewString(), f.finished.String(), uuid.NewString(), f.task.String(), uuid.NewString(),
			f.tenant.String(), uuid.NewString(), f.user.String(), uuid.NewString(), f.principal.String(), uuid.NewString(),
			f.artifact.String(), uuid.NewString(), f.action.String(), uuid.NewString(), "demo-key", "absent-key",
			f.robot.String(), uuid.NewString(), f.query.String(), uuid.NewString(), demo.Loan().String(), uuid.NewString(), customers().String(), uuid.NewString())
		for kind, replace := range map[string]func(string) string{
			"foreign": func(text string) string { return text }, "absent": absent.Replace,
		} {
			got[kind] = s.send(request(t, demo.OtherWorker(), op.method, replace(op.path), replace(op.body)))
			require.Equal(t, 404, got[kind].status, name)
		}
		require.NotEqual(t, op.path+op.body, absent.Replace(op.path+op.body), name)
		require.Equal(t, got["absent"].timeless(), got["foreign"].timeless(), name)
	}
	require.Greater(t, tested, 22)
	require.Equal(t, before, s.snapshot())
}

// The same holds for ids in bodies and queries.
func TestForeignReferencesAreAbsent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	f := newFixture(s)
	mine := s.process(demo.OtherWorker(), demo.OtherLoan()).ID.String()
	definition := `{"processDefinitionId":"` + demo.OtherLoan().String() + `"`
	for name, c := range map[string]struct {
		method, path, body string // {} stands for the id
		foreign            uuid.UUID
		status             int
	}{
		"definition": {"POST", "/processes", `{"processDefinitionId":"{}"}`, demo.Loan(), 404},
		"tenant of definition": {
			"POST", "/processes", `{"tenantId":"{}","processDefinitionCode":"LOAN"}`, f.tenant, 404,
		},
		"initiator":         {"POST", "/processes", definition + `,"initiatorId":"{}"}`, f.principal, 400},
		"related process":   {"POST", "/processes", definition + `,"relatedProcessId":"{}"}`, f.process, 400},
		"new initiator":     {"POST", "/processes/" + mine + changeInitiator, `{"initiatorId":"{}"}`, f.principal, 400},
		"worker's tenant":   {"POST", "/workers", `{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1","tenantId":"{}"}`, f.tenant, 400},
		"engine access":     {"POST", "/authentications", `{"type":"ENGINE_TOKEN","tenantId":"{}"}`, f.tenant, 400},
		"processes":         {"GET", "/processes?initiatorId={}", "", demo.Carol().ID, 200},
		"items":             {"GET", "/process-items?processId={}", "", f.process, 200},
		"principals":        {"GET", "/principals?groupId={}", "", demo.Reviewers(), 200},
		"tenants":           {"GET", "/tenants?tenantId={}", "", f.tenant, 200},
		"tenant users":      {"GET", "/tenant-users?tenantId={}", "", f.tenant, 200},
		"tenant processes":  {"GET", "/processes?tenantId={}", "", f.tenant, 200},
		"definition filter": {"GET", "/process-items?processDefinitionId={}", "", demo.Loan(), 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := s.in(t)
			fill := func(text string, id uuid.UUID) string { return strings.ReplaceAll(text, "{}", id.String()) }
			absent := uuid.New()
			foreign := s.call(c.status, demo.OtherWorker(), c.method, fill(c.path, c.foreign), fill(c.body, c.foreign))
			unknown := s.call(c.status, demo.OtherWorker(), c.method, fill(c.path, absent), fill(c.body, absent))
			require.Equal(t, unknown.timeless(), foreign.timeless())
		})
	}
	t.Run("item of another tenant's process", func(t *testing.T) {
		t.Parallel()
		s := s.in(t)
		path := "/processes/" + mine + "/~actions/cancel-process-items?processItemId="
		require.Equal(t,
			s.post(404, demo.OtherWorker(), path+uuid.NewString(), "").timeless(),
			s.post(404, demo.OtherWorker(), path+f.task.String(), "").timeless())
	})
}

func TestInvokeWithAnIDThatIsTaken(t *testing.T) {
	t.Parallel()
	s := newService(t)
	c := newCast(s)
	own, other := c.things(s, "demo", false), c.things(s, "other", false)
	before := s.snapshot()
	for name, refused := range map[string]struct {
		as       demo.Account
		artifact uuid.UUID
		body     string
	}{
		"another action of the artifact": {demo.LoanWorker(), own.artifact, invokeAction("RECALCULATE", withID(own.artifactAction))},
		"another artifact of the tenant": {demo.LoanWorker(), s.customer(`{"name":"B"}`).ID, invokeAction("STATEMENT", withID(own.artifactAction))},
		"another tenant":                 {demo.OtherWorker(), other.artifact, invokeAction("STATEMENT", withID(own.artifactAction))},
	} {
		failure := s.refused(409, "CONFLICT", refused.as, "POST", artifactPath(refused.artifact, "/actions"), refused.body)
		require.NotContains(t, failure.Message, own.artifactAction.String(), name)
	}
	after := s.snapshot()
	for _, table := range []string{"business_artifact_actions", "engine_runs", "engine_commands"} {
		require.Equal(t, before[table], after[table])
	}
	s.get(404, demo.LoanWorker(), actionPath(other.artifact, other.artifactAction, ""))
	s.get(404, demo.OtherWorker(), actionPath(other.artifact, own.artifactAction, ""))
	s.post(404, demo.OtherWorker(), actionPath(other.artifact, own.artifactAction, "/~actions/cancel"), "")
}
