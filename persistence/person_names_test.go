package persistence_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/migrations"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// Statements that show names of principals read the tenant's names.
func TestStatementsReadTheNamesOfTheTenant(t *testing.T) {
	t.Parallel()
	// These show persons to themselves, and to operators.
	own := []string{"caller.go", "session.go", "operator.go"}
	alias := regexp.MustCompile(`\bprincipals ([a-z]+)\b`)
	require.NoError(t, filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || slices.Contains(own, path) {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, found := range alias.FindAllStringSubmatch(string(text), -1) {
			if regexp.MustCompile(`\b` + found[1] + `\.name\b`).Match(text) {
				require.Contains(t, string(text), "person_names", "%s shows the name of a principal %s", path, found[1])
			}
		}
		return nil
	}))
}

// The migration names a member as the tenant's manifest does, or else by the person's own name.
func TestPersonNamesMigration(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	require.NoError(t, demo.Load(t.Context(), db, nil, time.Now()))
	audit := domain.NewAudit(domain.SystemPrincipalID(), time.Now())
	require.NoError(t, db.Write(t.Context(), func(tx *persistence.Tx) error {
		return tx.PutTenantUser(domain.TenantUser{
			ID: uuid.New(), TenantID: demo.TenantOther(), Role: domain.RoleMember, Audit: audit,
			Principal: domain.Principal{ID: demo.Alice().ID, Name: "Another", Email: demo.Alice().Email},
		})
	}))
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	names := func() map[uuid.UUID]string {
		found := map[uuid.UUID]string{}
		rows, err := pool.Query(t.Context(), `SELECT tenant_id, name FROM person_names WHERE principal_id = $1`, demo.Alice().ID)
		require.NoError(t, err)
		var tenant uuid.UUID
		var name string
		for rows.Next() {
			require.NoError(t, rows.Scan(&tenant, &name))
			found[tenant] = name
		}
		require.NoError(t, rows.Err())
		return found
	}
	require.Equal(t, map[uuid.UUID]string{demo.TenantDemo(): "Alice", demo.TenantOther(): "Another"}, names())
	_, err = pool.Exec(t.Context(), `DROP TABLE person_names`)
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), `
INSERT INTO resources (tenant_id, kind, code, id, labels, spec, created_by, created_at, last_modified_by, last_modified_at)
VALUES ($1, 'User', 'guest', $2, '{}', '{"name":"The guest"}', $2, now(), $2, now())`, demo.TenantOther(), demo.Alice().ID)
	require.NoError(t, err)
	sql, err := migrations.FS.ReadFile("00049_names_of_persons.sql")
	require.NoError(t, err)
	_, err = pool.Exec(t.Context(), strings.TrimPrefix(string(sql), "-- +goose Up"))
	require.NoError(t, err)
	require.Equal(t, "The guest", names()[demo.TenantOther()])
	require.Equal(t, "Alice", names()[demo.TenantDemo()])
}
