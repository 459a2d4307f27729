package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/devstack/demo"
	documents "github.com/procession-dev/procession/examples/demo"
)

var repairKills = flag.Int("repair-kills", 2, "how often the service is killed while processes are repaired, in pairs")

// killedRepair is a repair of a process of its own, which is sent while the service is killed, and its effect.
type killedRepair struct {
	kind string
	// runs is the number of the runs of the workflow after the repair, moves the number of the signals of moves.
	runs, moves int
	process     uuid.UUID
	item        string
	body        map[string]any
}

func newKilledRepairs() []*killedRepair {
	return []*killedRepair{
		{kind: "REOPEN_TASK", runs: 2},
		{kind: "CHANGE_TASK_DATA", runs: 2},
		{kind: "CHANGE_METADATA", runs: 1},
		{kind: "CHANGE_ENTITY", runs: 1},
		{kind: "COMPLETE_STEP", runs: 1},
		{kind: "RESET", runs: 2},
		{kind: "RESTART", runs: 2},
		{kind: "TERMINATE", runs: 1},
		{kind: "MOVE_TO_VERSION", runs: 1, moves: 1},
		{kind: "UNDO_MOVE", runs: 1, moves: 2},
	}
}

// Every kind of repair is sent twice at once, and repeated until it is answered, while the service is killed at random: each is
// made once, in the service and in Temporal. The long form takes -repair-kills=40.
func TestKilledAmidRepairs(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	stuck := s.startRepairableWorker()
	var all []*killedRepair
	for round := range (*repairKills + 1) / 2 {
		repairs := newKilledRepairs()
		s.prepareRepairs(repairs, stuck, round+2)
		var sent sync.WaitGroup
		for _, r := range repairs {
			at := rand.N(2 * time.Second)
			for range 2 {
				sent.Go(func() {
					<-time.After(at)
					s.sendRepair(r)
				})
			}
		}
		for range 2 {
			<-time.After(rand.N(time.Second))
			s.killService()
			s.startService()
		}
		sent.Wait()
		s.await("the commands", func() bool { return s.queried(`SELECT count(*) FROM engine_commands`) == "0" })
		for _, r := range repairs {
			s.requireRepaired(r)
		}
		all = append(all, repairs...)
	}
	for _, r := range all {
		require.Equal(t, r.runs, s.countRuns(r.process), r.kind)
	}
}

// startRepairableWorker starts a worker of loans that wait for signals after their application. The step "send" of the
// processes in the returned map fails.
func (s *testStack) startRepairableWorker() *sync.Map {
	s.t.Helper()
	var stuck sync.Map
	w := worker.New(s.temporalClient(), "QUEUE_SAMPLE_LOAN", worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ map[string]any) error {
		process := strings.TrimPrefix(workflow.GetInfo(ctx).WorkflowExecution.ID, "process-")
		for _, name := range []string{"apply", "send"} {
			ctx := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
				ActivityID: name, StartToCloseTimeout: 10 * time.Second,
				RetryPolicy: &temporal.RetryPolicy{InitialInterval: 50 * time.Millisecond, BackoffCoefficient: 1},
			})
			if err := workflow.ExecuteActivity(ctx, name, process).Get(ctx, nil); err != nil {
				return err
			}
		}
		signals := workflow.GetSignalChannel(ctx, processSignal)
		for {
			signals.Receive(ctx, nil)
		}
	}, workflow.RegisterOptions{Name: "SampleEngineWorkerLoanWorkflow"})
	w.RegisterActivityWithOptions(func(_ context.Context, process string) error {
		status, body := s.call(demo.LoanWorker(), http.MethodPost, "/process-items", map[string]any{
			"id": uuid.NewSHA1(uuid.MustParse(process), []byte("apply")), "type": "TASK", "processId": process,
			"processItemDefinitionCode": "LOAN_APPLICATION",
		})
		if status != http.StatusOK && status != http.StatusCreated {
			return fmt.Errorf("%d %v", status, body)
		}
		return nil
	}, activity.RegisterOptions{Name: "apply"})
	w.RegisterActivityWithOptions(func(_ context.Context, process string) error {
		if _, ok := stuck.Load(process); ok {
			return errors.New("no route to the mail server")
		}
		return nil
	}, activity.RegisterOptions{Name: "send"})
	require.NoError(s.t, w.Start())
	s.t.Cleanup(w.Stop)
	return &stuck
}

