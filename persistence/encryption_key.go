package persistence

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// SealedKey is the value of an encryption key as it is kept at rest. ID is the
// record that it was sealed for.
type SealedKey struct {
	ID     uuid.UUID
	KeyID  string
	Sealed []byte
}

const (
	sealedKeyColumns = `k.id, k.key_id, k.sealed_value`

	getSealedKey = `
SELECT ` + sealedKeyColumns + `
  FROM encryption_keys k
 WHERE k.tenant_id = $1 AND k.key_id = $2 AND k.sealed_value IS NOT NULL`

	// Who runs workflows in the tenant reads its keys: the runner of any version of
	// a definition, for processes go on with old ones, and of actions on artifacts,
	// and whoever has registered a worker.
	getReadableKey = `
SELECT ` + sealedKeyColumns + `
  FROM encryption_keys k
  JOIN principals p ON p.id = $1 AND p.type = 'APPLICATION' AND p.tenant_id = k.tenant_id
 WHERE k.tenant_id = ANY($2) AND k.key_id = $3 AND k.sealed_value IS NOT NULL
   AND (EXISTS (SELECT 1
                  FROM process_definition_versions v
                  JOIN process_definitions d ON d.id = v.process_definition_id
                 WHERE v.runner_id = $1 AND d.tenant_id = k.tenant_id)
        OR EXISTS (SELECT 1
                     FROM worker_queues q
                     JOIN workers w ON w.id = q.worker_id
                    WHERE q.principal_id = $1 AND w.tenant_id = k.tenant_id)
        OR EXISTS (SELECT 1
                     FROM resources r
                    CROSS JOIN json_array_elements(r.spec -> 'actions') a
                     JOIN resources o ON o.tenant_id = r.tenant_id AND o.kind = 'Application' AND o.code = a ->> 'runner'
                    WHERE r.tenant_id = k.tenant_id AND r.kind = 'BusinessArtifactDefinition' AND o.id = $1))`
)

// GetSealedKey returns a key of a tenant, for the service itself, or NOT_FOUND.
func (r *Reader) GetSealedKey(ctx context.Context, tenant uuid.UUID, keyID string) (*SealedKey, error) {
	return r.sealedKey(ctx, getSealedKey, tenant, keyID)
}

// GetReadableKey returns a key of the caller's tenant if the caller is an
// application that runs workflows there, and NOT_FOUND otherwise.
func (r *Reader) GetReadableKey(ctx context.Context, caller domain.Caller, keyID string) (*SealedKey, error) {
	return r.sealedKey(ctx, getReadableKey, caller.PrincipalID, caller.TenantIDs(), keyID)
}

func (r *Reader) sealedKey(ctx context.Context, statement string, args ...any) (*SealedKey, error) {
	var k SealedKey
	err := r.read(ctx, query{statement, args, one(&k.ID, &k.KeyID, &k.Sealed)})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, domain.NotFound("encryption key")
	}
	return &k, translate("reading an encryption key", err)
}

