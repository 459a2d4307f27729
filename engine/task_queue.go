package engine

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/domain"
)

// DescribeTaskQueue returns the pollers and the backlog of a task queue, for each
// kind of task. Pollers are listed for some minutes after their last poll. Tasks of
// sticky queues are not counted.
// The caller sets the times of the observation.
func (e *Engine) DescribeTaskQueue(ctx context.Context, namespace, queue string) (domain.TaskQueueObservation, error) {
	var seen domain.TaskQueueObservation
	for _, query := range []struct {
		kind      domain.TaskKind
		queueType enumspb.TaskQueueType
	}{
		{domain.TaskKindWorkflow, enumspb.TASK_QUEUE_TYPE_WORKFLOW},
		{domain.TaskKindActivity, enumspb.TASK_QUEUE_TYPE_ACTIVITY},
	} {
		answer, err := e.describeTaskQueue(ctx, namespace, queue, query.queueType)
		if err != nil {
			return seen, fmt.Errorf("describing the task queue %s of the namespace %s: %w", queue, namespace, err)
		}
		for _, p := range answer.GetPollers() {
			seen.Pollers = append(seen.Pollers, domain.Poller{
				Identity: p.GetIdentity(), Kind: query.kind, LastAccessAt: p.GetLastAccessTime().AsTime(),
			})
		}
		stats := answer.GetStats()
		seen.Backlogs = append(seen.Backlogs, domain.TaskBacklog{
			Kind: query.kind, Count: stats.GetApproximateBacklogCount(), Age: stats.GetApproximateBacklogAge().AsDuration(),
		})
	}
	return seen, nil
}

func (e *Engine) describeTaskQueue(
	ctx context.Context, namespace, queue string, as enumspb.TaskQueueType,
) (*workflowservice.DescribeTaskQueueResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	answer, err := e.workflows.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: namespace, TaskQueueType: as, ReportStats: true,
		TaskQueue: &taskqueue.TaskQueue{Name: queue, Kind: enumspb.TASK_QUEUE_KIND_NORMAL},
	})
	return answer, e.router.attribute(ctx, namespace, err)
}
