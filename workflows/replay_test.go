package workflows_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/procession-dev/procession/workflows"
)

var update = flag.Bool("update", false, "rewrite the histories in testdata from real runs")

// Histories of earlier releases stay in testdata as long as workflows of these releases
// may run.
func TestCommittedHistoriesReplay(t *testing.T) {
	t.Parallel()
	histories, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, histories)
	for _, history := range histories {
		replayer := worker.NewWorkflowReplayer()
		workflows.Register(replayer)
		workflows.RegisterDataSources(replayer)
		require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, history), history)
	}
}

// writeHistory writes a history without the name of the recording machine.
func writeHistory(t *testing.T, name string, history *historypb.History) {
	t.Helper()
	for _, event := range history.GetEvents() {
		if scheduled := event.GetWorkflowTaskScheduledEventAttributes(); scheduled.GetTaskQueue().GetNormalName() != "" {
			scheduled.TaskQueue.Name = "worker:sticky"
		}
		if started := event.GetWorkflowTaskStartedEventAttributes(); started != nil {
			started.Identity = "worker"
		}
		if completed := event.GetWorkflowTaskCompletedEventAttributes(); completed != nil {
			completed.Identity = "worker"
		}
		if begun := event.GetActivityTaskStartedEventAttributes(); begun != nil {
			begun.Identity = "worker"
		}
		if done := event.GetActivityTaskCompletedEventAttributes(); done != nil {
			done.Identity = "worker"
		}
		if started := event.GetWorkflowExecutionStartedEventAttributes(); started != nil {
			started.Identity = "service"
			started.Header = &commonpb.Header{}
		}
	}
	text, err := protojson.MarshalOptions{Multiline: true, Indent: " "}.Marshal(history)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join("testdata", name), append(text, '\n'), 0o644))
}
