package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// A read of a row that is missing, or hidden, keeps its prepared statement: planning costs many times the read.
func TestMissingRowsKeepPreparedStatements(t *testing.T) {
	t.Parallel()
	db := pgtest.OpenWithin(t, pgtest.URL(t), persistence.Limits{Requests: 1})
	caller := domain.Caller{PrincipalID: uuid.New(), Memberships: []domain.Membership{{TenantID: uuid.New()}}}
	missing := map[string]func() error{
		"process": func() error {
			_, err := db.Reader().GetProcess(t.Context(), caller, uuid.New())
			return err
		},
		"item": func() error {
			_, err := db.Reader().GetProcessItem(t.Context(), caller, uuid.New())
			return err
		},
		"process to be changed": func() error {
			return db.Write(t.Context(), func(tx *persistence.Tx) error {
				_, err := persistence.LockProcess(caller, uuid.New()).Do(t.Context(), tx)
				return err
			})
		},
	}
	prepared := func() (at []time.Time) {
		t.Helper()
		require.NoError(t, db.Reader().Read(t.Context(), pg.Q(
			`SELECT prepare_time FROM pg_prepared_statements WHERE statement LIKE '%processes p%' AND statement NOT LIKE '%prepare_time%' ORDER BY prepare_time`, nil,
			func(rows pgx.Rows) (err error) {
				at, err = pgx.CollectRows(rows, pgx.RowTo[time.Time])
				return err
			})))
		return at
	}
	var first []time.Time
	for range 3 {
		for name, read := range missing {
			require.True(t, domain.HasCode(read(), domain.CodeNotFound), name)
		}
		now := prepared()
		if first == nil {
			require.NotEmpty(t, now)
			first = now
		}
		require.Equal(t, first, now)
	}
}
