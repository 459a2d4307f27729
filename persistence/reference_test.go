package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// lockNotAvailable is PostgreSQL's error of a statement that waited for a lock for as long as it may.
const lockNotAvailable = "55P03"

// No foreign key keeps the versions that processes have; a process is never without its version all the same.
func TestDefinitionsGoOnlyWithoutProcesses(t *testing.T) { //nolint:funlen,tparallel // one story, of a definition and who uses it
	t.Parallel()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	require.NoError(t, demo.Load(t.Context(), db, nil, time.Now()))
	connect := func() *pgx.Conn {
		conn, err := pgx.Connect(t.Context(), url)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close(t.Context()) })
		return conn
	}
	var version uuid.UUID
	creating, deleting := connect(), connect()
	require.NoError(t, creating.QueryRow(t.Context(), `SELECT published_version FROM process_definitions WHERE id = $1`, demo.Onboarding()).Scan(&version))
	process := func() *domain.Process {
		return &domain.Process{
			ID: uuid.New(), TenantID: demo.TenantDemo(), State: domain.ProcessRunning, InitiatorID: demo.Alice().ID,
			Definition: domain.DefinitionRef{ID: demo.Onboarding(), Version: version, Code: "ONBOARDING"},
			Audit:      domain.NewAudit(demo.Alice().ID, time.Now()),
		}
	}
	remove := func() error {
		return db.Write(t.Context(), func(tx *persistence.Tx) error {
			tx.DeleteDefinition(demo.Onboarding())
			return nil
		})
	}

	t.Run("that are being created", func(t *testing.T) { //nolint:paralleltest // they share a definition
		tx, err := creating.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `
INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, initiator_id,
                       created_by, created_at, last_modified_by, last_modified_at, subject)
VALUES (gen_random_uuid(), $1, $2, $3, 'ONBOARDING', 'RUNNING', $4, $4, now(), $4, now(), 'x')`,
			demo.TenantDemo(), demo.Onboarding(), version, demo.Alice().ID)
		require.NoError(t, err)
		removal, err := deleting.Begin(t.Context())
		require.NoError(t, err)
		for _, statement := range []string{
			`SET LOCAL lock_timeout = '50ms'`,
			`UPDATE process_definitions SET published_version = NULL WHERE id = '` + demo.Onboarding().String() + `'`,
			`DELETE FROM item_definition_versions WHERE process_version = '` + version.String() + `'`,
		} {
			_, err := removal.Exec(t.Context(), statement)
			require.NoError(t, err)
		}
		_, err = removal.Exec(t.Context(), `DELETE FROM process_definition_versions WHERE version = $1`, version)
		requireRefused(t, lockNotAvailable, err)
		require.NoError(t, removal.Rollback(t.Context()))
		require.NoError(t, tx.Commit(t.Context()))
		requireRefused(t, foreignKey, remove())
	})
	_, err := creating.Exec(t.Context(), `DELETE FROM processes WHERE process_definition_id = $1`, demo.Onboarding())
	require.NoError(t, err)
	// Another process of the tenant keeps the fault of the version.
	_, err = creating.Exec(t.Context(), `
WITH p AS (
  INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, initiator_id,
                         created_by, created_at, last_modified_by, last_modified_at, subject)
  VALUES (gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), 'LOAN', 'RUNNING', $3, $3, now(), $3, now(), 'x') RETURNING id)
INSERT INTO availability_faults SELECT $2, 'X', $1, p.id, 'fault', now(), now() FROM p`, demo.TenantDemo(), version, demo.Alice().ID)
	require.NoError(t, err)

	t.Run("that are inserted after it", func(t *testing.T) { //nolint:paralleltest // they share a definition
		attempts := 0
		err := db.Write(t.Context(), func(tx *persistence.Tx) error {
			if attempts++; attempts > 1 {
				return domain.NotFound("process definition")
			}
			if err := remove(); err != nil {
				return err
			}
			return tx.InsertProcess(process())
		})
		require.True(t, domain.HasCode(err, domain.CodeNotFound), "the next attempt finds that it is gone: %v", err)
		var processes int
		require.NoError(t, creating.QueryRow(t.Context(), `SELECT count(*) FROM processes`).Scan(&processes))
		require.Equal(t, 1, processes)
		var faults int
		require.NoError(t, creating.QueryRow(t.Context(), `SELECT count(*) FROM availability_faults`).Scan(&faults))
		require.Zero(t, faults, "faults are deleted with the version")
	})
}

func TestBrokenReferencesAreFound(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	require.NoError(t, demo.Load(t.Context(), db, nil, time.Now()))
	broken, err := db.Reader().FindBrokenReferences(t.Context())
	require.NoError(t, err)
	require.Empty(t, broken)

	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	_, err = conn.Exec(t.Context(), `
INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, initiator_id,
                       created_by, created_at, last_modified_by, last_modified_at, subject)
SELECT gen_random_uuid(), $1, $2, gen_random_uuid(), 'ONBOARDING', 'RUNNING', p.id, p.id, now(), p.id, now(), 'x'
  FROM (VALUES ($3::uuid), (gen_random_uuid())) p (id)`, demo.TenantDemo(), demo.Onboarding(), demo.Alice().ID)
	require.NoError(t, err)
	broken, err = db.Reader().FindBrokenReferences(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"processes.initiator_id"}, broken)
}

func requireRefused(t *testing.T, code string, err error) {
	t.Helper()
	var pgErr *pgconn.PgError
	require.ErrorAs(t, err, &pgErr)
	require.Equal(t, code, pgErr.Code, pgErr.Message)
}
