package persistence

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ArtifactDefinitionState identifies a business artifact definition in one state: the definition is unchanged as
// long as ModifiedAt is the same.
type ArtifactDefinitionState struct {
	domain.ArtifactDefinitionRef
	TenantID   uuid.UUID
	ModifiedAt time.Time
}

// ArtifactDefinition is a business artifact definition as it was last applied.
type ArtifactDefinition struct {
	ArtifactDefinitionState
	Spec *resource.BusinessArtifactDefinitionSpec
}

func scanArtifactDefinition(row pgx.CollectableRow) (ArtifactDefinition, error) {
	d := ArtifactDefinition{Spec: &resource.BusinessArtifactDefinitionSpec{}}
	var spec []byte
	if err := row.Scan(&d.ID, &d.Code, &d.TenantID, &d.ModifiedAt, &spec); err != nil {
		return d, err
	}
	if err := json.Unmarshal(spec, d.Spec); err != nil {
		return d, fmt.Errorf("reading business artifact definition %s: %w", d.Code, err)
	}
	return d, nil
}

func scanArtifactDefinitionState(row pgx.CollectableRow) (d ArtifactDefinitionState, err error) {
	return d, row.Scan(&d.ID, &d.Code, &d.TenantID, &d.ModifiedAt)
}

const (
	artifactDefinitionStateColumns = `r.id, r.code, r.tenant_id, r.last_modified_at`

	fromVisibleArtifactDefinitions = `
  FROM resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = ANY($2)
   AND r.id = ANY(` + access.ReadableArtifactDefinitions + `)`

	visibleArtifactDefinitionStates = `
SELECT ` + artifactDefinitionStateColumns + fromVisibleArtifactDefinitions + `
 ORDER BY r.id`

	visibleArtifactDefinitions = `
SELECT ` + artifactDefinitionStateColumns + `, r.spec` + fromVisibleArtifactDefinitions + `
 ORDER BY r.id`

	getArtifactDefinition = `
SELECT ` + artifactDefinitionStateColumns + `, r.spec
  FROM resources r
 WHERE r.kind = 'BusinessArtifactDefinition' AND r.tenant_id = $1 AND r.id = $2`
)

// ListArtifactDefinitions returns the business artifact definitions that the
// caller has a permission on, by id.
func (r *Reader) ListArtifactDefinitions(ctx context.Context, caller domain.Caller) ([]ArtifactDefinition, error) {
	var found []ArtifactDefinition
	err := r.Read(ctx, pg.Q(
		visibleArtifactDefinitions,
		[]any{caller.PrincipalID, caller.TenantIDs()},
		func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, scanArtifactDefinition)
			return err
		},
	))
	return found, pg.Translate("listing business artifact definitions", err)
}

// GetArtifactDefinition returns a business artifact definition of the tenant, or NOT_FOUND. It reads on the
// connection of the transaction.
func (tx *Tx) GetArtifactDefinition(ctx context.Context, tenant, id uuid.UUID) (*ArtifactDefinition, error) {
	var found ArtifactDefinition
	err := tx.Read(ctx, pg.Q(getArtifactDefinition, []any{tenant, id}, func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectExactlyOneRow(rows, scanArtifactDefinition)
		return err
	}))
	if err != nil {
		return nil, pg.NotFound(err, "business artifact definition")
	}
	return &found, nil
}

// FoundArtifactDefinition is a business artifact definition that the caller has a
// permission on.
type FoundArtifactDefinition struct {
	ArtifactDefinitionState
	Rights domain.ArtifactRights
}

// ArtifactPrerequisites is the result of PrepareArtifact.
type ArtifactPrerequisites struct {
	// Existing is the artifact that already has the id, in any tenant.
	Existing *domain.BusinessArtifact
	// ExistingVisible reports whether Existing is visible to the caller.
	ExistingVisible bool
	// Definitions are the definitions of the caller that match the key, two when the key is ambiguous. They
	// cannot change until the transaction ends.
	Definitions []FoundArtifactDefinition
}

const (
	getArtifactByID = `
SELECT ` + artifactColumns + `, a.tenant_id = ANY($2) AND ` + access.VisibleArtifact + `
  FROM business_artifacts a
 WHERE a.id = $3`

	shareArtifactDefinition = `
SELECT ` + artifactDefinitionStateColumns + `,
       r.id = ANY(` + access.EditableArtifactDefinitions + `), r.id = ANY(` + access.ManagedArtifactDefinitions + `)` +
		fromVisibleArtifactDefinitions + `
   AND ($3::uuid IS NULL OR r.id = $3)
   AND ($4::uuid IS NULL OR r.tenant_id = $4)
   AND ($5 = '' OR $3 IS NOT NULL OR r.code = $5)
 ORDER BY r.id
 LIMIT 2
   FOR SHARE OF r`
)

// PrepareArtifact reads the rows that the creation of a business artifact depends on.
func PrepareArtifact(caller domain.Caller, id uuid.UUID, key DefinitionKey) Read[*ArtifactPrerequisites] {
	n := &ArtifactPrerequisites{}
	var existing domain.BusinessArtifact
	return Read[*ArtifactPrerequisites]{[]pg.Query{
		pg.Q(getArtifactByID, []any{caller.PrincipalID, caller.TenantIDs(), id}, func(rows pgx.Rows) error {
			err := scanArtifact(&existing, &n.ExistingVisible)(rows)
			if err == nil {
				n.Existing = &existing
			}
			return pg.IgnoreNoRows(err)
		}),
		pg.Q(
			shareArtifactDefinition,
			[]any{caller.PrincipalID, caller.TenantIDs(), key.ID, key.TenantID, key.Code},
			func(rows pgx.Rows) (err error) {
				n.Definitions, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (d FoundArtifactDefinition, err error) {
					return d, row.Scan(&d.ID, &d.Code, &d.TenantID, &d.ModifiedAt, &d.Rights.Edits, &d.Rights.Manages)
				})
				return err
			},
		),
	}, func(tx *Tx) (*ArtifactPrerequisites, error) {
		if n.ExistingVisible {
			tx.Found(existing.ID, existing.Version())
		}
		return n, nil
	}}
}

const (
	insertArtifactGrant = `
INSERT INTO business_artifact_definition_grants (business_artifact_definition_id, permission, grantee_id)
SELECT $1, $2, $3
 WHERE NOT EXISTS (SELECT 1 FROM groups g WHERE g.id = $3 AND g.tenant_id <> $4)
ON CONFLICT DO NOTHING`

	deleteArtifactGrants = `
DELETE FROM business_artifact_definition_grants
 WHERE business_artifact_definition_id = $1`
)

// GrantOnArtifact grants a principal or a group a right on the artifacts of a definition of a tenant. A repeated
// grant, or one to a group of another tenant, has no effect.
func (tx *Tx) GrantOnArtifact(
	definition, tenant uuid.UUID, permission domain.ArtifactPermission, grantee uuid.UUID,
) {
	tx.queue(insertArtifactGrant, definition, permission, grantee, tenant)
}

// RevokeOnArtifact deletes all grants on the artifacts of a definition.
func (tx *Tx) RevokeOnArtifact(definition uuid.UUID) { tx.queue(deleteArtifactGrants, definition) }
