package persistence

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// DueLook is a namespace in which the ends of workflows are to be looked for, leased to the caller. Times of ends
// are on Temporal's clock, others on the service's; the epoch stands for never.
type DueLook struct {
	Namespace string
	// Busy is set while ends are to be expected soon.
	Busy bool
	// ClosedAt is the latest end that was seen. EndsAt is the same as of FullAt, the time of the last look for ends
	// of every kind.
	ClosedAt, EndsAt, FullAt time.Time
	// FarAt is the time of the last deep scan, SweptAt the time of the last sweep, which has read the runs
	// up to SweepAfter.
	FarAt, SweptAt time.Time
	SweepAfter     uuid.UUID
}

// LookDone is the outcome of a look. Active is set when ends were recorded. RetryAt is when to look again after a
// fault, zero for the usual time.
type LookDone struct {
	DueLook
	Active  bool
	RetryAt time.Time
}

// LookExchange is the input of ExchangeEngineLooks: the outcomes of a replica's scans, the namespaces it is still scanning,
// the namespaces in which it executed commands, and how many scans it leases in return.
type LookExchange struct {
	Done    []LookDone
	Held    []string
	Touched []string
	Limit   int
	// Count asks for Looks.Awake, which takes longer the more namespaces there are.
	Count bool

	Now, LeaseUntil time.Time
	// BusyFor is how long a namespace is busy after something happened there. Busy and Quiet are the pauses until
	// the next look.
	BusyFor, Busy, Quiet time.Duration
}

// Looks is the result of an exchange. Awake counts the namespaces scanned by any replica. Next is when
// the next namespace without a lease is due, zero if there is none.
type Looks struct {
	Due   []DueLook
	Awake int
	Next  time.Time
}

const (
	// Losing these changes costs a look at most.
	relaxCommit = `
SELECT set_config('synchronous_commit', 'off', true)`

	// The order prevents deadlocks with other replicas.
	lockLooks = `
SELECT 1
  FROM engine_watermarks
 WHERE namespace = ANY($1)
 ORDER BY namespace
   FOR NO KEY UPDATE`

	holdLooks = `
UPDATE engine_watermarks
   SET leased_until = $2
 WHERE namespace = ANY($1)`

	touchNamespaces = `
INSERT INTO engine_watermarks AS w (namespace, closed_at, due_at, active_at)
SELECT n, 'epoch', $2, $2
  FROM unnest($1::text[]) AS n
 ORDER BY n
    ON CONFLICT (namespace) DO UPDATE
   SET due_at = least(w.due_at, excluded.due_at), active_at = greatest(w.active_at, excluded.active_at)`

	// active_at is read from the row, so a namespace that was touched during the look is looked at again. Looks at
	// namespaces that are not busy are due at the same moments, because several at once cost less: twenty moments in the
	// pause between two looks at one namespace, and at most ten a second.
	finishLooks = `
UPDATE engine_watermarks w
   SET leased_until = 'epoch',
       closed_at = greatest(w.closed_at, d.closed_at), ends_at = greatest(w.ends_at, d.ends_at),
       full_at = greatest(w.full_at, d.full_at), far_at = greatest(w.far_at, d.far_at),
       swept_at = greatest(w.swept_at, d.swept_at), sweep_after = d.sweep_after,
       active_at = CASE WHEN d.active THEN $9 ELSE w.active_at END,
       due_at = CASE WHEN d.retry_at IS NOT NULL THEN d.retry_at
                     WHEN d.active OR w.active_at > $9 - $11::interval THEN $9 + $12::interval
                     WHEN EXISTS (SELECT 1 FROM engine_runs r WHERE r.namespace = w.namespace AND r.state = 'RUNNING')
                     THEN date_bin(greatest('100 ms', $13::interval / 20), $9 + $13::interval, 'epoch')
                     ELSE 'infinity' END
  FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[],
              $6::timestamptz[], $7::uuid[], $8::bool[], $10::timestamptz[])
       AS d (namespace, closed_at, ends_at, full_at, far_at, swept_at, sweep_after, active, retry_at)
 WHERE w.namespace = d.namespace`

	claimLooks = `
WITH due AS (
    SELECT w.namespace
      FROM engine_watermarks w
     WHERE w.due_at <= $1
       AND w.leased_until <= $1
     ORDER BY w.due_at
     LIMIT $2
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE engine_watermarks w
   SET leased_until = $3
  FROM due
 WHERE w.namespace = due.namespace
RETURNING w.namespace, w.active_at > $1 - $4::interval AS busy, w.closed_at, w.ends_at, w.full_at, w.far_at, w.swept_at,
          w.sweep_after`

	nextLook = `
SELECT (SELECT due_at
          FROM engine_watermarks
         WHERE due_at < 'infinity'
           AND leased_until <= $1
         ORDER BY due_at
         LIMIT 1)`

	countLooks = `
SELECT count(*)
  FROM engine_watermarks
 WHERE due_at < 'infinity'`
)

