package engine_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// A release can change the interval of an earlier release's schedule.
func TestSchedulesFollowTheRelease(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, pgtest.New(t))
	stack.Start()
	c := stack.Client(engine.DefaultNamespace)
	for _, want := range []engine.Schedule{
		{ID: "chore", Type: "Chore", Every: time.Hour},
		{ID: "chore", Type: "Chore", Every: time.Hour},
		{ID: "chore", Type: "OtherChore", Every: 2 * time.Hour},
	} {
		supervisor := engine.NewSupervisor(engine.SupervisorOptions{
			Engine: stack.Engine(), Clock: time.Now, Logger: enginetest.Logger(),
			Namespaces: func(context.Context) ([]string, error) { return nil, nil },
			Register:   func(worker.Registry) {},
			Schedules:  []engine.Schedule{want},
		})
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { supervisor.Run(ctx) })
		require.Eventually(t, supervisor.Ready, time.Minute, 50*time.Millisecond)
		cancel()
		running.Wait()
		there, err := c.ScheduleClient().GetHandle(t.Context(), want.ID).Describe(t.Context())
		require.NoError(t, err)
		require.Len(t, there.Schedule.Spec.Intervals, 1)
		require.Equal(t, want.Every, there.Schedule.Spec.Intervals[0].Every)
		action, ok := there.Schedule.Action.(*client.ScheduleWorkflowAction)
		require.True(t, ok)
		require.Equal(t, want.Type, action.Workflow)
		require.Equal(t, engine.TaskQueue, action.TaskQueue)
	}
}
