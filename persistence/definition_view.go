package persistence

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// DefinitionFilter narrows a list of process definitions. Values of one field are
// alternatives; fields are combined. An empty field keeps everything.
type DefinitionFilter struct {
	TenantIDs []uuid.UUID
	Codes     []string
	// Startable keeps the definitions that let the caller start processes, or with false the
	// others.
	Startable *bool
	// Search is a part of the name or the code, ignoring case.
	Search string
}

// ListProcessDefinitions returns a page of the process definitions that let the caller start processes, or that
// have processes or items visible to it. Each is returned in its published version, or else in the
// newest one visible to the caller. They can be sorted by id and name.
func (r *Reader) ListProcessDefinitions(
	ctx context.Context, caller domain.Caller, filter DefinitionFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.DefinitionSummary], error) {
	l := definitionList(caller, listquery.List{
		Columns: `d.id, v.version, d.code, d.tenant_id, ` + pg.NameOfV + `, coalesce(v.description, '""'), v.published, ` + access.StartableDefinition,
		Where: []listquery.Condition{
			listquery.AnyOf("d.tenant_id", filter.TenantIDs),
			listquery.AnyOf("d.code", filter.Codes),
			listquery.MatchGiven(access.StartableDefinition+" = %s", filter.Startable),
			listquery.MatchSearch(filter.Search, "v.name", pg.TranslationsOf("v"), "d.code"),
		},
	}, sort)
	return ReadPage(ctx, r, "listing process definitions", l, page, func(row pgx.CollectableRow) (d domain.DefinitionSummary, err error) {
		return d, row.Scan(&d.ID, &d.Version, &d.Code, &d.TenantID, &d.Name, &d.Description, &d.Published, &d.Startable)
	})
}

// definitionList lists the definitions with any part visible to the caller, each in its published version v,
// or else in the newest one visible to the caller. They can be sorted by id and name.
func definitionList(caller domain.Caller, l listquery.List, sort []domain.SortKey) *listquery.List {
	l.Table, l.Joins = "process_definitions d", `
  JOIN LATERAL (
    SELECT v.version, v.name, v.names, v.description, v.version IS NOT DISTINCT FROM d.published_version AS published
      FROM process_definition_versions v
     WHERE v.process_definition_id = d.id AND `+access.VisibleVersion+`
     ORDER BY published DESC, v.number DESC
     LIMIT 1) v ON true`
	l.Order = listquery.Order{By: sort, Columns: listquery.Columns{"id": {SQL: "d.id"}, "name": {SQL: "v.name"}}}
	return listquery.OfCaller(caller, "d.tenant_id", l)
}

// RelatedDefinition is a version of a process definition with the caller's relations to its processes. The
// definition lacks its engine.
type RelatedDefinition struct {
	domain.ProcessDefinition
	Published, Startable bool
	Relations            domain.DefinitionRelations
}

