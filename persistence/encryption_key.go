package persistence

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// SealedKey is the value of an encryption key as stored. ID is the record that it was sealed for.
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

	// A worker reads the keys of the versions of definitions that it runs, including earlier ones because
	// processes continue with them, of data sources on queues that it may serve, and of versions whose payloads
	// may be delivered to it: it may serve a queue that the version names, or that the version's runner lists.
	// Other keys are not found. The read is recorded unless one was recorded on the same day.
	readKey = `
WITH ` + engineAccess + `, reader AS (
    SELECT EXISTS (SELECT 1 FROM bound b WHERE b.runner_id = $1) AS is_worker
), key AS (
    SELECT ` + sealedKeyColumns + `, r.id AS resource_id
      FROM encryption_keys k
      JOIN reader ON reader.is_worker
      JOIN resources r ON r.tenant_id = k.tenant_id AND r.kind = 'EncryptionKey' AND r.code = k.code
     WHERE k.tenant_id = $2 AND k.key_id = $3 AND k.sealed_value IS NOT NULL
       AND ((r.spec ->> 'shared')::boolean IS TRUE
            OR EXISTS (SELECT 1
                         FROM data_sources o
                         JOIN servable s ON s.task_queue = o.task_queue
                        WHERE o.tenant_id = $2 AND o.encryption_key = k.code)
            OR EXISTS (
                SELECT 1
                  FROM process_definitions d
                  JOIN process_definition_versions v ON v.process_definition_id = d.id
                 WHERE d.tenant_id = $2 AND v.encryption_key = k.code
                   AND (v.runner_id = $1
                        OR v.task_queue IN (SELECT s.task_queue FROM servable s)
                        OR EXISTS (SELECT 1
                                     FROM json_array_elements(v.spec -> 'userActions') a
                                     JOIN servable s ON s.task_queue = a ->> 'taskQueue')
                        OR EXISTS (SELECT 1
                                     FROM item_definition_versions i
                                     JOIN robots b ON b.tenant_id = $2 AND b.code = i.robot_code
                                     JOIN servable s ON s.task_queue = b.task_queue
                                    WHERE i.process_version = v.version)
                        OR EXISTS (SELECT 1
                                     FROM resources o
                                    CROSS JOIN json_array_elements_text(o.spec -> 'engine' -> 'taskQueues') q (task_queue)
                                     JOIN servable s ON s.task_queue = q.task_queue
                                    WHERE o.tenant_id = $2 AND o.kind = 'Application' AND o.id = v.runner_id))))
), first AS (
    INSERT INTO encryption_key_reads AS f (encryption_key_id, principal_id, read_on)
    SELECT key.id, $1, $4::timestamptz::date
      FROM key
     WHERE NOT EXISTS (SELECT 1 FROM encryption_key_reads e
                        WHERE e.encryption_key_id = key.id AND e.principal_id = $1 AND e.read_on >= $4::timestamptz::date)
    ON CONFLICT (encryption_key_id, principal_id) DO UPDATE
       SET read_on = excluded.read_on
     WHERE f.read_on < excluded.read_on
    RETURNING f.encryption_key_id
), event AS (` + insertIntoEvents + `
    SELECT $5::uuid, $2, $6::text, $7::text, key.resource_id, $8::json, $1, nullif($9::text, ''), $4
      FROM key
      JOIN first ON first.encryption_key_id = key.id
)
SELECT reader.is_worker, key.id, key.key_id, key.sealed_value
  FROM reader
  LEFT JOIN key ON true`
)

// GetSealedKey returns a key of a tenant, for use by the service itself, or NOT_FOUND.
func (r *Reader) GetSealedKey(ctx context.Context, tenant uuid.UUID, keyID string) (*SealedKey, error) {
	return r.sealedKey(ctx, getSealedKey, tenant, keyID)
}

func (r *Reader) sealedKey(ctx context.Context, statement string, args ...any) (*SealedKey, error) {
	var k SealedKey
	err := r.Read(ctx, pg.Q(statement, args, pg.One(&k.ID, &k.KeyID, &k.Sealed)))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, domain.NotFound("encryption key")
	}
	return &k, pg.Translate("reading an encryption key", err)
}

