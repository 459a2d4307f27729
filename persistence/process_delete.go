package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// processInProgress reports whether a process $1 has an open task or an unfinished action.
const processInProgress = `
SELECT EXISTS (SELECT 1 FROM process_items i WHERE i.process_id = $1 AND i.task_state IN ('READY', 'CLAIMED'))
    OR EXISTS (SELECT 1 FROM process_actions x WHERE x.process_id = $1 AND x.status = 'REQUESTED')`

// LockProcessToDelete is LockProcess that, in the same round trip, reports whether the process has an open task
// or an unfinished action.
func (tx *Tx) LockProcessToDelete(
	ctx context.Context, caller domain.Caller, id uuid.UUID,
) (locked *LockedProcess, inProgress bool, err error) {
	return Both(ctx, tx, LockProcess(caller, id), answer(&inProgress, pg.Q(processInProgress, []any{id}, pg.One(&inProgress))))
}

const (
	deleteProcess = `
UPDATE processes
   SET deleted_at = $2, deleted_by = $3, last_modified_by = $3,
       last_modified_at = greatest($2, last_modified_at + interval '1 microsecond')
 WHERE id = $1`

	deleteItemsOfProcess = `
UPDATE process_items
   SET deleted_at = $2, deleted_by = $3, last_modified_by = $3,
       last_modified_at = greatest($2, last_modified_at + interval '1 microsecond')
 WHERE process_id = $1`
)

// DeleteProcess marks a process that is under lock, and its items, as deleted.
func (tx *Tx) DeleteProcess(p *domain.Process) {
	tx.queue(deleteProcess, p.ID, p.DeletedAt, p.DeletedBy)
	tx.queue(deleteItemsOfProcess, p.ID, p.DeletedAt, p.DeletedBy)
}
