package persistence

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ArtifactDefinitionFilter narrows a list of business artifact definitions. Values
// of one field are alternatives; fields are combined. An empty field keeps
// everything.
type ArtifactDefinitionFilter struct {
	TenantIDs []uuid.UUID
	Codes     []string
	// Creatable keeps the definitions that let the caller create artifacts, or with false the
	// others.
	Creatable *bool
}

// ListVisibleArtifactDefinitions returns a page of the business artifact
// definitions that the caller has a permission on. They can be sorted by id and
// name.
func (r *Reader) ListVisibleArtifactDefinitions(
	ctx context.Context, caller domain.Caller, filter ArtifactDefinitionFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.ArtifactDefinitionSummary], error) {
	const creatable = `(r.id = ANY(` + access.EditableArtifactDefinitions + `))`
	l := listquery.OfCaller(caller, "r.tenant_id", listquery.List{
		Columns: `r.id, r.code, r.tenant_id, ` + artifactName + `, ` + creatable, Table: "resources r",
		Visible: listquery.Match("r.kind = 'BusinessArtifactDefinition' AND r.id = ANY(" + access.ReadableArtifactDefinitions + ")"),
		Where: []listquery.Condition{
			listquery.AnyOf("r.tenant_id", filter.TenantIDs),
			listquery.AnyOf("r.code", filter.Codes),
			listquery.MatchGiven(creatable+" = %s", filter.Creatable),
		},
		Order: listquery.Order{By: sort, Columns: listquery.Columns{"id": {SQL: "r.id"}, "name": {SQL: "r.spec->>'name'"}}},
	})
	return ReadPage(ctx, r, "listing business artifact definitions", l, page,
		func(row pgx.CollectableRow) (d domain.ArtifactDefinitionSummary, err error) {
			return d, row.Scan(&d.ID, &d.Code, &d.TenantID, &d.Name, &d.Creatable)
		})
}

// RelatedArtifactDefinition is a business artifact definition with the caller's
// rights on its artifacts.
type RelatedArtifactDefinition struct {
	ArtifactDefinition
	Rights domain.ArtifactRights
	// Startable and Creatable map the codes of the tenant's definitions that let the caller start processes
	// and create artifacts to their ids.
	Startable, Creatable map[string]uuid.UUID
}

const (
	selectRelatedArtifactDefinition = `
SELECT ` + artifactDefinitionStateColumns + `, r.spec,
       r.id = ANY(` + access.EditableArtifactDefinitions + `), r.id = ANY(` + access.ManagedArtifactDefinitions + `)` +
		fromVisibleArtifactDefinitions + `
   AND r.id = $3`

	selectStartableOfTenant = `
SELECT d.code, d.id
  FROM resources n
  JOIN process_definitions d ON d.tenant_id = n.tenant_id
 WHERE n.kind = 'BusinessArtifactDefinition' AND n.id = $3 AND n.tenant_id = ANY($2) AND ` + access.StartableDefinition

	selectCreatableOfTenant = `
SELECT r.code, r.id
  FROM resources n
  JOIN resources r ON r.tenant_id = n.tenant_id AND r.kind = n.kind
 WHERE n.kind = 'BusinessArtifactDefinition' AND n.id = $3 AND n.tenant_id = ANY($2)
   AND r.id = ANY(` + access.EditableArtifactDefinitions + `)`
)

// GetRelatedArtifactDefinition returns a business artifact definition, or NOT_FOUND if the caller has no
// permission on it.
func (r *Reader) GetRelatedArtifactDefinition(
	ctx context.Context, caller domain.Caller, id uuid.UUID,
) (*RelatedArtifactDefinition, error) {
	d := RelatedArtifactDefinition{ArtifactDefinition: ArtifactDefinition{Spec: &resource.BusinessArtifactDefinitionSpec{}}}
	args := []any{caller.PrincipalID, caller.TenantIDs(), id}
	var spec []byte
	err := r.Read(ctx,
		pg.Q(selectRelatedArtifactDefinition, args, pg.One(
			&d.ID, &d.Code, &d.TenantID, &d.ModifiedAt, &spec, &d.Rights.Edits, &d.Rights.Manages)),
		pg.Q(selectStartableOfTenant, args, idsByCode(&d.Startable)),
		pg.Q(selectCreatableOfTenant, args, idsByCode(&d.Creatable)))
	if err != nil {
		return nil, pg.Translate("reading a business artifact definition", pg.NotFound(err, "business artifact definition"))
	}
	if err := json.Unmarshal(spec, d.Spec); err != nil {
		return nil, fmt.Errorf("reading business artifact definition %s: %w", d.Code, err)
	}
	return &d, nil
}

// idsByCode collects rows of a code and an id.
func idsByCode(dest *map[string]uuid.UUID) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		*dest = map[string]uuid.UUID{}
		var code string
		var id uuid.UUID
		_, err := pgx.ForEachRow(rows, []any{&code, &id}, func() error {
			(*dest)[code] = id
			return nil
		})
		return err
	}
}
