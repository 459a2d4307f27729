package processiontest

import (
	"log/slog"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/procession-dev/procession/sdk"
)

// Replay fails the test when the workflows of a worker would not do again what the history in a file says they did: when
// a process that runs now would be stuck after the change. The file is what `temporal workflow show --output json` prints
// of the workflow of a process.
func Replay(tb testing.TB, register func(*procession.Worker) error, file string) {
	tb.Helper()
	w, err := procession.NewWorker(procession.Config{
		Client: procession.ClientConfig{Endpoint: "http://localhost", Credentials: procession.BearerToken("replay")}, TaskQueue: "QUEUE", Logger: slog.New(slog.DiscardHandler),
	})
	if err == nil {
		err = register(w)
	}
	if err != nil {
		tb.Fatalf("making a worker: %v", err)
	}
	replayer := replaying{WorkflowReplayer: worker.NewWorkflowReplayer()}
	w.RegisterOn(replayer)
	if err := replayer.ReplayWorkflowHistoryFromJSONFile(log.NewStructuredLogger(slog.New(slog.DiscardHandler)), file); err != nil {
		tb.Errorf("%s: %v", file, err)
	}
}

// replaying is a replayer that a worker registers with; activities are not run.
type replaying struct {
	worker.WorkflowReplayer
	worker.ActivityRegistry
	worker.NexusServiceRegistry
}

// RegisterActivityWithOptions implements worker.ActivityRegistry.
func (replaying) RegisterActivityWithOptions(any, activity.RegisterOptions) {}
