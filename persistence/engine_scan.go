package persistence

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// DueScan is a namespace that is due for a scan for ended workflows, leased to the caller. Times of ends
// are on Temporal's clock, others on the service's; the epoch stands for never.
type DueScan struct {
	Namespace string
	// Active is set while ends are to be expected soon.
	Active bool
	// ClosedAt is the latest end that was seen. EndsAt is the same as of FullAt, the time of the last scan for ends
	// of every kind.
	ClosedAt, EndsAt, FullAt time.Time
	// WideAt is the time of the last deep scan, SweptAt the time of the last sweep, which has read the runs
	// up to SweepAfter.
	WideAt, SweptAt time.Time
	SweepAfter      uuid.UUID
	// Problems is set while workflows of the namespace have problems.
	Problems bool
}

// ScanResult is the outcome of a scan. FoundEnds is set when ends were recorded. RetryAt is the time of the next scan after a
// fault, zero for the usual time.
type ScanResult struct {
	DueScan
	FoundEnds bool
	// Failed is set when Temporal did not answer.
	Failed  bool
	RetryAt time.Time
}

// ScanExchange is the input of ExchangeEngineScans: the outcomes of a replica's scans, the namespaces it is still scanning,
// the namespaces in which it executed commands, and how many scans it leases in return.
type ScanExchange struct {
	Done   []ScanResult
	Held   []string
	Active []string
	Limit  int
	// CountScanned asks for Scans.Scanned, which takes longer the more namespaces there are.
	CountScanned bool

	Now, LeaseUntil time.Time
	// ActiveFor is the time for which a namespace is active after a command or an end. ActiveInterval and IdleInterval are
	// the pauses until the next scan.
	ActiveFor, ActiveInterval, IdleInterval time.Duration
}

// Scans is the result of an exchange. Scanned counts the namespaces scanned by any replica. Next is when
// the next namespace without a lease is due, zero if there is none.
type Scans struct {
	Due     []DueScan
	Scanned int
	Next    time.Time
}

const (
	// Losing these changes costs a scan at most.
	relaxCommit = `
SELECT set_config('synchronous_commit', 'off', true)`

	// The order prevents deadlocks with other replicas.
	lockScans = `
SELECT 1
  FROM engine_watermarks
 WHERE namespace = ANY($1)
 ORDER BY namespace
   FOR NO KEY UPDATE`

	extendScans = `
UPDATE engine_watermarks
   SET leased_until = $2
 WHERE namespace = ANY($1)`

	markNamespacesActive = `
INSERT INTO engine_watermarks AS w (namespace, closed_at, due_at, active_at)
SELECT n, 'epoch', $2, $2
  FROM unnest($1::text[]) AS n
 ORDER BY n
    ON CONFLICT (namespace) DO UPDATE
   SET due_at = least(w.due_at, excluded.due_at), active_at = greatest(w.active_at, excluded.active_at)`

	// active_at is read from the row, so a namespace that was marked active during the scan is scanned again. Scans of
	// namespaces that are not active are due at the same moments, because several at once cost less: twenty moments in the
	// pause between two scans of one namespace, and at most ten a second.
	finishScans = `
UPDATE engine_watermarks w
   SET leased_until = 'epoch',
       closed_at = greatest(w.closed_at, d.closed_at), ends_at = greatest(w.ends_at, d.ends_at),
       full_at = greatest(w.full_at, d.full_at), wide_at = greatest(w.wide_at, d.wide_at),
       swept_at = greatest(w.swept_at, d.swept_at), sweep_after = d.sweep_after,
       failing_since = CASE WHEN d.failed THEN coalesce(w.failing_since, $9) END,
       active_at = CASE WHEN d.active THEN $9 ELSE w.active_at END,
       due_at = CASE WHEN d.retry_at IS NOT NULL THEN d.retry_at
                     WHEN d.active OR w.active_at > $9 - $11::interval THEN $9 + $12::interval
                     WHEN EXISTS (SELECT 1 FROM engine_runs r WHERE r.namespace = w.namespace AND r.state = 'RUNNING')
                     THEN date_bin(greatest('100 ms', $13::interval / 20), $9 + $13::interval, 'epoch')
                     ELSE 'infinity' END
  FROM unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[],
              $6::timestamptz[], $7::uuid[], $8::bool[], $10::timestamptz[], $14::bool[])
       AS d (namespace, closed_at, ends_at, full_at, wide_at, swept_at, sweep_after, active, retry_at, failed)
 WHERE w.namespace = d.namespace`

	claimScans = `
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
RETURNING w.namespace, w.active_at > $1 - $4::interval AS active, w.closed_at, w.ends_at, w.full_at, w.wide_at,
          w.swept_at, w.sweep_after,
          EXISTS (SELECT 1 FROM engine_runs r JOIN tenants t ON t.id = r.tenant_id
                   WHERE t.namespace = w.namespace AND r.finding = 'STUCK') AS problems`

	nextScan = `
SELECT (SELECT due_at
          FROM engine_watermarks
         WHERE due_at < 'infinity'
           AND leased_until <= $1
         ORDER BY due_at
         LIMIT 1)`

	countScanned = `
SELECT count(*)
  FROM engine_watermarks
 WHERE due_at < 'infinity'`
)

