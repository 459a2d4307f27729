package persistence

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// AskedDataSource is a data source that is to be asked, with the namespace of its
// tenant.
type AskedDataSource struct {
	domain.DataSource
	Namespace string
}

const (
	selectDataSources = `
SELECT s.id, s.tenant_id, s.code, s.task_queue, s.runner_id, coalesce(s.encryption_key, '') AS encryption_key, t.namespace
  FROM data_sources s
  JOIN tenants t ON t.id = s.tenant_id`

	askedDataSources = selectDataSources + `
 WHERE s.tenant_id = ANY($2) AND s.code = $3 AND ($4::uuid IS NULL OR s.tenant_id = $4)
   AND s.id IN (SELECT g.data_source_id FROM data_source_grants g WHERE ` + access.CallerIsGrantee + `)`

	pendingDataSourceQueries = `
SELECT count(*)
  FROM data_source_runs r
 WHERE r.requested_by = $1 AND r.state = 'PENDING' AND r.deadline > $2 AND r.checked IS NULL`
)

// ListAskedDataSources returns the data sources with a code that the caller may query, one for each tenant, or
// for the given tenant, and the number of pending queries of the caller.
func (tx *Tx) ListAskedDataSources(
	ctx context.Context, caller domain.Caller, tenant *uuid.UUID, code string, now time.Time,
) (sources []AskedDataSource, pending int, err error) {
	err = tx.Read(ctx,
		pg.Q(askedDataSources, []any{caller.PrincipalID, caller.TenantIDs(), code, tenant}, pg.Into(&sources)),
		pg.Q(pendingDataSourceQueries, []any{caller.PrincipalID, now}, pg.One(&pending)))
	return sources, pending, err
}

const (
	insertDataSourceRun = `
INSERT INTO data_source_runs (id, tenant_id, data_source_code, requested_by, state, created_at, deadline, checked)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`

	// The statement removes the oldest answers of the principal beyond the limit, and old runs. Their commands
	// are removed too, if they were not carried out yet. Checks without a verdict are kept for days, because
	// values wait for them.
	removeDataSourceRuns = `
WITH many AS (
    SELECT r.id
      FROM data_source_runs r
     WHERE r.requested_by = $1 AND r.checked IS NULL AND (r.state <> 'PENDING' OR r.deadline < $2)
     ORDER BY r.created_at DESC, r.id DESC
    OFFSET $3
     LIMIT $4
       FOR UPDATE SKIP LOCKED
), old AS (
    SELECT r.id
      FROM data_source_runs r
     WHERE r.created_at < $5 AND (r.checked IS NULL OR r.state <> 'PENDING' OR r.created_at < $6)
     ORDER BY r.created_at
     LIMIT $4
       FOR UPDATE SKIP LOCKED
), gone AS (
    DELETE FROM data_source_runs r
     WHERE r.id IN (SELECT many.id FROM many UNION SELECT old.id FROM old)
    RETURNING r.id
), runs AS (
    SELECT e.id FROM engine_runs e JOIN gone ON e.owner_id = gone.id AND e.kind = 'DATA_SOURCE'
), commands AS (
    DELETE FROM engine_commands c
     WHERE c.engine_run_id IN (SELECT runs.id FROM runs)
), removed AS (
    DELETE FROM engine_runs e
     WHERE e.id IN (SELECT runs.id FROM runs)
)
SELECT count(*) FROM gone`

	// dataSourceRunsSwept limits how many runs are removed at once: more than are added meanwhile.
	dataSourceRunsSwept = 50
	// dataSourceRunLifetime is how long runs are kept. It is longer than any run waits for its answer.
	dataSourceRunLifetime = time.Hour
	// dataSourceCheckLifetime is how long a check without a verdict is kept: longer
	// than Temporal may be down.
	dataSourceCheckLifetime = 7 * 24 * time.Hour
)

// InsertDataSourceRun stores a run and removes the answers of its principal beyond the limit, and old runs of
// all principals.
func (tx *Tx) InsertDataSourceRun(r *domain.DataSourceRun) {
	tx.queue(insertDataSourceRun, r.ID, r.TenantID, r.SourceCode, r.RequestedBy, r.State, r.CreatedAt, r.Deadline, r.Check)
	tx.queue(removeDataSourceRuns, r.RequestedBy, r.CreatedAt, domain.MaxDataSourceResults, dataSourceRunsSwept,
		r.CreatedAt.Add(-dataSourceRunLifetime), r.CreatedAt.Add(-dataSourceCheckLifetime))
}

