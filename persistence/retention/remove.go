package retention

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// every is the time from the end of a turn to the next one.
const every = 24 * time.Hour

// The parts are as small as some ten milliseconds: followers of the event log wait for the end of a transaction.
const (
	eventsAtOnce     = 1000
	aggregatesAtOnce = 50
	deliveriesAtOnce = 200
	callsAtOnce      = 50
	incidentsAtOnce  = 200
)

const (
	claimTurn = `
WITH due AS (
    SELECT w.*
      FROM retention_turns w
     WHERE w.due_at <= $4
     ORDER BY w.due_at
     LIMIT 1
       FOR NO KEY UPDATE SKIP LOCKED
)
SELECT w.tenant_id, coalesce(t.code, ''), w.kind, nullif(w.after_at, '-infinity'), w.after_id, w.removed, ` + boundOfTurn + `, session_user
  FROM due w
  JOIN unnest($1::text[], $2::text[], $3::float8[]) AS k (kind, field, seconds) ON k.kind = w.kind
  LEFT JOIN tenants t ON t.id = w.tenant_id
  LEFT JOIN resources r ON r.tenant_id = t.id AND r.kind = 'Tenant'`

	// lockTurn makes the turn if there is none.
	lockTurn = `
INSERT INTO retention_turns AS w (tenant_id, kind, due_at)
VALUES ($1, $2, $3)
    ON CONFLICT (tenant_id, kind) DO UPDATE SET kind = excluded.kind
RETURNING w.removed, session_user`

	deleteTurn = `
DELETE FROM retention_turns
 WHERE tenant_id = $1 AND kind = $2`

	saveTurn = `
UPDATE retention_turns
   SET due_at = $3, after_at = coalesce($4::timestamptz, '-infinity'), after_id = $5, removed = $6
 WHERE tenant_id = $1 AND kind = $2`

	removeEvents    = `SELECT remove_old_events($1, $2, $3)`
	removeProcesses = `SELECT looked, n, after_at, after_id FROM old_processes($1, $2, coalesce($4::timestamptz, '-infinity'), $5, $3, true)`
	removeDeleted   = `SELECT processes, artifacts FROM old_deleted($1, $2, $3, true)`

	removeDeliveries = `
WITH old AS (
    SELECT d.id FROM webhook_deliveries d
     WHERE d.tenant_id = $1 AND d.finished_at < $2
     ORDER BY d.finished_at
     LIMIT $3
       FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM webhook_deliveries d USING old o WHERE d.id = o.id RETURNING 1
)
SELECT count(*) FROM gone`

	oldCalls = ` c.tenant_id = $1 AND c.asked_at < $2
       AND NOT EXISTS (SELECT 1 FROM item_assistance s WHERE s.item_id = c.item_id AND s.run = c.run AND s.state = 'PENDING')`

	// A dismissed incident stays while the process runs and its workflow still has the problem.
	oldIncidents = ` i.tenant_id = $1 AND i.state <> 'OPEN' AND i.resolved_at < $2
       AND NOT (i.state = 'DISMISSED'
                AND EXISTS (SELECT 1 FROM engine_runs r
                              JOIN processes p ON p.id = r.owner_id
                             WHERE r.id = i.engine_run_id AND r.kind = 'PROCESS' AND p.state = 'RUNNING'
                               AND (r.state = 'FAILED' OR r.finding = 'STUCK')))`

	removeIncidents = `
WITH old AS (
    SELECT i.id, i.tenant_id FROM incidents i
     WHERE` + oldIncidents + `
     ORDER BY i.resolved_at
     LIMIT $3
       FOR UPDATE OF i SKIP LOCKED
), gone AS (
    DELETE FROM incidents i USING old o WHERE i.id = o.id AND i.tenant_id = o.tenant_id RETURNING 1
)
SELECT count(*) FROM gone`

	removeCalls = `
WITH old AS (
    SELECT c.item_id, c.run FROM assistance_calls c
     WHERE` + oldCalls + `
     ORDER BY c.asked_at
     LIMIT $3
       FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM assistance_calls c USING old o WHERE c.item_id = o.item_id AND c.run = o.run RETURNING 1
)
SELECT count(*) FROM gone`
)

// Part is the result of one transaction of a removal. Found is false when no turn was due. Done is set at the end of a turn: Total counts
// the rows removed since the previous event.
type Part struct {
	Turn           Turn
	Found, Done    bool
	Removed, Total int64
}

// RemoveDue removes the next part of a turn that is due and that no other caller works on. After an error the part has the
// turn, if one was found, and no row has changed.
func RemoveDue(ctx context.Context, db *persistence.DB, longest Bounds, now time.Time) (Part, error) {
	return removePart(ctx, db, now, func(tx *persistence.Tx, p *Part) (role string, err error) {
		var kept *time.Duration
		t := &p.Turn
		err = pg.IgnoreNoRows(tx.Read(ctx, pg.Q(claimTurn, append(longest.boundArgs(), now),
			pg.One(&t.TenantID, &t.Tenant, &t.Kind, &t.afterAt, &t.afterID, &p.Total, &kept, &role))))
		t.Before, p.Found = cutoffTime(now, kept), t.Kind != ""
		return role, err
	})
}

