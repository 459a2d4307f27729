package persistence

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// ofOpposingItem are the version j of the definition of an item i with opposed tasks.
	ofOpposingItem = `
  JOIN item_definition_versions j ON j.version = i.item_version AND cardinality(j.opposed_codes) > 0`

	// A process with opposed tasks is locked before its items, so that one person does not get two of them at once.
	lockOpposedProcess = `
SELECT p.id
  FROM process_items i` + ofOpposingItem + `
  JOIN processes p ON p.id = i.process_id
 WHERE i.id = $1 AND i.tenant_id = ANY($2)
   FOR NO KEY UPDATE OF p`

	// tryOpposedProcess is lockOpposedProcess of a transaction that has locked items before, which must not wait.
	tryOpposedProcess = lockOpposedProcess + ` SKIP LOCKED`

	// opposedTasksOf selects from the tasks o with owners that are opposed to an item i.
	opposedTasksOf = `FROM item_definition_versions j
          JOIN process_items o ON o.process_id = i.process_id AND o.item_definition_code = ANY(j.opposed_codes)
         WHERE j.version = i.item_version AND cardinality(j.opposed_codes) > 0 AND o.task_state IN ('CLAIMED', 'COMPLETED')`

	selectOpposedTasks = `
SELECT o.*
  FROM process_items i
 CROSS JOIN LATERAL (SELECT DISTINCT o.item_definition_code, o.owner_id, o.task_state, o.substitute_id ` + opposedTasksOf + `) o
 WHERE i.id = $1 AND i.tenant_id = ANY($2)`

	// The process is locked before, so that the owners are those after each earlier operation.
	columnOfOpposedTasks = `,
       ARRAY(SELECT DISTINCT ROW(o.item_definition_code, o.owner_id, o.task_state, o.substitute_id) ` + opposedTasksOf + `)`

	lockProcessOfOwner = `
SELECT p.id
  FROM processes p
 WHERE p.id = $1 AND p.tenant_id = ANY($2)
   AND EXISTS (SELECT 1 FROM item_definition_versions j
                WHERE j.process_version = p.process_version AND cardinality(j.opposed_codes) > 0)
   FOR NO KEY UPDATE OF p`

	selectOwnedTasks = `
SELECT DISTINCT o.item_definition_code, o.owner_id, o.task_state, o.substitute_id
  FROM processes p
  JOIN process_items o ON o.process_id = p.id
 WHERE p.id = $1 AND p.tenant_id = ANY($2) AND o.task_state IN ('CLAIMED', 'COMPLETED')
   AND EXISTS (SELECT 1 FROM item_definition_versions j
                WHERE j.process_version = p.process_version AND cardinality(j.opposed_codes) > 0)`
)

// TaskForOwner is a task under lock, with the facts that decide who may own and complete it.
type TaskForOwner struct {
	*LockedItem

	FourEyes domain.FourEyes
}

// LockTaskForOwner is LockProcessItem for operations that give a task an owner or complete it. If the task has opposed
// tasks, such operations on tasks of the process follow each other.
func LockTaskForOwner(caller domain.Caller, id uuid.UUID) Read[*TaskForOwner] {
	var opposed []opposedTaskRow
	task := lockItem(caller, id, columnOfOpposedTasks, &opposed)
	lock := pg.Q(lockOpposedProcess, []any{id, caller.TenantIDs()}, discardRows)
	return Read[*TaskForOwner]{slices.Concat([]pg.Query{lock}, task.queries), func(tx *Tx) (*TaskForOwner, error) {
		locked, err := task.result(tx)
		if err != nil {
			return nil, err
		}
		found := &TaskForOwner{LockedItem: locked}
		for _, o := range opposed {
			found.FourEyes = append(found.FourEyes, domain.OpposedTask(o))
		}
		return found, nil
	}}
}

// LockOpposedTasks returns the opposed tasks of a task under lock that has any, and keeps their owners until the transaction ends.
// It reports false if another transaction may change them: it does not wait.
func (tx *Tx) LockOpposedTasks(ctx context.Context, i *domain.ProcessItem) (eyes domain.FourEyes, locked bool, err error) {
	args := []any{i.ID, []uuid.UUID{i.TenantID}}
	var process uuid.UUID
	err = tx.Read(ctx,
		pg.Q(tryOpposedProcess, args, func(rows pgx.Rows) error { return pg.IgnoreNoRows(pg.One(&process)(rows)) }),
		pg.Q(selectOpposedTasks, args, collectInto((*[]domain.OpposedTask)(&eyes), scanOpposedTask)))
	return eyes, process != uuid.Nil, pg.Translate("locking opposed tasks", err)
}

// opposedTaskRow is an entry of columnOfOpposedTasks.
type opposedTaskRow domain.OpposedTask

// ScanIndex returns where to store a column.
func (o *opposedTaskRow) ScanIndex(column int) any {
	return []any{&o.Code, &o.OwnerID, &o.State, &o.SubstituteID}[column]
}

// ScanNull refuses an entry that is null.
func (o *opposedTaskRow) ScanNull() error { return errors.New("an entry of the opposed tasks is null") }

// ownedTasks returns the queries of the tasks with owners in a process with opposed tasks. The first one locks the process
// and precedes all other locks.
func ownedTasks(caller domain.Caller, process uuid.UUID, eyes *domain.FourEyes) (lock, tasks pg.Query) {
	args := []any{process, caller.TenantIDs()}
	return pg.Q(lockProcessOfOwner, args, discardRows), pg.Q(selectOwnedTasks, args, collectInto((*[]domain.OpposedTask)(eyes), scanOpposedTask))
}

func scanOpposedTask(row pgx.CollectableRow) (t domain.OpposedTask, err error) {
	return t, row.Scan(&t.Code, &t.OwnerID, &t.State, &t.SubstituteID)
}

// Opposition is the codes of the tasks that are opposed to a task, and the ones with owners.
type Opposition struct {
	Codes []string
	Tasks domain.FourEyes
}

func scanOppositions(dest map[uuid.UUID]Opposition) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var task uuid.UUID
		var codes []string
		var opposed domain.OpposedTask
		var owner *uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&task, &codes, &opposed.Code, &owner, &opposed.State, &opposed.SubstituteID}, func() error {
			found := dest[task]
			found.Codes = codes
			if owner != nil {
				opposed.OwnerID = *owner
				found.Tasks = append(found.Tasks, opposed)
			}
			dest[task] = found
			return nil
		})
		return err
	}
}
