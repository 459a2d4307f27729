package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
	"github.com/procession-dev/procession/workflows"
)

// sealedPayload returns a payload that only the worker's converter reads.
func sealedPayload(text string) converter.RawValue {
	return converter.NewRawValue(&commonpb.Payload{
		Metadata: map[string][]byte{"encoding": []byte("binary/encrypted?vendor=KuFlow")}, Data: []byte(text),
	})
}

// runEnd describes the end of a run of a data source.
type runEnd struct{ answer, code string }

func registerEnds(r worker.ActivityRegistry, end func(runEnd)) {
	r.RegisterActivityWithOptions(func(_ context.Context, _ activities.FinishDataSourceRunInput, answer converter.RawValue) error {
		end(runEnd{answer: string(answer.Payload().GetData())})
		return nil
	}, activity.RegisterOptions{Name: activities.FinishDataSourceRunName})
	r.RegisterActivityWithOptions(func(_ context.Context, in activities.FailDataSourceRunInput) error {
		end(runEnd{code: in.Code})
		return nil
	}, activity.RegisterOptions{Name: activities.FailDataSourceRunName})
}

func TestDataSourceRecordsAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault    error
		attempts int
		late     bool
		want     runEnd
		requests int
	}{
		"answer":          {want: runEnd{answer: "question answered"}, requests: 1},
		"failing worker":  {fault: errors.New("no database"), attempts: 3, want: runEnd{code: domain.DataSourceBroken}, requests: 3},
		"refusing worker": {fault: temporal.NewNonRetryableApplicationError("no", "validation", nil), attempts: 3, want: runEnd{code: domain.DataSourceBroken}, requests: 1},
		"too late":        {late: true, want: runEnd{code: domain.DataSourceTimedOut}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var suite testsuite.WorkflowTestSuite
			suite.SetLogger(log.NewStructuredLogger(enginetest.Logger()))
			env := suite.NewTestWorkflowEnvironment()
			workflows.RegisterDataSources(env)
			requests, got := 0, []runEnd{}
			env.RegisterActivityWithOptions(func(_ context.Context, request converter.RawValue) (converter.RawValue, error) {
				requests++
				return sealedPayload(string(request.Payload().GetData()) + " answered"), c.fault
			}, activity.RegisterOptions{Name: domain.DataSourceQueryActivity})
			registerEnds(env, func(e runEnd) { got = append(got, e) })
			in := domain.DataSourceInput{
				Run: uuid.New(), Activity: domain.DataSourceQueryActivity, TaskQueue: "goods",
				Deadline: env.Now().Add(10 * time.Second), Attempts: c.attempts,
			}
			if c.late {
				in.Deadline = env.Now()
			}
			env.ExecuteWorkflow(domain.DataSourceWorkflow, in, sealedPayload("question"))
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, []runEnd{c.want}, got)
			require.Equal(t, c.requests, requests)
		})
	}
}

// With -update the test writes the history for TestCommittedHistoriesReplay.
func TestDataSourceHistory(t *testing.T) {
	t.Parallel()
	if !*update {
		t.Skip("records a history")
	}
	stack := enginetest.New(t, pgtest.New(t))
	stack.Start()
	require.NoError(t, stack.Engine().EnsureNamespace(t.Context(), "tenant"))
	engine := stack.Client("tenant")
	own := worker.New(engine, domain.DataSourceTaskQueue, worker.Options{})
	workflows.RegisterDataSources(own)
	registerEnds(own, func(runEnd) {})
	goods := worker.New(engine, "goods", worker.Options{})
	goods.RegisterActivityWithOptions(func(context.Context, converter.RawValue) (converter.RawValue, error) {
		return sealedPayload("answer"), nil
	}, activity.RegisterOptions{Name: domain.DataSourceQueryActivity})
	goods.RegisterActivityWithOptions(func(context.Context, converter.RawValue) (converter.RawValue, error) {
		return sealedPayload("verdicts"), nil
	}, activity.RegisterOptions{Name: domain.DataSourceValidateActivity})
	for _, w := range []worker.Worker{own, goods} {
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
	for name, c := range map[string]struct {
		activity string
		deadline time.Time
	}{
		"data_source.json":       {domain.DataSourceQueryActivity, time.Now().Add(time.Minute)},
		"data_source_late.json":  {domain.DataSourceQueryActivity, time.Unix(0, 0)},
		"data_source_check.json": {domain.DataSourceValidateActivity, time.Now().Add(time.Minute)},
	} {
		run, err := engine.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: domain.DataSourceTaskQueue},
			domain.DataSourceWorkflow, domain.DataSourceInput{
				Activity: c.activity, TaskQueue: "goods", Deadline: c.deadline, Attempts: 3,
			}, sealedPayload("question"))
		require.NoError(t, err)
		require.NoError(t, run.Get(t.Context(), nil))
		history := &historypb.History{}
		events := engine.GetWorkflowHistory(t.Context(), run.GetID(), "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			event, err := events.Next()
			require.NoError(t, err)
			history.Events = append(history.Events, event)
		}
		writeHistory(t, name, history)
	}
}
