package engine

import (
	"context"
	"slices"

	"github.com/google/uuid"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/procession-dev/procession/domain"
)

// historyReader makes words of events, which are the newest first.
type historyReader struct {
	engine *Engine
	tenant uuid.UUID
	raw    []*historypb.HistoryEvent
	// activities has the types of activities by the events that scheduled them.
	activities map[int64]string
	// ended has the events that started timers which ended.
	ended map[int64]bool
}

func newReader(e *Engine, tenant uuid.UUID, raw []*historypb.HistoryEvent) *historyReader {
	r := &historyReader{engine: e, tenant: tenant, raw: raw, activities: map[int64]string{}, ended: map[int64]bool{}}
	for _, event := range raw {
		if a := event.GetActivityTaskScheduledEventAttributes(); a != nil {
			r.activities[event.GetEventId()] = cut(a.GetActivityType().GetName(), maxName)
		}
		r.ended[event.GetTimerFiredEventAttributes().GetStartedEventId()] = true
		r.ended[event.GetTimerCanceledEventAttributes().GetStartedEventId()] = true
	}
	return r
}

// events returns the events worth showing.
func (r *historyReader) events(ctx context.Context) ([]domain.WorkflowEvent, error) {
	var events []domain.WorkflowEvent
	for _, raw := range r.raw {
		event := domain.WorkflowEvent{ID: raw.GetEventId(), At: raw.GetEventTime().AsTime(), Kind: raw.GetEventType().String()}
		if signal := raw.GetWorkflowExecutionSignaledEventAttributes(); signal != nil {
			event.Name = cut(signal.GetSignalName(), maxName)
			about, err := r.itemOf(ctx, signal.GetInput())
			if err != nil {
				return nil, err
			}
			event.About = about
		} else if !ofWorkflow(raw, &event) && !r.ofActivity(raw, &event) && !ofTimer(raw, &event) && !ofChild(raw, &event) {
			continue
		}
		events = append(events, event)
	}
	return events, nil
}

// timers returns the timers that have not ended.
func (r *historyReader) timers() []domain.WorkflowWait {
	var waits []domain.WorkflowWait
	for _, raw := range r.raw {
		started := raw.GetTimerStartedEventAttributes()
		if started == nil || r.ended[raw.GetEventId()] || len(waits) == maxWaits {
			continue
		}
		event := domain.WorkflowEvent{}
		ofTimer(raw, &event)
		waits = append(waits, domain.WorkflowWait{
			Kind: domain.WaitTimer, Name: event.Name, Since: raw.GetEventTime().AsTime(), Until: event.Until,
		})
	}
	slices.Reverse(waits)
	return waits
}