// RemoveDataSourceRuns deletes up to limit runs that are not needed any more, and returns their number.
func (db *DB) RemoveDataSourceRuns(ctx context.Context, now time.Time, limit int) (int, error) {
	var removed int
	// No run has this principal.
	err := db.Send(ctx, []pg.Query{pg.Q(
		removeDataSourceRuns, []any{
			uuid.Nil, now, 0, limit, now.Add(-dataSourceRunLifetime), now.Add(-dataSourceCheckLifetime),
		}, pg.One(&removed),
	)})
	return removed, pg.Translate("removing runs of data sources", err)
}

const (
	dataSourceRunColumns = `r.id, r.tenant_id, r.data_source_code, r.requested_by, r.state, r.checked, r.result,
       coalesce(r.error_code, ''), coalesce(r.error_message, ''), r.created_at, r.deadline, r.finished_at`

	getDataSourceQuery = `
SELECT ` + dataSourceRunColumns + `
  FROM data_source_runs r
 WHERE r.id = $3 AND r.tenant_id = ANY($2) AND r.requested_by = $1 AND r.created_at > $4
   AND r.checked IS NULL`

	lockDataSourceRun = `
SELECT ` + dataSourceRunColumns + `
  FROM data_source_runs r
 WHERE r.id = $1
   FOR UPDATE`
)

func oneDataSourceRun(dest *domain.DataSourceRun) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var result []byte
		err := pg.One(&dest.ID, &dest.TenantID, &dest.SourceCode, &dest.RequestedBy, &dest.State, &dest.Check, &result,
			&dest.ErrorCode, &dest.ErrorMessage, &dest.CreatedAt, &dest.Deadline, &dest.FinishedAt)(rows)
		if err != nil || result == nil {
			return err
		}
		if err := json.Unmarshal(result, &dest.Page); err != nil {
			return fmt.Errorf("reading the answer of a data source: %w", err)
		}
		return nil
	}
}

// GetDataSourceQuery returns a query of the caller that was created after a time, or NOT_FOUND.
func (r *Reader) GetDataSourceQuery(
	ctx context.Context, caller domain.Caller, id uuid.UUID, after time.Time,
) (*domain.DataSourceRun, error) {
	var run domain.DataSourceRun
	err := r.Read(ctx, pg.Q(
		getDataSourceQuery, []any{caller.PrincipalID, caller.TenantIDs(), id, after}, oneDataSourceRun(&run),
	))
	if err != nil {
		return nil, pg.Translate("reading a query of a data source", pg.NotFound(err, "data source query"))
	}
	return &run, nil
}

// LockDataSourceRun locks a run, or returns NOT_FOUND.
func (tx *Tx) LockDataSourceRun(ctx context.Context, id uuid.UUID) (*domain.DataSourceRun, error) {
	var run domain.DataSourceRun
	err := tx.Read(ctx, pg.Q(lockDataSourceRun, []any{id}, oneDataSourceRun(&run)))
	return &run, pg.NotFound(err, "run of a data source")
}

const (
	finishDataSourceRun = `
UPDATE data_source_runs
   SET state = $2, result = $3, error_code = nullif($4, ''), error_message = nullif($5, ''), finished_at = $6
 WHERE id = $1`

	// The workflow ends after this statement; its end then has no effect.
	closeDataSourceRun = `
UPDATE engine_runs
   SET state = 'COMPLETED', closed_at = $2
 WHERE owner_id = $1 AND kind = 'DATA_SOURCE' AND closed_at IS NULL`
)

// FinishDataSourceRun stores the end of a run that is under lock.
func (tx *Tx) FinishDataSourceRun(r *domain.DataSourceRun) error {
	var result json.RawMessage
	if r.Page != nil {
		var err error
		if result, err = json.Marshal(r.Page); err != nil {
			return fmt.Errorf("writing the answer of a data source: %w", err)
		}
	}
	tx.queue(finishDataSourceRun, r.ID, r.State, jsonOrNull(result), r.ErrorCode, r.ErrorMessage, r.FinishedAt)
	tx.queue(closeDataSourceRun, r.ID, r.FinishedAt)
	return nil
}

const listDataSourceNamespaces = `
SELECT DISTINCT t.namespace
  FROM tenants t
 WHERE EXISTS (SELECT 1 FROM data_sources s WHERE s.tenant_id = t.id)
 ORDER BY t.namespace`

// ListDataSourceNamespaces returns the Temporal namespaces of the tenants that have
// data sources.
func (r *Reader) ListDataSourceNamespaces(ctx context.Context) ([]string, error) {
	var namespaces []string
	err := r.Read(ctx, pg.Q(listDataSourceNamespaces, nil, func(rows pgx.Rows) (err error) {
		namespaces, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}))
	return namespaces, pg.Translate("listing namespaces with data sources", err)
}
