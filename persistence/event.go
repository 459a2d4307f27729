package persistence

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// insertIntoEvents begins the statements that record an event of a resource other than processes and items
	// in the statement that changes it. It lists all columns that such an event has; its position in the event
	// log is assigned by default.
	insertIntoEvents = `
INSERT INTO events (` + plainEventColumns + `)`

	plainEventColumns = `id, tenant_id, type, resource_kind, resource_id, details, actor_id, request_id, occurred_at`

	insertEvent = `
INSERT INTO events (` + plainEventColumns + `, process_id, previous_state, state, process_state, process_item_id,
                    item_type, item_definition_code, task_state)
VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, ''), $9,
        $10, nullif($11, ''), nullif($12, ''), nullif($13, ''), $14, nullif($15, ''), nullif($16, ''), nullif($17, ''))`
)

type requestIDKey struct{}

// WithRequestID returns a context under which events are recorded with the id of the request. An id has at most
// 128 characters.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// record queues events. Each event without an id gets one, and the id of the request that the transaction belongs
// to.
func (tx *Tx) record(events domain.Events) error {
	for i := range events {
		args, err := eventArgs(&events[i], tx.requestID)
		if err != nil {
			return err
		}
		tx.queue(insertEvent, args...)
	}
	return nil
}

// Changed reports whether the transaction changes anything.
func (tx *Tx) Changed() bool { return tx.queued.Len() > 0 }

// eventArgs returns the arguments of insertEvent.
func eventArgs(e *domain.Event, request string) ([]any, error) {
	details, err := eventDetails(e)
	if err != nil {
		return nil, err
	}
	return []any{
		eventID(e), e.TenantID, e.Type, e.ResourceKind, e.ResourceID, details,
		e.ActorID, cmp.Or(e.RequestID, request), e.OccurredAt,
		pg.Optional(e.ProcessID), e.PreviousState, e.State, e.ProcessState, e.ItemID,
		e.ItemType, e.ItemDefinitionCode, e.TaskState,
	}, nil
}

func eventDetails(e *domain.Event) ([]byte, error) {
	if len(e.Details) == 0 {
		return nil, nil
	}
	details, err := json.Marshal(e.Details)
	if err != nil {
		return nil, fmt.Errorf("writing the details of an event: %w", err)
	}
	return details, nil
}

// eventID returns the id of the event: the chosen one, or else a new one.
func eventID(e *domain.Event) uuid.UUID {
	if e.ID != uuid.Nil {
		return e.ID
	}
	return domain.NewID()
}
