package persistence

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// CloudKeyPurpose is the purpose for which API keys of workers in Temporal Cloud are sealed. Their records are the ids of the keys.
const CloudKeyPurpose = "CLOUD_KEY"

// CloudNamespace is the state of a namespace in Temporal Cloud. Authorities are the ids of the authorities that it accepts, nil if it
// accepts API keys. Problem tells why it is not ready.
type CloudNamespace struct {
	Namespace   string
	Authorities []string
	Problem     string
}

const (
	putCloudNamespace = `
WITH ready AS (
    INSERT INTO cloud_changes (tenant_id)
    SELECT t.id
      FROM tenants t
     WHERE t.namespace = $1
       AND $3 = ''
       AND NOT EXISTS (SELECT 1 FROM cloud_namespaces n WHERE n.namespace = $1 AND n.problem IS NULL)
     ORDER BY t.id
        ON CONFLICT (tenant_id) DO UPDATE SET tenant_id = excluded.tenant_id
)
INSERT INTO cloud_namespaces (namespace, authorities, problem, checked_at)
VALUES ($1, $2, nullif($3, ''), $4)
ON CONFLICT (namespace) DO UPDATE
   SET authorities = CASE WHEN excluded.problem IS NULL THEN excluded.authorities ELSE cloud_namespaces.authorities END,
       problem = excluded.problem, checked_at = excluded.checked_at`

	removeCloudNamespaces = `
DELETE FROM cloud_namespaces WHERE namespace = ANY($1)`

	retainCloudNamespaces = `
DELETE FROM cloud_namespaces WHERE namespace <> ALL($1)`

	listCloudProblems = `
SELECT n.namespace, n.problem
  FROM cloud_namespaces n
 WHERE n.problem IS NOT NULL
 UNION ALL
SELECT w.namespace, 'the API key of the application ' || w.principal_id || ': ' || w.problem
  FROM cloud_workers w
 WHERE w.problem IS NOT NULL
 ORDER BY 1, 2`
)

// PutCloudNamespace records the state of a namespace. With a problem, the accepted authorities stay as they were. The service accounts
// of its tenants are due when it becomes ready.
func (db *DB) PutCloudNamespace(ctx context.Context, n CloudNamespace, now time.Time) error {
	err := db.Send(ctx, []pg.Query{pg.Q(putCloudNamespace, []any{n.Namespace, n.Authorities, n.Problem, now}, pg.None)})
	return pg.Translate("recording a namespace in Temporal Cloud", err)
}

// RemoveCloudNamespaces forgets namespaces.
func (db *DB) RemoveCloudNamespaces(ctx context.Context, namespaces []string) error {
	err := db.Send(ctx, []pg.Query{pg.Q(removeCloudNamespaces, []any{namespaces}, pg.None)})
	return pg.Translate("removing namespaces in Temporal Cloud", err)
}

// RetainCloudNamespaces forgets all namespaces but the given ones.
func (db *DB) RetainCloudNamespaces(ctx context.Context, namespaces []string) error {
	err := db.Send(ctx, []pg.Query{pg.Q(retainCloudNamespaces, []any{namespaces}, pg.None)})
	return pg.Translate("removing namespaces in Temporal Cloud", err)
}

// CloudProblem is a failure of the last attempt to set up a namespace, or the API key of a worker in it.
type CloudProblem struct {
	Namespace string
	Problem   string
}

// ListCloudProblems returns the current problems.
func (r *Reader) ListCloudProblems(ctx context.Context) ([]CloudProblem, error) {
	var problems []CloudProblem
	err := r.Read(ctx, pg.Q(listCloudProblems, nil, pg.Into(&problems)))
	return problems, pg.Translate("listing problems of Temporal Cloud", err)
}

const listClusterNamespaces = `
SELECT DISTINCT t.namespace, t.cluster, n.authorities, n.checked_at, n.problem IS NULL AND n.checked_at IS NOT NULL AS ready
  FROM tenants t
  LEFT JOIN cloud_namespaces n ON n.namespace = t.namespace
 WHERE t.cluster = ANY($1)
   AND ($2::text[] IS NULL OR t.namespace = ANY($2))
 ORDER BY t.namespace`

// ClusterNamespace is a namespace of tenants with the name of its cluster, and the outcome of its last check: Ready reports whether it had
// no problem.
type ClusterNamespace struct {
	Namespace   string
	Cluster     string
	Authorities []string
	CheckedAt   *time.Time
	Ready       bool
}

// ListClusterNamespaces returns the namespaces in the clusters that have one of the names, all for nil.
func (r *Reader) ListClusterNamespaces(ctx context.Context, clusters, names []string) ([]ClusterNamespace, error) {
	var found []ClusterNamespace
	err := r.Read(ctx, pg.Q(listClusterNamespaces, []any{clusters, names}, pg.Into(&found)))
	return found, pg.Translate("listing namespaces", err)
}

