package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// The other tenant gets the same answer for resources of this tenant as for ids
// that do not exist.
func TestForeignIsAbsent(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	before := s.Snapshot()
	tested := 0
	for name, op := range f.operations() {
		if !op.byID && name != "B.createProcessItem" && name != "A.createTask" && name != "B.createBusinessArtifact" {
			continue
		}
		tested++
		got := map[string]apitest.Answer{}
		absent := strings.NewReplacer(f.process.String(), uuid.NewString(), f.finished.String(), uuid.NewString(), f.task.String(), uuid.NewString(),
			f.tenant.String(), uuid.NewString(), f.user.String(), uuid.NewString(), f.principal.String(), uuid.NewString(),
			f.artifact.String(), uuid.NewString(), f.action.String(), uuid.NewString(), "demo-key", "absent-key",
			f.robot.String(), uuid.NewString(), f.query.String(), uuid.NewString(), demo.Loan().String(), uuid.NewString(), apitest.Customers().String(), uuid.NewString())
		for kind, replace := range map[string]func(string) string{
			"foreign": func(text string) string { return text }, "absent": absent.Replace,
		} {
			got[kind] = s.Send(apitest.Request(t, demo.OtherWorker(), op.method, replace(op.path), replace(op.body)))
			require.Equal(t, 404, got[kind].Status, name)
		}
		require.NotEqual(t, op.path+op.body, absent.Replace(op.path+op.body), name)
		require.Equal(t, got["absent"].Timeless(), got["foreign"].Timeless(), name)
	}
	require.Greater(t, tested, 22)
	require.Equal(t, before, s.Snapshot())
}

// The same holds for ids in bodies and queries.
func TestForeignReferencesAreAbsent(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	mine := s.Process(demo.OtherWorker(), demo.OtherLoan()).ID.String()
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
		"new initiator":     {"POST", "/processes/" + mine + apitest.ChangeInitiator, `{"initiatorId":"{}"}`, f.principal, 400},
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
			s := s.In(t)
			fill := func(text string, id uuid.UUID) string { return strings.ReplaceAll(text, "{}", id.String()) }
			absent := uuid.New()
			foreign := s.Call(c.status, demo.OtherWorker(), c.method, fill(c.path, c.foreign), fill(c.body, c.foreign))
			unknown := s.Call(c.status, demo.OtherWorker(), c.method, fill(c.path, absent), fill(c.body, absent))
			require.Equal(t, unknown.Timeless(), foreign.Timeless())
		})
	}
	t.Run("item of another tenant's process", func(t *testing.T) {
		t.Parallel()
		s := s.In(t)
		path := "/processes/" + mine + "/~actions/cancel-process-items?processItemId="
		require.Equal(t,
			s.Post(404, demo.OtherWorker(), path+uuid.NewString(), "").Timeless(),
			s.Post(404, demo.OtherWorker(), path+f.task.String(), "").Timeless())
	})
}

func TestInvokeWithAnIDThatIsTaken(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	c := newCast(s)
	own, other := c.things(s, "demo", false), c.things(s, "other", false)
	before := s.Snapshot()
	for name, test := range map[string]struct {
		as       demo.Account
		artifact uuid.UUID
		body     string
	}{
		"another action of the artifact": {demo.LoanWorker(), own.artifact, apitest.InvokeAction("RECALCULATE", apitest.WithID(own.artifactAction))},
		"another artifact of the tenant": {demo.LoanWorker(), s.Customer(`{"name":"B"}`).ID, apitest.InvokeAction("STATEMENT", apitest.WithID(own.artifactAction))},
		"another tenant":                 {demo.OtherWorker(), other.artifact, apitest.InvokeAction("STATEMENT", apitest.WithID(own.artifactAction))},
	} {
		failure := s.Refused(409, "CONFLICT", test.as, "POST", apitest.ArtifactPath(test.artifact, "/actions"), test.body)
		require.NotContains(t, failure.Message, own.artifactAction.String(), name)
	}
	after := s.Snapshot()
	for _, table := range []string{"business_artifact_actions", "engine_runs", "engine_commands"} {
		require.Equal(t, before[table], after[table])
	}
	s.Get(404, demo.LoanWorker(), apitest.ActionPath(other.artifact, other.artifactAction, ""))
	s.Get(404, demo.OtherWorker(), apitest.ActionPath(other.artifact, own.artifactAction, ""))
	s.Post(404, demo.OtherWorker(), apitest.ActionPath(other.artifact, own.artifactAction, "/~actions/cancel"), "")
}
