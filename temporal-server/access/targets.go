package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/server/common/cache"
	"google.golang.org/grpc"
)

const (
	// maxTargets is the maximum number of workflows that one request may name. Temporal has the same limit for pending signals.
	maxTargets = 2_000

	// targetTTL is the time for which a permitted target is cached. Meanwhile the
	// caller also reaches a workflow on another queue that took over the id.
	targetTTL = time.Minute

	maxCachedTargets = 50_000
)

// isReservedID reports whether only the service or Temporal itself starts workflows
// with the id. In a namespace that several tenants share, the code of the tenant and a dot precede the id. A foreign workflow with the id of a process would receive its signals.
func isReservedID(id string) bool {
	reserved := []string{"process-", "business-artifact-action-", "task-robot-", "data-source-", internalPrefix}
	_, inShared, _ := strings.Cut(id, ".")
	return slices.ContainsFunc(reserved, func(prefix string) bool { return strings.HasPrefix(id, prefix) || strings.HasPrefix(inShared, prefix) })
}

// target is a workflow that a request signals, cancels or changes.
type target struct {
	class   class
	by      string // the command or the call
	id, run string // run is empty for the current one
}

func (t target) denialFor(reason string) denial {
	return denial{class: t.class, reason: fmt.Sprintf("%s names workflow %q, %s", t.by, truncate(t.id), reason)}
}

// refuseStart returns a denial for the start of a workflow with the target's id if the id is reserved, or if the start terminates
// a running workflow.
func (t target) refuseStart(terminates bool) denial {
	switch {
	case isReservedID(t.id):
		return t.denialFor("and only the service starts workflows with such an id")
	case terminates:
		return t.denialFor("and a start must not terminate the workflow that has the id")
	}
	return denial{}
}

// describer is the part of Temporal's frontend that looks up workflows.
type describer interface {
	DescribeWorkflowExecution(
		context.Context, *workflowservice.DescribeWorkflowExecutionRequest,
	) (*workflowservice.DescribeWorkflowExecutionResponse, error)
}

// targets checks that the workflows in a request, or their parents, run on task queues of the caller.
type targets struct {
	cached cache.Cache // by targetKey: the task queues of the workflow and of its parent, a []string
	clock  func() time.Time
}

type targetKey struct{ namespace, id, run string }

func newTargets(clock func() time.Time) *targets {
	return &targets{cached: cache.New(maxCachedTargets, &cache.Options{TTL: targetTTL}), clock: clock}
}

// checkTargets returns a denial if the caller may not reach one of its targets, and an error if Temporal cannot look it up.
func (t *targets) checkTargets(ctx context.Context, info *grpc.UnaryServerInfo, namespace string, who *caller) (denial, error) {
	if len(who.targets) > maxTargets {
		return denial{class: who.targets[0].class, reason: fmt.Sprintf("the request names more than %d workflows", maxTargets)}, nil
	}
	for _, to := range who.targets {
		key := targetKey{namespace, to.id, to.run}
		if queues, ok := t.cached.Get(key).([]string); ok && who.canPollAny(queues) {
			continue
		}
		temporal, ok := info.Server.(describer)
		if !ok {
			return denial{}, serviceerror.NewUnavailable("The workflows in the request cannot be looked up.")
		}
		queues, err := findQueues(ctx, temporal, key, who)
		if err != nil {
			return denial{}, err
		}
		switch {
		case who.canPollAny(queues):
			t.cached.Put(key, queues)
		case queues != nil || isReservedID(to.id):
			return to.denialFor("which is on no task queue that the token covers"), nil
		}
		// Temporal reports an unknown workflow to the sender. The service may be about to start one of its own.
	}
	return denial{}, nil
}

// findQueues returns the task queue of a workflow and, unless the caller serves it, its
// parent's. The result is nil for an unknown workflow.
func findQueues(ctx context.Context, temporal describer, key targetKey, who *caller) ([]string, error) {
	about, err := describeWorkflow(ctx, temporal, key)
	if about == nil || err != nil {
		return nil, err
	}
	queues := []string{about.GetExecutionConfig().GetTaskQueue().GetName()}
	parent := about.GetWorkflowExecutionInfo().GetParentExecution()
	if who.canPollAny(queues) || parent.GetWorkflowId() == "" {
		return queues, nil
	}
	about, err = describeWorkflow(ctx, temporal, targetKey{key.namespace, parent.GetWorkflowId(), parent.GetRunId()})
	return append(queues, about.GetExecutionConfig().GetTaskQueue().GetName()), err
}

func describeWorkflow(ctx context.Context, temporal describer, key targetKey) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	about, err := temporal.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: key.namespace, Execution: &common.WorkflowExecution{WorkflowId: key.id, RunId: key.run},
	})
	if _, unknown := errors.AsType[*serviceerror.NotFound](err); unknown {
		return nil, nil
	}
	return about, err
}

// cacheChildren caches the children that the workflow of a task has started, so that a signal to a new child needs no look-up.
func (t *targets) cacheChildren(namespace string, task *workflowservice.PollWorkflowTaskQueueResponse) {
	queue := task.GetWorkflowExecutionTaskQueue().GetName()
	if queue == "" {
		return
	}
	for _, event := range task.GetHistory().GetEvents() {
		child := event.GetChildWorkflowExecutionStartedEventAttributes().GetWorkflowExecution()
		if child == nil {
			continue
		}
		t.cached.Put(targetKey{namespace, child.GetWorkflowId(), child.GetRunId()}, []string{queue})
		// By now another workflow may have the id of a child that started earlier.
		if t.clock().Sub(event.GetEventTime().AsTime()) < targetTTL {
			t.cached.Put(targetKey{namespace, child.GetWorkflowId(), ""}, []string{queue})
		}
	}
}
