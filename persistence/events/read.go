package events

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	eventColumns = `e.id, e.era, e.xid, e.position, e.tenant_id, e.process_id, e.type,
       e.resource_kind, e.resource_id, coalesce(e.previous_state, ''), coalesce(e.state, ''), e.details,
       coalesce(e.process_state, ''), e.process_item_id, coalesce(e.item_type, ''),
       coalesce(e.item_definition_code, ''), coalesce(e.task_state, ''),
       e.actor_id, coalesce(e.request_id, ''), e.occurred_at`

	// pendingEvents is true while there are events that are committed and not settled.
	pendingEvents = `
SELECT EXISTS (SELECT 1
                 FROM events e
                WHERE e.era = (SELECT l.era FROM event_ledger l) AND e.xid >= (SELECT event_horizon(pg_current_snapshot())))`

	endOfLedger = `
SELECT l.era, n.xid, n.position
  FROM event_ledger l, event_end(pg_current_snapshot()) n`
)

// The conditions of the indexes events_type, events_kind and events_resource. A statement that has one uses the index in generic plans too.
const (
	ofRareType = `e.type NOT IN ('PROCESS.CREATED', 'PROCESS.STATE_CHANGED', 'PROCESS_ITEM.CREATED', 'PROCESS_ITEM.TASK_STATE_CHANGED',
                    'PROCESS_ITEM.TASK_DATA_SAVED')`
	ofRareKind     = `e.resource_kind NOT IN ('PROCESS', 'PROCESS_ITEM')`
	besidesProcess = `e.resource_id IS DISTINCT FROM e.process_id`
)

// frequentTypes returns the types of events that every process and every task records.
func frequentTypes() []domain.EventType {
	return []domain.EventType{
		domain.EventProcessCreated, domain.EventProcessStateChanged, domain.EventItemCreated, domain.EventItemTaskStateChanged,
		domain.EventItemTaskDataSaved,
	}
}

// areRare reports whether there are values, and none of them is frequent.
func areRare[T comparable](values []T, frequent ...T) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(v T) bool { return slices.Contains(frequent, v) })
}

// beyondCursor compares an event e with a cursor. Its arguments begin at first.
func beyondCursor(operator string, first int) string {
	return pg.ComparePlace(operator, fmt.Sprintf("$%d::integer", first), fmt.Sprintf("$%d::xid8", first+1),
		fmt.Sprintf("$%d::bigint", first+2))
}

func cursorArgs(c domain.EventCursor) []any {
	return []any{c.Era, c.Transaction, c.Position}
}

// scanEvent reads eventColumns, and further columns into more.
func scanEvent(row pgx.CollectableRow, more ...any) (domain.Event, error) {
	var e domain.Event
	var process *uuid.UUID
	var details []byte
	err := row.Scan(append([]any{
		&e.ID, &e.Cursor.Era, &e.Cursor.Transaction, &e.Cursor.Position, &e.TenantID, &process, &e.Type,
		&e.ResourceKind, &e.ResourceID, &e.PreviousState, &e.State, &details,
		&e.ProcessState, &e.ItemID, &e.ItemType, &e.ItemDefinitionCode, &e.TaskState,
		&e.ActorID, &e.RequestID, &e.OccurredAt,
	}, more...)...)
	if err != nil {
		return e, err
	}
	if process != nil {
		e.ProcessID = *process
	}
	if len(details) > 0 {
		if err := json.Unmarshal(details, &e.Details); err != nil {
			return e, fmt.Errorf("reading the details of event %s: %w", e.ID, err)
		}
	}
	return e, nil
}

func collectEvents(dest *[]domain.Event) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (domain.Event, error) { return scanEvent(row) })
		return err
	}
}

// End returns the cursor behind all settled events and ahead of all others.
func End(ctx context.Context, r *persistence.Reader) (domain.EventCursor, error) {
	var c domain.EventCursor
	err := r.Read(ctx, FindEnd(&c))
	return c, pg.Translate("finding the end of the ledger", err)
}

// FindEnd returns the query of End.
func FindEnd(dest *domain.EventCursor) pg.Query {
	return pg.Q(endOfLedger, nil, pg.One(&dest.Era, &dest.Transaction, &dest.Position))
}

