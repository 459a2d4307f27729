package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const insertEngineCommand = `
INSERT INTO engine_commands (id, engine_run_id, tenant_id, cluster, order_key, kind, item_id, item_type, item_code,
                             data_code, signal_shape, signal_name, action_code, signal_input, activity_token,
                             created_at, not_before, parameters)
VALUES ($1, $2, (SELECT r.tenant_id FROM engine_runs r WHERE r.id = $2),
        (SELECT t.cluster FROM engine_runs r JOIN tenants t ON t.id = r.tenant_id WHERE r.id = $2), $3, $4, $5, nullif($6, ''), nullif($7, ''),
        nullif($8, ''), nullif($9, ''), nullif($10, ''),
        nullif($11, ''), $12, $13, $14, $15, $16)`

// Enqueue stages a command for Temporal, to be carried out once the transaction
// has committed.
func (tx *Tx) Enqueue(c domain.EngineCommand) {
	tx.staged = true
	tx.queue(insertEngineCommand, c.ID, c.RunID, c.OrderKey, c.Kind, c.ItemID, c.ItemType, c.ItemCode, c.DataCode,
		c.Shape, c.SignalName, c.ActionCode, jsonOrNull(c.ActionInput), []byte(c.ActivityToken), c.CreatedAt, c.NotBefore, c.Parameters)
}

// CommandDone is a command that was carried out. EngineRun is the run that
// Temporal named, set for commands that start a workflow.
type CommandDone struct {
	ID        uuid.UUID
	EngineRun string
}

// CommandFailed is a command that failed and is to be retried at RetryAt. Error is the reason; it must hold no
// secrets.
type CommandFailed struct {
	ID      uuid.UUID
	Error   string
	RetryAt time.Time
}

// CommandExchange is the input of ExchangeEngineCommands: the outcomes of a relay's commands, and how many it
// leases in return, one of the clusters in Probed and none of the ones in Closed. Untried are commands that it gives back unattempted.
type CommandExchange struct {
	Done       []CommandDone
	Failed     []CommandFailed
	Untried    []uuid.UUID
	Limit      int
	Closed     []string
	Probed     []string
	Now        time.Time
	LeaseUntil time.Time
}

const (
	// A command that another relay finished meanwhile updates no row. The update keeps the observer of ends
	// polling frequently; precision of some seconds is enough.
	finishEngineCommands = `
WITH done AS (
    DELETE FROM engine_commands c
     USING unnest($1::uuid[], $2::text[]) AS o (id, run_id)
     WHERE c.id = o.id
    RETURNING c.engine_run_id, o.run_id, c.kind IN ('START', 'RESTART', 'REPLACE', 'RESET') AS starts
)
UPDATE engine_runs r
   SET state = CASE WHEN d.starts THEN $5 ELSE r.state END,
       run_id = CASE WHEN d.starts THEN d.run_id ELSE r.run_id END,
       last_active_at = $3, inspect_at = $3::timestamptz + $6::interval
  FROM done d
 WHERE r.id = d.engine_run_id
   AND r.closed_at IS NULL
   AND (d.starts AND r.state = $4
        OR NOT d.starts AND r.last_active_at < $3::timestamptz - interval '5 seconds')`

	postponeEngineCommands = `
UPDATE engine_commands c
   SET attempts = c.attempts + 1, last_error = left(o.error, 500), not_before = o.retry_at,
       leased_until = '-infinity'
  FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS o (id, error, retry_at)
 WHERE c.id = o.id`

	releaseEngineCommands = `
UPDATE engine_commands
   SET leased_until = '-infinity'
 WHERE id = ANY($1)`

	// Only the first command of an order key may be leased, and it stays the first while it is leased.
	claimEngineCommands = `
WITH RECURSIVE clusters AS (
    SELECT min(c.cluster) AS name FROM engine_commands c
     UNION ALL
    SELECT (SELECT min(c.cluster) FROM engine_commands c WHERE c.cluster > k.name) FROM clusters k WHERE k.name IS NOT NULL
), head AS (
    SELECT h.position
      FROM clusters k
     CROSS JOIN LATERAL (SELECT c.position, c.not_before
                           FROM engine_commands c
                          WHERE c.cluster = k.name
                            AND c.not_before <= $1
                            AND c.leased_until <= $1
                            AND NOT EXISTS (SELECT 1 FROM engine_commands e
                                             WHERE e.order_key = c.order_key AND e.position < c.position)
                          ORDER BY c.not_before, c.position
                          LIMIT CASE WHEN k.name = ANY($5::text[]) THEN 1 ELSE $2::bigint END
                            FOR NO KEY UPDATE OF c SKIP LOCKED) h
     WHERE k.name <> ALL($4::text[])
     ORDER BY h.not_before, h.position
     LIMIT $2
)
UPDATE engine_commands c
   SET leased_until = $3
  FROM head h, engine_runs r, tenants t
 WHERE c.position = h.position
   AND r.id = c.engine_run_id
   AND t.id = r.tenant_id
RETURNING c.id, c.engine_run_id, c.order_key, c.kind, c.item_id, coalesce(c.item_type, ''), coalesce(c.item_code, ''),
          coalesce(c.data_code, ''), coalesce(c.signal_shape, ''), coalesce(c.signal_name, ''),
          coalesce(c.action_code, ''), c.signal_input, c.activity_token, c.parameters, c.created_at, c.not_before,
          c.attempts, t.time_zone, t.cluster,
          CASE WHEN c.kind = 'START' THEN r.extras END, ` + engineRunColumns
)

