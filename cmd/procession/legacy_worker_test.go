package main

import (
	"context"
	"flag"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
)

// Programs of test/compat/legacy.
var (
	legacyWorkers  = flag.String("legacy-workers", "", "directory of workers that are written with SDKs of 2023")
	legacyDuration = flag.Duration("legacy-duration", 2*time.Minute, "how long each of them runs")
)

// legacyProcess contains the steps of a process of a legacy worker: from its start to a task, and from there to
// its end.
type legacyProcess struct {
	begin  func(*testStack) uuid.UUID
	finish func(*testStack, uuid.UUID)
}

// Temporal's SDKs of early 2023 poll their sticky queues without saying which
// queue these belong to.
func TestLegacyWorkers(t *testing.T) {
	t.Parallel()
	if *legacyWorkers == "" {
		t.Skip("make compat installs the workers and runs this")
	}
	loan := legacyProcess{begin: (*testStack).beginLoan, finish: (*testStack).finishLoan}
	inspection := legacyProcess{begin: (*testStack).beginInspection, finish: (*testStack).finishInspection}
	for name, process := range map[string]legacyProcess{"java": loan, "typescript": loan, "python": inspection} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(*legacyWorkers, name)
			require.FileExists(t, program)
			s := newStack(t, true)
			l := &legacyRun{testStack: s, process: process, worker: s.startForeignWorker(program), temporal: s.temporalClient()}
			l.run()
		})
	}
}

// startForeignWorker starts a worker with the addresses and the credentials of an application only. TLS in older SDKs
// accepts servers by name only.
func (s *testStack) startForeignWorker(program string) *child.Process {
	s.t.Helper()
	account := demo.LoanWorker()
	_, port, err := net.SplitHostPort(s.config.TemporalAddress)
	require.NoError(s.t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "COMPAT_ENDPOINT="+s.url(), "COMPAT_TEMPORAL=localhost:"+port,
		"COMPAT_CLIENT_ID="+account.ID.String(), "COMPAT_CLIENT_SECRET="+account.Secret,
		"PROCESSION_WORKER_ENDPOINT="+s.url(), "PROCESSION_WORKER_TEMPORAL_ADDRESS=localhost:"+port,
		"PROCESSION_WORKER_CLIENT_ID="+account.ID.String(), "PROCESSION_WORKER_CLIENT_SECRET="+account.Secret)
	if !s.config.TemporalTLS {
		cmd.Env = append(cmd.Env, "COMPAT_PLAINTEXT=1")
	}
	log := s.logTo(filepath.Base(program) + "-worker.log")
	cmd.Stdout, cmd.Stderr = log, log
	p, err := child.Start(cmd, syscall.SIGKILL)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { s.stopProcess(p, syscall.SIGKILL) })
	return p
}

// legacyRun is one worker on a stack of its own.
type legacyRun struct {
	*testStack
	process  legacyProcess
	worker   *child.Process
	temporal client.Client
	// processes, sticky and late count finished processes, workflow tasks delivered through the sticky queue,
	// and timed-out ones.
	processes, sticky, late int
}

// run lets process after process run for the duration. In the middle Temporal is
// killed and started again while some processes wait.
func (l *legacyRun) run() {
	l.t.Helper()
	start := time.Now()
	l.runUntil(start.Add(*legacyDuration / 2))

	var waiting []uuid.UUID
	for range 5 {
		waiting = append(waiting, l.process.begin(l.testStack))
	}
	killed, cancel := context.WithCancel(context.Background())
	cancel()
	// It is killed where it does not end at once.
	_ = l.testStack.temporal.Stop(killed)
	l.startTemporal()
	l.awaitReady()
	for _, process := range waiting {
		l.process.finish(l.testStack, process)
		l.processes++
		// A task may have been lost with Temporal.
		sticky, _ := l.stickyTasks(process)
		l.sticky += sticky
	}
	l.runUntil(start.Add(*legacyDuration))
	require.Greater(l.t, l.sticky, l.processes, "a process has several tasks by the sticky queue")
	// A machine that stands still for seconds makes some late, a queue that is not
	// polled at least one in each process.
	require.Less(l.t, 10*l.late, l.processes, "workflow tasks that timed out")
	l.t.Logf("%d processes, %d workflow tasks by sticky queues (%d late), one worker process (%d), over a restart of Temporal in %s",
		l.processes, l.sticky, l.late, l.worker.PID(), time.Since(start).Round(time.Second))
}

func (l *legacyRun) runUntil(end time.Time) {
	l.t.Helper()
	for first := true; first || time.Now().Before(end); first = false {
		process := l.process.begin(l.testStack)
		l.process.finish(l.testStack, process)
		sticky, late := l.stickyTasks(process)
		l.processes++
		l.sticky += sticky
		l.late += late
		select {
		case <-l.worker.Done():
			require.Fail(l.t, "the worker ended", "after %d processes: %v", l.processes, l.worker.Err())
		default:
		}
	}
}

// stickyTasks counts the workflow tasks of a process that were delivered through the sticky queue, and the
// timed-out ones.
func (l *legacyRun) stickyTasks(process uuid.UUID) (count, late int) {
	l.t.Helper()
	found := l.temporal.GetWorkflowHistory(l.t.Context(), "process-"+process.String(), "", false,
		enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	scheduled := map[int64]bool{}
	for found.HasNext() {
		event, err := found.Next()
		require.NoError(l.t, err)
		switch event.GetEventType() { //nolint:exhaustive // the others are of no interest
		case enums.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED:
			kind := event.GetWorkflowTaskScheduledEventAttributes().GetTaskQueue().GetKind()
			scheduled[event.GetEventId()] = kind == enums.TASK_QUEUE_KIND_STICKY
		case enums.EVENT_TYPE_WORKFLOW_TASK_STARTED:
			if scheduled[event.GetWorkflowTaskStartedEventAttributes().GetScheduledEventId()] {
				count++
			}
		case enums.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
			late++
		}
	}
	return count, late
}

func (s *testStack) beginLoan() uuid.UUID {
	s.t.Helper()
	process := s.createLoan(uuid.New())
	s.awaitItem(process, "LOAN_APPLICATION")
	return process
}

func (s *testStack) finishLoan(process uuid.UUID) {
	s.t.Helper()
	s.fill(s.awaitItem(process, "LOAN_APPLICATION"),
		map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": "9000"})
	s.approve(s.awaitItem(process, "APPROVE_LOAN"))
	s.awaitItem(process, "NOTIFICATION_GRANTED")
	s.awaitState(process, "COMPLETED")
}

func (s *testStack) beginInspection() uuid.UUID {
	s.t.Helper()
	process := uuid.New()
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes",
		map[string]any{"id": process, "processDefinitionId": demo.Inspection()})
	require.Equal(s.t, http.StatusCreated, status, body)
	s.awaitItem(process, "INSPECT")
	return process
}

func (s *testStack) finishInspection(process uuid.UUID) {
	s.t.Helper()
	item := s.awaitItem(process, "INSPECT")
	for _, action := range []string{"claim", "complete"} {
		status, body := s.call(demo.LoanWorker(), http.MethodPost, "/process-items/"+item+"/task/~actions/"+action, nil)
		require.Equal(s.t, http.StatusOK, status, body)
	}
	s.awaitState(process, "COMPLETED")
}
