package persistence

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	countTemporaryDocuments = `
SELECT count(*), coalesce(sum(d.size), 0)::bigint,
       count(*) FILTER (WHERE d.created_by = $2), coalesce(sum(d.size) FILTER (WHERE d.created_by = $2), 0)::bigint
  FROM documents d
 WHERE d.tenant_id = $1 AND d.expires_at > $3 AND d.owner_kind IN ('PROCESS', 'BUSINESS_ARTIFACT')`

	countAssistance = `
SELECT coalesce((SELECT u.runs FROM assistance_usage u WHERE u.tenant_id = i.tenant_id AND u.day = $2::date), 0),
       (SELECT count(*) FROM (SELECT 1 FROM item_assistance a
                               WHERE a.tenant_id = i.tenant_id AND a.state = 'PENDING' LIMIT $3) pending)
  FROM process_items i
 WHERE i.id = $1`

	addAssistance = `
INSERT INTO assistance_usage AS u (tenant_id, day, runs)
VALUES ($1, $2::date, 1)
    ON CONFLICT (tenant_id) DO UPDATE
   SET runs = CASE WHEN u.day = excluded.day THEN u.runs + 1 ELSE 1 END, day = excluded.day`
)

// TemporaryDocuments are the unexpired documents of a tenant without references: all of them, and the documents of a
// principal.
type TemporaryDocuments struct{ All, Own domain.DocumentUse }

// CountTemporaryDocuments counts the temporary documents of the tenant and the uploader of a new one. For a
// document that is not temporary it counts none.
func CountTemporaryDocuments(d *domain.Document) Read[TemporaryDocuments] {
	var use TemporaryDocuments
	if !d.Temporary() {
		return answer(&use)
	}
	return answer(&use, pg.Q(
		countTemporaryDocuments,
		[]any{d.TenantID, d.CreatedBy, d.CreatedAt},
		pg.One(&use.All.Documents, &use.All.Bytes, &use.Own.Documents, &use.Own.Bytes),
	))
}

// CountAssistance counts the runs of assistance that the tenant of an item has begun on the day of now, and the
// running ones, up to atOnce.
func CountAssistance(item uuid.UUID, now time.Time, atOnce int) Read[domain.AssistanceUse] {
	var use domain.AssistanceUse
	return answer(&use, pg.Q(countAssistance, []any{item, now, atOnce}, func(rows pgx.Rows) error {
		return pg.IgnoreNoRows(pg.One(&use.Today, &use.Pending)(rows))
	}))
}
