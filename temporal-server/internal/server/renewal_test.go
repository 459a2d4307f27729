package server_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"golang.org/x/sync/errgroup"
)

// renewingToken hands out tokens that live a few seconds and replaces each before it ends.
type renewingToken struct {
	w    *testServer
	t    *testing.T
	life time.Duration

	mu     sync.Mutex
	token  string
	until  time.Time
	issued int
}

func (r *renewingToken) get(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.After(r.until) {
		r.token = r.w.issuer.sign(r.t, withClaim(claims("alpha", "q1"), "exp", now.Add(r.life).Unix()))
		r.until = now.Add(r.life / 2)
		r.issued++
	}
	return r.token, nil
}

// steps runs two activities one after the other.
func steps(ctx workflow.Context) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	var first, second string
	if err := workflow.ExecuteActivity(ctx, "step", "a").Get(ctx, &first); err != nil {
		return "", err
	}
	if err := workflow.ExecuteActivity(ctx, "step", "b").Get(ctx, &second); err != nil {
		return "", err
	}
	return first + second, nil
}

// step fails when it is not the first attempt: a task that was lost is seen.
func step(ctx context.Context, name string) (string, error) {
	if attempt := activity.GetInfo(ctx).Attempt; attempt != 1 {
		return "", fmt.Errorf("step %s is attempted a %d. time", name, attempt)
	}
	activity.RecordHeartbeat(ctx, name)
	return name, nil
}

func TestWorkerOnShortTokensLosesNoTask(t *testing.T) {
	t.Parallel()
	const total, each = 30 * time.Second, 10
	w := startTestServer(t, nil)
	w.addNamespace(t, "alpha")
	tokens := &renewingToken{w: w, t: t, life: 3 * time.Second}
	robot := worker.New(w.sdkWith(t, "alpha", w.ca.client(t, "alpha"), tokens.get), "q1", worker.Options{})
	robot.RegisterWorkflowWithOptions(steps, workflow.RegisterOptions{Name: "steps"})
	robot.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: "step"})
	require.NoError(t, robot.Start())
	defer robot.Stop()

	service := w.sdk(t, "alpha", w.ca.client(t, "temporal-system"), systemClaims())
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	done := 0
	for end := time.Now().Add(total); time.Now().Before(end); {
		var burst errgroup.Group
		for range each {
			burst.Go(func() error { return runSteps(ctx, service) })
		}
		require.NoError(t, burst.Wait())
		done += each
		pause := time.Second
		if done%(4*each) == 0 {
			pause = 4 * time.Second // polls that wait outlive their token
		}
		<-time.After(pause)
	}
	require.Empty(t, w.log.lines("call refused"))
	require.GreaterOrEqual(t, tokens.issued, int(total/tokens.life)*3/4, "the worker ran on many tokens")
	t.Logf("%d workflows on %d tokens", done, tokens.issued)
}

// runSteps runs one workflow and returns an error when any of its tasks failed or was lost on the way.
func runSteps(ctx context.Context, service client.Client) error {
	run, err := service.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "q1"}, "steps")
	if err != nil {
		return err
	}
	var result string
	if err := run.Get(ctx, &result); err != nil {
		return err
	}
	if result != "ab" {
		return fmt.Errorf("the result is %q", result)
	}
	events := service.GetWorkflowHistory(ctx, run.GetID(), run.GetRunID(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return err
		}
		lost := []enums.EventType{
			enums.EVENT_TYPE_WORKFLOW_TASK_FAILED, enums.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
			enums.EVENT_TYPE_ACTIVITY_TASK_FAILED, enums.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT,
		}
		if slices.Contains(lost, event.GetEventType()) {
			return fmt.Errorf("workflow %s has an event %s", run.GetID(), event.GetEventType())
		}
	}
	return nil
}
