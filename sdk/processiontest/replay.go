package processiontest

import (
	"log/slog"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"

	"github.com/procession-dev/procession/sdk"
)

// Replay fails the test if the workflows of a worker are not compatible with the history in a file: a running process
// would be stuck after the change. The file is the output of `temporal workflow show --output json` for the workflow of a
// process.
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