// Remove removes the next part of the turn. Its Before must be set.
func Remove(ctx context.Context, db *persistence.DB, t Turn, now time.Time) (Part, error) {
	return removePart(ctx, db, now, func(tx *persistence.Tx, p *Part) (role string, err error) {
		p.Turn, p.Found = t, true
		return role, tx.Change(ctx, pg.Q(lockTurn, []any{t.TenantID, t.Kind, now}, pg.One(&p.Total, &role)))
	})
}

func removePart(
	ctx context.Context, db *persistence.DB, now time.Time, lock func(*persistence.Tx, *Part) (role string, err error),
) (Part, error) {
	var p Part
	err := db.Record(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		p = Part{}
		role, err := lock(tx, &p)
		if err != nil || !p.Found {
			return domain.NoEvents(), err
		}
		if p.Turn.Before.IsZero() {
			// The bound is gone since it was planned.
			p.Done = true
			tx.QueueQuery(pg.Q(deleteTurn, []any{p.Turn.TenantID, p.Turn.Kind}, pg.None))
			return domain.NoEvents(), nil
		}
		if err := p.removeRows(ctx, tx); err != nil {
			return nil, err
		}
		p.Total += p.Removed
		// One turn after the other, so that a long one does not hold up the rest.
		due, left := now, p.Total
		events := domain.NoEvents()
		if p.Done {
			due, left = now.Add(every), 0
			events = p.removalEvents(role, now)
		}
		tx.QueueQuery(pg.Q(saveTurn,
			[]any{p.Turn.TenantID, p.Turn.Kind, due, p.Turn.afterAt, p.Turn.afterID, left}, pg.None))
		return events, nil
	})
	return p, pg.Translate("removing old data", err)
}

// remove removes the next part of the turn.
func (p *Part) removeRows(ctx context.Context, tx *persistence.Tx) error {
	t := &p.Turn
	switch t.Kind {
	case domain.RetainProcesses:
		var looked int64
		var at *time.Time
		var id *uuid.UUID
		err := tx.Change(ctx, pg.Q(removeProcesses, []any{t.TenantID, t.Before, aggregatesAtOnce, t.afterAt, t.afterID},
			pg.One(&looked, &p.Removed, &at, &id)))
		p.Done = looked < aggregatesAtOnce
		t.afterAt, t.afterID = nil, uuid.Nil
		if err == nil && !p.Done {
			t.afterAt, t.afterID = at, *id
		}
		return err
	case domain.RetainDeleted:
		var artifacts int64
		err := tx.Change(ctx, pg.Q(removeDeleted, []any{t.TenantID, t.Before, aggregatesAtOnce}, pg.One(&p.Removed, &artifacts)))
		p.Done = max(p.Removed, artifacts) < aggregatesAtOnce
		p.Removed += artifacts
		return err
	case domain.RetainEvents:
		return p.deleteRows(ctx, tx, removeEvents, eventsAtOnce)
	case domain.RetainDeliveries:
		return p.deleteRows(ctx, tx, removeDeliveries, deliveriesAtOnce)
	case domain.RetainAssistanceCalls:
		return p.deleteRows(ctx, tx, removeCalls, callsAtOnce)
	case domain.RetainIncidents:
		return p.deleteRows(ctx, tx, removeIncidents, incidentsAtOnce)
	}
	return nil
}

// deleteRows removes up to atMost rows by a statement that returns how many it removed.
func (p *Part) deleteRows(ctx context.Context, tx *persistence.Tx, sql string, atMost int64) error {
	err := tx.Change(ctx, pg.Q(sql, []any{p.Turn.TenantID, p.Turn.Before, atMost}, pg.One(&p.Removed)))
	p.Done = p.Removed < atMost
	return err
}

// removalEvents returns the events that report the removals of the turn.
func (p *Part) removalEvents(role string, now time.Time) domain.Events {
	if p.Total == 0 || p.Turn.Kind.Removed() == "" {
		return domain.NoEvents()
	}
	e := domain.Event{
		TenantID: p.Turn.TenantID, Type: p.Turn.Kind.Removed(),
		ResourceKind: domain.ResourceTenant, ResourceID: p.Turn.TenantID,
		ActorID: domain.SystemPrincipalID(), OccurredAt: now,
	}
	return domain.Events{e.With("count", strconv.FormatInt(p.Total, 10)).
		With("before", p.Turn.Before.UTC().Format(time.RFC3339)).With("databaseRole", role)}
}
