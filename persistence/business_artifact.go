package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const artifactSummaryColumns = `a.id, a.tenant_id, a.definition_id, a.definition_code,
       a.created_by, a.created_at, a.last_modified_by, a.last_modified_at,
       a.deleted_at, a.deleted_by`

const artifactColumns = artifactSummaryColumns + `,
       a.data, a.data_valid, a.data_errors`

func artifactSummaryFields(a *domain.BusinessArtifact) []any {
	return []any{
		&a.ID, &a.TenantID, &a.Definition.ID, &a.Definition.Code,
		&a.CreatedBy, &a.CreatedAt, &a.LastModifiedBy, &a.LastModifiedAt,
		&a.DeletedAt, &a.DeletedBy,
	}
}

// scanArtifact reads artifactColumns followed by the columns of more.
func scanArtifact(a *domain.BusinessArtifact, more ...any) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var data storedValue
		fields := append(artifactSummaryFields(a), &data.document, &data.valid, &data.errors)
		if err := pg.One(append(fields, more...)...)(rows); err != nil {
			return err
		}
		var err error
		a.Data, err = data.value()
		return err
	}
}

const getArtifact = `
SELECT ` + artifactColumns + `
  FROM business_artifacts a
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact

// GetBusinessArtifact returns an artifact visible to the caller, or NOT_FOUND.
func (r *Reader) GetBusinessArtifact(
	ctx context.Context, caller domain.Caller, id uuid.UUID,
) (*domain.BusinessArtifact, error) {
	var a domain.BusinessArtifact
	err := r.Read(ctx, pg.Q(getArtifact, []any{caller.PrincipalID, caller.TenantIDs(), id}, scanArtifact(&a)))
	if err != nil {
		return nil, pg.Translate("reading a business artifact", pg.NotFound(err, "business artifact"))
	}
	return &a, nil
}

// LockedArtifact is a business artifact under lock with the rights of the
// to it.
type LockedArtifact struct {
	*domain.BusinessArtifact
	Rights domain.ArtifactRights
	// DefinitionModifiedAt identifies the current state of the definition. It cannot change until the
	// transaction ends.
	DefinitionModifiedAt time.Time
}

const (
	// A transaction that changes a definition holds this lock exclusively and then reads its artifacts, so the
	// definition is locked before the artifact here too.
	shareDefinitionOfArtifact = `
SELECT r.last_modified_at
  FROM business_artifacts a
  JOIN resources r ON r.tenant_id = a.tenant_id AND r.kind = 'BusinessArtifactDefinition' AND r.id = a.definition_id
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact + `
   FOR SHARE OF r`

	lockArtifact = `
SELECT ` + artifactColumns + `, ` + access.EditsArtifact + `, ` + access.ManagesArtifact + `
  FROM business_artifacts a
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact + `
   FOR UPDATE OF a`
)

// LockArtifact locks an artifact visible to the caller, which may be deleted, or returns NOT_FOUND.
func LockArtifact(caller domain.Caller, id uuid.UUID) Read[*LockedArtifact] {
	locked := &LockedArtifact{BusinessArtifact: &domain.BusinessArtifact{}}
	args := []any{caller.PrincipalID, caller.TenantIDs(), id}
	return Read[*LockedArtifact]{[]pg.Query{
		pg.Q(shareDefinitionOfArtifact, args, pg.OrNotFound("business artifact", pg.One(&locked.DefinitionModifiedAt))),
		pg.Q(lockArtifact, args, pg.OrNotFound("business artifact",
			scanArtifact(locked.BusinessArtifact, &locked.Rights.Edits, &locked.Rights.Manages))),
	}, func(tx *Tx) (*LockedArtifact, error) {
		tx.Found(locked.ID, locked.Version())
		return locked, nil
	}}
}
