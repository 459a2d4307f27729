package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// itemProcessVersion is the version of the process definition that an item i of a process p has its definition from. It
// differs from the version of a process that was moved to a version without this item. The version of a locked item is read
// again after its lock, the one of its process is not.
const itemProcessVersion = `coalesce((SELECT w.process_version FROM item_definition_versions w WHERE w.version = i.item_version), p.process_version)`

const (
	findMoveVersions = `
SELECT v.version AS id, v.number
  FROM process_definition_versions v
 WHERE v.process_definition_id = $1 AND (v.version = $2 OR v.number = $3)`

	// The move's own event is the last one if the process has not changed since. Conditions and incidents change by themselves.
	getLastMove = `
SELECT f.version, f.number, t.version, t.number,
       coalesce((SELECT e.details ->> 'repairId' FROM events e
                  WHERE e.process_id = x.process_id
                    AND e.type NOT IN ('PROCESS.CONDITION_CHANGED', 'INCIDENT.CREATED', 'INCIDENT.STATE_CHANGED')
                  ORDER BY e.era DESC, e.xid DESC, e.position DESC
                  LIMIT 1) <> x.id::text, true)
  FROM repairs x
  JOIN process_definition_versions f ON f.version = x.from_version
  JOIN process_definition_versions t ON t.version = x.to_version
 WHERE x.process_id = $1 AND x.kind = 'MOVE_TO_VERSION'
 ORDER BY x.created_at DESC
 LIMIT 1`

	lockMovedItems = `
SELECT ` + itemColumns + `
  FROM process_items i
 WHERE i.process_id = $1
 ORDER BY i.id
 LIMIT $2
   FOR UPDATE OF i`

	moveProcess = `
UPDATE processes
   SET process_version = $2
 WHERE id = $1`

	moveItem = `
UPDATE process_items
   SET item_version = $2, task_data_valid = $3, task_data_errors = $4, context_data_valid = $5, context_data_errors = $6,
       message_data_valid = $7, message_data_errors = $8, last_modified_by = $9, last_modified_at = $10
 WHERE id = $1`

	bindRun = `
UPDATE engine_runs r
   SET workflow_type = v.workflow_type, task_queue = v.task_queue
  FROM processes p
  JOIN process_definition_versions v ON v.version = p.process_version
 WHERE r.id = $1 AND r.kind = 'PROCESS' AND p.id = r.owner_id AND v.workflow_type IS NOT NULL`
)

// FindMove returns the move of a process to a version of its definition, or VALIDATION if the definition has no version with
// the number.
func (tx *Tx) FindMove(ctx context.Context, p *domain.Process, number int) (domain.VersionMove, error) {
	var versions []domain.DefinitionVersion
	err := tx.Read(ctx, pg.Q(findMoveVersions, []any{p.Definition.ID, p.Definition.Version, number}, pg.Into(&versions)))
	if err != nil {
		return domain.VersionMove{}, pg.Translate("reading the versions of a definition", err)
	}
	var move domain.VersionMove
	for _, v := range versions {
		if v.ID == p.Definition.Version {
			move.From = v
		}
		if v.Number == number {
			move.To = v
		}
	}
	if move.To.Number == 0 {
		return move, domain.Invalid(domain.LocationBody, "toVersion", "the definition has no version with this number")
	}
	return move, nil
}

// GetLastMove returns the last move of a process under lock, nil without one.
func (tx *Tx) GetLastMove(ctx context.Context, process uuid.UUID) (*domain.LastMove, error) {
	var move *domain.LastMove
	err := tx.Read(ctx, pg.Q(getLastMove, []any{process}, scanLastMove(&move)))
	return move, pg.Translate("reading the last move of a process", err)
}

func scanLastMove(dest **domain.LastMove) func(pgx.Rows) error {
	return pg.OrNil(dest, func(m *domain.LastMove) func(pgx.Rows) error {
		return pg.One(&m.From.ID, &m.From.Number, &m.To.ID, &m.To.Number, &m.Changed)
	})
}

// LockMovedItems locks the items of a process that is under lock, at most atMost.
func (tx *Tx) LockMovedItems(ctx context.Context, process uuid.UUID, atMost int) ([]*domain.ProcessItem, error) {
	var items []*domain.ProcessItem
	err := tx.Read(ctx, pg.Q(lockMovedItems, []any{process, atMost}, func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			item, err := scanItem(rows)
			if err != nil {
				return err
			}
			items = append(items, &item)
		}
		return rows.Err()
	}))
	return items, pg.Translate("locking the items of a process", err)
}

// MoveProcess pins a process under lock to its version. The totals of lists count a moved process at both versions, together
// once: they are compared by the application that runs a version, which a move does not change.
func (tx *Tx) MoveProcess(p *domain.Process) { tx.queue(moveProcess, p.ID, p.Definition.Version) }

// MoveItem stores the version of an item under lock, and whether its values are valid.
func (tx *Tx) MoveItem(i *domain.ProcessItem) error {
	task, message := domain.Task{}, domain.Message{}
	if i.Task != nil {
		task = *i.Task
	}
	if i.Message != nil {
		message = *i.Message
	}
	var stored [3]storedValue
	for n, value := range []*domain.JSONValue{task.Data, task.ContextData, message.Data} {
		var err error
		if stored[n], err = store(value); err != nil {
			return err
		}
	}
	var version *uuid.UUID
	if i.Definition != nil {
		version = &i.Definition.Version
	}
	tx.queue(moveItem, i.ID, version, stored[0].valid, stored[0].errors, stored[1].valid, stored[1].errors,
		stored[2].valid, stored[2].errors, i.LastModifiedBy, i.LastModifiedAt)
	return nil
}

// BindRun sets the workflow and the task queue of a run of a process to the ones of the version of its process, for its next start.
func (tx *Tx) BindRun(run uuid.UUID) { tx.queue(bindRun, run) }
