package workflows_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/workflows"
)

// documentEnvironment runs workflows with a fake activity.
func documentEnvironment(f any, name string) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(enginetest.Logger()))
	env := suite.NewTestWorkflowEnvironment()
	workflows.Register(env)
	env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	return env
}

func TestSweepContinuesPreviousSweep(t *testing.T) {
	t.Parallel()
	after, next := uuid.New(), uuid.New()
	for _, last := range []*uuid.UUID{nil, &after} {
		var want uuid.UUID
		env := documentEnvironment(
			func(_ context.Context, in activities.SweepDocumentsInput) (activities.SweepDocumentsResult, error) {
				if in.CheckAfter != want {
					return activities.SweepDocumentsResult{}, errors.New("it goes on elsewhere")
				}
				return activities.SweepDocumentsResult{Removed: 3, CheckAfter: next}, nil
			}, activities.SweepDocumentsName)
		if last != nil {
			want = *last
			env.SetLastCompletionResult(activities.SweepDocumentsResult{CheckAfter: want})
		}
		env.ExecuteWorkflow(workflows.DocumentSweepName)
		require.NoError(t, env.GetWorkflowError())
		var result activities.SweepDocumentsResult
		require.NoError(t, env.GetWorkflowResult(&result))
		require.Equal(t, activities.SweepDocumentsResult{Removed: 3, CheckAfter: next}, result)
	}
}

func TestExpiryIsRetriedUntilTheNextRun(t *testing.T) {
	t.Parallel()
	tries := 0
	env := documentEnvironment(func(context.Context) (activities.ExpireDocumentsResult, error) {
		if tries++; tries < 5 {
			return activities.ExpireDocumentsResult{}, errors.New("the storage does not answer")
		}
		return activities.ExpireDocumentsResult{Deleted: 1}, nil
	}, activities.ExpireDocumentsName)
	env.ExecuteWorkflow(workflows.DocumentExpiryName)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 5, tries)

	env = documentEnvironment(func(context.Context) error { return errors.New("never") }, activities.ExpireDocumentsName)
	began := env.Now()
	env.ExecuteWorkflow(workflows.DocumentExpiryName)
	require.Error(t, env.GetWorkflowError())
	require.LessOrEqual(t, env.Now().Sub(began), workflows.DocumentExpiryInterval)
}

// The schedules exist, and their workflows delete documents and bytes.
func TestSchedulesExpireAndSweep(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.stack.Start()
	f.startComponents(t)
	process := f.Create(t, f.Service, "loan")
	upload := func(text string) {
		_, err := f.UploadProcessDocument(t.Context(), f.Call, process.ID,
			storage.File{Name: "a.txt", ContentType: "text/plain", Body: strings.NewReader(text)})
		require.NoError(t, err)
	}
	upload("kept")
	conn, err := pgx.Connect(t.Context(), f.url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	exec := func(sql string) {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	exec("UPDATE documents SET expires_at = NULL")
	upload("expired")
	exec("UPDATE documents SET expires_at = now() - interval '1 minute' WHERE expires_at IS NOT NULL")
	_, _, err = f.CreateWorker(t.Context(), f.Call, nil, domain.Worker{
		Identity: "expired", TaskQueue: f.TaskQueue, Hostname: "host", IP: "127.0.0.1",
	})
	require.NoError(t, err)
	exec("UPDATE workers SET last_seen_at = now() - interval '8 days'")

	c := f.stack.Client(engine.DefaultNamespace)
	for schedule, every := range map[string]time.Duration{
		"document-expiry": 10 * time.Minute, "document-sweep": time.Hour, "registration-expiry": time.Hour,
	} {
		handle := c.ScheduleClient().GetHandle(t.Context(), schedule)
		var there *client.ScheduleDescription
		require.Eventually(t, func() bool {
			var err error
			there, err = handle.Describe(t.Context())
			return err == nil
		}, timeout, 100*time.Millisecond)
		require.Equal(t, every, there.Schedule.Spec.Intervals[0].Every)
		require.NoError(t, handle.Trigger(t.Context(), client.ScheduleTriggerOptions{}))
		require.Eventually(t, func() bool {
			there, err = handle.Describe(t.Context())
			require.NoError(t, err)
			return len(there.Info.RecentActions) > 0 && len(there.Info.RunningWorkflows) == 0
		}, timeout, 100*time.Millisecond)
		ran := there.Info.RecentActions[0].StartWorkflowResult
		require.NoError(t, c.GetWorkflow(t.Context(), ran.WorkflowID, ran.FirstExecutionRunID).Get(t.Context(), nil))
		if *update {
			exportRun(t, c, strings.ReplaceAll(schedule, "-", "_")+".json", ran)
		}
	}
	var left int
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM documents").Scan(&left))
	require.Equal(t, 1, left)
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM workers").Scan(&left))
	require.Zero(t, left)
	page, err := f.documents.List(t.Context(), "", 10, time.Now().Add(time.Hour))
	require.NoError(t, err)
	require.Len(t, page.Blobs, 1)
}

// exportRun writes the history of a run that has ended.
func exportRun(t *testing.T, c client.Client, file string, run *client.ScheduleWorkflowExecution) {
	t.Helper()
	history := &historypb.History{}
	events := c.GetWorkflowHistory(t.Context(), run.WorkflowID, run.FirstExecutionRunID, false,
		enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		history.Events = append(history.Events, event)
	}
	writeHistory(t, file, history)
}
