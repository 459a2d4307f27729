package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
)

func TestLoanRunsEndToEnd(t *testing.T) {
	t.Parallel()
	s := newStack(t, false, throughPooler)
	s.startWorker()
	// The driver plays a small loan, a granted and a rejected one, and fails on
	// the first surprise. It talks to another replica than the worker.
	out, err := exec.Command(example(t, "loan/drive"), "-endpoint", s.replica().url()).CombinedOutput()
	require.NoError(t, err, string(out))
}

func TestWorkerKilledInTheMiddleOfALoan(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	worker := s.startWorker()
	process := s.createLoan(uuid.New())
	application := s.awaitItem(process, "LOAN_APPLICATION")
	// An activity of a killed worker is retried only after its timeout.
	s.await("the worker to have reported the task", func() bool {
		log, err := os.ReadFile(filepath.Join(s.dir, "worker.log"))
		return err == nil && strings.Contains(string(log), "item created")
	})

	s.stopProcess(worker, syscall.SIGKILL)
	s.fill(application, map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "100"})
	require.Equal(t, "RUNNING", s.processState(process), "there is no worker to go on")
	s.startWorker()

	s.awaitItem(process, "NOTIFICATION_GRANTED")
	s.awaitState(process, "COMPLETED")
	require.Equal(t, 2, s.countItems(process), "every item is created once")
}

func TestServiceKilledAfterAnsweringACreate(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	for range 5 {
		process := uuid.New()
		s.createLoan(process)
		s.killService()
		s.startService()
		s.awaitItem(process, "LOAN_APPLICATION")
		require.Equal(t, 1, s.countItems(process), "the workflow runs once")
		require.Equal(t, 1, s.countRuns(process), "the workflow was started once")
	}
}

func TestTemporalAndDatabaseDownWhileProcessesAreCreated(t *testing.T) {
	t.Parallel()
	const processes, outage = 50, 20 * time.Second
	s := newStack(t, true, databaseInStore)
	s.startWorker()
	s.awaitItem(s.createLoan(uuid.New()), "LOAN_APPLICATION")

	s.stopTemporal()
	back := time.After(outage)
	ids := make([]uuid.UUID, processes)
	for i := range ids {
		ids[i] = uuid.New()
		s.createLoan(ids[i])
	}
	s.interruptDatabase()
	<-back
	s.startTemporal()
	for _, id := range ids {
		s.awaitItem(id, "LOAN_APPLICATION")
		require.Equal(t, 1, s.countItems(id))
	}
}

func TestConcurrentCreatesWithOneIDStartOneWorkflow(t *testing.T) {
	t.Parallel()
	const callers = 64
	s := newStack(t, false)
	s.startWorker()
	id := uuid.New()
	body := map[string]any{"id": id, "processDefinitionId": demo.Loan()}
	statuses := make([]int, callers)
	var group sync.WaitGroup
	for i := range statuses {
		group.Go(func() { statuses[i], _ = s.call(demo.Carol(), http.MethodPost, "/processes", body) })
	}
	group.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusOK: callers - 1}, count)
	s.awaitItem(id, "LOAN_APPLICATION")
	require.Equal(t, 1, s.countItems(id))
	require.Equal(t, 1, s.countRuns(id))
}

func TestCancellingAProcessCancelsItsWorkflow(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	process := s.createLoan(uuid.New())
	item := s.awaitItem(process, "LOAN_APPLICATION")
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes/"+process.String()+"/~actions/cancel", nil)
	require.Equal(t, http.StatusOK, status, body)
	require.Equal(t, "CANCELLED", s.taskState(item))
	s.await("the workflow to be cancelled", func() bool { return s.runState(process) == "CANCELLED" })
}

func TestWorkflowCancelledInTemporalCancelsTheProcess(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startWorker()
	process := s.createLoan(uuid.New())
	item := s.awaitItem(process, "LOAN_APPLICATION")
	require.NoError(t, s.systemClient().CancelWorkflow(t.Context(), "process-"+process.String(), ""))
	s.awaitState(process, "CANCELLED")
	require.Equal(t, "CANCELLED", s.taskState(item))
}

// createLoan creates a LOAN as Carol and returns its id.
func (s *testStack) createLoan(id uuid.UUID) uuid.UUID {
	s.t.Helper()
	status, body := s.call(demo.Carol(), http.MethodPost, "/processes",
		map[string]any{"id": id, "processDefinitionId": demo.Loan()})
	require.Equal(s.t, http.StatusCreated, status, body)
	return id
}

// awaitItem waits for the item of a definition in a process and returns its id.
func (s *testStack) awaitItem(process uuid.UUID, code string) string {
	s.t.Helper()
	var id string
	path := fmt.Sprintf("/process-items?processId=%s&processItemDefinitionCode=%s", process, code)
	s.await(code, func() bool {
		_, page := s.call(demo.Alice(), http.MethodGet, path, nil)
		content, _ := page["content"].([]any)
		if len(content) == 0 {
			return false
		}
		id = field[string](s.t, content[0], "id")
		return true
	})
	return id
}

// fill claims a task as Carol, saves data and completes it.
func (s *testStack) fill(item string, data map[string]any) {
	s.t.Helper()
	for _, step := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/task/~actions/claim", nil},
		{http.MethodPut, "/task/data", map[string]any{"data": map[string]any{"value": data}}},
		{http.MethodPost, "/task/~actions/complete", nil},
	} {
		status, body := s.call(demo.Carol(), step.method, "/process-items/"+item+step.path, step.body)
		require.Equal(s.t, http.StatusOK, status, "%s %s: %v", step.method, step.path, body)
	}
}

func (s *testStack) processState(id uuid.UUID) string {
	_, body := s.call(demo.Alice(), http.MethodGet, "/processes/"+id.String(), nil)
	state, _ := body["state"].(string)
	return state
}

func (s *testStack) awaitState(process uuid.UUID, state string) {
	s.t.Helper()
	s.await("process "+state, func() bool { return s.processState(process) == state })
}

func (s *testStack) taskState(item string) string {
	_, body := s.call(demo.Alice(), http.MethodGet, "/process-items/"+item, nil)
	task, _ := body["task"].(map[string]any)
	state, _ := task["state"].(string)
	return state
}

func (s *testStack) countItems(process uuid.UUID) int {
	s.t.Helper()
	status, page := s.call(demo.Alice(), http.MethodGet, "/process-items?size=0&processId="+process.String(), nil)
	require.Equal(s.t, http.StatusOK, status)
	return int(field[float64](s.t, page, "metadata", "totalElements"))
}

// runState returns the state of the workflow run in the service.
func (s *testStack) runState(process uuid.UUID) string {
	s.t.Helper()
	var state string
	s.query("SELECT state FROM engine_runs WHERE owner_id = $1", &state, process)
	return state
}

// countRuns returns how many runs Temporal has of the process's workflow.
func (s *testStack) countRuns(process uuid.UUID) int {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), testTimeout)
	defer cancel()
	return s.countExecutions(ctx, fmt.Sprintf("WorkflowId = 'process-%s'", process))
}
