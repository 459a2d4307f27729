package engine

import (
	"context"
	"time"

	"github.com/google/uuid"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/procession-dev/procession/domain"
)

const (
	// maxRepairPoints bounds the points that are returned.
	maxRepairPoints = 100
	// maxPointEvents bounds the events of a point.
	maxPointEvents = 100
)

// RepairPoints returns the events from which the workflow of a run can continue, the newest first, at most a hundred. It
// takes at most five seconds.
func (e *Engine) RepairPoints(ctx context.Context, r domain.EngineRun) ([]domain.RepairPoint, error) {
	ctx, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	current, err := e.describeRun(ctx, r.Namespace, r.WorkflowID, "")
	if isGone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	execution := current.info.GetExecution()
	c := pointCollector{engineRun: execution.GetRunId(), activities: map[int64]string{}}
	err = e.eachEvent(ctx, r.Namespace, execution, func(event *historypb.HistoryEvent) (bool, error) {
		c.add(event)
		if signal := event.GetWorkflowExecutionSignaledEventAttributes(); signal != nil {
			item, err := e.signalledItemID(ctx, r.TenantID, signal)
			if err != nil {
				return false, err
			}
			c.addSignal(event, signal.GetSignalName(), item)
		}
		return true, nil
	})
	return c.newestPoints(), err
}

// pointCollector collects the points of a history, and the events after each of them.
type pointCollector struct {
	engineRun string
	points    []domain.RepairPoint
	// before are the numbers of the events before each point.
	before []int
	events []domain.RepairPointEvent
	// cause and name are of the event that the next workflow task handles.
	cause, name string
	activities  map[int64]string
}

func (c *pointCollector) add(event *historypb.HistoryEvent) {
	switch event.GetEventType() { //nolint:exhaustive // other events are neither points nor steps
	case enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
		c.points = append(c.points, domain.RepairPoint{
			EngineRun: c.engineRun, EventID: event.GetEventId(), At: event.GetEventTime().AsTime(), Cause: c.cause, Name: c.name,
		})
		c.before = append(c.before, len(c.events))
		c.cause, c.name = "", ""
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED, enumspb.EVENT_TYPE_TIMER_FIRED:
		c.cause, c.name = event.GetEventType().String(), ""
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		c.cause = event.GetEventType().String()
		c.name = c.activities[event.GetActivityTaskCompletedEventAttributes().GetScheduledEventId()]
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_FAILED:
		c.cause = event.GetEventType().String()
		c.name = c.activities[event.GetActivityTaskFailedEventAttributes().GetScheduledEventId()]
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		name := truncate(event.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName(), maxName)
		c.activities[event.GetEventId()] = name
		c.addEvent(event, domain.PointActivity, name)
	case enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:
		c.addEvent(event, domain.PointChild,
			truncate(event.GetStartChildWorkflowExecutionInitiatedEventAttributes().GetWorkflowType().GetName(), maxName))
	case enumspb.EVENT_TYPE_TIMER_STARTED:
		c.addEvent(event, domain.PointTimer,
			event.GetTimerStartedEventAttributes().GetStartToFireTimeout().AsDuration().Round(time.Millisecond).String())
	}
}

func (c *pointCollector) addEvent(event *historypb.HistoryEvent, kind domain.PointEventKind, name string) {
	c.events = append(c.events, domain.RepairPointEvent{Kind: kind, Name: name, At: event.GetEventTime().AsTime()})
}

func (c *pointCollector) addSignal(event *historypb.HistoryEvent, name string, item uuid.UUID) {
	c.cause, c.name = event.GetEventType().String(), truncate(name, maxName)
	c.addEvent(event, domain.PointSignal, c.name)
	if item != uuid.Nil {
		c.events[len(c.events)-1].ItemID = &item
	}
}

// newestPoints returns the last points in reverse with the events after them.
func (c *pointCollector) newestPoints() []domain.RepairPoint {
	var newest []domain.RepairPoint
	for i := len(c.points) - 1; i >= 0 && len(newest) < maxRepairPoints; i-- {
		point := c.points[i]
		after := c.events[c.before[i]:]
		point.EventCount = len(after)
		point.Events = after[:min(len(after), maxPointEvents)]
		newest = append(newest, point)
	}
	return newest
}