// ExchangeEngineLooks records the outcomes of scans and leases due scans, in one round trip and one
// transaction. A scan belongs to the caller until its lease ends.
func (db *DB) ExchangeEngineLooks(ctx context.Context, e LookExchange) (Looks, error) {
	var looks Looks
	queries := []pg.Query{pg.Q(relaxCommit, nil, pg.None)}
	if locked := e.changedNamespaces(); len(locked) > 0 {
		queries = append(queries, pg.Q(lockLooks, []any{locked}, pg.None))
	}
	if len(e.Held) > 0 {
		queries = append(queries, pg.Q(holdLooks, []any{e.Held, e.LeaseUntil}, pg.None))
	}
	if len(e.Touched) > 0 {
		queries = append(queries, pg.Q(touchNamespaces, []any{e.Touched, e.Now}, pg.None))
	}
	if len(e.Done) > 0 {
		queries = append(queries, pg.Q(finishLooks, e.finishArgs(), pg.None))
	}
	if e.Limit > 0 {
		queries = append(queries, pg.Q(claimLooks, []any{e.Now, e.Limit, e.LeaseUntil, e.BusyFor}, pg.Into(&looks.Due)))
	}
	var next *time.Time
	queries = append(queries, pg.Q(nextLook, []any{e.Now}, pg.One(&next)))
	if e.Count {
		queries = append(queries, pg.Q(countLooks, nil, pg.One(&looks.Awake)))
	}
	err := db.Send(ctx, queries)
	if next != nil {
		looks.Next = *next
	}
	return looks, pg.Translate("exchanging looks for ends of workflows", err)
}

// changedNamespaces returns the namespaces that the exchange changes.
func (e *LookExchange) changedNamespaces() []string {
	all := slices.Concat(e.Held, e.Touched)
	for i := range e.Done {
		all = append(all, e.Done[i].Namespace)
	}
	return all
}

// finishArgs returns the arguments of finishLooks.
func (e *LookExchange) finishArgs() []any {
	n := len(e.Done)
	namespaces, after, active := make([]string, n), make([]uuid.UUID, n), make([]bool, n)
	closed, ends, full := make([]time.Time, n), make([]time.Time, n), make([]time.Time, n)
	far, swept, retry := make([]time.Time, n), make([]time.Time, n), make([]*time.Time, n)
	for i := range e.Done {
		d := &e.Done[i]
		namespaces[i], after[i], active[i] = d.Namespace, d.SweepAfter, d.Active
		closed[i], ends[i], full[i], far[i], swept[i] = d.ClosedAt, d.EndsAt, d.FullAt, d.FarAt, d.SweptAt
		if !d.RetryAt.IsZero() {
			retry[i] = &d.RetryAt
		}
	}
	return []any{namespaces, closed, ends, full, far, swept, after, active, e.Now, retry, e.BusyFor, e.Busy, e.Quiet}
}

const wakeNamespaces = `
INSERT INTO engine_watermarks (namespace, closed_at)
SELECT t.namespace, 'epoch'
  FROM tenants t
 WHERE NOT EXISTS (SELECT 1 FROM engine_watermarks w WHERE w.namespace = t.namespace AND w.due_at < 'infinity')
   AND EXISTS (SELECT 1 FROM engine_runs r WHERE r.namespace = t.namespace AND r.state = 'RUNNING')
 ORDER BY t.namespace
    ON CONFLICT (namespace) DO UPDATE SET due_at = 'epoch'`

// WakeNamespaces makes looks due in the namespaces that have running runs and are not looked at.
func (db *DB) WakeNamespaces(ctx context.Context) error {
	return pg.Translate("waking namespaces", db.Send(ctx, []pg.Query{pg.Q(wakeNamespaces, nil, pg.None)}))
}
