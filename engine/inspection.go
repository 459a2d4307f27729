package engine

import (
	"context"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/procession-dev/procession/domain"
)

const (
	// A workflow task and an activity have a problem after so many failed attempts.
	workflowTaskAttempts = 2
	activityAttempts     = 5
	// maxInspectedPages bounds the pages of a history that are read for pending timers.
	maxInspectedPages = 10

	maxListedProblems = 1000

	// reportedProblems is the search attribute in which Temporal reports repeated failures of workflow tasks.
	reportedProblems = `TemporalReportedProblems IN ("category=WorkflowTaskFailed", "category=WorkflowTaskTimedOut")`
)

// ListProblems returns the ids of the running workflows of a namespace with repeated failures of workflow tasks, as Temporal
// reports them, at most a thousand. complete reports whether these are all. Servers before 1.30 report none.
func (e *Engine) ListProblems(ctx context.Context, namespace string) (workflowIDs []string, complete bool, err error) {
	page, err := e.listExecutions(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: namespace, PageSize: maxListedProblems, Query: `ExecutionStatus = "Running" AND ` + reportedProblems,
	})
	if isUnsupported(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("listing workflows with problems: %w", err)
	}
	for _, info := range page.GetExecutions() {
		workflowIDs = append(workflowIDs, info.GetExecution().GetWorkflowId())
	}
	return workflowIDs, len(page.GetNextPageToken()) == 0, nil
}

// Inspect returns the state of the workflow of a run, or nil if it is not running.
func (e *Engine) Inspect(ctx context.Context, r domain.EngineRun) (*domain.Inspection, error) {
	ctx, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	described, err := e.workflows.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: r.Namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: r.WorkflowID},
	})
	if isGone(err) || NamespaceMissing(err) {
		return nil, nil //nolint:nilnil // there need not be one
	}
	if err != nil {
		return nil, fmt.Errorf("describing a workflow: %w", err)
	}
	info := described.GetWorkflowExecutionInfo()
	if info.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil, nil //nolint:nilnil // as above
	}
	task := described.GetPendingWorkflowTask()
	i := domain.Inspection{
		EngineRun: description{info: info}.firstRunID(), Problem: activityProblem(described.GetPendingActivities()),
		Busy: task != nil || len(described.GetPendingActivities()) > 0 || len(described.GetPendingChildren()) > 0 ||
			len(described.GetPendingNexusOperations()) > 0,
	}
	if task.GetState() == enumspb.PENDING_WORKFLOW_TASK_STATE_SCHEDULED {
		i.UnservedSince = optionalTime(task.GetScheduledTime())
	}
	for _, a := range described.GetPendingActivities() {
		// The time of a retry is in the future during its backoff.
		scheduled := optionalTime(a.GetScheduledTime())
		if a.GetState() == enumspb.PENDING_ACTIVITY_STATE_SCHEDULED && scheduled != nil && (i.UnservedSince == nil || scheduled.Before(*i.UnservedSince)) {
			i.UnservedSince, i.UnservedQueue = scheduled, truncate(a.GetActivityOptions().GetTaskQueue().GetName(), maxName)
		}
	}
	failing := task.GetAttempt() >= workflowTaskAttempts
	if i.Problem == nil && (failing || !i.Busy) {
		if err := e.inspectHistory(ctx, r.Namespace, info.GetExecution(), failing, &i); err != nil {
			return nil, fmt.Errorf("reading the history of a workflow: %w", err)
		}
	}
	if i.Problem != nil {
		i.Problem.Worker = workerBuild(info)
		i.Problem.Attempts = max(i.Problem.Attempts, int(task.GetAttempt()))
	}
	return &i, nil
}

// workerBuild returns the build id of the last worker of a workflow, "" if unknown.
func workerBuild(info *workflowpb.WorkflowExecutionInfo) string {
	return truncate(info.GetMostRecentWorkerVersionStamp().GetBuildId(), maxName) //nolint:staticcheck // reported by workers without versioning, too
}

// activityProblem returns the problem of the activity with the most failed attempts, nil if none has enough.
func activityProblem(pending []*workflowpb.PendingActivityInfo) *domain.Problem {
	var worst *workflowpb.PendingActivityInfo
	for _, a := range pending {
		if a.GetAttempt() > max(activityAttempts, worst.GetAttempt()) && a.GetLastFailure() != nil {
			worst = a
		}
	}
	if worst == nil {
		return nil
	}
	failure := worst.GetLastFailure()
	return &domain.Problem{
		Kind: domain.IncidentActivity, Activity: truncate(worst.GetActivityType().GetName(), maxName), Attempts: int(worst.GetAttempt()) - 1,
		Message: rootMessage(failure), Failure: truncate(formatTrace(failure), maxFailure),
	}
}

// inspectHistory completes an inspection from the newest events: the problem of a workflow task that fails, or the pending
// timers.
func (e *Engine) inspectHistory(
	ctx context.Context, namespace string, run *commonpb.WorkflowExecution, failing bool, i *domain.Inspection,
) error {
	q := domain.WorkflowQuestion{Namespace: namespace}
	endedTimers := map[int64]bool{}
	for range maxInspectedPages {
		page, err := e.historyBefore(ctx, q, run)
		if err != nil {
			return err
		}
		for _, event := range page.GetHistory().GetEvents() {
			if failing {
				if i.Problem = workflowTaskProblem(event); i.Problem != nil {
					return nil
				}
				continue
			}
			endedTimers[event.GetTimerFiredEventAttributes().GetStartedEventId()] = true
			endedTimers[event.GetTimerCanceledEventAttributes().GetStartedEventId()] = true
			if started := event.GetTimerStartedEventAttributes(); started != nil && !endedTimers[event.GetEventId()] {
				i.NextTimer = earlier(i.NextTimer, event.GetEventTime().AsTime().Add(started.GetStartToFireTimeout().AsDuration()))
			}
		}
		if q.After = page.GetNextPageToken(); len(q.After) == 0 {
			return nil
		}
	}
	i.Unclear = true
	return nil
}

func earlier(a *time.Time, b time.Time) *time.Time {
	if a != nil && a.Before(b) {
		return a
	}
	return &b
}

// workflowTaskProblem returns the problem of a workflow task that failed or timed out, nil for other events.
func workflowTaskProblem(event *historypb.HistoryEvent) *domain.Problem {
	var failure *failurepb.Failure
	message := "a worker took the workflow task and did not complete it in time"
	switch a := event.GetAttributes().(type) {
	case *historypb.HistoryEvent_WorkflowTaskFailedEventAttributes:
		failure = a.WorkflowTaskFailedEventAttributes.GetFailure()
		message = rootMessage(failure)
	case *historypb.HistoryEvent_WorkflowTaskTimedOutEventAttributes:
	default:
		return nil
	}
	return &domain.Problem{
		Kind: domain.IncidentWorkflowTask, Attempts: 1, Message: message, Failure: truncate(formatTrace(failure), maxFailure),
	}
}
