package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const insertItem = `
INSERT INTO process_items (id, tenant_id, process_id, process_definition_id, type,
                           item_definition_id, item_version, item_definition_code, owner_id,
                           task_state, claimed_at, created_by, created_at, last_modified_by, last_modified_at,
                           task_data, task_data_valid, task_data_errors,
                           context_data, context_data_valid, context_data_errors,
                           message_text, message_data, message_data_valid, message_data_errors, message_data_code,
                           element_values, activity_token, thread_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
        $22, $23, $24, $25, $26, $27, $28, $29)`

// InsertProcessItem stores a new item.
func (tx *Tx) InsertProcessItem(i *domain.ProcessItem) error {
	tx.item = i
	var definition, version *uuid.UUID
	var code *string
	if i.Definition != nil {
		definition, version, code = &i.Definition.ID, &i.Definition.Version, &i.Definition.Code
	}
	task := domain.Task{}
	var state *domain.TaskState
	if i.Task != nil {
		task, state = *i.Task, &i.Task.State
	}
	data, err := store(task.Data)
	if err != nil {
		return err
	}
	contextData, err := store(task.ContextData)
	if err != nil {
		return err
	}
	elements, err := storeElements(task.Elements)
	if err != nil {
		return err
	}
	message := domain.Message{}
	if i.Message != nil {
		message = *i.Message
	}
	messageData, err := store(message.Data)
	if err != nil {
		return err
	}
	tx.queue(insertItem, i.ID, i.TenantID, i.ProcessID, i.ProcessDefinitionID, i.Type,
		definition, version, code, i.OwnerID,
		state, task.ClaimedAt, i.CreatedBy, i.CreatedAt, i.LastModifiedBy, i.LastModifiedAt,
		data.document, data.valid, data.errors,
		contextData.document, contextData.valid, contextData.errors,
		orNull(message.Text), messageData.document, messageData.valid, messageData.errors,
		orNull(message.DataStructureCode), elements, []byte(task.ActivityToken), i.ThreadID)
	tx.insertTaskTimes(i)
	return nil
}

// orNull maps the empty text to NULL.
func orNull[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}

const updateTaskState = `
UPDATE process_items
   SET task_state = $2, owner_id = $3, claimed_at = $4, completed_at = $5, cancelled_at = $6,
       last_modified_by = $7, last_modified_at = $8, delegator_id = $9, delegated_at = $10, delegation_note = $11,
       substitute_id = $12
 WHERE id = $1`

// UpdateTaskState stores the state, the owner, the times and the delegation of a task that is under lock.
func (tx *Tx) UpdateTaskState(i *domain.ProcessItem) {
	var delegator *uuid.UUID
	var delegatedAt *time.Time
	var note *string
	if d := i.Task.Delegation; d != nil {
		delegator, delegatedAt, note = &d.By, &d.At, orNull(d.Note)
	}
	tx.queue(updateTaskState, i.ID, i.Task.State, i.OwnerID, i.Task.ClaimedAt, i.Task.CompletedAt, i.Task.CancelledAt,
		i.LastModifiedBy, i.LastModifiedAt, delegator, delegatedAt, note, i.Task.SubstituteID)
	tx.updateTimesOfState(i)
}

const updateTaskData = `
UPDATE process_items
   SET task_data = $2, task_data_valid = $3, task_data_errors = $4,
       context_data = $5, context_data_valid = $6, context_data_errors = $7,
       last_modified_by = $8, last_modified_at = $9
 WHERE id = $1`

// UpdateTaskData stores the data and the context data of a task that is under
// lock.
func (tx *Tx) UpdateTaskData(i *domain.ProcessItem) error {
	data, err := store(i.Task.Data)
	if err != nil {
		return err
	}
	contextData, err := store(i.Task.ContextData)
	if err != nil {
		return err
	}
	tx.queue(updateTaskData, i.ID, data.document, data.valid, data.errors,
		contextData.document, contextData.valid, contextData.errors, i.LastModifiedBy, i.LastModifiedAt)
	return nil
}

const (
	touchItem = `
UPDATE process_items
   SET last_modified_by = $2, last_modified_at = $3
 WHERE id = $1`

	insertTaskLog = `
INSERT INTO task_logs (process_item_id, tenant_id, id, logged_at, message, level)
VALUES ($1, (SELECT i.tenant_id FROM process_items i WHERE i.id = $1), $2, $3, $4, $5)`

	// Positions only grow, so the entries to drop are those before the last $2.
	trimTaskLog = `
DELETE FROM task_logs
 WHERE process_item_id = $1
   AND position < (SELECT position FROM task_logs
                    WHERE process_item_id = $1
                    ORDER BY position DESC OFFSET $2 LIMIT 1)`
)

// AppendTaskLog adds an entry to the log of a task that is under lock and drops
// the oldest ones beyond limit.
func (tx *Tx) AppendTaskLog(i *domain.ProcessItem, entry domain.TaskLog, limit int) {
	tx.queue(insertTaskLog, i.ID, entry.ID, entry.Timestamp, entry.Message, entry.Level)
	tx.queue(trimTaskLog, i.ID, limit-1)
	tx.queue(touchItem, i.ID, i.LastModifiedBy, i.LastModifiedAt)
}

const lockOpenTasks = `
SELECT ` + itemSummaryColumns + `
  FROM process_items i
 WHERE i.process_id = $1 AND i.task_state IN ('READY', 'CLAIMED')
   AND ($2::uuid[] IS NULL OR i.id = ANY($2))
 ORDER BY i.id
   FOR UPDATE`

// openTasks locks the open tasks of a process, limited to the given ids if there are any. Their data is not
// read.
func openTasks(process uuid.UUID, ids []uuid.UUID, items *[]*domain.ProcessItem) pg.Query {
	return pg.Q(lockOpenTasks, []any{process, ids}, eachItemSummary(func(item *domain.ProcessItem) {
		*items = append(*items, item)
	}))
}

const countItemsOfProcess = `
SELECT count(*)
  FROM process_items i
 WHERE i.process_id = $1 AND i.id = ANY($2)`

// LockedTasks is a process under lock together with open tasks of it.
type LockedTasks struct {
	*LockedProcess
	Open []*domain.ProcessItem
	// Known is how many of the requested ids are items of the process.
	Known int
}

// LockProcessAndOpenTasks locks a process visible to the caller together with its open tasks, limited to ids if
// there are any.
func (tx *Tx) LockProcessAndOpenTasks(
	ctx context.Context, caller domain.Caller, id uuid.UUID, ids []uuid.UUID,
) (*LockedTasks, error) {
	var tasks LockedTasks
	process, locked, err := Both(ctx, tx, LockProcess(caller, id), answer(&tasks,
		openTasks(id, ids, &tasks.Open),
		pg.Q(countItemsOfProcess, []any{id, ids}, pg.One(&tasks.Known))))
	locked.LockedProcess = process
	return &locked, err
}
