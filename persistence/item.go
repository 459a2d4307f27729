package persistence

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const itemSummaryColumns = `i.id, i.tenant_id, i.process_id, i.process_definition_id, i.type,
       i.item_definition_id, i.item_version, i.item_definition_code, i.thread_id, i.owner_id,
       i.task_state, i.claimed_at, i.completed_at, i.cancelled_at, i.message_text, i.message_data_code, i.mentions,
       i.created_by, i.created_at, i.last_modified_by, i.last_modified_at, i.deleted_at, i.deleted_by,
       i.delegator_id, i.delegated_at, i.delegation_note, i.substitute_id,
       ` + planOfTask

const itemColumns = itemSummaryColumns + `,
       i.task_data, i.task_data_valid, i.task_data_errors, i.context_data, i.context_data_valid, i.context_data_errors,
       i.message_data, i.message_data_valid, i.message_data_errors, i.element_values`

// itemWithLogs are itemColumns and the log of a task, oldest first. It is a part of the row, so that reading one
// item takes one statement.
const itemWithLogs = itemColumns + `,
       ARRAY(SELECT ROW(l.id, l.logged_at, l.message, l.level)
               FROM task_logs l WHERE l.process_item_id = i.id ORDER BY l.position)`

// itemRow is a row of process_items, to be converted to a domain.ProcessItem.
type itemRow struct {
	item                                domain.ProcessItem
	definitionID, version               *uuid.UUID
	code                                *string
	taskState                           *domain.TaskState
	claimedAt, completedAt, cancelledAt *time.Time
	text, dataCode                      *string
	mentions                            []uuid.UUID
	delegator                           *uuid.UUID
	delegatedAt                         *time.Time
	note                                *string
	substitute                          *uuid.UUID
	data, contextData, messageData      storedValue
	elements                            []byte
	plan                                planRow
	logs                                []taskLogRow
}

// taskLogRow is an entry of itemWithLogs.
type taskLogRow domain.TaskLog

// ScanIndex returns where to store a column.
func (l *taskLogRow) ScanIndex(column int) any {
	return []any{&l.ID, &l.Timestamp, &l.Message, &l.Level}[column]
}

// ScanNull refuses an entry that is null.
func (l *taskLogRow) ScanNull() error { return errors.New("an entry of a log is null") }

// taskLogs returns the log, nil if it was not read.
func (r *itemRow) taskLogs() []domain.TaskLog {
	if r.logs == nil {
		return nil
	}
	logs := make([]domain.TaskLog, len(r.logs))
	for i, l := range r.logs {
		logs[i] = domain.TaskLog(l)
	}
	return logs
}

func (r *itemRow) summaryFields() []any {
	i := &r.item
	return []any{
		&i.ID, &i.TenantID, &i.ProcessID, &i.ProcessDefinitionID, &i.Type,
		&r.definitionID, &r.version, &r.code, &i.ThreadID, &i.OwnerID,
		&r.taskState, &r.claimedAt, &r.completedAt, &r.cancelledAt, &r.text, &r.dataCode, &r.mentions,
		&i.CreatedBy, &i.CreatedAt, &i.LastModifiedBy, &i.LastModifiedAt, &i.DeletedAt, &i.DeletedBy,
		&r.delegator, &r.delegatedAt, &r.note, &r.substitute,
		&r.plan,
	}
}

// delegation returns the delegation of a task, nil for none.
func (r *itemRow) delegation() *domain.Delegation {
	if r.delegator == nil || r.item.OwnerID == nil || *r.item.OwnerID == *r.delegator {
		return nil
	}
	d := &domain.Delegation{By: *r.delegator, At: *r.delegatedAt}
	if r.note != nil {
		d.Note = *r.note
	}
	return d
}

// substituteID returns who completed a task for its owner, nil for none. The previous release leaves the column when it reopens one.
func (r *itemRow) substituteID() *uuid.UUID {
	if *r.taskState != domain.TaskCompleted {
		return nil
	}
	return r.substitute
}

func (r *itemRow) fields() []any {
	return append(r.summaryFields(),
		&r.data.document, &r.data.valid, &r.data.errors,
		&r.contextData.document, &r.contextData.valid, &r.contextData.errors,
		&r.messageData.document, &r.messageData.valid, &r.messageData.errors, &r.elements)
}

// fieldsWithLogs returns the destinations for the columns of itemWithLogs.
func (r *itemRow) fieldsWithLogs() []any { return append(r.fields(), &r.logs) }