const (
	// cloudRevoked is true of a key that was issued by a token that was revoked since.
	cloudRevoked = `EXISTS (SELECT 1 FROM engine_grants g
                WHERE g.tenant_id = w.tenant_id AND g.principal_id = w.principal_id AND g.kind = 'ENGINE_TOKEN'
                  AND NOT g.read_only AND g.revoked_at >= k.created_at)`

	// entitledWorkers lists the applications that run something of the tenants $1, in the clusters $2.
	entitledWorkers = `
    SELECT DISTINCT t.id AS tenant_id, p.id AS principal_id, t.namespace, t.cluster
      FROM tenants t
     CROSS JOIN LATERAL (BOUND) b
      JOIN principals p ON p.id = b.runner_id AND p.type = 'APPLICATION' AND p.disabled_at IS NULL
     WHERE t.id = ANY($1)
       AND t.cluster = ANY($2)`

	addCloudWorkers = `
INSERT INTO cloud_workers (id, tenant_id, principal_id, cluster, namespace, due_at)
SELECT gen_random_uuid(), e.tenant_id, e.principal_id, e.cluster, e.namespace, $3
  FROM (` + entitledWorkers + `) e
  JOIN cloud_namespaces n ON n.namespace = e.namespace AND n.problem IS NULL
 WHERE NOT EXISTS (SELECT 1 FROM cloud_workers w WHERE w.tenant_id = e.tenant_id AND w.principal_id = e.principal_id)
    ON CONFLICT DO NOTHING`

	markCloudWorkers = `
UPDATE cloud_workers w
   SET due_at = least(w.due_at, $3), changed = true
 WHERE w.tenant_id = ANY($1)
   AND (NOT EXISTS (SELECT 1 FROM (` + entitledWorkers + `) e
                     WHERE e.tenant_id = w.tenant_id AND e.principal_id = w.principal_id AND e.cluster = w.cluster
                       AND e.namespace = w.namespace)
        OR EXISTS (SELECT 1 FROM cloud_keys k WHERE k.worker_id = w.id AND ` + cloudRevoked + `))`

	claimCloudWorkers = `
WITH due AS MATERIALIZED (
    SELECT w.id
      FROM cloud_workers w
     WHERE w.cluster = ANY($1)
       AND w.leased_until <= $2
       AND w.due_at <= $2
     ORDER BY w.due_at
     LIMIT $4
       FOR NO KEY UPDATE OF w SKIP LOCKED
)
UPDATE cloud_workers w
   SET leased_until = $3, changed = false
  FROM due d
 WHERE w.id = d.id
RETURNING w.id, w.cluster, w.namespace, w.principal_id, coalesce(w.account_id, '') AS account_id, w.generation, w.failures, w.leased_until,
          EXISTS (SELECT 1
                    FROM tenants t
                   CROSS JOIN LATERAL (BOUND) b
                    JOIN principals p ON p.id = b.runner_id AND p.type = 'APPLICATION' AND p.disabled_at IS NULL
                   WHERE t.id = w.tenant_id AND p.id = w.principal_id AND t.cluster = w.cluster AND t.namespace = w.namespace) AS entitled`

	listCloudKeys = `
SELECT k.id, k.created_at, k.expires_at, ` + cloudRevoked + ` AS revoked
  FROM cloud_keys k
  JOIN cloud_workers w ON w.id = k.worker_id
 WHERE k.worker_id = $1
 ORDER BY k.created_at DESC`
)

// CloudWorker is an application with a service account in Temporal Cloud, leased by a replica. Entitled is false if manifests give it no
// access any more.
type CloudWorker struct {
	ID          uuid.UUID
	Cluster     string
	Namespace   string
	PrincipalID uuid.UUID
	AccountID   string
	Generation  int
	Failures    int
	Entitled    bool
	LeasedUntil time.Time
}

// ClaimCloudWorkers leases due workers of the clusters.
func (db *DB) ClaimCloudWorkers(ctx context.Context, clusters []string, now, leaseUntil time.Time, limit int) ([]CloudWorker, error) {
	var due []CloudWorker
	err := db.Send(ctx, []pg.Query{pg.Q(withBoundQueues(claimCloudWorkers), []any{clusters, now, leaseUntil, limit}, pg.Into(&due))})
	return due, pg.Translate("leasing workers in Temporal Cloud", err)
}

// withBoundQueues inserts the queues of the tenant t into a statement.
func withBoundQueues(statement string) string {
	return strings.ReplaceAll(statement, "BOUND", strings.ReplaceAll(boundQueues, "$2", "t.id"))
}

// CloudKey is an API key of a worker. Revoked reports whether a token of it was revoked.
type CloudKey struct {
	ID        string
	CreatedAt time.Time
	ExpiresAt time.Time
	Revoked   bool
}

