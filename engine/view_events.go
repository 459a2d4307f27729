package engine

import (
	"context"
	"slices"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/procession-dev/procession/domain"
)

// historyReader converts events, the newest first.
type historyReader struct {
	engine *Engine
	tenant uuid.UUID
	raw    []*historypb.HistoryEvent
	// activities maps the events that scheduled activities to their types.
	activities map[int64]string
	// endedTimers contains the events that started the ended timers.
	endedTimers map[int64]bool
}

func newHistoryReader(e *Engine, tenant uuid.UUID, raw []*historypb.HistoryEvent) *historyReader {
	r := &historyReader{engine: e, tenant: tenant, raw: raw, activities: map[int64]string{}, endedTimers: map[int64]bool{}}
	for _, event := range raw {
		if a := event.GetActivityTaskScheduledEventAttributes(); a != nil {
			r.activities[event.GetEventId()] = truncate(a.GetActivityType().GetName(), maxName)
		}
		r.endedTimers[event.GetTimerFiredEventAttributes().GetStartedEventId()] = true
		r.endedTimers[event.GetTimerCanceledEventAttributes().GetStartedEventId()] = true
	}
	return r
}

// readEvents returns the relevant events.
func (r *historyReader) readEvents(ctx context.Context) ([]domain.WorkflowEvent, error) {
	var events []domain.WorkflowEvent
	for _, raw := range r.raw {
		event := domain.WorkflowEvent{ID: raw.GetEventId(), At: raw.GetEventTime().AsTime(), Kind: raw.GetEventType().String()}
		if signal := raw.GetWorkflowExecutionSignaledEventAttributes(); signal != nil {
			event.Name = truncate(signal.GetSignalName(), maxName)
			about, err := r.signalledItem(ctx, signal.GetInput())
			if err != nil {
				return nil, err
			}
			event.About = about
		} else if !fillWorkflow(raw, &event) && !r.fillActivity(raw, &event) && !fillTimer(raw, &event) && !fillChild(raw, &event) {
			continue
		}
		events = append(events, event)
	}
	return events, nil
}

// pendingTimers returns the timers that have not ended.
func (r *historyReader) pendingTimers() []domain.WorkflowWait {
	var waits []domain.WorkflowWait
	for _, raw := range r.raw {
		started := raw.GetTimerStartedEventAttributes()
		if started == nil || r.endedTimers[raw.GetEventId()] || len(waits) == maxWaits {
			continue
		}
		event := domain.WorkflowEvent{}
		fillTimer(raw, &event)
		waits = append(waits, domain.WorkflowWait{
			Kind: domain.WaitTimer, Name: event.Name, Since: raw.GetEventTime().AsTime(), Until: event.Until,
		})
	}
	slices.Reverse(waits)
	return waits
}

// fillWorkflow completes an event of the workflow itself or of a failed workflow task.
func fillWorkflow(raw *historypb.HistoryEvent, event *domain.WorkflowEvent) bool {
	switch a := raw.GetAttributes().(type) {
	case *historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes:
		event.Name = truncate(a.WorkflowExecutionStartedEventAttributes.GetWorkflowType().GetName(), maxName)
	case *historypb.HistoryEvent_WorkflowExecutionFailedEventAttributes:
		event.Message = rootMessage(a.WorkflowExecutionFailedEventAttributes.GetFailure())
	case *historypb.HistoryEvent_WorkflowExecutionTerminatedEventAttributes:
		event.Message = truncate(a.WorkflowExecutionTerminatedEventAttributes.GetReason(), maxMessage)
	case *historypb.HistoryEvent_WorkflowExecutionCancelRequestedEventAttributes:
		event.Message = truncate(a.WorkflowExecutionCancelRequestedEventAttributes.GetCause(), maxMessage)
	case *historypb.HistoryEvent_WorkflowTaskFailedEventAttributes:
		event.Message = failureMessage(a.WorkflowTaskFailedEventAttributes.GetFailure())
	case *historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes,
		*historypb.HistoryEvent_WorkflowExecutionTimedOutEventAttributes,
		*historypb.HistoryEvent_WorkflowExecutionCanceledEventAttributes,
		*historypb.HistoryEvent_WorkflowExecutionContinuedAsNewEventAttributes,
		*historypb.HistoryEvent_WorkflowTaskTimedOutEventAttributes:
	default:
		return false
	}
	return true
}