// ofWorkflow completes an event of the workflow itself, or of a step of it that went wrong.
func ofWorkflow(raw *historypb.HistoryEvent, event *domain.WorkflowEvent) bool {
	switch a := raw.GetAttributes().(type) {
	case *historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes:
		event.Name = cut(a.WorkflowExecutionStartedEventAttributes.GetWorkflowType().GetName(), maxName)
	case *historypb.HistoryEvent_WorkflowExecutionFailedEventAttributes:
		event.Message = rootMessage(a.WorkflowExecutionFailedEventAttributes.GetFailure())
	case *historypb.HistoryEvent_WorkflowExecutionTerminatedEventAttributes:
		event.Message = cut(a.WorkflowExecutionTerminatedEventAttributes.GetReason(), maxMessage)
	case *historypb.HistoryEvent_WorkflowExecutionCancelRequestedEventAttributes:
		event.Message = cut(a.WorkflowExecutionCancelRequestedEventAttributes.GetCause(), maxMessage)
	case *historypb.HistoryEvent_WorkflowTaskFailedEventAttributes:
		event.Message = messageOf(a.WorkflowTaskFailedEventAttributes.GetFailure())
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

// ofActivity completes an event of an activity.
func (r *historyReader) ofActivity(raw *historypb.HistoryEvent, event *domain.WorkflowEvent) bool {
	scheduled := raw.GetEventId()
	switch a := raw.GetAttributes().(type) {
	case *historypb.HistoryEvent_ActivityTaskScheduledEventAttributes:
	case *historypb.HistoryEvent_ActivityTaskCompletedEventAttributes:
		scheduled = a.ActivityTaskCompletedEventAttributes.GetScheduledEventId()
	case *historypb.HistoryEvent_ActivityTaskCanceledEventAttributes:
		scheduled = a.ActivityTaskCanceledEventAttributes.GetScheduledEventId()
	case *historypb.HistoryEvent_ActivityTaskFailedEventAttributes:
		scheduled = a.ActivityTaskFailedEventAttributes.GetScheduledEventId()
		event.Message = messageOf(a.ActivityTaskFailedEventAttributes.GetFailure())
	case *historypb.HistoryEvent_ActivityTaskTimedOutEventAttributes:
		scheduled = a.ActivityTaskTimedOutEventAttributes.GetScheduledEventId()
		event.Message = messageOf(a.ActivityTaskTimedOutEventAttributes.GetFailure())
	default:
		return false
	}
	event.Name = r.activities[scheduled]
	return true
}

// ofTimer completes an event of a timer.
func ofTimer(raw *historypb.HistoryEvent, event *domain.WorkflowEvent) bool {
	switch a := raw.GetAttributes().(type) {
	case *historypb.HistoryEvent_TimerStartedEventAttributes:
		event.Name = cut(a.TimerStartedEventAttributes.GetTimerId(), maxName)
		event.Until = new(raw.GetEventTime().AsTime().Add(a.TimerStartedEventAttributes.GetStartToFireTimeout().AsDuration()))
	case *historypb.HistoryEvent_TimerFiredEventAttributes:
		event.Name = cut(a.TimerFiredEventAttributes.GetTimerId(), maxName)
	case *historypb.HistoryEvent_TimerCanceledEventAttributes:
		event.Name = cut(a.TimerCanceledEventAttributes.GetTimerId(), maxName)
	default:
		return false
	}
	return true
}

// ofChild completes an event of a child workflow.
func ofChild(raw *historypb.HistoryEvent, event *domain.WorkflowEvent) bool {
	switch a := raw.GetAttributes().(type) {
	case *historypb.HistoryEvent_ChildWorkflowExecutionStartedEventAttributes:
		child := a.ChildWorkflowExecutionStartedEventAttributes
		event.Name, event.WorkflowID = cut(child.GetWorkflowType().GetName(), maxName), child.GetWorkflowExecution().GetWorkflowId()
	case *historypb.HistoryEvent_ChildWorkflowExecutionCompletedEventAttributes:
		child := a.ChildWorkflowExecutionCompletedEventAttributes
		event.Name, event.WorkflowID = cut(child.GetWorkflowType().GetName(), maxName), child.GetWorkflowExecution().GetWorkflowId()
	case *historypb.HistoryEvent_ChildWorkflowExecutionFailedEventAttributes:
		child := a.ChildWorkflowExecutionFailedEventAttributes
		event.Name, event.WorkflowID = cut(child.GetWorkflowType().GetName(), maxName), child.GetWorkflowExecution().GetWorkflowId()
		event.Message = messageOf(child.GetFailure())
	case *historypb.HistoryEvent_ChildWorkflowExecutionCanceledEventAttributes:
		child := a.ChildWorkflowExecutionCanceledEventAttributes
		event.Name, event.WorkflowID = cut(child.GetWorkflowType().GetName(), maxName), child.GetWorkflowExecution().GetWorkflowId()
	case *historypb.HistoryEvent_ChildWorkflowExecutionTimedOutEventAttributes:
		child := a.ChildWorkflowExecutionTimedOutEventAttributes
		event.Name, event.WorkflowID = cut(child.GetWorkflowType().GetName(), maxName), child.GetWorkflowExecution().GetWorkflowId()
	case *historypb.HistoryEvent_ChildWorkflowExecutionTerminatedEventAttributes:
		child := a.ChildWorkflowExecutionTerminatedEventAttributes
		event.Name, event.WorkflowID = cut(child.GetWorkflowType().GetName(), maxName), child.GetWorkflowExecution().GetWorkflowId()
	default:
		return false
	}
	return true
}

// messageOf returns the message of a failure, "" for none.
func messageOf(f *failurepb.Failure) string {
	if f == nil {
		return ""
	}
	return rootMessage(f)
}