// ExchangeEngineScans records the outcomes of scans and leases due scans, in one round trip and one
// transaction. A scan belongs to the caller until its lease ends.
func (db *DB) ExchangeEngineScans(ctx context.Context, e ScanExchange) (Scans, error) {
	var scans Scans
	queries := []pg.Query{pg.Q(relaxCommit, nil, pg.None)}
	if locked := e.changedNamespaces(); len(locked) > 0 {
		queries = append(queries, pg.Q(lockScans, []any{locked}, pg.None))
	}
	if len(e.Held) > 0 {
		queries = append(queries, pg.Q(extendScans, []any{e.Held, e.LeaseUntil}, pg.None))
	}
	if len(e.Active) > 0 {
		queries = append(queries, pg.Q(markNamespacesActive, []any{e.Active, e.Now}, pg.None))
	}
	if len(e.Done) > 0 {
		queries = append(queries, pg.Q(finishScans, e.resultArgs(), pg.None))
	}
	if e.Limit > 0 {
		queries = append(queries, pg.Q(claimScans, []any{e.Now, e.Limit, e.LeaseUntil, e.ActiveFor}, pg.Into(&scans.Due)))
	}
	var next *time.Time
	queries = append(queries, pg.Q(nextScan, []any{e.Now}, pg.One(&next)))
	if e.CountScanned {
		queries = append(queries, pg.Q(countScanned, nil, pg.One(&scans.Scanned)))
	}
	err := db.Send(ctx, queries)
	if next != nil {
		scans.Next = *next
	}
	return scans, pg.Translate("exchanging scans for ends of workflows", err)
}

// changedNamespaces returns the namespaces that the exchange changes.
func (e *ScanExchange) changedNamespaces() []string {
	all := slices.Concat(e.Held, e.Active)
	for i := range e.Done {
		all = append(all, e.Done[i].Namespace)
	}
	return all
}

// resultArgs returns the arguments of finishScans.
func (e *ScanExchange) resultArgs() []any {
	n := len(e.Done)
	namespaces, after, active, failed := make([]string, n), make([]uuid.UUID, n), make([]bool, n), make([]bool, n)
	closed, ends, full := make([]time.Time, n), make([]time.Time, n), make([]time.Time, n)
	wide, swept, retry := make([]time.Time, n), make([]time.Time, n), make([]*time.Time, n)
	for i := range e.Done {
		d := &e.Done[i]
		namespaces[i], after[i], active[i], failed[i] = d.Namespace, d.SweepAfter, d.FoundEnds, d.Failed
		closed[i], ends[i], full[i], wide[i], swept[i] = d.ClosedAt, d.EndsAt, d.FullAt, d.WideAt, d.SweptAt
		if !d.RetryAt.IsZero() {
			retry[i] = &d.RetryAt
		}
	}
	return []any{namespaces, closed, ends, full, wide, swept, after, active, e.Now, retry, e.ActiveFor, e.ActiveInterval, e.IdleInterval, failed}
}

const wakeNamespaces = `
INSERT INTO engine_watermarks (namespace, closed_at)
SELECT DISTINCT t.namespace, 'epoch'::timestamptz
  FROM tenants t
 WHERE NOT EXISTS (SELECT 1 FROM engine_watermarks w WHERE w.namespace = t.namespace AND w.due_at < 'infinity')
   AND EXISTS (SELECT 1 FROM engine_runs r WHERE r.namespace = t.namespace AND r.state = 'RUNNING')
 ORDER BY t.namespace
    ON CONFLICT (namespace) DO UPDATE SET due_at = 'epoch'`

// WakeNamespaces makes scans due in the namespaces that have running runs and are not scanned.
func (db *DB) WakeNamespaces(ctx context.Context) error {
	return pg.Translate("waking namespaces", db.Send(ctx, []pg.Query{pg.Q(wakeNamespaces, nil, pg.None)}))
}
