package persistence

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const assistanceColumns = `a.item_id, a.run, a.tenant_id, a.request_id, a.requested_by, a.state, a.answer, a.baseline,
       a.embedding_pending, a.embedding_processing, a.model, a.finish_reason, a.error_code, a.error_message,
       a.answer_text, a.answer_value, a.drafted, a.documents, a.started_at, a.deadline, a.finished_at`

// assistanceRow is a row of item_assistance, to be converted to a domain.AssistanceRun.
type assistanceRow struct {
	run                             domain.AssistanceRun
	model, finishReason, code, text *string
	message                         *string
	baseline, value, documents      []byte
}

func (r *assistanceRow) fields() []any {
	a := &r.run
	return []any{
		&a.ItemID, &a.Run, &a.TenantID, &a.RequestID, &a.RequestedBy, &a.State, &a.Answer, &r.baseline,
		&a.EmbeddingPending, &a.EmbeddingProcessing, &r.model, &r.finishReason, &r.code, &r.message,
		&r.text, &r.value, &a.Drafted, &r.documents, &a.StartedAt, &a.Deadline, &a.FinishedAt,
	}
}

func (r *assistanceRow) assistanceRun() (*domain.AssistanceRun, error) {
	a := r.run
	for dest, column := range map[*string]*string{
		&a.Model: r.model, &a.FinishReason: r.finishReason, &a.ErrorCode: r.code, &a.ErrorMessage: r.message, &a.Text: r.text,
	} {
		if column != nil {
			*dest = *column
		}
	}
	a.Value = r.value
	if r.documents != nil {
		if err := json.Unmarshal(r.documents, &a.Documents); err != nil {
			return nil, fmt.Errorf("reading the documents of a run of assistance: %w", err)
		}
	}
	if r.baseline != nil {
		if err := json.Unmarshal(r.baseline, &a.Baseline); err != nil {
			return nil, fmt.Errorf("reading the baseline of a run of assistance: %w", err)
		}
	}
	return &a, nil
}

// assistanceIfAny reads assistanceColumns of at most one row.
func assistanceIfAny(dest **domain.AssistanceRun) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var row assistanceRow
		err := pg.One(row.fields()...)(rows)
		if err == nil {
			*dest, err = row.assistanceRun()
		}
		return pg.IgnoreNoRows(err)
	}
}

const (
	getAssistance = `
SELECT ` + assistanceColumns + `
  FROM process_items i
  JOIN item_assistance a ON a.item_id = i.id
 WHERE i.id = $3 AND i.tenant_id = ANY($2) AND ` + access.VisibleItem

	lockAssistance = `
SELECT ` + assistanceColumns + `
  FROM item_assistance a
 WHERE a.item_id = $1
   FOR UPDATE`
)

// GetAssistance returns the latest run of an item visible to the caller. It returns NOT_FOUND if the item is not
// visible or has no run.
func (r *Reader) GetAssistance(ctx context.Context, caller domain.Caller, item uuid.UUID) (*domain.AssistanceRun, error) {
	var found *domain.AssistanceRun
	err := r.Read(ctx, pg.Q(getAssistance, []any{caller.PrincipalID, caller.TenantIDs(), item}, assistanceIfAny(&found)))
	switch {
	case err != nil:
		return nil, pg.Translate("reading a run of assistance", err)
	case found == nil:
		return nil, domain.NotFound("assistance run")
	}
	return found, nil
}

// AssistableItem is an item with its latest run, nil when there is none.
type AssistableItem struct {
	*LockedItem
	Latest *domain.AssistanceRun
}

// LockAssistance locks an item visible to the caller together with its latest run, or returns NOT_FOUND. The run
// is read while the item is under lock, so transactions that begin runs are serialized.
func LockAssistance(caller domain.Caller, item uuid.UUID) Read[AssistableItem] {
	run := new(*domain.AssistanceRun)
	both := And(LockProcessItem(caller, item), answer(run, pg.Q(lockAssistance, []any{item}, assistanceIfAny(run))))
	return Then(both, func(_ *Tx, found Pair[*LockedItem, *domain.AssistanceRun]) (AssistableItem, error) {
		return AssistableItem{found.First, found.Second}, nil
	})
}

const putAssistance = `
INSERT INTO item_assistance (item_id, run, tenant_id, request_id, requested_by, state, answer, baseline,
                             started_at, deadline, dispatch_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $9)
    ON CONFLICT (item_id, tenant_id) DO UPDATE
   SET run = excluded.run, request_id = excluded.request_id, requested_by = excluded.requested_by,
       state = excluded.state, answer = excluded.answer, baseline = excluded.baseline,
       embedding_pending = 0, embedding_processing = 0, model = NULL, finish_reason = NULL,
       error_code = NULL, error_message = NULL, answer_text = NULL, answer_value = NULL, drafted = NULL,
       documents = NULL, started_at = excluded.started_at, deadline = excluded.deadline, finished_at = NULL,
       dispatched = false, dispatch_at = excluded.dispatch_at`

