package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const listSubjects = `
SELECT p.id, p.subject
  FROM processes p
 WHERE p.id = ANY($3) AND p.tenant_id = ANY($2) AND p.deleted_at IS NULL AND ` + access.VisibleProcess

// ListSubjects returns the subjects of the processes with the ids that are visible to the caller.
func (r *Reader) ListSubjects(ctx context.Context, caller domain.Caller, ids []uuid.UUID) (map[uuid.UUID]string, error) {
	subjects := map[uuid.UUID]string{}
	if len(ids) == 0 {
		return subjects, nil
	}
	err := r.Read(ctx, pg.Q(listSubjects, []any{caller.PrincipalID, caller.TenantIDs(), ids}, func(rows pgx.Rows) error {
		var id uuid.UUID
		var subject string
		_, err := pgx.ForEachRow(rows, []any{&id, &subject}, func() error {
			subjects[id] = subject
			return nil
		})
		return err
	}))
	return subjects, pg.Translate("reading subjects of processes", err)
}