// ListCloudKeys returns the keys of a worker, the newest first.
func (r *Reader) ListCloudKeys(ctx context.Context, worker uuid.UUID) ([]CloudKey, error) {
	var keys []CloudKey
	err := r.Read(ctx, pg.Q(listCloudKeys, []any{worker}, pg.Into(&keys)))
	return keys, pg.Translate("listing API keys", err)
}

const (
	setCloudAccount = `
UPDATE cloud_workers
   SET account_id = $3
 WHERE id = $1 AND leased_until = $2
RETURNING id`

	insertCloudKey = `
WITH worker AS (
    UPDATE cloud_workers
       SET generation = generation + 1
     WHERE id = $1 AND leased_until = $2
    RETURNING id
)
INSERT INTO cloud_keys (id, worker_id, sealed, created_at, expires_at)
SELECT $3, w.id, $4, $5, $6
  FROM worker w
RETURNING worker_id`

	deleteCloudKey = `
DELETE FROM cloud_keys WHERE id = $1`

	finishCloudWorker = `
UPDATE cloud_workers
   SET leased_until = '-infinity', due_at = CASE WHEN changed THEN due_at ELSE $3 END, problem = nullif(left($4, 500), ''),
       failures = CASE WHEN $4 = '' THEN 0 ELSE failures + 1 END
 WHERE id = $1 AND leased_until = $2`

	// The tenant may have entitled the application again.
	deleteCloudWorker = `
WITH removed AS (
    DELETE FROM cloud_workers WHERE id = $1 AND leased_until = $2 RETURNING tenant_id
)
INSERT INTO cloud_changes (tenant_id)
SELECT tenant_id FROM removed
    ON CONFLICT (tenant_id) DO UPDATE SET tenant_id = excluded.tenant_id`
)

// SetCloudAccount records the service account of a leased worker. Errors: NOT_FOUND if the lease has ended.
func (db *DB) SetCloudAccount(ctx context.Context, w CloudWorker, account string) error {
	return db.changeCloudWorker(ctx, setCloudAccount, w.ID, w.LeasedUntil, account)
}

// InsertCloudKey records a new API key of a leased worker. Errors: NOT_FOUND if the lease has ended.
func (db *DB) InsertCloudKey(ctx context.Context, w CloudWorker, k CloudKey, sealed []byte) error {
	return db.changeCloudWorker(ctx, insertCloudKey, w.ID, w.LeasedUntil, k.ID, sealed, k.CreatedAt, k.ExpiresAt)
}

func (db *DB) changeCloudWorker(ctx context.Context, statement string, args ...any) error {
	var id uuid.UUID
	err := db.Send(ctx, []pg.Query{pg.Q(statement, args, pg.One(&id))})
	return pg.Translate("recording a worker in Temporal Cloud", pg.NotFound(err, "lease"))
}

// DeleteCloudKey removes an API key that Temporal Cloud does not accept any more.
func (db *DB) DeleteCloudKey(ctx context.Context, id string) error {
	return pg.Translate("removing an API key", db.Send(ctx, []pg.Query{pg.Q(deleteCloudKey, []any{id}, pg.None)}))
}

// FinishCloudWorker ends a lease. The worker is due again at the time, or at once if its tenant changed meanwhile; a problem is recorded unless it is "".
func (db *DB) FinishCloudWorker(ctx context.Context, w CloudWorker, due time.Time, problem string) error {
	err := db.Send(ctx, []pg.Query{pg.Q(finishCloudWorker, []any{w.ID, w.LeasedUntil, due, problem}, pg.None)})
	return pg.Translate("ending the lease of a worker", err)
}

// DeleteCloudWorker removes a leased worker with its keys.
func (db *DB) DeleteCloudWorker(ctx context.Context, w CloudWorker) error {
	err := db.Send(ctx, []pg.Query{pg.Q(deleteCloudWorker, []any{w.ID, w.LeasedUntil}, pg.None)})
	return pg.Translate("removing a worker in Temporal Cloud", err)
}

// SealedCloudKey is the API key that a worker gets now. Its ID is "" if there is none.
type SealedCloudKey struct {
	ID        string
	Sealed    []byte
	ExpiresAt time.Time
}

const currentCloudKey = `
SELECT k.id, k.sealed, k.expires_at
  FROM cloud_workers w
  JOIN cloud_keys k ON k.worker_id = w.id
 WHERE w.principal_id = $1 AND w.tenant_id = $2 AND k.expires_at > now()
   AND NOT ` + cloudRevoked + `
 ORDER BY k.created_at DESC
 LIMIT 1`

func cloudKeyOf(principal, tenant uuid.UUID, dest *SealedCloudKey) pg.Query {
	return pg.Q(currentCloudKey, []any{principal, tenant}, func(rows pgx.Rows) error {
		found, err := pgx.CollectRows(rows, pgx.RowToStructByName[SealedCloudKey])
		if len(found) == 1 {
			*dest = found[0]
		}
		return err
	})
}
