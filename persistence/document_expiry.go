package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// BlobKey names the bytes of documents.
type BlobKey struct{ TenantID, BlobID uuid.UUID }

const (
	// What is about to be linked or copied is under lock, and passed over.
	expireDocuments = `
WITH due AS (
    SELECT d.id
      FROM documents d
     WHERE d.expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM document_links l WHERE l.document_id = d.id)
     ORDER BY d.expires_at, d.id
     LIMIT $2
       FOR UPDATE SKIP LOCKED),
gone AS (
    DELETE FROM documents d
     USING due
     WHERE d.id = due.id
    RETURNING d.id, d.tenant_id, d.blob_id, d.owner_kind, d.owner_id, d.content_type, d.size),
event AS (
    INSERT INTO events (id, tenant_id, process_id, type, resource_kind, resource_id, details, actor_id, occurred_at)
    SELECT gen_random_uuid(), g.tenant_id, CASE WHEN g.owner_kind = 'PROCESS' THEN g.owner_id END, $3::text, $4::text, g.id,
           json_build_object('ownerKind', g.owner_kind, 'ownerId', g.owner_id, 'contentType', g.content_type,
                             'size', g.size::text),
           $5::uuid, $1
      FROM gone g)
SELECT g.tenant_id, g.blob_id FROM gone g`

	selectOrphans = `
SELECT b.tenant_id, b.blob_id
  FROM unnest($1::uuid[], $2::uuid[]) b (tenant_id, blob_id)
 WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.tenant_id = b.tenant_id AND d.blob_id = b.blob_id)`

	selectDocumentsAfter = `
SELECT ` + documentColumns + `
  FROM documents d
 WHERE d.id > $1
 ORDER BY d.id
 LIMIT $2`
)

// ExpireDocuments deletes up to limit documents that have expired by now and
// that nothing refers to, and records that it did. It returns where the bytes of each were, which other
// documents may share.
func (db *DB) ExpireDocuments(ctx context.Context, now time.Time, limit int) ([]BlobKey, error) {
	var keys []BlobKey
	args := []any{now, limit, domain.EventDocumentExpired, domain.ResourceDocument, domain.SystemPrincipalID()}
	err := send(ctx, db.pool, &pgx.Batch{}, []query{{expireDocuments, args, collectBlobKeys(&keys)}})
	return keys, translate("expiring documents", err)
}

// ListDocumentsAfter returns the next limit documents of all tenants after the
// id.
func (r *Reader) ListDocumentsAfter(ctx context.Context, after uuid.UUID, limit int) ([]domain.Document, error) {
	var found []domain.Document
	err := r.read(ctx, query{selectDocumentsAfter, []any{after, limit}, func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, scanDocument)
		return err
	}})
	return found, translate("listing documents", err)
}

// Orphans returns those of the keys that no document has. A key whose documents
// are all deleted gets no new one.
func (r *Reader) Orphans(ctx context.Context, keys []BlobKey) ([]BlobKey, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	tenants, blobs := make([]uuid.UUID, len(keys)), make([]uuid.UUID, len(keys))
	for i, key := range keys {
		tenants[i], blobs[i] = key.TenantID, key.BlobID
	}
	var orphans []BlobKey
	err := r.read(ctx, query{selectOrphans, []any{tenants, blobs}, collectBlobKeys(&orphans)})
	return orphans, translate("looking for orphans", err)
}

func collectBlobKeys(dest *[]BlobKey) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (key BlobKey, err error) {
			return key, row.Scan(&key.TenantID, &key.BlobID)
		})
		return err
	}
}
