package app

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/domain/spreadsheet"
)

// exportIndex is manifest.json.
type exportIndex struct {
	Format         string         `json:"format"`
	Version        int            `json:"version"`
	ProcessID      uuid.UUID      `json:"processId"`
	ExportedAt     time.Time      `json:"exportedAt"`
	ExportedBy     uuid.UUID      `json:"exportedBy"`
	PDF            string         `json:"pdf,omitempty"`
	Items          []exportedFile `json:"items"`
	Documents      []exportedFile `json:"documents"`
	Events         int            `json:"events"`
	EventsComplete bool           `json:"eventsComplete"`
}

// exportedFile is a file of an item or a document.
type exportedFile struct {
	ID            uuid.UUID  `json:"id"`
	Path          string     `json:"path"`
	PDF           string     `json:"pdf,omitempty"`
	Name          string     `json:"name,omitempty"`
	URI           string     `json:"uri,omitempty"`
	ContentType   string     `json:"contentType,omitempty"`
	Size          *int64     `json:"size,omitempty"`
	SHA256        string     `json:"sha256,omitempty"`
	CreatedBy     *uuid.UUID `json:"createdBy,omitempty"`
	CreatedByName string     `json:"createdByName,omitempty"`
	CreatedAt     *time.Time `json:"createdAt,omitempty"`
}

type exportedDefinition struct {
	ID      uuid.UUID `json:"id"`
	Code    string    `json:"code"`
	Version uuid.UUID `json:"version"`
	Number  int       `json:"number"`
	Name    string    `json:"name"`
}

// exportedProcess is process.json.
type exportedProcess struct {
	ID             uuid.UUID            `json:"id"`
	Definition     exportedDefinition   `json:"definition"`
	State          domain.ProcessState  `json:"state"`
	Subject        string               `json:"subject"`
	InitiatorID    uuid.UUID            `json:"initiatorId"`
	InitiatorName  string               `json:"initiatorName"`
	DueAt          *time.Time           `json:"dueAt,omitempty"`
	CreatedAt      time.Time            `json:"createdAt"`
	LastModifiedAt time.Time            `json:"lastModifiedAt"`
	Metadata       json.RawMessage      `json:"metadata,omitempty"`
	Entity         json.RawMessage      `json:"entity,omitempty"`
	Elements       domain.ElementValues `json:"elements,omitempty"`
}

func (e *ProcessExport) process() exportedProcess {
	p := &e.view.Whole
	return exportedProcess{
		ID: p.ID, State: p.State, Subject: p.Subject, InitiatorID: p.InitiatorID, InitiatorName: e.view.InitiatorName,
		Definition: exportedDefinition{
			ID: p.Definition.ID, Code: p.Definition.Code, Version: p.Definition.Version, Number: e.view.Number,
			Name: e.view.DefinitionName.For(e.reader.Texts).Text,
		},
		DueAt: p.DueAt, CreatedAt: p.CreatedAt, LastModifiedAt: p.LastModifiedAt,
		Metadata: rawValue(p.Metadata), Entity: rawValue(p.Entity), Elements: p.Elements,
	}
}

func rawValue(v *domain.JSONValue) json.RawMessage {
	if v == nil {
		return nil
	}
	return v.Value
}

// exportedItem is a task, a message or a thread.
type exportedItem struct {
	ID             uuid.UUID            `json:"id"`
	Type           domain.ItemType      `json:"type"`
	Definition     string               `json:"definitionCode,omitempty"`
	Name           string               `json:"name"`
	State          domain.TaskState     `json:"state,omitempty"`
	OwnerID        *uuid.UUID           `json:"ownerId,omitempty"`
	OwnerName      string               `json:"ownerName,omitempty"`
	Priority       domain.TaskPriority  `json:"priority,omitempty"`
	DueAt          *time.Time           `json:"dueAt,omitempty"`
	FollowUpAt     *time.Time           `json:"followUpAt,omitempty"`
	ThreadID       *uuid.UUID           `json:"threadId,omitempty"`
	Text           string               `json:"text,omitempty"`
	Data           json.RawMessage      `json:"data,omitempty"`
	Valid          *bool                `json:"valid,omitempty"`
	ContextData    json.RawMessage      `json:"contextData,omitempty"`
	Elements       domain.ElementValues `json:"elements,omitempty"`
	Log            []exportedLog        `json:"log,omitempty"`
	CreatedBy      uuid.UUID            `json:"createdBy"`
	CreatedByName  string               `json:"createdByName"`
	CreatedAt      time.Time            `json:"createdAt"`
	LastModifiedAt time.Time            `json:"lastModifiedAt"`
	CompletedAt    *time.Time           `json:"completedAt,omitempty"`
}