const (
	insertEncryptionKey = `
INSERT INTO encryption_keys (id, tenant_id, code, version, key_id, sealed_value, created_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

	shredEncryptionKeys = `
UPDATE encryption_keys
   SET sealed_value = NULL, deleted_at = $3
 WHERE tenant_id = $1 AND code = $2 AND sealed_value IS NOT NULL`
)

// InsertEncryptionKey stores a version of a key. It must be the one after the
// latest.
func (tx *Tx) InsertEncryptionKey(k domain.EncryptionKey, sealed []byte) {
	tx.queue(insertEncryptionKey, k.ID, k.TenantID, k.Code, k.Version, k.KeyID, sealed, k.CreatedBy, k.CreatedAt)
}

// ShredEncryptionKeys forgets what all versions of a key are. That they were
// stays known, so that none of their ids is given to another key.
func (tx *Tx) ShredEncryptionKeys(tenant uuid.UUID, code string, now time.Time) {
	tx.queue(shredEncryptionKeys, tenant, code, now)
}

// EncryptionKeyUse is what hangs on a key. Versions counts all there ever were
// with the code. Definitions are the codes of the process definitions whose
// published version uses the key, OpenRuns the workflows that may still need it:
// those that go on, and failed ones that can be started again.
type EncryptionKeyUse struct {
	Versions    int
	Definitions []string
	OpenRuns    int64
}

const (
	// The versions are locked one by one, not counted: a run that is being stored
	// holds the one that it chose, and is seen by the statements after this one.
	lockEncryptionKey = `
SELECT k.version
  FROM encryption_keys k
 WHERE k.tenant_id = $1 AND k.code = $2
 ORDER BY k.version
   FOR UPDATE`

	definitionsWithKey = `
SELECT d.code
  FROM process_definitions d
  JOIN process_definition_versions v ON v.version = d.published_version
 WHERE d.tenant_id = $1 AND v.encryption_key = $2
 ORDER BY d.code`

	// needsKey is true of runs r that may still need their key.
	needsKey = `(r.closed_at IS NULL
        OR r.state = 'FAILED' AND EXISTS (SELECT 1 FROM processes p WHERE p.id = r.owner_id AND p.state = 'RUNNING'))`

	runsWithKey = `
SELECT count(*)
  FROM encryption_keys k
  JOIN engine_runs r ON r.tenant_id = k.tenant_id AND r.encryption_key_id = k.key_id
 WHERE k.tenant_id = $1 AND k.code = $2 AND ` + needsKey
)

// LockEncryptionKey locks all versions of the tenant's key with the code, of
// which there may be none, and tells what hangs on them. No run takes the key
// until the transaction ends.
func (tx *Tx) LockEncryptionKey(ctx context.Context, tenant uuid.UUID, code string) (*EncryptionKeyUse, error) {
	var use EncryptionKeyUse
	key := []any{tenant, code}
	err := tx.read(ctx,
		query{lockEncryptionKey, key, func(rows pgx.Rows) error {
			versions, err := pgx.CollectRows(rows, pgx.RowTo[int])
			use.Versions = len(versions)
			return err
		}},
		query{definitionsWithKey, key, func(rows pgx.Rows) (err error) {
			use.Definitions, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}},
		query{runsWithKey, key, one(&use.OpenRuns)})
	return &use, translate("reading the use of an encryption key", err)
}

// EncryptionKeyVersion is a version of a key, without what it is. OpenRuns are
// the workflows that may still need it.
type EncryptionKeyVersion struct {
	domain.EncryptionKey
	OpenRuns int64
}

const listEncryptionKeyVersions = `
SELECT k.id, k.tenant_id, k.code, k.key_id, k.version, k.created_by, k.created_at,
       (SELECT count(*) FROM engine_runs r
         WHERE r.tenant_id = k.tenant_id AND r.encryption_key_id = k.key_id AND ` + needsKey + `)
  FROM encryption_keys k
 WHERE k.tenant_id = $1 AND k.code = $2 AND k.sealed_value IS NOT NULL
 ORDER BY k.version DESC`

// ListEncryptionKeyVersions returns the versions of the tenant's key with the
// code that were not deleted, the newest first.
func (r *Reader) ListEncryptionKeyVersions(
	ctx context.Context, tenant uuid.UUID, code string,
) ([]EncryptionKeyVersion, error) {
	var versions []EncryptionKeyVersion
	err := r.read(ctx, query{listEncryptionKeyVersions, []any{tenant, code}, func(rows pgx.Rows) (err error) {
		versions, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (v EncryptionKeyVersion, err error) {
			return v, row.Scan(&v.ID, &v.TenantID, &v.Code, &v.KeyID, &v.Version, &v.CreatedBy, &v.CreatedAt, &v.OpenRuns)
		})
		return err
	}})
	return versions, translate("listing the versions of an encryption key", err)
}

// LockResource returns a resource in scope, locked so that others change it
// before or afterwards. Errors are those of GetResource.
func (tx *Tx) LockResource(ctx context.Context, scope ResourceScope, key resource.Key) (*StoredResource, error) {
	l := resourceList(scope)
	l.filter("r.kind = %s", key.Kind)
	l.filter("r.code = %s", key.Code)
	if key.Tenant != "" {
		l.filter("t.code = %s", key.Tenant)
	}
	var found []StoredResource
	statement := fmt.Sprintf(lockSecretOwner, strings.Join(l.where, "\n   AND "))
	err := tx.read(ctx, query{statement, l.args, func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, scanResource)
		return err
	}})
	if err != nil {
		return nil, translate("locking a resource", err)
	}
	return onlyResource(found)
}
