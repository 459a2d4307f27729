package notifications

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// The bell reads as much with 200,000 notifications of 1,000 people as the person has unread ones.
func TestTheBellIsOneIndexedRead(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.URL(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	tenant := uuid.New()
	for _, sql := range []string{
		`SET session_replication_role = replica`,
		`CREATE TEMP TABLE people AS SELECT gen_random_uuid() AS id FROM generate_series(1, 1000)`,
		`INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, initiator_id, created_by,
			created_at, last_modified_by, last_modified_at, subject)
		 SELECT p.id, '` + tenant.String() + `', gen_random_uuid(), gen_random_uuid(), 'D', 'COMPLETED', p.id, p.id, now(), p.id, now(), 'S' FROM people p`,
		`INSERT INTO person_notifications (recipient_id, event_id, tenant_id, kind, process_id, actor_id, created_at, read_at)
		 SELECT p.id, gen_random_uuid(), '` + tenant.String() + `', 'FINISHED', p.id, gen_random_uuid(), now(), CASE WHEN n > 5 THEN now() END
		   FROM generate_series(1, 200) n, people p`,
		`INSERT INTO claimable_tasks (item_definition_id, tenant_id, tasks, last_at)
		 SELECT gen_random_uuid(), '` + tenant.String() + `', 5, now() FROM generate_series(1, 2000)`,
		`ANALYZE`,
	} {
		_, err := conn.Exec(t.Context(), sql)
		require.NoError(t, err, sql)
	}
	var person uuid.UUID
	require.NoError(t, conn.QueryRow(t.Context(), `SELECT id FROM people LIMIT 1`).Scan(&person))
	args := []any{person, []uuid.UUID{tenant}, domain.NotificationBellLimit, time.Now().Add(-domain.ClaimableAge)}
	var unread int
	require.NoError(t, conn.QueryRow(t.Context(), countUnread, args...).Scan(&unread))
	require.Equal(t, 5, unread)
	var plan []byte
	require.NoError(t, conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+countUnread, args...).Scan(&plan))
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	require.NoError(t, json.Unmarshal(plan, &plans))
	require.Less(t, plans[0].Plan.Hit+plans[0].Plan.Read, 100, string(plan))
	require.NotContains(t, strings.ReplaceAll(string(plan), "\n", " "), `"Node Type": "Seq Scan",           "Relation Name": "person_notifications"`)
	require.Contains(t, string(plan), "person_notifications_unread")
}
