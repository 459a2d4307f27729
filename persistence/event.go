package persistence

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

	eventColumns = plainEventColumns + `, process_id, previous_state, state, process_state, process_item_id,
                    item_type, item_definition_code, task_state`

	// eventsAtOnce bounds the events of one statement.
	eventsAtOnce = 4
)

// insertEvents are the statements that record one event, two, and so on, in their order.
//
//nolint:gochecknoglobals // a constant
var insertEvents = func() (statements [eventsAtOnce + 1]string) {
	columns := strings.Count(eventColumns, ",") + 1
	sql := "\nINSERT INTO events (" + eventColumns + ")\nVALUES "
	for n := 1; n < len(statements); n++ {
		row := make([]string, columns)
		for i := range row {
			row[i] = "$" + strconv.Itoa((n-1)*columns+i+1)
		}
		sql += "(" + strings.Join(row, ", ") + ")"
		statements[n] = sql
		sql += ",\n       "
	}
	return statements
}()

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

// record queues events. It adds missing ids, the id of the request, and the token of the caller to the caller's events.
func (tx *Tx) record(events domain.Events) error {
	for some := range slices.Chunk(events, eventsAtOnce) {
		var args []any
		for i := range some {
			e := some[i]
			if e.ActorID == tx.call.PrincipalID {
				e = e.ByToken(tx.call.Token)
			}
			more, err := eventArgs(&e, tx.requestID)
			if err != nil {
				return err
			}
			args = append(args, more...)
		}
		tx.queue(insertEvents[len(some)], args...)
	}
	return nil
}

// Changed reports whether the transaction changes anything.
func (tx *Tx) Changed() bool { return tx.queued.Len() > 0 }

// eventArgs returns the values of eventColumns.
func eventArgs(e *domain.Event, request string) ([]any, error) {
	details, err := eventDetails(e)
	if err != nil {
		return nil, err
	}
	return []any{
		eventID(e), e.TenantID, e.Type, e.ResourceKind, e.ResourceID, details,
		e.ActorID, orNull(cmp.Or(e.RequestID, request)), e.OccurredAt,
		pg.Optional(e.ProcessID), orNull(e.PreviousState), orNull(e.State), orNull(e.ProcessState), e.ItemID,
		orNull(e.ItemType), orNull(e.ItemDefinitionCode), orNull(e.TaskState),
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
