package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
)

// Schedule runs a workflow at intervals in the service's own namespace. A run is
// skipped while the previous one is running. Runs missed while Temporal was down are
// not repeated.
type Schedule struct {
	ID    string
	Type  string
	Every time.Duration
}

// ensureSchedule creates a schedule, or changes the existing one to match s.
func (e *Engine) ensureSchedule(ctx context.Context, s Schedule) error {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	action := &client.ScheduleWorkflowAction{ID: s.ID, Workflow: s.Type, TaskQueue: TaskQueue}
	spec := client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: s.Every}}}
	_, err := e.client.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: s.ID, Spec: spec, Action: action, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: s.Every,
	})
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		err = e.adjustSchedule(ctx, s.ID, spec, action)
	}
	if err != nil {
		return fmt.Errorf("scheduling %s: %w", s.ID, err)
	}
	return nil
}

// adjustSchedule updates the interval and workflow of a schedule of an earlier release.
func (e *Engine) adjustSchedule(
	ctx context.Context, id string, spec client.ScheduleSpec, action *client.ScheduleWorkflowAction,
) error {
	handle := e.client.ScheduleClient().GetHandle(ctx, id)
	there, err := handle.Describe(ctx)
	if err != nil {
		return err
	}
	runs, ok := there.Schedule.Action.(*client.ScheduleWorkflowAction)
	intervals := there.Schedule.Spec.Intervals
	if ok && runs.Workflow == action.Workflow && runs.TaskQueue == action.TaskQueue &&
		len(intervals) == 1 && intervals[0] == spec.Intervals[0] {
		return nil
	}
	return handle.Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			in.Description.Schedule.Spec, in.Description.Schedule.Action = &spec, action
			return &client.ScheduleUpdate{Schedule: &in.Description.Schedule}, nil
		},
	})
}
