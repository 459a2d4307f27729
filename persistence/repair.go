package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// RepairSite is a process under lock with the state that its repairs depend on: whether the caller is granted to repair it,
// the item of the repair, nil without one, the run, nil for a manual process, the open incident of the run, and the recorded
// repair with the id of the repair, nil without one.
type RepairSite struct {
	*LockedProcess

	Granted  bool
	Item     *LockedItem
	Run      *domain.EngineRun
	Incident *domain.Incident
	Recorded *domain.Repair
}

const (
	// repairGrantedOnP is true of a process p if the caller is a repairer of its definition.
	repairGrantedOnP = `EXISTS (SELECT 1 FROM process_definition_grants g
                WHERE g.process_definition_id = p.process_definition_id AND g.permission = 'REPAIRER' AND ` + access.CallerIsGrantee + `)`

	repairGranted = `
SELECT ` + repairGrantedOnP + `
  FROM processes p
 WHERE p.id = $2`

	lockRunOfProcess = `
SELECT ` + engineRunColumns + `
  FROM engine_runs r
 WHERE r.owner_id = $1 AND r.kind = 'PROCESS'
   FOR NO KEY UPDATE OF r`

	lockOpenIncident = `
SELECT ` + incidentColumns + `
  FROM ` + fromIncidents + `
 WHERE i.process_id = $1 AND r.owner_id = $1 AND r.kind = 'PROCESS' AND i.state = 'OPEN'
 ORDER BY i.created_at DESC
 LIMIT 1
   FOR NO KEY UPDATE OF i`
)

// LockRepairSite locks a process visible to the caller for the repair with an id, and an item that is visible too unless item
// is nil, or returns NOT_FOUND.
func LockRepairSite(caller domain.Caller, process, repair uuid.UUID, item *uuid.UUID) Read[*RepairSite] {
	site := &RepairSite{}
	read := Then(And(LockProcess(caller, process), lockRepairedRun(caller, process, repair, site)),
		func(_ *Tx, found Pair[*LockedProcess, *RepairSite]) (*RepairSite, error) {
			site.LockedProcess = found.First
			return site, nil
		})
	if item == nil {
		return read
	}
	return Then(And(read, LockProcessItem(caller, *item)), func(_ *Tx, found Pair[*RepairSite, *LockedItem]) (*RepairSite, error) {
		site.Item = found.Second
		if site.Item.ProcessID != process {
			return nil, domain.NotFound("process item")
		}
		return site, nil
	})
}

func lockRepairedRun(caller domain.Caller, process, repair uuid.UUID, site *RepairSite) Read[*RepairSite] {
	return answer(
		&site,
		pg.Q(repairGranted, []any{caller.PrincipalID, process}, pg.One(&site.Granted)),
		pg.Q(lockRunOfProcess, []any{process}, pg.OrNil(&site.Run, func(r *domain.EngineRun) func(pgx.Rows) error {
			return pg.One(engineRunFields(r)...)
		})),
		pg.Q(lockOpenIncident, []any{process}, scanIncidentIfAny(&site.Incident)),
		pg.Q(findRepair, []any{process, repair}, func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, scanNamedRepair)
			if len(found) > 0 {
				site.Recorded = &found[0].Repair
			}
			return err
		}),
	)
}

const insertRepair = `
INSERT INTO repairs (id, tenant_id, process_id, item_id, kind, reason, created_by, created_at, from_version, to_version)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`

// InsertRepair stores a repair.
func (tx *Tx) InsertRepair(r domain.Repair) {
	var from, to *uuid.UUID
	if r.Move != nil {
		from, to = &r.Move.From.ID, &r.Move.To.ID
	}
	tx.queue(insertRepair, r.ID, r.TenantID, r.ProcessID, r.ItemID, r.Kind, r.Reason, r.CreatedBy, r.CreatedAt, from, to)
}

// maxRepairs bounds the listed repairs of a process.
const maxRepairs = 200

const (
	selectRepairs = `
SELECT x.id, x.tenant_id, x.process_id, x.item_id, x.kind, x.reason, x.created_by, x.created_at, coalesce(sname.name, s.name, ''),
       x.from_version, f.number, x.to_version, t.number
  FROM repairs x
  LEFT JOIN process_definition_versions f ON f.version = x.from_version
  LEFT JOIN process_definition_versions t ON t.version = x.to_version
  LEFT JOIN principals s ON s.id = x.created_by
  LEFT JOIN person_names sname ON sname.tenant_id = x.tenant_id AND sname.principal_id = x.created_by
`

	findRepair = selectRepairs + ` WHERE x.id = $2 AND x.tenant_id = (SELECT p.tenant_id FROM processes p WHERE p.id = $1)`

	listRepairs = selectRepairs + ` WHERE x.process_id = $1
 ORDER BY x.created_at DESC
 LIMIT $2`

	processVisible = `
SELECT p.id
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess

	getRepairedRun = `
SELECT ` + engineRunColumns + `, ` + repairGrantedOnP + `
  FROM processes p
  JOIN engine_runs r ON r.owner_id = p.id AND r.kind = 'PROCESS'
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess
)

// ListRepairs returns the latest repairs of a process visible to the caller, the newest first, at most 200, or NOT_FOUND.
func (r *Reader) ListRepairs(ctx context.Context, caller domain.Caller, process uuid.UUID) ([]domain.NamedRepair, error) {
	var repairs []domain.NamedRepair
	err := r.Read(
		ctx,
		pg.Q(processVisible, []any{caller.PrincipalID, caller.TenantIDs(), process}, pg.OrNotFound("process", pg.One(&process))),
		pg.Q(listRepairs, []any{process, maxRepairs}, collectInto(&repairs, scanNamedRepair)),
	)
	return repairs, pg.Translate("listing the repairs of a process", err)
}

func scanNamedRepair(row pgx.CollectableRow) (r domain.NamedRepair, err error) {
	var from, to *uuid.UUID
	var fromNumber, toNumber *int
	err = row.Scan(&r.ID, &r.TenantID, &r.ProcessID, &r.ItemID, &r.Kind, &r.Reason, &r.CreatedBy, &r.CreatedAt, &r.AuthorName,
		&from, &fromNumber, &to, &toNumber)
	if from != nil && fromNumber != nil && to != nil && toNumber != nil {
		r.Move = &domain.VersionMove{
			From: domain.DefinitionVersion{ID: *from, Number: *fromNumber}, To: domain.DefinitionVersion{ID: *to, Number: *toNumber},
		}
	}
	return r, err
}

// GetRepairedRun returns the run of a process visible to the caller and whether the caller is granted to repair it, or
// NOT_FOUND, also for a process without a run.
func (r *Reader) GetRepairedRun(ctx context.Context, caller domain.Caller, process uuid.UUID) (domain.EngineRun, bool, error) {
	var run domain.EngineRun
	var granted bool
	err := r.Read(ctx, pg.Q(getRepairedRun, []any{caller.PrincipalID, caller.TenantIDs(), process},
		pg.One(append(engineRunFields(&run), &granted)...)))
	return run, granted, pg.Translate("reading the workflow of a process", pg.NotFound(err, "process"))
}
