package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// PersonalWork is the work of a principal in a tenant: up to a limit of each kind.
type PersonalWork struct {
	// Tasks are claimed tasks, without data.
	Tasks []*domain.ProcessItem
	// Opposed are the opposed tasks of tasks, by their ids.
	Opposed map[uuid.UUID]Opposition
	// Processes are running processes of the initiator, without values.
	Processes []*domain.Process
	// Incidents are open incidents with the principal as assignee, with id, tenant and process only.
	Incidents []*domain.Incident
}

const (
	lockClaimedTasks = `
SELECT ` + itemSummaryColumns + `
  FROM process_items i
 WHERE i.owner_id = $1 AND i.task_state = 'CLAIMED' AND i.tenant_id = $2 AND i.deleted_at IS NULL
 ORDER BY i.created_at, i.id
 LIMIT $3
   FOR UPDATE`

	// firstClaimed are the tasks of lockClaimedTasks.
	firstClaimed = `(SELECT i.id, i.process_id, i.item_version
          FROM process_items i
         WHERE i.owner_id = $1 AND i.task_state = 'CLAIMED' AND i.tenant_id = $2 AND i.deleted_at IS NULL
         ORDER BY i.created_at, i.id
         LIMIT $3) i`

	lockOpposedProcesses = `
SELECT p.id
  FROM ` + firstClaimed + ofOpposingItem + `
  JOIN processes p ON p.id = i.process_id
 ORDER BY p.id
   FOR NO KEY UPDATE OF p`

	selectOppositions = `
SELECT DISTINCT i.id, j.opposed_codes, coalesce(o.item_definition_code, ''), o.owner_id, coalesce(o.task_state, ''), o.substitute_id
  FROM ` + firstClaimed + ofOpposingItem + `
  LEFT JOIN process_items o ON o.process_id = i.process_id AND o.item_definition_code = ANY(j.opposed_codes)
        AND o.task_state IN ('CLAIMED', 'COMPLETED')`

	lockInitiated = `
SELECT ` + processSummaryColumns + `
  FROM processes p
 WHERE p.initiator_id = $1 AND p.state = 'RUNNING' AND p.tenant_id = $2
 ORDER BY p.created_at, p.id
 LIMIT $3
   FOR UPDATE`

	lockAssignedIncidents = `
SELECT i.id, i.tenant_id, i.process_id, i.state
  FROM incidents i
 WHERE i.tenant_id = $2 AND i.state = 'OPEN' AND i.assignee_id = $1
 ORDER BY i.created_at, i.id
 LIMIT $3
   FOR NO KEY UPDATE`
)

// openWork returns the queries of the work of a principal, which is locked.
func personalWork(tenant, principal uuid.UUID, limit int, work *PersonalWork) []pg.Query {
	args := []any{principal, tenant, limit}
	work.Opposed = map[uuid.UUID]Opposition{}
	return []pg.Query{
		pg.Q(lockOpposedProcesses, args, discardRows),
		pg.Q(lockInitiated, args, func(rows pgx.Rows) (err error) {
			work.Processes, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*domain.Process, error) {
				var p domain.Process
				return &p, row.Scan(processSummaryFields(&p)...)
			})
			return err
		}),
		pg.Q(lockClaimedTasks, args, eachItemSummary(func(item *domain.ProcessItem) { work.Tasks = append(work.Tasks, item) })),
		pg.Q(selectOppositions, args, scanOppositions(work.Opposed)),
		pg.Q(lockAssignedIncidents, args, func(rows pgx.Rows) (err error) {
			work.Incidents, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (*domain.Incident, error) {
				var i domain.Incident
				return &i, row.Scan(&i.ID, &i.TenantID, &i.ProcessID, &i.State)
			})
			return err
		}),
	}
}

// WaitingItem is an item definition with tasks that wait for a candidate.
type WaitingItem struct {
	DefinitionID uuid.UUID
	Code         string
	Tasks        int
}

const countWaitingItems = `
SELECT i.process_definition_id AS definition_id, i.item_definition_code AS code, count(*) AS tasks
  FROM (SELECT i.process_definition_id, i.item_definition_code
          FROM process_items i
         WHERE i.tenant_id = $1 AND i.task_state = 'READY'
           AND i.deleted_at IS NULL AND i.item_definition_code IS NOT NULL
         LIMIT $2) i
 GROUP BY 1, 2`

// maxWaiting bounds the tasks that LockOpenWork counts.
const maxWaiting = 100_000

// LockOpenWork locks the work of principals in a tenant, up to limit of each kind and principal, and counts the tasks that wait
// for candidates.
func (tx *Tx) LockOpenWork(
	ctx context.Context, tenant uuid.UUID, principals []uuid.UUID, limit int,
) (map[uuid.UUID]*PersonalWork, []WaitingItem, error) {
	found := make(map[uuid.UUID]*PersonalWork, len(principals))
	var waiting []WaitingItem
	queries := []pg.Query{pg.Q(countWaitingItems, []any{tenant, maxWaiting}, pg.Into(&waiting))}
	for _, p := range principals {
		found[p] = &PersonalWork{}
		queries = append(queries, personalWork(tenant, p, limit, found[p])...)
	}
	return found, waiting, pg.Translate("reading the work of people", tx.Read(ctx, queries...))
}

const (
	updateInitiator = `
UPDATE processes
   SET initiator_id = $2, last_modified_by = $3, last_modified_at = $4
 WHERE id = $1`

	updateAssignee = `
UPDATE incidents
   SET assignee_id = $2
 WHERE id = $1`
)

// UpdateInitiator stores the initiator of a process that is under lock.
func (tx *Tx) UpdateInitiator(p *domain.Process) {
	tx.queue(updateInitiator, p.ID, p.InitiatorID, p.LastModifiedBy, p.LastModifiedAt)
}

// UpdateAssignee stores the assignee of an incident that is under lock.
func (tx *Tx) UpdateAssignee(i *domain.Incident) { tx.queue(updateAssignee, i.ID, i.AssigneeID) }