// processItem converts the row to a domain.ProcessItem.
func (r *itemRow) processItem() (*domain.ProcessItem, error) {
	i := r.item
	if r.definitionID != nil {
		i.Definition = &domain.DefinitionRef{ID: *r.definitionID, Version: *r.version, Code: *r.code}
	}
	var err error
	switch i.Type {
	case domain.ItemTask:
		i.Task = &domain.Task{
			State: *r.taskState, Logs: r.taskLogs(), Delegation: r.delegation(), Plan: r.plan.plan(),
			SubstituteID: r.substituteID(), ClaimedAt: r.claimedAt, CompletedAt: r.completedAt, CancelledAt: r.cancelledAt,
		}
		if i.Task.Data, err = r.data.value(); err != nil {
			return nil, err
		}
		if i.Task.ContextData, err = r.contextData.value(); err != nil {
			return nil, err
		}
		if i.Task.Elements, err = readElements(r.elements); err != nil {
			return nil, err
		}
	case domain.ItemMessage:
		i.Message = &domain.Message{Mentions: r.mentions}
		if r.text != nil {
			i.Message.Text = *r.text
		}
		if r.dataCode != nil {
			i.Message.DataStructureCode = *r.dataCode
		}
		if i.Message.Data, err = r.messageData.value(); err != nil {
			return nil, err
		}
	case domain.ItemThread:
	}
	return &i, nil
}

// eachItemSummary reads rows of itemSummaryColumns.
func eachItemSummary(add func(*domain.ProcessItem)) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			var row itemRow
			if err := rows.Scan(row.summaryFields()...); err != nil {
				return err
			}
			item, err := row.processItem()
			if err != nil {
				return err
			}
			add(item)
		}
		return rows.Err()
	}
}

// scanItem reads a row of itemColumns, without logs.
func scanItem(rows pgx.Rows) (domain.ProcessItem, error) {
	var row itemRow
	if err := rows.Scan(row.fields()...); err != nil {
		return domain.ProcessItem{}, err
	}
	item, err := row.processItem()
	if err != nil {
		return domain.ProcessItem{}, err
	}
	return *item, nil
}

const getItem = `
SELECT ` + itemWithLogs + `
  FROM process_items i
 WHERE i.id = $3 AND i.tenant_id = ANY($2) AND ` + access.VisibleItem

// GetProcessItem returns an item visible to the caller, or NOT_FOUND.
func (r *Reader) GetProcessItem(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.ProcessItem, error) {
	var row itemRow
	err := r.Read(ctx, pg.Q(getItem, []any{caller.PrincipalID, caller.TenantIDs(), id}, pg.One(row.fieldsWithLogs()...)))
	if err != nil {
		return nil, pg.Translate("reading a process item", pg.NotFound(err, "process item"))
	}
	return row.processItem()
}

// LockedItem is an item under lock with the facts that rules need.
type LockedItem struct {
	*domain.ProcessItem
	Rights         domain.ItemRights
	ProcessState   domain.ProcessState
	ProcessVersion uuid.UUID
	SignalShape    domain.SignalShape
	// RunID is the run of the process's workflow, nil for a manual process and for a workflow that has ended.
	RunID *uuid.UUID
	// Awaited reports whether an activity waits for the task.
	Awaited bool
}

// openRunOfProcess is the open run of the workflow of the process p.
const openRunOfProcess = `(SELECT r.id FROM engine_runs r
         WHERE r.kind = 'PROCESS' AND r.owner_id = p.id AND r.state IN ('PENDING', 'RUNNING'))`

const (
	lockedItemColumns = `
SELECT ` + itemWithLogs + `,
       ` + access.ManagesProcess + `, ` + access.CandidateOfItem + `, coalesce(` + access.SubstitutesOwner + `, false),
       p.state, ` + itemProcessVersion + `, coalesce(v.signal_shape, ''),
       ` + openRunOfProcess + `,
       i.activity_token IS NOT NULL`
	ofLockedItem = `
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
 WHERE i.id = $3 AND i.tenant_id = ANY($2) AND ` + access.VisibleItem + `
   FOR UPDATE OF i`
)

// LockProcessItem locks an item visible to the caller, which may be deleted, or returns NOT_FOUND. The process is not
// locked: a transaction that finishes it locks its tasks.
func LockProcessItem(caller domain.Caller, id uuid.UUID) Read[*LockedItem] {
	return lockItem(caller, id, "")
}

// lockItem is LockProcessItem, which also reads columns into more.
func lockItem(caller domain.Caller, id uuid.UUID, columns string, more ...any) Read[*LockedItem] {
	var row itemRow
	locked := &LockedItem{}
	fields := append(row.fieldsWithLogs(), &locked.Rights.Manages, &locked.Rights.Candidate, &locked.Rights.Substitute,
		&locked.ProcessState, &locked.ProcessVersion, &locked.SignalShape, &locked.RunID, &locked.Awaited)
	fields = append(fields, more...)
	return Read[*LockedItem]{[]pg.Query{
		pg.Q(lockedItemColumns+columns+ofLockedItem, []any{caller.PrincipalID, caller.TenantIDs(), id}, pg.OrNotFound("process item", pg.One(fields...))),
	}, func(tx *Tx) (_ *LockedItem, err error) {
		if locked.ProcessItem, err = row.processItem(); err != nil {
			return nil, err
		}
		tx.Found(locked.ID, locked.Version())
		tx.item = locked.ProcessItem
		return locked, nil
	}}
}
