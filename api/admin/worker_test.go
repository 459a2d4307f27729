package admin_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func workers(s *apitest.Administered, as demo.Account, query string) []oasadmin.Worker {
	s.T.Helper()
	page := apitest.Decode[oasadmin.WorkerPage](s.T, s.Get(200, as, apitest.AdminAPI+"/workers?"+query))
	require.Equal(s.T, int64(len(page.Content)), page.Metadata.TotalElements)
	return page.Content
}

func taskQueues(s *apitest.Administered, as demo.Account, query string) []oasadmin.TaskQueue {
	s.T.Helper()
	page := apitest.Decode[oasadmin.TaskQueuePage](s.T, s.Get(200, as, apitest.AdminAPI+"/task-queues?"+query))
	require.Equal(s.T, int64(len(page.Content)), page.Metadata.TotalElements)
	return page.Content
}

func TestWorkersAreListedWithTheirQueues(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	s.Lists(s.As("worker").ID, "REPORTS")
	s.RegisterAs(s.As("worker"), "1@host", "LOANS", `"LoanWorkflow","Other"`)
	s.RegisterAs(s.As("worker"), "1@host", "REPORTS", ``)
	s.Register("south", "LOANS", "LoanWorkflow")

	found := workers(s, s.As("administrator"), "")
	require.Len(t, found, 1)
	w := found[0]
	require.Equal(t, "1@host", w.Identity)
	require.Equal(t, "north", w.Tenant)
	require.Equal(t, s.As("worker").ID, w.PrincipalID)
	require.Equal(t, oasadmin.WorkerStateONLINE, w.State)
	require.Len(t, w.RobotIds, 1)
	require.Len(t, w.TaskQueues, 2)
	require.Equal(t, "LOANS", w.TaskQueues[0].TaskQueue)
	require.Equal(t, []string{"LoanWorkflow", "Other"}, w.TaskQueues[0].WorkflowTypes)
	require.Equal(t, oasadmin.WorkerStateONLINE, w.TaskQueues[0].State)
	require.Nil(t, w.TaskQueues[0].PolledAt)
	require.Empty(t, w.TaskQueues[1].WorkflowTypes)

	require.Len(t, workers(s, s.Operator, "sort=identity"), 2)
	require.Len(t, workers(s, s.Operator, "tenant=south"), 1)
	require.Len(t, workers(s, s.Operator, "taskQueue=REPORTS&taskQueue=X"), 1)
	require.Empty(t, workers(s, s.Operator, "state=OFFLINE"))
	require.Empty(t, workers(s, s.As("owner"), "tenant=south"))
	require.Empty(t, workers(s, s.As("worker"), ""), "a worker is no administrator")

	// Another application takes the identity over once it is offline, and none of its queues.
	s.Lists(s.As("stranger").ID, "STRANGE")
	taking := `{"identity":"1@host","taskQueue":"STRANGE","hostname":"h","ip":"127.0.0.1"}`
	s.Refused(409, "CONFLICT", s.As("stranger"), http.MethodPost, "/workers", taking)
	s.Count(`WITH done AS (UPDATE workers SET last_seen_at = last_seen_at - interval '1 hour' RETURNING 1) SELECT count(*) FROM done`)
	s.RegisterAs(s.As("stranger"), "1@host", "STRANGE", `"Odd"`)
	taken := workers(s, s.As("owner"), "")
	require.Len(t, taken, 1)
	require.Equal(t, w.ID, taken[0].ID)
	require.Equal(t, s.As("stranger").ID, taken[0].PrincipalID)
	require.Len(t, taken[0].TaskQueues, 1)
	require.Equal(t, "STRANGE", taken[0].TaskQueues[0].TaskQueue)
}

