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

const documentColumns = `d.id, d.tenant_id, d.owner_kind, d.owner_id, d.blob_id, d.name, d.content_type, d.size, d.sha256,
       d.expires_at, d.created_by, d.created_at`

// documentFields returns the destinations of documentColumns. The digest comes as a
// slice.
func documentFields(d *domain.Document, digest *[]byte) []any {
	return []any{
		&d.ID, &d.TenantID, &d.OwnerKind, &d.OwnerID, &d.BlobID, &d.Name, &d.ContentType, &d.Size, digest,
		&d.ExpiresAt, &d.CreatedBy, &d.CreatedAt,
	}
}

// scanDocument reads documentColumns.
func scanDocument(row pgx.CollectableRow) (domain.Document, error) {
	var d domain.Document
	var digest []byte
	err := row.Scan(documentFields(&d, &digest)...)
	copy(d.SHA256[:], digest)
	return d, err
}

const (
	// ofProcess is true of a document d of the process $3 or of an action invoked on it, ofArtifact of one of
	// the artifact $3 or its actions.
	ofProcess = `(d.owner_kind = 'PROCESS' AND d.owner_id = $3
    OR d.owner_kind = 'PROCESS_ACTION'
       AND d.owner_id IN (SELECT x.id FROM process_actions x WHERE x.process_id = $3))`

	ofArtifact = `(d.owner_kind = 'BUSINESS_ARTIFACT' AND d.owner_id = $3
    OR d.owner_kind = 'BUSINESS_ARTIFACT_ACTION'
       AND d.owner_id IN (SELECT x.id FROM business_artifact_actions x WHERE x.business_artifact_id = $3))`

	// documentKept is true of a document d that has not expired by $5.
	documentKept = `(d.expires_at IS NULL OR d.expires_at > $5)`
)

