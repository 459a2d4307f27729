package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/internal/testkit/enginetest"
	"github.com/procession-dev/procession/workflows"
)

type observation struct {
	Namespace  string        `json:"namespace"`
	Duration   time.Duration `json:"duration"`
	SweepAfter uuid.UUID     `json:"sweepAfter"`
}

type observed struct {
	SweepAfter uuid.UUID `json:"sweepAfter"`
}

type observeFunc func(context.Context, observation) (observed, error)

// observe runs the workflow with a fake activity.
func observe(t *testing.T, in workflows.EngineObserverInput, f observeFunc) error {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(enginetest.Logger()))
	env := suite.NewTestWorkflowEnvironment()
	workflows.Register(env)
	env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: activities.ObserveClosingsName})
	env.ExecuteWorkflow(workflows.EngineObserverName, in)
	require.True(t, env.IsWorkflowCompleted())
	return env.GetWorkflowError()
}

func TestEngineObserverGoesOnAsNew(t *testing.T) {
	t.Parallel()
	var calls int
	var last uuid.UUID
	err := observe(t, workflows.EngineObserverInput{Namespace: "tenant"},
		func(_ context.Context, in observation) (observed, error) {
			calls++
			if in.Namespace != "tenant" || in.SweepAfter != last || in.Duration != 5*time.Minute {
				return observed{}, temporal.NewNonRetryableApplicationError("wrong input", "", nil)
			}
			last = uuid.New()
			return observed{SweepAfter: last}, nil
		})
	require.Equal(t, 250, calls)
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, err, &next)
	var in workflows.EngineObserverInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &in))
	require.Equal(t, workflows.EngineObserverInput{Namespace: "tenant", SweepAfter: last}, in)
}

func TestEngineObserverSurvivesFaults(t *testing.T) {
	t.Parallel()
	calls := 0
	err := observe(t, workflows.EngineObserverInput{Namespace: "tenant"},
		func(context.Context, observation) (observed, error) {
			calls++
			switch calls {
			case 1:
				return observed{}, errors.New("tried again")
			case 2:
				return observed{}, temporal.NewNonRetryableApplicationError("given up", "", nil)
			default:
				return observed{}, nil
			}
		})
	require.True(t, workflow.IsContinueAsNewError(err), "%v", err)
	require.Equal(t, 251, calls)
}