type exportedLog struct {
	Timestamp time.Time       `json:"timestamp"`
	Level     domain.LogLevel `json:"level"`
	Message   string          `json:"message"`
}

func (i *exportedItem) addTask(task *domain.OpenedTask) {
	t := task.Item.Task
	i.Definition, i.OwnerID, i.Priority = task.Item.DefinitionCode(), task.Item.OwnerID, task.Priority()
	i.State, i.DueAt, i.FollowUpAt, i.CompletedAt = t.State, t.Plan.DueAt, t.Plan.FollowUpAt, t.CompletedAt
	i.ContextData, i.Elements = rawValue(t.ContextData), t.Elements
	if i.Data = rawValue(t.Data); t.Data != nil {
		i.Valid = &t.Data.Valid
	}
	for _, entry := range t.Logs {
		i.Log = append(i.Log, exportedLog{entry.Timestamp, entry.Level, entry.Message})
	}
}

// exportedEvent is an event of timeline.json.
type exportedEvent struct {
	ID            uuid.UUID        `json:"id"`
	OccurredAt    time.Time        `json:"occurredAt"`
	Type          domain.EventType `json:"type"`
	ActorID       uuid.UUID        `json:"actorId"`
	ActorName     string           `json:"actorName"`
	ResourceID    uuid.UUID        `json:"resourceId"`
	ItemID        *uuid.UUID       `json:"itemId,omitempty"`
	ItemName      string           `json:"itemName,omitempty"`
	PreviousState string           `json:"previousState,omitempty"`
	State         string           `json:"state,omitempty"`
	OwnerName     string           `json:"ownerName,omitempty"`
}

// writeTimeline adds the events, the oldest first, as JSON and as CSV. It returns their number, and false if there are more.
func (e *ProcessExport) writeTimeline(ctx context.Context, z *exportZip) (n int, complete bool, err error) {
	var text, table bytes.Buffer
	rows := spreadsheet.NewWriter(&table)
	if err := rows.Write("id", "occurredAt", "type", "actorId", "actorName", "resourceId", "itemId", "itemName", "previousState", "state", "ownerName"); err != nil {
		return 0, false, err
	}
	separator := "["
	part := EventRange{Limit: exportPage}
	for complete = false; !complete && n < maxExportedEvents; {
		events, err := e.service.FindProcessEvents(ctx, e.call, e.view.Whole.ID, part)
		if err != nil {
			return 0, false, err
		}
		for i := range events {
			found := &events[i]
			event := exportedEvent{
				found.ID, found.OccurredAt, found.Type, found.ActorID, found.ActorName, found.ResourceID, found.ItemID,
				found.ItemName.For(e.reader.Texts).Text, found.PreviousState, found.State, found.OwnerName,
			}
			line, err := jsontext.Marshal(event)
			if err != nil {
				return 0, false, err
			}
			text.WriteString(separator)
			text.Write(line)
			separator = ",\n"
			item := ""
			if event.ItemID != nil {
				item = event.ItemID.String()
			}
			if err := rows.Write(event.ID.String(), event.OccurredAt.UTC().Format(time.RFC3339Nano), string(event.Type), event.ActorID.String(),
				event.ActorName, event.ResourceID.String(), item, event.ItemName, event.PreviousState, event.State, event.OwnerName); err != nil {
				return 0, false, err
			}
			part.After = &found.Cursor
		}
		n += len(events)
		complete = len(events) < exportPage
	}
	if n == 0 {
		text.WriteString("[")
	}
	text.WriteString("]")
	if err := rows.Flush(); err != nil {
		return 0, false, err
	}
	if err := z.addBytes("timeline.json", zip.Deflate, &text); err != nil {
		return 0, false, err
	}
	return n, complete, z.addBytes("timeline.csv", zip.Deflate, &table)
}