// ExchangeEngineCommands finishes and postpones commands and leases the next ones, in one round trip and one
// transaction. A leased command belongs to the caller until the lease ends.
func (db *DB) ExchangeEngineCommands(ctx context.Context, e CommandExchange) ([]domain.DueCommand, error) {
	var queries []pg.Query
	if len(e.Done) > 0 {
		ids, runs := make([]uuid.UUID, len(e.Done)), make([]string, len(e.Done))
		for i, d := range e.Done {
			ids[i], runs[i] = d.ID, d.EngineRun
		}
		queries = append(queries, pg.Q(finishEngineCommands, []any{
			ids, runs, e.Now, domain.RunPending, domain.StartedRun(domain.RunPending), domain.InspectAfter,
		}, pg.None))
	}
	if len(e.Failed) > 0 {
		ids, errs := make([]uuid.UUID, len(e.Failed)), make([]string, len(e.Failed))
		times := make([]time.Time, len(e.Failed))
		for i, f := range e.Failed {
			ids[i], errs[i], times[i] = f.ID, f.Error, f.RetryAt
		}
		queries = append(queries, pg.Q(postponeEngineCommands, []any{ids, errs, times}, pg.None))
	}
	if len(e.Untried) > 0 {
		queries = append(queries, pg.Q(releaseEngineCommands, []any{e.Untried}, pg.None))
	}
	var due []domain.DueCommand
	if e.Limit > 0 {
		queries = append(queries, pg.Q(
			claimEngineCommands,
			[]any{e.Now, e.Limit, e.LeaseUntil, append([]string{}, e.Closed...), e.Probed},
			func(rows pgx.Rows) (err error) {
				due, err = pgx.CollectRows(rows, scanDueCommand)
				return err
			},
		))
	}
	if len(queries) == 0 {
		return nil, nil
	}
	// Statements sent in one batch are one transaction.
	err := db.Send(ctx, queries)
	return due, pg.Translate("exchanging engine commands", err)
}

func scanDueCommand(row pgx.CollectableRow) (domain.DueCommand, error) {
	var c domain.DueCommand
	err := row.Scan(append([]any{
		&c.ID, &c.RunID, &c.OrderKey, &c.Kind, &c.ItemID, &c.ItemType, &c.ItemCode,
		&c.DataCode, &c.Shape, &c.SignalName, &c.ActionCode, (*[]byte)(&c.ActionInput), (*[]byte)(&c.ActivityToken),
		&c.Parameters, &c.CreatedAt, &c.NotBefore, &c.Attempts, &c.TimeZone, &c.Cluster, &c.Run.Extras,
	}, engineRunFields(&c.Run)...)...)
	return c, err
}
