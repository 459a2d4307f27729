package persistence

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// BulkGroup contains Count selected resources that the rules of operations do not distinguish, as one resource with the fields that
// the rules depend on. Process and Run are nil for a resource without one, Item is set for tasks, Incident for incidents.
type BulkGroup struct {
	Count   int
	Process *domain.Process
	Rights  domain.ItemRights
	Repairs bool
	Run     *domain.EngineRun
	Item    *domain.ProcessItem
	// FourEyes is an opposed task of the new owner of BulkAssignTasks.
	FourEyes domain.FourEyes
	Incident *LockedIncident
	// AtVersion reports whether the process is at the version of BulkMoveProcesses.
	AtVersion bool
}

// maxPreviews bounds the previews of a person.
const maxPreviews = 10

const (
	insertBulkOperation = `
INSERT INTO bulk_operations (id, tenant_id, kind, filter, parameters, state, created_by, created_at, expires_at, operator)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

	deleteOldPreviews = `
DELETE FROM bulk_operations
 WHERE id IN (SELECT b.id FROM bulk_operations b
               WHERE b.created_by = $1 AND b.state = 'PREVIEW'
               ORDER BY b.created_at DESC
              OFFSET $2)`

	updateBulkPreview = `
UPDATE bulk_operations
   SET selected = $2, forecast = $3
 WHERE id = $1`

	selectSample = `
SELECT x.target_id
  FROM bulk_operation_items x
 WHERE x.operation_id = $1 AND x.state = 'PENDING'
 ORDER BY x.target_id
 LIMIT $2`

	updateBulkSample = `
UPDATE bulk_operations
   SET sample = $2
 WHERE id = $1`
)

// SelectBulk inserts a bulk operation in the state PREVIEW with its selection: the resources of the filter that are visible to the
// caller, at most domain.MaxBulkSelection + 1. It returns groups of the selected resources. The caller keeps the latest maxPreviews
// previews. It takes one round trip.
func (tx *Tx) SelectBulk(ctx context.Context, caller domain.Caller, b domain.BulkOperation) ([]BulkGroup, error) {
	caller.Memberships = membershipsIn(caller, b.TenantID)
	l, more, verify, err := bulkList(caller, b)
	if err != nil {
		return nil, err
	}
	sql, args := l.All()
	n := len(args)
	sql = `
WITH chosen AS (` + sql + `
 LIMIT ` + strconv.Itoa(domain.MaxBulkSelection+1) + `)
INSERT INTO bulk_operation_items (operation_id, tenant_id, target_id)
SELECT ` + fmt.Sprintf("$%d, $%d", n+1, n+2) + `, c.id
  FROM chosen c`
	var groups []BulkGroup
	queries := append([]pg.Query{
		pg.Q(deleteOldPreviews, []any{b.CreatedBy, maxPreviews - 1}, pg.None),
		pg.Q(insertBulkOperation, []any{
			b.ID, b.TenantID, b.Kind, b.Filter, b.Parameters, b.State, b.CreatedBy, b.CreatedAt, b.CreatedAt.Add(domain.BulkPreviewLifetime), b.Operator,
		}, pg.None),
		pg.Q(sql, append(args, b.ID, b.TenantID), pg.None),
		groupBulk(caller, b, &groups),
	}, more...)
	if err := tx.Change(ctx, queries...); err != nil {
		return nil, err
	}
	return groups, verify()
}

// UpdateBulkPreview stores the size and the forecast of a new selection.
func (tx *Tx) UpdateBulkPreview(b domain.BulkOperation) {
	tx.queue(updateBulkPreview, b.ID, b.Selected, b.Forecast)
}

// ListBulkSample returns the first limit selected resources of a preview.
func (r *Reader) ListBulkSample(ctx context.Context, operation uuid.UUID, limit int) (ids []uuid.UUID, err error) {
	err = r.Read(ctx, pg.Q(selectSample, []any{operation, limit}, collectInto(&ids, pgx.RowTo[uuid.UUID])))
	return ids, pg.Translate("reading the resources of a preview", err)
}

// UpdateBulkSample stores the effects on some resources of a preview.
func (tx *Tx) UpdateBulkSample(b domain.BulkOperation) { tx.queue(updateBulkSample, b.ID, b.Sample) }

func membershipsIn(caller domain.Caller, tenant uuid.UUID) []domain.Membership {
	for _, m := range caller.Memberships {
		if m.TenantID == tenant {
			return []domain.Membership{m}
		}
	}
	return nil
}

// bulkList returns the list of the selected resources, and queries and a check that belong to its filter.
func bulkList(
	caller domain.Caller, b domain.BulkOperation,
) (l *listquery.List, more []pg.Query, verify func() error, err error) {
	f := b.Filter
	verify = func() error { return nil }
	switch b.Kind.Subject() {
	case domain.BulkProcesses:
		metadata := filterByMetadata(caller, f.Metadata)
		l = boardList(caller, BoardFilter{
			Standing: f.Standing, DefinitionID: f.DefinitionID, InitiatorID: f.InitiatorID, Search: f.Search,
		}, nil, metadata)
		l.Where = append(l.Where, listquery.AnyOf("p.state", f.States), listquery.MatchAny("p.id = ANY(%s)", f.IDs))
		l.Columns = "p.id"
		more, verify = metadata.queries(caller), metadata.verify
	case domain.BulkTasks:
		filter := InboxFilter{
			View: cmp.Or(f.View, domain.InboxAll), Search: f.Search, Overdue: f.Overdue, Now: b.CreatedAt, DueAfter: f.DueAfter, DueBefore: f.DueBefore,
		}
		if f.DefinitionID != nil {
			filter.ProcessDefinitionIDs = []uuid.UUID{*f.DefinitionID}
		}
		l = filter.taskList(caller, listquery.AnyOf("i.task_state", f.States), listquery.MatchAny("i.id = ANY(%s)", f.IDs),
			listquery.MatchGiven("i.owner_id = %s", f.OwnerID))
		l.Columns = "i.id"
	case domain.BulkIncidents:
		filter := IncidentFilter{
			Fingerprint: f.Cause, Search: f.Search, Worker: f.Worker, Kinds: f.Kinds, AssigneeID: f.AssigneeID, Assigned: f.Assigned,
			Acknowledged: f.Acknowledged,
		}
		for _, state := range f.States {
			filter.States = append(filter.States, domain.IncidentState(state))
		}
		if l, err = incidentList(caller, AdministrationOf(caller), filter, nil); err != nil {
			return nil, nil, nil, err
		}
		l.Where = append(l.Where, listquery.Match("i.tenant_id = %s", b.TenantID), listquery.MatchAny("i.id = ANY(%s)", f.IDs))
		l.Columns, l.Names = "i.id", ""
	}
	return l, more, verify, nil
}

const (
	// bulkItemsOf are the resources of the operation $3, for a caller as in package access.
	bulkItemsOf = `
  FROM bulk_operation_items x`

	bulkProcessGroups = `
SELECT count(*), p.state, ` + access.ManagesProcess + `, ` + repairGrantedOnP + `, r.state, v.number = $3` + bulkItemsOf + `
  JOIN processes p ON p.id = x.target_id
  JOIN process_definition_versions v ON v.version = p.process_version
  LEFT JOIN engine_runs r ON r.kind = 'PROCESS' AND r.owner_id = p.id
 WHERE x.operation_id = $2
 GROUP BY 2, 3, 4, 5, 6`

	bulkTaskGroups = `
SELECT count(*), i.task_state, i.owner_id = $1, i.owner_id = $3, ` + access.ManagesProcess + `, ` + access.CandidateOfItem + `,
       (SELECT o.item_definition_code ` + opposedTasksOf + ` AND $3::uuid IN (o.owner_id, o.substitute_id) ORDER BY 1 LIMIT 1)` + bulkItemsOf + `
  JOIN process_items i ON i.id = x.target_id
  JOIN processes p ON p.id = i.process_id
 WHERE x.operation_id = $2
 GROUP BY 2, 3, 4, 5, 6, 7`

	bulkIncidentGroups = `
SELECT count(*), i.state, i.kind, r.action IS NOT NULL, p.state, t.task_state, r.state, r.run_id = i.run_id` + bulkItemsOf + `
  JOIN incidents i ON i.id = x.target_id` + runOfIncident + `
  LEFT JOIN processes p ON p.id = i.process_id
  LEFT JOIN process_items t ON r.kind = 'TASK_ROBOT' AND t.id = r.owner_id
 WHERE x.operation_id = $1
 GROUP BY 2, 3, 4, 5, 6, 7, 8`
)

// groupBulk groups the selected resources of an operation.
func groupBulk(caller domain.Caller, b domain.BulkOperation, groups *[]BulkGroup) pg.Query {
	switch b.Kind.Subject() {
	case domain.BulkProcesses:
		return pg.Q(bulkProcessGroups, []any{caller.PrincipalID, b.ID, b.Parameters.ToVersion}, collectInto(groups, func(row pgx.CollectableRow) (BulkGroup, error) {
			return scanProcessGroup(row, b.TenantID)
		}))
	case domain.BulkTasks:
		return pg.Q(bulkTaskGroups, []any{caller.PrincipalID, b.ID, b.Parameters.NewOwnerID}, collectInto(groups, func(row pgx.CollectableRow) (BulkGroup, error) {
			return scanTaskGroup(row, caller.PrincipalID, b.Parameters.NewOwnerID)
		}))
	case domain.BulkIncidents:
	}
	return pg.Q(bulkIncidentGroups, []any{b.ID}, collectInto(groups, scanIncidentOfGroup))
}

func scanProcessGroup(row pgx.CollectableRow, tenant uuid.UUID) (BulkGroup, error) {
	g := BulkGroup{Process: &domain.Process{TenantID: tenant}}
	var run *domain.EngineRunState
	err := row.Scan(&g.Count, &g.Process.State, &g.Rights.Manages, &g.Repairs, &run, &g.AtVersion)
	if run != nil {
		g.Run = &domain.EngineRun{State: *run}
	}
	return g, err
}

func scanTaskGroup(row pgx.CollectableRow, caller uuid.UUID, newOwner *uuid.UUID) (BulkGroup, error) {
	g := BulkGroup{Item: &domain.ProcessItem{Type: domain.ItemTask, Task: &domain.Task{}}}
	var owned, assigned *bool
	var opposed *string
	err := row.Scan(&g.Count, &g.Item.Task.State, &owned, &assigned, &g.Rights.Manages, &g.Rights.Candidate, &opposed)
	if opposed != nil {
		g.FourEyes = domain.FourEyes{{Code: *opposed, OwnerID: *newOwner, State: domain.TaskClaimed}}
	}
	switch {
	case assigned != nil && *assigned:
		g.Item.OwnerID = newOwner
	case owned != nil && *owned:
		g.Item.OwnerID = &caller
	case owned != nil:
		g.Item.OwnerID = new(uuid.UUID)
	}
	return g, err
}

func scanIncidentOfGroup(row pgx.CollectableRow) (BulkGroup, error) {
	l := &LockedIncident{}
	g := BulkGroup{Incident: l}
	var hasAction, isCurrent bool
	var process *domain.ProcessState
	err := row.Scan(&g.Count, &l.Incident.State, &l.Incident.Kind, &hasAction, &process, &l.TaskState, &l.Run.State, &isCurrent)
	if hasAction {
		l.Incident.ActionID = new(uuid.UUID)
	}
	if process != nil {
		l.Process = &domain.Process{State: *process}
	}
	if !isCurrent {
		l.Incident.EngineRun = "another run"
	}
	return g, err
}