// BeginAssistance stores a new pending run, replacing the previous one, and counts it. The item must be under
// lock.
func (tx *Tx) BeginAssistance(a *domain.AssistanceRun) error {
	baseline, err := json.Marshal(a.Baseline)
	if err != nil {
		return fmt.Errorf("writing the baseline of a run of assistance: %w", err)
	}
	if a.Baseline == nil {
		baseline = nil
	}
	tx.staged = true
	tx.queue(putAssistance, a.ItemID, a.Run, a.TenantID, a.RequestID, a.RequestedBy, a.State, a.Answer, baseline,
		a.StartedAt, a.Deadline)
	tx.queue(addAssistance, a.TenantID, a.StartedAt)
	return nil
}

const finishAssistance = `
UPDATE item_assistance
   SET state = $3, finished_at = $4, model = $5, finish_reason = $6, error_code = $7, error_message = $8,
       answer_text = $9, answer_value = $10, drafted = $11, embedding_pending = 0, embedding_processing = 0
 WHERE item_id = $1 AND run = $2 AND state = 'PENDING'`

// FinishAssistance stores the end of a run. A run that has already ended or was replaced stays unchanged.
func (tx *Tx) FinishAssistance(a *domain.AssistanceRun) {
	tx.queue(finishAssistance, a.ItemID, a.Run, a.State, a.FinishedAt, orNull(a.Model), orNull(a.FinishReason),
		orNull(a.ErrorCode), orNull(a.ErrorMessage), orNull(a.Text), jsonOrNull(a.Value), a.Drafted)
}

const (
	overdueAssistance = `
SELECT item_id, run
  FROM item_assistance
 WHERE state = 'PENDING' AND deadline <= $1
 ORDER BY deadline
 LIMIT $2`

	markDispatched = `
UPDATE item_assistance a
   SET dispatched = true
  FROM unnest($1::uuid[], $2::integer[]) AS d (item_id, run)
 WHERE a.item_id = d.item_id AND a.run = d.run`

	claimAssistance = `
WITH due AS (
    SELECT item_id
      FROM item_assistance
     WHERE state = 'PENDING' AND NOT dispatched AND dispatch_at <= $1
     ORDER BY dispatch_at
     LIMIT $3
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE item_assistance a
   SET dispatch_at = $2
  FROM due d
 WHERE a.item_id = d.item_id
RETURNING a.item_id, a.run, a.deadline`
)

// AssistanceExchange is the input of ExchangeAssistance: the runs that the starter of workflows has started, and how many
// runs it leases in return.
type AssistanceExchange struct {
	// Started are the runs with started workflows.
	Started []domain.DueAssistance
	Now     time.Time
	// Overdue is the deadline past which runs are given up.
	Overdue time.Time
	// LeaseUntil is the time at which leased runs that were not started are due again.
	LeaseUntil time.Time
	Limit      int
}

// ExchangeAssistance records which runs were started, leases the next ones and returns the overdue ones,
// in one round trip and one transaction.
func (db *DB) ExchangeAssistance(
	ctx context.Context, e AssistanceExchange,
) (due []domain.DueAssistance, overdue []domain.AssistanceKey, err error) {
	var queries []pg.Query
	if len(e.Started) > 0 {
		items, runs := make([]uuid.UUID, len(e.Started)), make([]int, len(e.Started))
		for i, started := range e.Started {
			items[i], runs[i] = started.ItemID, started.Run
		}
		queries = append(queries, pg.Q(markDispatched, []any{items, runs}, pg.None))
	}
	queries = append(queries,
		pg.Q(overdueAssistance, []any{e.Overdue, e.Limit}, func(rows pgx.Rows) (err error) {
			overdue, err = pgx.CollectRows(rows, pgx.RowToStructByPos[domain.AssistanceKey])
			return err
		}),
		pg.Q(claimAssistance, []any{e.Now, e.LeaseUntil, e.Limit}, func(rows pgx.Rows) (err error) {
			due, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d domain.DueAssistance, err error) {
				return d, row.Scan(&d.ItemID, &d.Run, &d.Deadline)
			})
			return err
		}))
	err = db.Send(ctx, queries)
	return due, overdue, pg.Translate("exchanging runs of assistance", err)
}