// Batch is a part of the event log. Next is where the next part begins. Pending reports whether there are
// committed events that become readable as soon as some other transaction ends, which causes no notification.
type Batch struct {
	Events  []domain.Event
	Next    domain.EventCursor
	Pending bool
}

// ListAfter returns the next limit events after the cursor, of all tenants and of all types unless some
// are given, in the order in which they are settled. A reader that continues from Next each time gets every
// event once.
func ListAfter(
	ctx context.Context, r *persistence.Reader, after domain.EventCursor, limit int, types ...domain.EventType,
) (Batch, error) {
	batch := Batch{Next: after}
	sql, args := "SELECT "+eventColumns+"\n  FROM events e\n WHERE "+pg.SettledEvent+" AND "+beyondCursor(">", 1), cursorArgs(after)
	if len(types) > 0 {
		sql, args = sql+" AND e.type = ANY($5)", append(args, limit, types)
	} else {
		args = append(args, limit)
	}
	err := r.Read(
		ctx,
		// This query runs before the query of the events: an event that settles in between is read, not only reported
		// as pending.
		pg.Q(pendingEvents, nil, pg.One(&batch.Pending)),
		pg.Q(sql+"\n ORDER BY "+pg.EventOrder+"\n LIMIT $4", args, collectEvents(&batch.Events)),
	)
	if n := len(batch.Events); n > 0 {
		batch.Next = batch.Events[n-1].Cursor
	}
	return batch, pg.Translate("reading the ledger", err)
}

// removedBeyond is true when events behind a cursor, $1 to $3, were removed: of the tenants $5, or of any where $4 is true.
const removedBeyond = `
SELECT EXISTS (SELECT 1 FROM removed_events d
                WHERE (d.era, d.xid, d.position) > ($1::integer, $2::xid8, $3::bigint) AND ($4 OR d.tenant_id = ANY($5)))`

// Missed reports whether events in the scope after the cursor were removed because of their age. A caller with the zero cursor
// accepts the events that are left.
func Missed(ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, after domain.EventCursor) (missed bool, err error) {
	if after == (domain.EventCursor{}) {
		return false, nil
	}
	err = r.Read(ctx, pg.Q(removedBeyond, append(cursorArgs(after), scope.Everywhere, scope.SomeTenants()), pg.One(&missed)))
	return missed, pg.Translate("looking for removed events", err)
}

// Filter narrows a list of events; empty fields keep all. From is the first
// moment, To the one after the last.
type Filter struct {
	IDs           []uuid.UUID
	TenantCodes   []string
	TenantIDs     []uuid.UUID
	Types         []domain.EventType
	ActorIDs      []uuid.UUID
	ProcessIDs    []uuid.UUID
	ResourceKinds []domain.EventResource
	ResourceIDs   []uuid.UUID
	RequestIDs    []string
	From, To      *time.Time
	// Concerning is the resource, or the process that it belongs to.
	Concerning *uuid.UUID
	// Actor is a part of the name or the e-mail of the actor, ignoring case.
	Actor string
}

// Range is the part of the event log to read: from the beginning, or from After on, towards the newest; or
// the other way round when NewestFirst.
type Range struct {
	After       *domain.EventCursor
	NewestFirst bool
	Limit       int
}

// List returns the next events in the scope.
func List(
	ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, filter Filter, part Range,
) ([]domain.Event, error) {
	var events []domain.Event
	rows, err := listOf(eventColumns, "", scope, filter, part).Rows(domain.PageRequest{Size: part.Limit}, collectEvents(&events))
	if err == nil {
		err = r.Read(ctx, rows)
	}
	return events, pg.Translate("listing events", err)
}

const namesOfRecords = `
  LEFT JOIN principals s ON s.id = e.actor_id
  LEFT JOIN person_names sname ON sname.tenant_id = e.tenant_id AND sname.principal_id = e.actor_id
  LEFT JOIN tenants t ON t.id = e.tenant_id`

// byActor is true of an event e of an actor that has a text in its e-mail or in its name in the tenant of the event.
const byActor = `(e.actor_id IN (SELECT a.id FROM principals a WHERE strpos(search_key(a.email), search_key(%[1]s)) > 0)
    OR (e.tenant_id, e.actor_id) IN (SELECT n.tenant_id, n.principal_id FROM person_names n WHERE strpos(search_key(n.name), search_key(%[1]s)) > 0)
    OR e.actor_id IN (SELECT a.id FROM principals a WHERE strpos(search_key(a.name), search_key(%[1]s)) > 0)
        AND NOT EXISTS (SELECT 1 FROM person_names n WHERE n.tenant_id = e.tenant_id AND n.principal_id = e.actor_id))`

