package main

import (
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
)

func TestInspectionRunsEndToEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		flags   []string
		signals int
	}{
		"with the signal":         {signals: 1},
		"with the activity token": {flags: []string{"-activity-token"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStack(t, false)
			s.startInspectionWorker(tt.flags...)
			// The driver plays an inspection through Shape A, and fails on the first
			// surprise.
			out, err := exec.Command(example(t, "inspection/drive"), "-endpoint", s.url()).CombinedOutput()
			require.NoError(t, err, string(out))

			// A worker that waits in the activity has no handler for the signal, and
			// some SDKs fail a workflow that gets one.
			var process uuid.UUID
			s.query("SELECT id FROM processes", &process)
			signals := 0
			for _, event := range s.history(process) {
				if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED {
					signals++
				}
			}
			require.Equal(t, tt.signals, signals)
		})
	}
}

func TestCancelledInspectionEndsWithItsActivity(t *testing.T) {
	t.Parallel()
	s := newStack(t, false)
	s.startInspectionWorker("-activity-token")
	process := uuid.New()
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes",
		map[string]any{"id": process, "processDefinitionId": demo.Inspection()})
	require.Equal(t, http.StatusCreated, status, body)
	item := s.awaitItem(process, "INSPECT")

	status, body = s.call(demo.Alice(), http.MethodPost,
		"/processes/"+process.String()+"/~actions/cancel-process-items?processItemId="+item, nil)
	require.Equal(t, http.StatusOK, status, body)
	require.Equal(t, "CANCELLED", s.taskState(item))
	s.awaitState(process, "COMPLETED")
}

// startInspectionWorker runs the example worker for INSPECTION.
func (s *testStack) startInspectionWorker(flags ...string) {
	s.t.Helper()
	account := demo.LoanWorker()
	cmd := exec.Command(example(s.t, "inspection"), flags...)
	cmd.Env = append(os.Environ(), "INSPECTION_WORKER_ENDPOINT="+s.url(),
		"INSPECTION_WORKER_TEMPORAL_ADDRESS="+s.config.TemporalAddress,
		"INSPECTION_WORKER_CLIENT_ID="+account.ID.String(), "INSPECTION_WORKER_CLIENT_SECRET="+account.Secret)
	log := s.logTo("inspection-worker.log")
	cmd.Stdout, cmd.Stderr = log, log
	p, err := child.Start(cmd, syscall.SIGKILL)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { s.stopProcess(p, syscall.SIGKILL) })
}
