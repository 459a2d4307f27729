// Package notifications stores the receivers of notifications and the problems that they are told.
package notifications

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	putReceiver = `
INSERT INTO notification_receivers AS r (receiver_id, tenant_id, event_types, paused)
VALUES ($1, $2, $3, $4)
    ON CONFLICT (receiver_id, tenant_id) DO UPDATE
   SET event_types = excluded.event_types, paused = excluded.paused`

	// Problems that the receiver is not told any more are forgotten.
	forgetProblems = `
DELETE FROM notification_problems
 WHERE receiver_id = $1 AND tenant_id = $2 AND ($4 OR event_type <> ALL($3))`

	forgetTurns = `
DELETE FROM notification_turns
 WHERE receiver_id = $1 AND tenant_id = $2 AND ($4 OR event_type <> ALL($3))`

	deleteReceiver = `
DELETE FROM notification_receivers
 WHERE receiver_id = $1`
)

// exec has a statement without a result carried out with the commit.
func exec(tx *persistence.Tx, sql string, args ...any) { tx.QueueQuery(pg.Q(sql, args, pg.None)) }

// PutReceiver stores a receiver as its manifest describes it.
func PutReceiver(tx *persistence.Tx, r domain.NotificationReceiver) {
	exec(tx, putReceiver, r.ID, r.TenantID, r.EventTypes, r.Paused)
	exec(tx, forgetTurns, r.ID, r.TenantID, r.EventTypes, r.Paused)
	exec(tx, forgetProblems, r.ID, r.TenantID, r.EventTypes, r.Paused)
}

// DeleteReceiver deletes a receiver with its problems.
func DeleteReceiver(tx *persistence.Tx, id uuid.UUID) { exec(tx, deleteReceiver, id) }

//nolint:gochecknoglobals // constants, of which a table of domain is a part
var (
	// findProblems moves the cursor and stores the problems of the events behind it. $1 is the number of events, $2 the
	// time of the message of a first problem. One replica at a time reads; without new events no row is locked. The turns are
	// locked before the problems, as by those who write messages.
	findProblems = `
WITH ` + nextEvents("notification_cursor", `e.era, e.xid, e.position, e.tenant_id, e.type, e.previous_state, e.state, e.resource_id, e.process_id, e.details, e.occurred_at`) + `, matched AS (
    SELECT b.*, r.receiver_id, v.name,
           NOT (v.ends OR v.states IS NOT NULL AND coalesce(b.state, '') <> ALL(v.states)) AS opens
      FROM batch b
      JOIN (VALUES ` + problemRows() + `) AS v (type, name, ends, states) ON v.type = b.type
      JOIN notification_receivers r ON r.tenant_id = b.tenant_id AND v.name = ANY(r.event_types) AND NOT r.paused
), last AS (
    SELECT DISTINCT ON (m.receiver_id, m.name, m.resource_id)
           m.*, bool_or(m.opens) OVER (PARTITION BY m.receiver_id, m.name, m.resource_id) AS opened
      FROM matched m
     ORDER BY m.receiver_id, m.name, m.resource_id, m.era DESC, m.xid DESC, m.position DESC
), ` + settledWork() + `, turns AS (
    INSERT INTO notification_turns AS t (receiver_id, tenant_id, event_type, due_at)
    SELECT l.receiver_id, l.tenant_id, l.name, $2::timestamptz
      FROM last l
     WHERE l.opened
        OR EXISTS (SELECT 1 FROM notification_problems p
                    WHERE p.receiver_id = l.receiver_id AND p.event_type = l.name AND p.subject_id = l.resource_id
                      AND p.recovered_at IS NULL)
     UNION
    SELECT s.receiver_id, s.tenant_id, '` + domain.ProblemLeftWork + `', $2 FROM settled s
        ON CONFLICT (receiver_id, event_type, tenant_id) DO UPDATE
       SET due_at = least(t.due_at, greatest(excluded.due_at, t.paced_until))
    RETURNING t.receiver_id
), opened AS (
    INSERT INTO notification_problems AS p (receiver_id, tenant_id, event_type, subject_id, process_id, details, occurred_at,
                                            recovered_at)
    SELECT l.receiver_id, l.tenant_id, l.name, l.resource_id, l.process_id, coalesce(l.details, '{}'), l.occurred_at,
           CASE WHEN NOT l.opens THEN l.occurred_at
                -- The work of a person may have ended before this event is read.
                WHEN l.name = '` + domain.ProblemLeftWork + `'
                     AND NOT ` + hasLeftWork("l.resource_id", "l.tenant_id", "l.details") + ` THEN l.occurred_at END
      FROM last l
     WHERE l.opened AND (SELECT count(*) FROM turns) > 0
        ON CONFLICT (receiver_id, event_type, subject_id, tenant_id) DO UPDATE
       SET details = excluded.details, occurred_at = excluded.occurred_at, told_at = NULL, recovered_at = excluded.recovered_at
     -- A process that moves from one of the states to another has the same problem.
     WHERE p.event_type <> '` + domain.ProblemCondition + `' OR p.recovered_at IS NOT NULL OR excluded.recovered_at IS NOT NULL
), ended AS (
    UPDATE notification_problems p
       SET recovered_at = l.occurred_at
      FROM (SELECT o.receiver_id, o.name, o.resource_id, o.occurred_at FROM last o WHERE NOT o.opened
             UNION ALL
            SELECT s.receiver_id, '` + domain.ProblemLeftWork + `', s.subject_id, s.occurred_at FROM settled s) l
     WHERE p.receiver_id = l.receiver_id AND p.event_type = l.name AND p.subject_id = l.resource_id
       AND p.recovered_at IS NULL AND (SELECT count(*) FROM turns) > 0
), ` + moveCursor("notification_cursor") + `
SELECT (SELECT count(*) FROM batch)`
)

// problemRows returns the events that begin and end problems as rows of SQL.
func problemRows() string {
	var rows []string
	for _, p := range domain.ProblemTypes() {
		states := "NULL::text[]"
		if p.States != nil {
			states = "ARRAY['" + strings.Join(p.States, "', '") + "']"
		}
		rows = append(rows, fmt.Sprintf("('%s', '%s', false, %s)", p.Opens, p.Name, states))
		for _, end := range p.Ends {
			rows = append(rows, fmt.Sprintf("('%s', '%s', true, NULL::text[])", end, p.Name))
		}
	}
	return strings.Join(rows, ", ")
}

// FindProblems reads the next limit events of the event log, stores the problems that receivers are told, and returns the number
// of events.
func FindProblems(ctx context.Context, db *persistence.DB, limit int, now time.Time) (int, error) {
	var read int
	err := db.Send(ctx, []pg.Query{pg.Q(findProblems, []any{limit, now.Add(domain.NotificationGather)}, pg.One(&read))})
	return read, pg.Translate("reading problems", err)
}