// ListRecords returns the next events in the scope with the names of the resources that they refer to.
func ListRecords(
	ctx context.Context, r *persistence.Reader, scope persistence.AdministrationScope, filter Filter, part Range,
) ([]domain.AuditRecord, error) {
	var records []domain.AuditRecord
	rows, err := recordsOf(scope, filter, part, &records)
	if err == nil {
		err = r.Read(ctx, rows)
	}
	return records, pg.Translate("listing records of the ledger", err)
}

// recordsOf returns the query of ListRecords.
func recordsOf(
	scope persistence.AdministrationScope, filter Filter, part Range, records *[]domain.AuditRecord,
) (pg.Query, error) {
	l := listOf(eventColumns+", coalesce(sname.name, s.name, ''), coalesce(t.code, '')", namesOfRecords, scope, filter, part)
	return l.Rows(domain.PageRequest{Size: part.Limit}, func(rows pgx.Rows) (err error) {
		*records, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (record domain.AuditRecord, err error) {
			record.Event, err = scanEvent(row, &record.ActorName, &record.TenantCode)
			return record, err
		})
		return err
	})
}

// eventOfDefinition is true of an event e about a process definition that $1 administers, or an incident of it.
const eventOfDefinition = besidesProcess + ` AND e.resource_id = ANY(ARRAY(
    SELECT unnest(` + access.AdministeredProcessDefinitions + `)
     UNION ALL
    SELECT i.id
      FROM processes q
      JOIN incidents i ON i.process_id = q.id
     WHERE q.process_definition_id = ANY(` + access.AdministeredProcessDefinitions + `)))`

// listOf returns the list of the next events in the scope.
func listOf(columns, names string, scope persistence.AdministrationScope, filter Filter, part Range) *listquery.List {
	order, operator, after := pg.EventOrder, ">", domain.EventCursor{}
	if part.NewestFirst {
		order, operator = pg.EventOrderDescending, "<"
		after = domain.EventCursor{Era: math.MaxInt32, Transaction: math.MaxInt64, Position: math.MaxInt64}
	}
	if part.After != nil {
		after = *part.After
	}
	return &listquery.List{
		Columns: columns, Table: "events e", Joins: names,
		Tenants: scope.Within("e.tenant_id", eventOfDefinition),
		Visible: listquery.Match(pg.SettledEvent),
		Where: []listquery.Condition{
			listquery.MatchAny("e.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY(%s))", filter.TenantCodes),
			listquery.AnyOf("e.id", filter.IDs),
			listquery.AnyOf("e.tenant_id", filter.TenantIDs),
			listquery.AnyOf("e.type", filter.Types),
			listquery.MatchIf(areRare(filter.Types, frequentTypes()...), ofRareType),
			listquery.AnyOf("e.actor_id", filter.ActorIDs),
			listquery.AnyOf("e.process_id", filter.ProcessIDs),
			listquery.AnyOf("e.resource_kind", filter.ResourceKinds),
			listquery.MatchIf(areRare(filter.ResourceKinds, domain.ResourceProcess, domain.ResourceItem), ofRareKind),
			listquery.MatchAny("(e.resource_id = ANY(%[1]s) AND "+besidesProcess+" OR e.process_id = ANY(%[1]s) AND e.resource_id = e.process_id)",
				filter.ResourceIDs),
			listquery.AnyOf("e.request_id", filter.RequestIDs),
			listquery.MatchGiven("e.occurred_at >= %s", filter.From),
			listquery.MatchGiven("e.occurred_at < %s", filter.To),
			listquery.MatchGiven("(e.resource_id = %[1]s AND "+besidesProcess+" OR e.process_id = %[1]s)", filter.Concerning),
			listquery.MatchIf(filter.Actor != "", byActor, filter.Actor),
			listquery.Match(pg.ComparePlace(operator, "%[1]s::integer", "%[2]s::xid8", "%[3]s::bigint"), cursorArgs(after)...),
		},
		Order: listquery.Order{Default: []listquery.Column{{SQL: order}}},
	}
}
