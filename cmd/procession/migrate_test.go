package main

import (
	"bytes"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMigrateSaysWhatTheSchemaIsAt(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	_, err = conn.Exec(t.Context(), "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
	require.NoError(t, err)
	migrate := func(args ...string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"migrate", "--database-url", url}, args...), &out, &bytes.Buffer{})
		return out.String(), err
	}
	out, err := migrate("--status")
	require.ErrorContains(t, err, "run procession migrate")
	require.Regexp(t, `the schema is at version \d+, and this build needs \d+`, err.Error())
	require.Equal(t, 1, exitCode(err))
	require.Empty(t, out)

	done, err := migrate()
	require.NoError(t, err)
	require.Regexp(t, `^the schema is at version \d+\n$`, done)
	out, err = migrate("--status")
	require.NoError(t, err)
	require.Equal(t, done, out)
}
