package persistence_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/persistence/migrations"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// Dates that were indexed without their time get it from the values, as far as PostgreSQL can parse these.
func TestIndexTimesMigration(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	require.NoError(t, demo.Load(t.Context(), pgtest.Open(t, url), nil, time.Now()))
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	_, err = pool.Exec(t.Context(), `ALTER TABLE process_index DROP time_value; ALTER TABLE business_artifact_index DROP time_value`)
	require.NoError(t, err)

	values := map[string]struct{ text, at string }{
		`2026-01-31`:                  {},
		`2026-01-31t23:30:00.5-08:00`: {"2026-01-31T23:30:00.5-08:00", "2026-02-01T07:30:00.5Z"},
		`2026-01-31T00:00:00+23:00`:   {}, // PostgreSQL does not accept this offset
		`2026-01-31\u0000`:            {},
	}
	rows := map[string]uuid.UUID{}
	for value := range values {
		rows[value] = uuid.New()
		_, err := pool.Exec(t.Context(), `
WITH a AS (
  INSERT INTO business_artifacts (id, tenant_id, definition_id, definition_code, data, data_valid, created_by, created_at,
                                  last_modified_by, last_modified_at)
  VALUES ($1, $2, gen_random_uuid(), 'X', $3::text::json, true, $4, now(), $4, now()) RETURNING *)
INSERT INTO business_artifact_index (business_artifact_id, definition_id, created_at, field, date_value)
SELECT a.id, a.definition_id, a.created_at, 'F', '2026-01-31' FROM a`,
			rows[value], demo.TenantDemo(), `{"F":"`+value+`"}`, demo.Alice().ID)
		require.NoError(t, err)
	}
	sql, err := migrations.FS.ReadFile("00021_index_times_and_robots.sql")
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), strings.TrimPrefix(string(sql), "-- +goose Up"))
	require.NoError(t, err)

	for value, want := range values {
		var text *string
		var at *time.Time
		require.NoError(t, pool.QueryRow(t.Context(),
			`SELECT text_folded, time_value FROM business_artifact_index WHERE business_artifact_id = $1`, rows[value]).Scan(&text, &at))
		if want.text == "" {
			require.Nil(t, text, value)
			require.Nil(t, at, value)
			continue
		}
		require.Equal(t, want.text, *text)
		require.Equal(t, want.at, at.UTC().Format(time.RFC3339Nano))
	}
}
