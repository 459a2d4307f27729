package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ProcessOverview is a process with the conditions of its user actions, and the names of referenced resources.
// OpenTasks and RunningActions count unfinished work, visible or not.
type ProcessOverview struct {
	ActionableProcess

	// Whole is the process with its values, but without the ids of related processes.
	Whole     domain.Process
	Condition domain.Condition
	// RepairGranted is set if the caller is a repairer of the definition.
	RepairGranted bool
	// DefinitionGranted is set if the caller has the Administrator permission on the definition.
	DefinitionGranted bool
	DefinitionName    translation.Name
	// Number is the number of the version of the definition, which counts from 1.
	Number                    int
	InitiatorName             string
	OpenTasks, RunningActions int
	Related                   []domain.RelatedProcess
}

const (
	selectProcessOverview = `
SELECT ` + processColumns + `, ` + pg.NameOfV + `, v.number, coalesce(sname.name, s.name),
       (SELECT count(*) FROM process_items o WHERE o.process_id = p.id AND o.task_state IN ('READY', 'CLAIMED')),
       (SELECT count(*) FROM process_actions x WHERE x.process_id = p.id AND x.status = 'REQUESTED'), ` + conditionOfP + `, ` + repairGrantedOnP + `, ` + definitionGrantedOnP + `
  FROM processes p
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess

	selectNamedRelations = `
SELECT p.id, r.to_id = $3::uuid, p.subject, p.state, ` + pg.NameOfV + `, p.created_at, p.last_modified_at, ` + conditionOfP + `
  FROM process_relations r
  JOIN processes p ON p.id = CASE r.to_id WHEN $3 THEN r.from_id ELSE r.to_id END
  JOIN process_definition_versions v ON v.version = p.process_version
 WHERE $3 IN (r.from_id, r.to_id) AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess + `
 ORDER BY p.created_at, p.id
 LIMIT 100`
)

// ProcessAddition returns queries about a process that are sent together with the queries of its overview.
type ProcessAddition func(caller domain.Caller, process uuid.UUID) ([]pg.Query, error)

// GetProcessOverview returns a process visible to the caller, or NOT_FOUND, with at most 100 related processes. It reads
// the additions in the same round trip.
func (r *Reader) GetProcessOverview(
	ctx context.Context, caller domain.Caller, id uuid.UUID, additions ...ProcessAddition,
) (*ProcessOverview, error) {
	var o ProcessOverview
	var condition *storedCondition
	args := []any{caller.PrincipalID, caller.TenantIDs(), id}
	queries := append(o.queries(selectActionableProcess, caller.PrincipalID, memberScope(caller), id),
		pg.Q(selectProcessOverview, args, scanProcess(&o.Whole, &o.DefinitionName, &o.Number, &o.InitiatorName,
			&o.OpenTasks, &o.RunningActions, &condition, &o.RepairGranted, &o.DefinitionGranted)),
		pg.Q(selectNamedRelations, args, collectInto(&o.Related, scanNamedRelation)))
	for _, addition := range additions {
		more, err := addition(caller, id)
		if err != nil {
			return nil, err
		}
		queries = append(queries, more...)
	}
	if err := r.Read(ctx, queries...); err != nil {
		return nil, pg.Translate("reading the overview of a process", pg.NotFound(err, "process"))
	}
	o.Condition = condition.of(o.Whole.State, o.Whole.CreatedAt, o.Whole.LastModifiedAt)
	return &o, nil
}

func scanNamedRelation(row pgx.CollectableRow) (domain.RelatedProcess, error) {
	var p domain.RelatedProcess
	var changedAt time.Time
	var condition *storedCondition
	err := row.Scan(&p.ID, &p.Incoming, &p.Subject, &p.State, &p.DefinitionName, &p.CreatedAt, &changedAt, &condition)
	p.Condition = condition.of(p.State, p.CreatedAt, changedAt)
	return p, err
}
