package apitest

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// tables reads all tables of a database through one connection, which knows the statements after the first time.
type tables struct {
	url  string
	mu   sync.Mutex
	conn *pgx.Conn
	// sums contains the statement of the checksum of each table.
	sums map[string]string
}

// newTables prepares for the database at url and connects to it when it is first read.
func newTables(t *testing.T, url string) *tables {
	t.Helper()
	read := &tables{url: url}
	t.Cleanup(func() {
		if read.conn != nil {
			require.NoError(t, read.conn.Close(context.WithoutCancel(t.Context())))
		}
	})
	return read
}

// open connects and lists the tables. Partitions are read with their tables.
func (r *tables) open(ctx context.Context) error {
	var err error
	if r.conn, err = pgx.Connect(ctx, r.url); err != nil {
		return err
	}
	// The last use of a credential is no change by the operation.
	rows, err := r.conn.Query(ctx, `
SELECT quote_ident(t.relname) AS table, string_agg(quote_ident(c.attname), ', ' ORDER BY c.attnum) AS columns
FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped
WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
  AND (t.relname, c.attname) <> ('credentials', 'last_used_at') GROUP BY 1`)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[struct{ Table, Columns string }])
	r.sums = map[string]string{}
	for _, t := range found {
		r.sums[t.Table] = `SELECT coalesce(md5(string_agg(r, E'\n' ORDER BY r)), '') FROM (SELECT ROW(` + t.Columns + `)::text AS r FROM ` + t.Table + `) rows`
	}
	return err
}

// Snapshot returns a checksum of every table.
func (s *Service) Snapshot() map[string]string {
	s.T.Helper()
	s.tables.mu.Lock()
	defer s.tables.mu.Unlock()
	if s.tables.conn == nil {
		require.NoError(s.T, s.tables.open(s.T.Context()))
		require.NotEmpty(s.T, s.tables.sums)
	}
	sums, batch := map[string]string{}, &pgx.Batch{}
	for table, sql := range s.tables.sums {
		batch.Queue(sql).QueryRow(func(row pgx.Row) error {
			var sum string
			err := row.Scan(&sum)
			sums[table] = sum
			return err
		})
	}
	require.NoError(s.T, s.tables.conn.SendBatch(s.T.Context(), batch).Close())
	return sums
}