// fillActivity completes an event of an activity.
func (r *historyReader) fillActivity(raw *historypb.HistoryEvent, event *domain.WorkflowEvent) bool {
	scheduled := raw.GetEventId()
	switch a := raw.GetAttributes().(type) {
	case *historypb.HistoryEvent_ActivityTaskScheduledEventAttributes:
	case *historypb.HistoryEvent_ActivityTaskCompletedEventAttributes:
		scheduled = a.ActivityTaskCompletedEventAttributes.GetScheduledEventId()
	case *historypb.HistoryEvent_ActivityTaskCanceledEventAttributes:
		scheduled = a.ActivityTaskCanceledEventAttributes.GetScheduledEventId()
	case *historypb.HistoryEvent_ActivityTaskFailedEventAttributes:
		scheduled = a.ActivityTaskFailedEventAttributes.GetScheduledEventId()
		event.Message = failureMessage(a.ActivityTaskFailedEventAttributes.GetFailure())
	case *historypb.HistoryEvent_ActivityTaskTimedOutEventAttributes:
		scheduled = a.ActivityTaskTimedOutEventAttributes.GetScheduledEventId()
		event.Message = failureMessage(a.ActivityTaskTimedOutEventAttributes.GetFailure())
	default:
		return false
	}
	event.Name = r.activities[scheduled]
	return true
}

// fillTimer completes an event of a timer.
func fillTimer(raw *historypb.HistoryEvent, event *domain.WorkflowEvent) bool {
	switch a := raw.GetAttributes().(type) {
	case *historypb.HistoryEvent_TimerStartedEventAttributes:
		event.Name = truncate(a.TimerStartedEventAttributes.GetTimerId(), maxName)
		event.Until = new(raw.GetEventTime().AsTime().Add(a.TimerStartedEventAttributes.GetStartToFireTimeout().AsDuration()))
	case *historypb.HistoryEvent_TimerFiredEventAttributes:
		event.Name = truncate(a.TimerFiredEventAttributes.GetTimerId(), maxName)
	case *historypb.HistoryEvent_TimerCanceledEventAttributes:
		event.Name = truncate(a.TimerCanceledEventAttributes.GetTimerId(), maxName)
	default:
		return false
	}
	return true
}

// fillChild completes an event of a child workflow.
func fillChild(raw *historypb.HistoryEvent, event *domain.WorkflowEvent) bool {
	var child interface {
		GetWorkflowType() *commonpb.WorkflowType
		GetWorkflowExecution() *commonpb.WorkflowExecution
	}
	switch a := raw.GetAttributes().(type) {
	case *historypb.HistoryEvent_ChildWorkflowExecutionStartedEventAttributes:
		child = a.ChildWorkflowExecutionStartedEventAttributes
	case *historypb.HistoryEvent_ChildWorkflowExecutionCompletedEventAttributes:
		child = a.ChildWorkflowExecutionCompletedEventAttributes
	case *historypb.HistoryEvent_ChildWorkflowExecutionFailedEventAttributes:
		child = a.ChildWorkflowExecutionFailedEventAttributes
		event.Message = failureMessage(a.ChildWorkflowExecutionFailedEventAttributes.GetFailure())
	case *historypb.HistoryEvent_ChildWorkflowExecutionCanceledEventAttributes:
		child = a.ChildWorkflowExecutionCanceledEventAttributes
	case *historypb.HistoryEvent_ChildWorkflowExecutionTimedOutEventAttributes:
		child = a.ChildWorkflowExecutionTimedOutEventAttributes
	case *historypb.HistoryEvent_ChildWorkflowExecutionTerminatedEventAttributes:
		child = a.ChildWorkflowExecutionTerminatedEventAttributes
	default:
		return false
	}
	event.Name, event.WorkflowID = truncate(child.GetWorkflowType().GetName(), maxName), child.GetWorkflowExecution().GetWorkflowId()
	return true
}

// failureMessage returns the message of a failure, "" for none.
func failureMessage(f *failurepb.Failure) string {
	if f == nil {
		return ""
	}
	return rootMessage(f)
}
