package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// lists sets the task queues in the manifest of an application, which is
// created if absent.
func (s *service) lists(application uuid.UUID, queues ...string) {
	s.t.Helper()
	require.Equal(s.t, 1, s.count(`
		WITH done AS (
			INSERT INTO resources AS r (tenant_id, kind, code, id, labels, spec, created_by, created_at, last_modified_by, last_modified_at)
			SELECT p.tenant_id, 'Application', 'app-' || p.id, p.id, '{}',
			       json_build_object('name', p.name, 'engine', json_build_object('taskQueues', $2::text[])), p.id, now(), p.id, now()
			  FROM principals p
			 WHERE p.id = $1 AND p.type = 'APPLICATION'
			ON CONFLICT (tenant_id, kind, id) DO UPDATE
			   SET spec = (r.spec::jsonb || jsonb_build_object('engine', excluded.spec -> 'engine'))::json
			RETURNING 1)
		SELECT count(*) FROM done`, application, queues))
}

// register registers the worker of a tenant for a task queue.
func (s *administered) register(tenant, queue, workflowType string) {
	s.t.Helper()
	s.registerAs(s.of(tenant, "worker"), tenant, queue, `"`+workflowType+`"`)
}

func (s *administered) registerAs(as demo.Account, identity, queue, workflowTypes string) {
	s.t.Helper()
	r := request(s.t, as, http.MethodPost, "/workers", `{"identity":"`+identity+`","taskQueue":"`+queue+
		`","hostname":"h","ip":"127.0.0.1","workflowTypes":[`+workflowTypes+`],"robotIds":["01980000-0000-7000-8000-0000000000b0"]}`)
	got := s.send(r)
	require.Contains(s.t, []int{200, 201}, got.status, got.body)
	require.Equal(s.t, "300", got.header.Get("X-KF-DELAY-WINDOW"))
}

func (s *administered) workers(as demo.Account, query string) []oasadmin.Worker {
	s.t.Helper()
	page := decode[oasadmin.WorkerPage](s.t, s.get(200, as, adminAPI+"/workers?"+query))
	require.Equal(s.t, int64(len(page.Content)), page.Metadata.TotalElements)
	return page.Content
}

func (s *administered) taskQueues(as demo.Account, query string) []oasadmin.TaskQueue {
	s.t.Helper()
	page := decode[oasadmin.TaskQueuePage](s.t, s.get(200, as, adminAPI+"/task-queues?"+query))
	require.Equal(s.t, int64(len(page.Content)), page.Metadata.TotalElements)
	return page.Content
}

func TestWorkersAreListedWithTheirQueues(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	s.lists(s.as("worker").ID, "REPORTS")
	s.registerAs(s.as("worker"), "1@host", "LOANS", `"LoanWorkflow","Other"`)
	s.registerAs(s.as("worker"), "1@host", "REPORTS", ``)
	s.register("south", "LOANS", "LoanWorkflow")

	found := s.workers(s.as("administrator"), "")
	require.Len(t, found, 1)
	w := found[0]
	require.Equal(t, "1@host", w.Identity)
	require.Equal(t, "north", w.Tenant)
	require.Equal(t, s.as("worker").ID, w.PrincipalID)
	require.Equal(t, oasadmin.WorkerStateONLINE, w.State)
	require.Len(t, w.RobotIds, 1)
	require.Len(t, w.TaskQueues, 2)
	require.Equal(t, "LOANS", w.TaskQueues[0].TaskQueue)
	require.Equal(t, []string{"LoanWorkflow", "Other"}, w.TaskQueues[0].WorkflowTypes)
	require.Equal(t, oasadmin.WorkerStateONLINE, w.TaskQueues[0].State)
	require.Nil(t, w.TaskQueues[0].PolledAt)
	require.Empty(t, w.TaskQueues[1].WorkflowTypes)

	require.Len(t, s.workers(s.operator, "sort=identity"), 2)
	require.Len(t, s.workers(s.operator, "tenant=south"), 1)
	require.Len(t, s.workers(s.operator, "taskQueue=REPORTS&taskQueue=X"), 1)
	require.Empty(t, s.workers(s.operator, "state=OFFLINE"))
	require.Empty(t, s.workers(s.as("owner"), "tenant=south"))
	require.Empty(t, s.workers(s.as("worker"), ""), "a worker is no administrator")

	// Another application takes the identity over once it is offline, and none of its queues.
	s.lists(s.as("stranger").ID, "STRANGE")
	taking := `{"identity":"1@host","taskQueue":"STRANGE","hostname":"h","ip":"127.0.0.1"}`
	s.refused(409, "CONFLICT", s.as("stranger"), http.MethodPost, "/workers", taking)
	s.count(`WITH done AS (UPDATE workers SET last_seen_at = last_seen_at - interval '1 hour' RETURNING 1) SELECT count(*) FROM done`)
	s.registerAs(s.as("stranger"), "1@host", "STRANGE", `"Odd"`)
	taken := s.workers(s.as("owner"), "")
	require.Len(t, taken, 1)
	require.Equal(t, w.ID, taken[0].ID)
	require.Equal(t, s.as("stranger").ID, taken[0].PrincipalID)
	require.Len(t, taken[0].TaskQueues, 1)
	require.Equal(t, "STRANGE", taken[0].TaskQueues[0].TaskQueue)
}

func TestTaskQueuesTellWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	queues := s.taskQueues(s.as("owner"), "")
	require.Len(t, queues, 1)
	q := queues[0]
	require.Equal(t, "LOANS", q.Name)
	require.Equal(t, []oasadmin.TaskQueueNeed{{
		Kind: oasadmin.TaskQueueNeedKindPROCESS, Definition: "LOAN", WorkflowType: "LoanWorkflow", Published: true, Versions: []int{},
	}}, q.Needs)
	require.Equal(t, []string{"definition LOAN needs workflow LoanWorkflow on task queue LOANS: no live worker"}, q.Problems)
	require.Nil(t, q.Observation)

	s.registerAs(s.as("worker"), "w", "LOANS", `"Other"`)
	require.Equal(t, []string{"definition LOAN needs workflow LoanWorkflow on task queue LOANS, which is registered by no live worker " +
		"(registered types: Other)"}, s.taskQueues(s.as("owner"), "")[0].Problems)

	s.registerAs(s.as("worker"), "w", "LOANS", `"Other","LoanWorkflow"`)
	due := domain.DueTaskQueue{TenantID: q.TenantID, TaskQueue: "LOANS"}
	claimed, err := s.db.ClaimTaskQueues(t.Context(), s.now(), s.now().Add(time.Hour), 10)
	require.NoError(t, err)
	require.NotEmpty(t, claimed)
	require.NoError(t, s.db.PutObservations(t.Context(), []domain.SeenTaskQueue{{DueTaskQueue: due, Observation: domain.TaskQueueObservation{
		ObservedAt: s.now(), Pollers: []domain.Poller{{Identity: "w", Kind: domain.TaskKindWorkflow, LastAccessAt: s.now()}},
		Backlogs: []domain.TaskBacklog{{Kind: domain.TaskKindWorkflow, Count: 2, Age: 1500 * time.Millisecond}},
	}}}))
	healthy := s.taskQueues(s.as("owner"), "")[0]
	require.Empty(t, healthy.Problems)
	require.Equal(t, oasadmin.WorkerStateONLINE, healthy.Workers[0].State)
	require.Equal(t, "w", healthy.Observation.Pollers[0].Identity)
	require.Equal(t, oasadmin.TaskQueueBacklog{Kind: oasadmin.TaskKindWORKFLOW, Count: 2, AgeSeconds: 1}, healthy.Observation.Backlogs[0])
	require.NotNil(t, s.workers(s.as("owner"), "")[0].TaskQueues[0].PolledAt)

	require.Len(t, s.taskQueues(s.operator, "tenant=south&tenant=north"), 2)
	require.Greater(t, len(s.taskQueues(s.operator, "")), 2, "operators see those of all tenants")
	require.Len(t, s.taskQueues(s.operator, "tenant=south&taskQueue=LOANS"), 1)
	require.Empty(t, s.taskQueues(s.operator, "taskQueue=X"))
	require.Empty(t, s.taskQueues(s.as("definer"), ""))
	second := decode[oasadmin.TaskQueuePage](t, s.get(200, s.operator, adminAPI+"/task-queues?size=1&page=1&tenant=south&tenant=north"))
	require.Equal(t, "south", second.Content[0].Tenant)
	require.Equal(t, oasadmin.PageMetadata{Size: 1, Page: 1, TotalElements: 2, TotalPages: 2}, second.Metadata)
}

func TestQueuesOfTemporalsOwnAreNotRegistered(t *testing.T) {
	t.Parallel()
	s := newAdministered(t)
	for _, queue := range []string{"/_sys/LOANS/1", "temporal-sys-per-ns-tq"} {
		r := request(t, s.as("worker"), http.MethodPost, "/workers",
			`{"identity":"w","taskQueue":"`+queue+`","hostname":"h","ip":"127.0.0.1"}`)
		refused := s.send(r)
		require.Equal(t, http.StatusBadRequest, refused.status, refused.body)
		require.Contains(t, refused.body, `"/taskQueue"`)
	}
	require.Empty(t, s.workers(s.operator, ""))
}
