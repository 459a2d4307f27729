package persistence

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const bulkColumns = `b.id, b.tenant_id, b.kind, b.filter, b.parameters, b.reason, b.state, b.created_by, b.created_at, b.started_at, b.ended_at,
       b.selected, b.forecast, b.done, b.refused, b.operator, b.sample`

func bulkFields(b *domain.BulkOperation) []any {
	return []any{
		&b.ID, &b.TenantID, &b.Kind, &b.Filter, &b.Parameters, &b.Reason, &b.State, &b.CreatedBy, &b.CreatedAt, &b.StartedAt, &b.EndedAt,
		&b.Selected, &b.Forecast, &b.Done, &b.Refused, &b.Operator, &b.Sample,
	}
}

const (
	lockBulkOperation = `
SELECT ` + bulkColumns + `
  FROM bulk_operations b
 WHERE b.id = $1
   FOR NO KEY UPDATE OF b`

	updateBulkOperation = `
UPDATE bulk_operations
   SET reason = $2, state = $3, started_at = $4, ended_at = $5, due_at = $6, expires_at = $7
 WHERE id = $1`
)

// LockBulkOperation locks a bulk operation, or returns NOT_FOUND.
func (tx *Tx) LockBulkOperation(ctx context.Context, id uuid.UUID) (*domain.BulkOperation, error) {
	var b domain.BulkOperation
	err := tx.Read(ctx, pg.Q(lockBulkOperation, []any{id}, pg.OrNotFound("bulk operation", pg.One(bulkFields(&b)...))))
	return &b, err
}

// UpdateBulkOperation stores that a bulk operation that is under lock was started or has ended.
func (tx *Tx) UpdateBulkOperation(b domain.BulkOperation) {
	var due, expires *time.Time
	if b.State == domain.BulkRunning {
		due, tx.staged = b.StartedAt, true
	} else {
		expires = new(b.EndedAt.Add(domain.BulkReportLifetime))
	}
	tx.queue(updateBulkOperation, b.ID, b.Reason, b.State, b.StartedAt, b.EndedAt, due, expires)
}

// BulkExchange is the input of ExchangeBulkOperations: the operations with started workflows, and the number of due ones to lease.
type BulkExchange struct {
	Started []uuid.UUID
	Now     time.Time
	// LeaseUntil is the time at which leased operations without a started workflow are due again.
	LeaseUntil time.Time
	Limit      int
}

const (
	markBulkStarted = `
UPDATE bulk_operations
   SET due_at = $2
 WHERE id = ANY($1) AND state = 'RUNNING'`

	// The later operations of a tenant wait.
	claimDueBulkOperations = `
UPDATE bulk_operations b
   SET due_at = $2
  FROM (SELECT o.id FROM bulk_operations o
         WHERE o.state = 'RUNNING' AND o.due_at <= $1
           AND (SELECT count(*) FROM bulk_operations e
                 WHERE e.tenant_id = o.tenant_id AND e.state = 'RUNNING' AND (e.started_at, e.id) < (o.started_at, o.id)) < $4
         ORDER BY o.due_at
         LIMIT $3
           FOR NO KEY UPDATE SKIP LOCKED) due
 WHERE b.id = due.id
RETURNING b.id`

	// One at a time: an operation may have many items.
	removeExpiredBulkOperations = `
DELETE FROM bulk_operations
 WHERE id IN (SELECT o.id FROM bulk_operations o
               WHERE o.expires_at <= $1
               ORDER BY o.expires_at
               LIMIT 1
                 FOR UPDATE SKIP LOCKED)`
)

