package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// seedChanges makes 20,000 processes with a task each, which changed in another order than they were made.
const seedChanges = `
WITH made AS (
    INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, subject,
                           initiator_id, created_by, created_at, last_modified_by, last_modified_at)
    SELECT gen_random_uuid(), d.tenant_id, d.id, d.published_version, d.code, 'RUNNING', 'P', v.id, v.id,
           now() - n * interval '1 minute', v.id, now() - (n * 7919 % 20011) * interval '1 second'
      FROM process_definitions d, (SELECT id FROM principals WHERE email LIKE 'carol@%' LIMIT 1) v, generate_series(1, 20000) n
     WHERE d.code = 'ONBOARDING'
    RETURNING *)
INSERT INTO process_items (id, tenant_id, process_id, process_definition_id, type, item_definition_id, item_version,
                           item_definition_code, task_state, created_by, created_at, last_modified_by, last_modified_at)
SELECT gen_random_uuid(), p.tenant_id, p.id, p.process_definition_id, 'TASK', i.id, v.version, i.code, 'READY', p.created_by,
       p.created_at, p.created_by, p.last_modified_at
  FROM made p
  JOIN item_definitions i ON i.process_definition_id = p.process_definition_id AND i.code = 'CHECKLIST'
  JOIN item_definition_versions v ON v.item_definition_id = i.id AND v.process_version = p.process_version`

// finishTasks completes three quarters of the tasks, claimed and completed in orders of their own, and cancels ten.
const finishTasks = `
WITH numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM process_items)
UPDATE process_items i
   SET task_state = CASE WHEN n <= 10 THEN 'CANCELLED' ELSE 'COMPLETED' END, owner_id = i.created_by,
       claimed_at = now() - (n * 104729 % 20021) * interval '1 second',
       completed_at = CASE WHEN n > 10 THEN now() - (n * 7907 % 20023) * interval '1 second' END,
       cancelled_at = CASE WHEN n <= 10 THEN now() - n * interval '1 second' END
  FROM numbered WHERE numbered.id = i.id AND n % 4 > 0 AND i.type = 'TASK'`

// Lists in the order of the last change, and of the times of tasks, read the rows of the page only.
func TestListsByChangeReadWhatTheyShow(t *testing.T) { //nolint:funlen,tparallel // one seed, and every order of it
	t.Parallel()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	require.NoError(t, demo.Load(t.Context(), db, nil, time.Now()))
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	for _, statement := range []string{seedChanges, finishTasks, "SELECT recount_lists()", "ANALYZE"} {
		_, err = conn.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	alice := domain.Caller{
		PrincipalID: demo.Alice().ID, Type: domain.PrincipalUser,
		Memberships: []domain.Membership{{TenantID: demo.TenantDemo(), Namespace: "demo"}},
	}
	page := domain.PageRequest{Size: 25}
	t.Run("of a user who started none", func(t *testing.T) {
		bob := alice
		bob.PrincipalID = demo.Bob().ID
		read := rowsRead(t, url, conn, "processes", func(r *persistence.Reader) {
			items, err := r.ListProcessItems(t.Context(), bob, persistence.ItemFilter{}, page, nil)
			require.NoError(t, err)
			require.Empty(t, items.Items)
			processes, err := r.ListProcesses(t.Context(), bob, persistence.ProcessFilter{}, page, nil)
			require.NoError(t, err)
			require.Empty(t, processes.Items)
		})
		require.LessOrEqual(t, read, int64(300))
	})
	for _, descending := range []bool{false, true} {
		sort := []domain.SortKey{{Property: "lastModifiedAt", Descending: descending}}
		for table, list := range map[string]func(r *persistence.Reader) []time.Time{
			"process_items": func(r *persistence.Reader) (at []time.Time) {
				found, err := r.ListProcessItems(t.Context(), alice, persistence.ItemFilter{}, page, sort)
				require.NoError(t, err)
				require.EqualValues(t, 20000, found.Total)
				for _, item := range found.Items {
					at = append(at, item.LastModifiedAt)
				}
				return at
			},
			"processes": func(r *persistence.Reader) (at []time.Time) {
				found, err := r.ListProcesses(t.Context(), alice, persistence.ProcessFilter{}, page, sort)
				require.NoError(t, err)
				require.EqualValues(t, 20000, found.Total)
				for _, process := range found.Items {
					at = append(at, process.LastModifiedAt)
				}
				return at
			},
		} {
			var want []time.Time
			order := map[bool]string{false: "ASC", true: "DESC"}[descending]
			rows, err := conn.Query(t.Context(), "SELECT last_modified_at FROM "+table+" ORDER BY last_modified_at "+order+", id LIMIT 25")
			require.NoError(t, err)
			want, err = pgx.CollectRows(rows, pgx.RowTo[time.Time])
			require.NoError(t, err)
			for i := range want {
				want[i] = want[i].UTC()
			}

			read := rowsRead(t, url, conn, table, func(r *persistence.Reader) {
				require.Equal(t, want, list(r), "%s %s", table, order)
			})
			require.LessOrEqual(t, read, int64(300), "%s %s", table, order)
		}
	}
	for property, column := range map[string]string{
		"claimedAt": "claimed_at", "completedAt": "completed_at", "cancelledAt": "cancelled_at",
	} {
		for _, descending := range []bool{false, true} {
			order := column + map[bool]string{true: " DESC"}[descending] + " NULLS LAST, created_at, id"
			for _, page := range []domain.PageRequest{{Size: 25}, {Size: 10, Number: 1499}} {
				rows, err := conn.Query(t.Context(), "SELECT id FROM process_items ORDER BY "+order+" LIMIT $1 OFFSET $2",
					page.Size, page.Size*page.Number)
				require.NoError(t, err)
				want, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
				require.NoError(t, err)
				read := rowsRead(t, url, conn, "process_items", func(r *persistence.Reader) {
					found, err := r.ListProcessItems(t.Context(), alice, persistence.ItemFilter{}, page,
						[]domain.SortKey{{Property: property, Descending: descending}})
					require.NoError(t, err)
					require.EqualValues(t, 20000, found.Total)
					ids := make([]uuid.UUID, len(found.Items))
					for i, item := range found.Items {
						ids[i] = item.ID
					}
					require.Equal(t, want, ids, "%s, page %d", order, page.Number)
				})
				if page.Number == 0 {
					require.LessOrEqual(t, read, int64(300), order)
				}
			}
		}
	}
}

// rowsRead returns how many rows of a table are read, by scans or by an index.
func rowsRead(t *testing.T, url string, conn *pgx.Conn, table string, read func(*persistence.Reader)) int64 {
	t.Helper()
	counted := func() (scanned, n int64) {
		_, err := conn.Exec(t.Context(), "SELECT pg_stat_clear_snapshot()")
		require.NoError(t, err)
		require.NoError(t, conn.QueryRow(t.Context(), `
SELECT seq_scan + idx_scan, seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables WHERE relname = $1`, table).Scan(&scanned, &n))
		return scanned, n
	}
	// Earlier reads of the connection count before.
	_, err := conn.Exec(t.Context(), "SELECT pg_stat_force_next_flush()")
	require.NoError(t, err)
	scansBefore, before := counted()
	db := pgtest.Open(t, url)
	read(db.Reader())
	// Connections report their reads when they end.
	db.Close()
	var after int64
	require.Eventually(t, func() bool {
		scans, n := counted()
		after = n
		return scans > scansBefore
	}, time.Minute, 10*time.Millisecond)
	return after - before
}
