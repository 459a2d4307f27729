package domain

import (
	"time"

	"github.com/google/uuid"
)

// EventType names what happened. Subscribers of each shape see the ones their
// shape knows, under that shape's names.
type EventType string

// The event types.
const (
	EventProcessCreated       EventType = "PROCESS.CREATED"
	EventProcessStateChanged  EventType = "PROCESS.STATE_CHANGED"
	EventItemCreated          EventType = "PROCESS_ITEM.CREATED"
	EventItemTaskStateChanged EventType = "PROCESS_ITEM.TASK_STATE_CHANGED"
)

// Event is something that happened to a process. It commits together with the
// change it tells of and is never altered. The item fields are empty for events
// of the process itself; TaskState is empty for items that are not tasks.
type Event struct {
	ID                 uuid.UUID
	TenantID           uuid.UUID
	ProcessID          uuid.UUID
	Type               EventType
	ProcessState       ProcessState
	ItemID             *uuid.UUID
	ItemType           ItemType
	ItemDefinitionCode string
	TaskState          TaskState
	ActorID            uuid.UUID
	OccurredAt         time.Time
}

// ProcessEvent tells of a change of p that by made now.
func ProcessEvent(id uuid.UUID, t EventType, p *Process, by uuid.UUID, now time.Time) Event {
	return Event{
		ID: id, TenantID: p.TenantID, ProcessID: p.ID, Type: t, ProcessState: p.State,
		ActorID: by, OccurredAt: now,
	}
}

// ItemEvent tells of a change of i that by made now.
func ItemEvent(id uuid.UUID, t EventType, i *ProcessItem, by uuid.UUID, now time.Time) Event {
	e := Event{
		ID: id, TenantID: i.TenantID, ProcessID: i.ProcessID, Type: t,
		ItemID: &i.ID, ItemType: i.Type, ItemDefinitionCode: i.DefinitionCode(),
		ActorID: by, OccurredAt: now,
	}
	if i.Task != nil {
		e.TaskState = i.Task.State
	}
	return e
}
