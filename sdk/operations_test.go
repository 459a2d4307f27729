package procession

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
)

// Temporal finds that the task of an operation was lost when its heartbeats are missing. Other activities may take their time.
func TestOperationsSendHeartbeats(t *testing.T) {
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	w := &Worker{}
	beats, demanded := make(chan struct{}, 100), map[string]time.Duration{}
	RegisterActivity(w, operationPrefix+"slow", func(context.Context, string) (string, error) {
		<-beats
		return "done", nil
	})
	RegisterActivity(w, "Pay", func(context.Context, string) (string, error) { return "paid", nil })
	for _, r := range w.activity {
		env.RegisterActivityWithOptions(r.f, activity.RegisterOptions{Name: r.name})
	}
	env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		demanded[info.ActivityType.Name] = info.HeartbeatTimeout
	})
	env.SetOnActivityHeartbeatListener(func(*activity.Info, converter.EncodedValues) { beats <- struct{}{} })
	env.ExecuteWorkflow(func(ctx workflow.Context) (string, error) {
		ctx = withProcess(ctx, nil)
		answer, err := Execute[string](ctx, "slow", "")
		if err != nil {
			return "", err
		}
		_, err = Call[string](ctx, "Pay", "")
		return answer, err
	})
	require.NoError(t, env.GetWorkflowError())
	var answer string
	require.NoError(t, env.GetWorkflowResult(&answer))
	require.Equal(t, "done", answer)
	require.Equal(t, map[string]time.Duration{operationPrefix + "slow": operationLost, "Pay": 0}, demanded)
}