// ReadKey returns a key of a tenant for an application, and reports whether the application is a worker there.
// The key is nil for other applications, and for a worker that receives no payloads encrypted with the key.
// event is recorded for the first read on a day.
func (db *DB) ReadKey(
	ctx context.Context, application, tenant uuid.UUID, keyID string, event domain.Event,
) (key *SealedKey, worker bool, err error) {
	details, err := eventDetails(&event)
	if err != nil {
		return nil, false, err
	}
	var id *uuid.UUID
	var name *string
	var sealed []byte
	err = db.Send(ctx, []pg.Query{pg.Q(
		readKey,
		[]any{
			application, tenant, keyID, event.OccurredAt, eventID(&event), event.Type, event.ResourceKind, details, requestID(ctx),
		},
		pg.One(&worker, &id, &name, &sealed),
	)})
	if err != nil || id == nil {
		return nil, worker, pg.Translate("reading an encryption key", err)
	}
	return &SealedKey{ID: *id, KeyID: *name, Sealed: sealed}, worker, nil
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

// InsertEncryptionKey stores a version of a key. It must be the one after the latest.
func (tx *Tx) InsertEncryptionKey(k domain.EncryptionKey, sealed []byte) {
	tx.queue(insertEncryptionKey, k.ID, k.TenantID, k.Code, k.Version, k.KeyID, sealed, k.CreatedBy, k.CreatedAt)
}

// ShredEncryptionKeys deletes the values of all versions of a key. Their ids stay stored, so that none is given
// to another key.
func (tx *Tx) ShredEncryptionKeys(tenant uuid.UUID, code string, now time.Time) {
	tx.queue(shredEncryptionKeys, tenant, code, now)
}

// EncryptionKeyUse contains the uses of a key. Versions counts all versions that ever had the code.
// Definitions are the codes of the process definitions with a published version that uses the key, OpenRuns the
// workflows that may still need it: open ones, and failed ones that can be started again.
type EncryptionKeyUse struct {
	Versions    int
	Definitions []string
	OpenRuns    int64
}

const (
	// The versions are locked one by one rather than counted: a run that is being stored locks its version and
	// is read by the statements after this one.
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

// LockEncryptionKey locks all versions, if any, of the tenant's key with the code, and
// returns their uses. No run can choose the key until the transaction ends.
func (tx *Tx) LockEncryptionKey(ctx context.Context, tenant uuid.UUID, code string) (*EncryptionKeyUse, error) {
	var use EncryptionKeyUse
	key := []any{tenant, code}
	err := tx.Read(ctx,
		pg.Q(lockEncryptionKey, key, func(rows pgx.Rows) error {
			versions, err := pgx.CollectRows(rows, pgx.RowTo[int])
			use.Versions = len(versions)
			return err
		}),
		pg.Q(definitionsWithKey, key, func(rows pgx.Rows) (err error) {
			use.Definitions, err = pgx.CollectRows(rows, pgx.RowTo[string])
			return err
		}),
		pg.Q(runsWithKey, key, pg.One(&use.OpenRuns)))
	return &use, pg.Translate("reading the use of an encryption key", err)
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
) ([]domain.EncryptionKeyVersion, error) {
	var versions []domain.EncryptionKeyVersion
	err := r.Read(ctx, pg.Q(listEncryptionKeyVersions, []any{tenant, code}, func(rows pgx.Rows) (err error) {
		versions, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (v domain.EncryptionKeyVersion, err error) {
			return v, row.Scan(&v.ID, &v.TenantID, &v.Code, &v.KeyID, &v.Version, &v.CreatedBy, &v.CreatedAt, &v.OpenRuns)
		})
		return err
	}))
	return versions, pg.Translate("listing the versions of an encryption key", err)
}

// LockResource returns a resource in scope, locked against concurrent changes. It returns the errors of GetResource.
func (tx *Tx) LockResource(ctx context.Context, scope AdministrationScope, key resource.Key) (*resource.Stored, error) {
	where, args := resourcesAt(scope, key).Conditions()
	var found []resource.Stored
	err := tx.Read(ctx, pg.Q(fmt.Sprintf(lockSecretOwner, where), args, collectInto(&found, scanResource)))
	if err != nil {
		return nil, pg.Translate("locking a resource", err)
	}
	return tx.onlyResource(found)
}