const (
	// chosenVersion is the requested version, or else the published one, or else the newest, of those visible to
	// the caller.
	chosenVersion = `(SELECT v.version
          FROM process_definitions d
          JOIN process_definition_versions v ON v.process_definition_id = d.id
         WHERE d.id = $3 AND d.tenant_id = ANY($2) AND ($4::uuid IS NULL OR v.version = $4) AND ` + access.VisibleVersion + `
         ORDER BY v.version IS NOT DISTINCT FROM d.published_version DESC, v.number DESC
         LIMIT 1)`

	selectRelatedDefinition = `
SELECT d.id, v.version, d.code, d.tenant_id, v.name, v.spec,
       v.version IS NOT DISTINCT FROM d.published_version, ` + access.StartableDefinition + `,
       d.id = ANY(` + access.InitiatedProcessDefinitions + `), d.id = ANY(` + access.ViewedProcessDefinitions + `),
       d.id = ANY(` + access.ManagedProcessDefinitions + `), v.runner_id IS NOT DISTINCT FROM $1,
       EXISTS (SELECT 1 FROM processes p
                WHERE p.process_definition_id = d.id AND p.process_version = v.version AND p.initiator_id = $1),
       o.owned > 0, o.messages > 0
  FROM process_definition_versions v
  JOIN process_definitions d ON d.id = v.process_definition_id
 CROSS JOIN LATERAL (
    SELECT count(*) AS owned, count(*) FILTER (WHERE i.type = 'MESSAGE') AS messages
      FROM process_items i
      JOIN processes p ON p.id = i.process_id
     WHERE (i.owner_id = $1 OR i.delegator_id = $1 OR ` + access.SubstitutesOwner + `) AND i.process_definition_id = d.id AND p.process_version = v.version) o
 WHERE v.version = ` + chosenVersion

	selectRelatedItemDefinitions = `
SELECT d.id, v.version, d.code, v.type, v.name, v.spec,
       d.id = ANY(` + access.CandidateItemDefinitions + `), d.id = ANY(` + access.ViewedItemDefinitions + `),
       d.id = ANY(` + access.InitiatorCandidateItemDefinitions + `), d.id = ANY(` + access.InitiatorViewedItemDefinitions + `),
       EXISTS (SELECT 1 FROM process_items i WHERE (i.owner_id = $1 OR i.delegator_id = $1 OR ` + access.SubstitutesOwner + `) AND i.item_version = v.version)
  FROM item_definition_versions v
  JOIN item_definitions d ON d.id = v.item_definition_id
 WHERE v.process_version = ` + chosenVersion + `
 ORDER BY d.code`

	selectInitiatedDefinitions = `
SELECT d.code, d.id
  FROM process_definitions n
  JOIN process_definitions d ON d.tenant_id = n.tenant_id
 WHERE n.id = $3 AND n.tenant_id = ANY($2) AND d.id = ANY(` + access.InitiatedProcessDefinitions + `)`
)

// GetRelatedDefinition returns the requested version of a process definition, or else the published version or
// the newest. It returns NOT_FOUND if the caller may not start its processes and none of its processes or items
// is visible to the caller.
func (r *Reader) GetRelatedDefinition(
	ctx context.Context, caller domain.Caller, id uuid.UUID, version *uuid.UUID,
) (*RelatedDefinition, error) {
	d := RelatedDefinition{Relations: domain.DefinitionRelations{Items: map[string]domain.ItemRelations{}}}
	args := []any{caller.PrincipalID, caller.TenantIDs(), id, version}
	var spec []byte
	var starter, initiated bool
	relations := &d.Relations.Process
	err := r.Read(ctx,
		pg.Q(selectRelatedDefinition, args, pg.One(
			&d.ID, &d.Version, &d.Code, &d.TenantID, &d.Name, &spec, &d.Published, &d.Startable,
			&starter, &relations.Viewer, &relations.Manager, &relations.Runner, &initiated,
			&relations.ItemOwner, &d.Relations.OwnsMessage)),
		pg.Q(selectRelatedItemDefinitions, args, d.scanItems),
		pg.Q(selectInitiatedDefinitions, args[:3], idsByCode(&d.Relations.Startable)))
	if err != nil {
		return nil, pg.Translate("reading a process definition", pg.NotFound(err, "process definition"))
	}
	// A principal that may start processes may be their initiator.
	relations.Member, relations.Starter = true, starter
	relations.Initiator = initiated || starter || relations.Manager
	if err := json.Unmarshal(spec, &d.Spec); err != nil {
		return nil, fmt.Errorf("reading the specification of process definition %s: %w", d.Code, err)
	}
	return &d, nil
}

func (d *RelatedDefinition) scanItems(rows pgx.Rows) error {
	defer rows.Close()
	for rows.Next() {
		var item domain.ItemDefinition
		var spec []byte
		var r domain.ItemRelations
		if err := rows.Scan(&item.ID, &item.Version, &item.Code, &item.Type, &item.Name, &spec,
			&r.Candidate, &r.Viewer, &r.InitiatorCandidate, &r.InitiatorViewer, &r.Owner); err != nil {
			return err
		}
		if err := json.Unmarshal(spec, &item.Spec); err != nil {
			return fmt.Errorf("reading the specification of item definition %s: %w", item.Code, err)
		}
		d.Items, d.Relations.Items[item.Code] = append(d.Items, item), r
	}
	return rows.Err()
}
