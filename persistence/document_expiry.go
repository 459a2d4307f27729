package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// BlobKey identifies the bytes of documents in the blob store.
type BlobKey struct{ TenantID, BlobID uuid.UUID }

const (
	// Documents locked by transactions that link or copy them are skipped.
	lockExpiredDocuments = `
SELECT ` + documentColumns + `
  FROM documents d
 WHERE d.expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM document_links l WHERE l.document_id = d.id)
 ORDER BY d.expires_at, d.id
 LIMIT $2
   FOR UPDATE SKIP LOCKED`

	deleteDocuments = `
DELETE FROM documents
 WHERE id = ANY($1)`

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

	sampleDocuments = `
SELECT ` + documentColumns + `
  FROM documents d
 ORDER BY random()
 LIMIT $1`
)

// ExpireDocuments deletes up to limit documents that have expired by now and have no references, and records an
// event of each. It returns the keys of their bytes, which other documents may share.
func (db *DB) ExpireDocuments(ctx context.Context, now time.Time, limit int) ([]BlobKey, error) {
	var keys []BlobKey
	err := db.Record(ctx, domain.Call{}, func(tx *Tx) (domain.Events, error) {
		keys = nil
		var expired []domain.Document
		err := tx.Read(ctx, pg.Q(lockExpiredDocuments, []any{now, limit}, scanDocuments(&expired)))
		if err != nil || len(expired) == 0 {
			return nil, err
		}
		events := make(domain.Events, len(expired))
		keys = make([]BlobKey, len(expired))
		ids := make([]uuid.UUID, len(expired))
		for i := range expired {
			d := &expired[i]
			keys[i], ids[i] = BlobKey{TenantID: d.TenantID, BlobID: d.BlobID}, d.ID
			events[i] = domain.DocumentEvent(domain.EventDocumentExpired, d, domain.SystemPrincipalID(), now)
		}
		tx.queue(deleteDocuments, ids)
		return events, nil
	})
	return keys, err
}

// ListDocumentsAfter returns the next limit documents of all tenants after the
// id.
func (r *Reader) ListDocumentsAfter(ctx context.Context, after uuid.UUID, limit int) ([]domain.Document, error) {
	var found []domain.Document
	err := r.Read(ctx, pg.Q(selectDocumentsAfter, []any{after, limit}, scanDocuments(&found)))
	return found, pg.Translate("listing documents", err)
}

// SampleDocuments returns up to limit random documents of all tenants. It reads the keys of all.
func (r *Reader) SampleDocuments(ctx context.Context, limit int) ([]domain.Document, error) {
	var found []domain.Document
	err := r.Read(ctx, pg.Q(sampleDocuments, []any{limit}, scanDocuments(&found)))
	return found, pg.Translate("sampling documents", err)
}

// Orphans returns the keys that no document uses. A key gets no new document once all its documents are deleted.
func (r *Reader) Orphans(ctx context.Context, keys []BlobKey) ([]BlobKey, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	tenants, blobs := make([]uuid.UUID, len(keys)), make([]uuid.UUID, len(keys))
	for i, key := range keys {
		tenants[i], blobs[i] = key.TenantID, key.BlobID
	}
	var orphans []BlobKey
	err := r.Read(ctx, pg.Q(selectOrphans, []any{tenants, blobs}, collectBlobKeys(&orphans)))
	return orphans, pg.Translate("looking for orphans", err)
}

func collectBlobKeys(dest *[]BlobKey) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (key BlobKey, err error) {
			return key, row.Scan(&key.TenantID, &key.BlobID)
		})
		return err
	}
}

func scanDocuments(dest *[]domain.Document) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, scanDocument)
		return err
	}
}