// ExchangeBulkOperations records which workflows were started, leases the operations that need one, and deletes an expired
// operation, in one round trip and one transaction.
func (db *DB) ExchangeBulkOperations(ctx context.Context, e BulkExchange) (due []uuid.UUID, err error) {
	var queries []pg.Query
	if len(e.Started) > 0 {
		queries = append(queries, pg.Q(markBulkStarted, []any{e.Started, e.Now.Add(BulkProgress)}, pg.None))
	}
	err = db.Send(ctx, append(queries,
		pg.Q(removeExpiredBulkOperations, []any{e.Now}, pg.None),
		pg.Q(claimDueBulkOperations, []any{e.Now, e.LeaseUntil, e.Limit, domain.MaxBulkRunning}, collectInto(&due, pgx.RowTo[uuid.UUID]))))
	return due, pg.Translate("exchanging bulk operations", err)
}

// ErrBulkItemHandled is the error of a transaction for a resource of a bulk operation that was handled before, or after the
// operation ended.
var ErrBulkItemHandled = errors.New("the resource of the bulk operation is handled")

const (
	lockBulkItem = `
SELECT i.state = 'PENDING' AND b.state = 'RUNNING'
  FROM bulk_operation_items i
  JOIN bulk_operations b ON b.id = i.operation_id
 WHERE i.operation_id = $1 AND i.target_id = $2
   FOR NO KEY UPDATE OF i, b`

	// The operation has shown progress.
	endBulkItem = `
WITH ended AS (
    UPDATE bulk_operation_items
       SET state = $3, code = nullif($4, ''), message = nullif($5, ''), ended_at = $6
     WHERE operation_id = $1 AND target_id = $2 AND state = 'PENDING'
       AND EXISTS (SELECT 1 FROM bulk_operations b WHERE b.id = $1 AND b.state = 'RUNNING')
 RETURNING state)
UPDATE bulk_operations b
   SET done = b.done + (e.state = 'DONE')::int, refused = b.refused + (e.state = 'REFUSED')::int, due_at = $7
  FROM ended e
 WHERE b.id = $1 AND b.state = 'RUNNING'`
)

// BulkProgress is the time without progress after which the workflow of an operation is started again, unless it runs.
const BulkProgress = 5 * time.Minute

// lockBulkItem locks the resource of the call's bulk operation, if there is one, so that the change and its record are one
// transaction. It returns ErrBulkItemHandled for a handled one.
func (tx *Tx) lockBulkItem(ctx context.Context) error {
	if tx.call.Bulk == nil {
		return nil
	}
	pending := false
	err := tx.Read(ctx, pg.Q(lockBulkItem, []any{tx.call.Bulk.Operation, tx.call.Bulk.Target}, pg.One(&pending)))
	if err = pg.IgnoreNoRows(err); err == nil && !pending {
		return ErrBulkItemHandled
	}
	return err
}

// endBulkItem records that the resource of the call's bulk operation is handled, and returns the events with the id of the
// operation. No events mean that the operation had no effect.
func (tx *Tx) endBulkItem(events domain.Events) domain.Events {
	key := tx.call.Bulk
	if key == nil {
		return events
	}
	if events == nil {
		tx.queue(endBulkItem, endBulkItemArgs(*key, domain.BulkItemRefused, domain.BulkUnchanged())...)
		return nil
	}
	tx.queue(endBulkItem, endBulkItemArgs(*key, domain.BulkItemDone, &domain.Error{})...)
	for i := range events {
		events[i] = events[i].With("bulkOperationId", key.Operation.String())
	}
	return events
}

func endBulkItemArgs(key domain.BulkKey, state domain.BulkItemState, refusal *domain.Error) []any {
	return []any{key.Operation, key.Target, state, refusal.Code, refusal.Message, key.At, key.At.Add(BulkProgress)}
}

// RefuseBulkItem records the reason why a resource of a running bulk operation was refused. A handled one stays as it is.
func (db *DB) RefuseBulkItem(ctx context.Context, key domain.BulkKey, refusal *domain.Error) error {
	err := db.Send(ctx, []pg.Query{pg.Q(endBulkItem, endBulkItemArgs(key, domain.BulkItemRefused, refusal), pg.None)})
	return pg.Translate("refusing a resource of a bulk operation", err)
}