func TestTaskQueuesReportMissingWorkers(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	queues := taskQueues(s, s.As("owner"), "")
	require.Len(t, queues, 1)
	q := queues[0]
	require.Equal(t, "LOANS", q.Name)
	require.Equal(t, []oasadmin.TaskQueueNeed{{
		Kind: oasadmin.TaskQueueNeedKindPROCESS, Definition: "LOAN", WorkflowType: "LoanWorkflow", Published: true, Versions: []int{},
	}}, q.Needs)
	require.Equal(t, []string{"definition LOAN needs workflow LoanWorkflow on task queue LOANS: no live worker"}, q.Problems)
	require.Nil(t, q.Observation)

	s.RegisterAs(s.As("worker"), "w", "LOANS", `"Other"`)
	require.Equal(t, []string{"definition LOAN needs workflow LoanWorkflow on task queue LOANS, which is registered by no live worker " +
		"(registered types: Other)"}, taskQueues(s, s.As("owner"), "")[0].Problems)

	s.RegisterAs(s.As("worker"), "w", "LOANS", `"Other","LoanWorkflow"`)
	due := domain.DueTaskQueue{TenantID: q.TenantID, TaskQueue: "LOANS"}
	require.NoError(t, s.DB.MatchTaskQueues(t.Context(), s.Now()))
	claimed, err := s.DB.ClaimTaskQueues(t.Context(), s.Now(), s.Now().Add(time.Hour), s.Now().Add(time.Hour), 10)
	require.NoError(t, err)
	require.NotEmpty(t, claimed)
	require.NoError(t, s.DB.PutObservations(t.Context(), []domain.SeenTaskQueue{{DueTaskQueue: due, Observation: domain.TaskQueueObservation{
		ObservedAt: s.Now(), Pollers: []domain.Poller{{Identity: "w", Kind: domain.TaskKindWorkflow, LastAccessAt: s.Now()}},
		Backlogs: []domain.TaskBacklog{{Kind: domain.TaskKindWorkflow, Count: 2, Age: 1500 * time.Millisecond}},
	}}}))
	healthy := taskQueues(s, s.As("owner"), "")[0]
	require.Empty(t, healthy.Problems)
	require.Equal(t, oasadmin.WorkerStateONLINE, healthy.Workers[0].State)
	require.Equal(t, "w", healthy.Observation.Pollers[0].Identity)
	require.Equal(t, oasadmin.TaskQueueBacklog{Kind: oasadmin.TaskKindWORKFLOW, Count: 2, AgeSeconds: 1}, healthy.Observation.Backlogs[0])
	require.NotNil(t, workers(s, s.As("owner"), "")[0].TaskQueues[0].PolledAt)

	require.Len(t, taskQueues(s, s.Operator, "tenant=south&tenant=north"), 2)
	require.Greater(t, len(taskQueues(s, s.Operator, "")), 2, "operators see those of all tenants")
	require.Len(t, taskQueues(s, s.Operator, "tenant=south&taskQueue=LOANS"), 1)
	require.Empty(t, taskQueues(s, s.Operator, "taskQueue=X"))
	require.Len(t, taskQueues(s, s.As("definer"), ""), 1, "administrators of a definition see its queues")
	second := apitest.Decode[oasadmin.TaskQueuePage](t, s.Get(200, s.Operator, apitest.AdminAPI+"/task-queues?size=1&page=1&tenant=south&tenant=north"))
	require.Equal(t, "south", second.Content[0].Tenant)
	require.Equal(t, oasadmin.PageMetadata{Size: 1, Page: 1, TotalElements: 2, TotalPages: 2}, second.Metadata)
}

func TestQueuesOfTemporalsOwnAreNotRegistered(t *testing.T) {
	t.Parallel()
	s := apitest.NewAdministered(t)
	for _, queue := range []string{"/_sys/LOANS/1", "temporal-sys-per-ns-tq"} {
		r := apitest.Request(t, s.As("worker"), http.MethodPost, "/workers",
			`{"identity":"w","taskQueue":"`+queue+`","hostname":"h","ip":"127.0.0.1"}`)
		response := s.Send(r)
		require.Equal(t, http.StatusBadRequest, response.Status, response.Body)
		require.Contains(t, response.Body, `"/taskQueue"`)
	}
	require.Empty(t, workers(s, s.Operator, ""))
}