const (
	getDocumentOfProcess = `
SELECT ` + documentColumns + `
  FROM processes p
  JOIN documents d ON d.tenant_id = p.tenant_id AND d.id = $4 AND ` + ofProcess + ` AND ` + documentKept + `
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND (` + access.VisibleProcess + `
    OR EXISTS (SELECT 1
                 FROM document_links l
                 JOIN process_items i ON i.id = l.holder_id
                WHERE l.document_id = d.id AND i.process_id = p.id AND ` + access.VisibleItem + `))
   AND ` + access.VisibleDocument

	getDocumentOfArtifact = `
SELECT ` + documentColumns + `
  FROM business_artifacts a
  JOIN documents d ON d.tenant_id = a.tenant_id AND d.id = $4 AND ` + ofArtifact + ` AND ` + documentKept + `
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact + ` AND ` + access.VisibleArtifactDocument

	// A document is readable at this address if one of its referrers is visible, which need not be its owner: a
	// task may be visible without its process.
	getDocumentOfProcesses = `
SELECT ` + documentColumns + `
  FROM documents d
 WHERE d.id = $4 AND d.tenant_id = ANY($2) AND d.owner_kind IN ('PROCESS', 'PROCESS_ACTION') AND d.owner_id = $3
   AND ` + documentKept + ` AND ` + access.VisibleDocument

	getDocumentOfArtifacts = `
SELECT ` + documentColumns + `
  FROM documents d
  JOIN business_artifacts a ON a.tenant_id = d.tenant_id
   AND a.id = CASE d.owner_kind
              WHEN 'BUSINESS_ARTIFACT' THEN d.owner_id
              WHEN 'BUSINESS_ARTIFACT_ACTION' THEN
                  (SELECT x.business_artifact_id FROM business_artifact_actions x WHERE x.id = d.owner_id)
              END
 WHERE d.id = $4 AND d.tenant_id = ANY($2) AND d.owner_id = $3 AND ` + documentKept + `
   AND ` + access.VisibleArtifact + ` AND ` + access.VisibleArtifactDocument

	// Actions keep the id of the document that they delivered.
	deliveredByProcess = `
SELECT EXISTS (SELECT 1 FROM processes p JOIN process_actions x ON x.process_id = p.id AND x.document_id = $4
                WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess + `
                  AND (x.created_by = $1 OR ` + access.OwnsResults + `))`

	deliveredByArtifact = `
SELECT EXISTS (SELECT 1 FROM business_artifacts a
                 JOIN business_artifact_actions x ON x.business_artifact_id = a.id AND x.document_id = $4
                WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact + `)`

	deliveredByProcessAction = `
SELECT EXISTS (SELECT 1 FROM processes p JOIN process_actions x ON x.process_id = p.id AND x.document_id = $4
                WHERE x.id = $3 AND p.tenant_id = ANY($2)
                  AND (x.created_by = $1 AND ` + access.VisibleProcess + ` OR ` + access.OwnsResults + `))`

	deliveredByArtifactAction = `
SELECT EXISTS (SELECT 1 FROM business_artifacts a
                 JOIN business_artifact_actions x ON x.business_artifact_id = a.id AND x.document_id = $4
                WHERE x.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact + `)`
)

// GetDocumentOfProcess returns a document of a process if both, or an item that refers to the document, are
// visible to the caller. It returns NOT_FOUND otherwise and for a document that has expired, and
// DOCUMENT_EXPIRED for an expired document that an action delivered.
func (r *Reader) GetDocumentOfProcess(
	ctx context.Context, caller domain.Caller, process, id uuid.UUID, now time.Time,
) (*domain.Document, error) {
	return r.getDocument(ctx, getDocumentOfProcess, deliveredByProcess, caller, process, id, now)
}

// GetDocumentOfBusinessArtifact is GetDocumentOfProcess for an artifact.
func (r *Reader) GetDocumentOfBusinessArtifact(
	ctx context.Context, caller domain.Caller, artifact, id uuid.UUID, now time.Time,
) (*domain.Document, error) {
	return r.getDocument(ctx, getDocumentOfArtifact, deliveredByArtifact, caller, artifact, id, now)
}

// GetDocumentAt returns a document of an owner if it is visible to the caller. It returns NOT_FOUND otherwise
// and for a document that has expired, and DOCUMENT_EXPIRED for an expired document that an action delivered.
func (r *Reader) GetDocumentAt(
	ctx context.Context, caller domain.Caller, owner domain.DocumentOwner, id uuid.UUID, now time.Time,
) (*domain.Document, error) {
	switch owner.Kind {
	case domain.DocumentOfProcess, domain.DocumentOfProcessAction:
		return r.getDocument(ctx, getDocumentOfProcesses, deliveredByProcessAction, caller, owner.ID, id, now)
	case domain.DocumentOfArtifact, domain.DocumentOfArtifactAction:
		return r.getDocument(ctx, getDocumentOfArtifacts, deliveredByArtifactAction, caller, owner.ID, id, now)
	case domain.DocumentOfRobot:
	}
	return nil, domain.NotFound("document")
}

func (r *Reader) getDocument(
	ctx context.Context, document, delivered string, caller domain.Caller, owner, id uuid.UUID, now time.Time,
) (*domain.Document, error) {
	var found []domain.Document
	var wasThere bool
	args := []any{caller.PrincipalID, caller.TenantIDs(), owner, id}
	err := r.Read(ctx,
		pg.Q(document, append(args[:len(args):len(args)], now), func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, scanDocument)
			return err
		}),
		pg.Q(delivered, args, pg.One(&wasThere)))
	switch {
	case err != nil:
		return nil, pg.Translate("reading a document", err)
	case len(found) > 0:
		return &found[0], nil
	case wasThere:
		return nil, domain.DocumentGone()
	default:
		return nil, domain.NotFound("document")
	}
}

const insertDocument = `
INSERT INTO documents (id, tenant_id, owner_kind, owner_id, blob_id, name, content_type, size, sha256,
                       expires_at, created_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

// InsertDocument stores a new document.
func (tx *Tx) InsertDocument(d *domain.Document) {
	tx.queue(insertDocument, d.ID, d.TenantID, d.OwnerKind, d.OwnerID, d.BlobID, d.Name, d.ContentType, d.Size,
		d.SHA256[:], d.ExpiresAt, d.CreatedBy, d.CreatedAt)
}