// prepareRepairs creates the processes, completes their applications, publishes a version of their definition, and completes
// the requests.
func (s *testStack) prepareRepairs(repairs []*killedRepair, stuck *sync.Map, version int) {
	s.t.Helper()
	for _, r := range repairs {
		r.process = uuid.New()
		if r.kind == "COMPLETE_STEP" {
			stuck.Store(r.process.String(), true)
		}
		s.createLoan(r.process)
	}
	for _, r := range repairs {
		r.item = s.awaitItem(r.process, "LOAN_APPLICATION")
		s.fill(r.item, loanData("lots"))
	}
	text, err := documents.Files.ReadFile("loan.yaml")
	require.NoError(s.t, err)
	s.applyText(strings.Replace(string(text), "  name: Loan\n", fmt.Sprintf("  name: Loan %d\n", version), 1))
	for _, r := range repairs {
		r.body = map[string]any{"id": uuid.New(), "kind": r.kind, "reason": "a test of kills"}
		switch r.kind {
		case "REOPEN_TASK", "CHANGE_TASK_DATA":
			s.await("the signal", func() bool { return s.countSignals(r.process, processSignal) == 1 })
			r.body["processItemId"], r.body["reset"] = r.item, true
		case "COMPLETE_STEP":
			r.body["activityId"] = "send"
		case "RESET":
			_, found := s.callAt(demo.Alice(), http.MethodGet, r.path("repair-points"), nil)
			points := field[[]any](s.t, found, "content")
			require.NotEmpty(s.t, points)
			r.body["engineRunId"] = field[string](s.t, points[len(points)-1], "engineRunId")
			r.body["eventId"] = field[float64](s.t, points[len(points)-1], "eventId")
		case "MOVE_TO_VERSION":
			r.body["toVersion"] = version
		case "UNDO_MOVE":
			s.sendRepair(&killedRepair{process: r.process, body: map[string]any{
				"kind": "MOVE_TO_VERSION", "reason": "a test of undo", "toVersion": version,
			}})
		}
		switch r.kind {
		case "CHANGE_TASK_DATA":
			r.body["value"] = loanData("500")
		case "CHANGE_METADATA", "CHANGE_ENTITY":
			r.body["value"] = map[string]any{"FIRST_NAME": "Carla"}
		}
	}
}

func loanData(amount string) map[string]any {
	return map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": amount}
}

func (r *killedRepair) path(name string) string {
	return "/admin/v1/processes/" + r.process.String() + "/" + name
}

// sendRepair sends a repair until it is answered.
func (s *testStack) sendRepair(r *killedRepair) {
	var refused atomic.Bool
	assert.Eventually(s.t, func() bool { //nolint:forbidigo // several goroutines send, and FailNow is for that of the test
		status, body := s.callAt(demo.Alice(), http.MethodPost, r.path("repairs"), r.body)
		answered := status == http.StatusOK || status == http.StatusCreated
		if !answered && status != 0 && status != http.StatusServiceUnavailable && !refused.Swap(true) {
			assert.Fail(s.t, //nolint:forbidigo // as above
				"the repair is refused", "%s: %d %v", r.kind, status, body)
		}
		return answered || refused.Load()
	}, testTimeout, 50*time.Millisecond, r.kind)
}

// requireRepaired requires the effect of a repair, once.
func (s *testStack) requireRepaired(r *killedRepair) {
	s.t.Helper()
	s.await(r.kind, func() bool { return s.countRuns(r.process) == r.runs })
	require.Equal(s.t, r.moves, s.countSignals(r.process, "Procession_Signal_Definition_Version"), r.kind)
	var repairs, events, claims, version int
	s.query("SELECT count(*)::int FROM repairs WHERE process_id = $1 AND kind = $2", &repairs, r.process, r.kind)
	s.query("SELECT count(*)::int FROM events WHERE process_id = $1 AND type = 'PROCESS.REPAIRED' AND details ->> 'kind' = $2", &events, r.process, r.kind)
	require.Equal(s.t, []int{1, 1}, []int{repairs, events}, r.kind)
	s.query("SELECT count(*)::int FROM events WHERE process_id = $1 AND type = 'PROCESS_ITEM.TASK_STATE_CHANGED' AND state = 'CLAIMED'", &claims, r.process)
	s.query("SELECT v.number FROM processes p JOIN process_definition_versions v ON v.version = p.process_version WHERE p.id = $1", &version, r.process)
	state, task := "RUNNING", "COMPLETED"
	wantClaims := 1
	switch r.kind {
	case "REOPEN_TASK":
		task, wantClaims = "CLAIMED", 2
	case "TERMINATE":
		state = "CANCELLED"
	case "COMPLETE_STEP":
		require.Equal(s.t, 2, s.countEvents(r.process, enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED))
	case "MOVE_TO_VERSION":
		require.Equal(s.t, r.body["toVersion"], version)
	case "CHANGE_TASK_DATA":
		_, item := s.call(demo.Alice(), http.MethodGet, "/process-items/"+r.item, nil)
		require.Equal(s.t, "500", field[string](s.t, item, "task", "data", "value", "AMOUNT"))
	case "CHANGE_METADATA":
		_, process := s.call(demo.Alice(), http.MethodGet, "/processes/"+r.process.String(), nil)
		require.Equal(s.t, "Carla", field[string](s.t, process, "metadata", "value", "FIRST_NAME"))
	}
	require.Equal(s.t, wantClaims, claims, r.kind)
	require.Equal(s.t, state, s.processState(r.process), r.kind)
	require.Equal(s.t, task, s.taskState(r.item), r.kind)
	if state == "RUNNING" {
		s.await("the workflow of "+r.kind, func() bool { return s.runState(r.process) == "RUNNING" })
	}
}

// countSignals returns how many signals with a name the last run of a process's workflow has received.
func (s *testStack) countSignals(process uuid.UUID, name string) int {
	s.t.Helper()
	return s.countHistory(process, func(e *historypb.HistoryEvent) bool {
		return e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName() == name
	})
}

func (s *testStack) countEvents(process uuid.UUID, kind enumspb.EventType) int {
	s.t.Helper()
	return s.countHistory(process, func(e *historypb.HistoryEvent) bool { return e.GetEventType() == kind })
}

func (s *testStack) countHistory(process uuid.UUID, matches func(*historypb.HistoryEvent) bool) int {
	s.t.Helper()
	n := 0
	for _, e := range s.history(process) {
		if matches(e) {
			n++
		}
	}
	return n
}
