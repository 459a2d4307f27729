package webhooks

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

// An exchange reads no waiting deliveries of endpoints in backoff, and does not search for them
// each time.
func TestHeldEndpointsCostNothingPerExchange(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.URL(t))
	require.NoError(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	now := time.Now()
	healthy := uuid.New()
	_, err = conn.Exec(t.Context(), `INSERT INTO tenants (id, code, name, plan, namespace, created_by, created_at, last_modified_by, last_modified_at)
		VALUES ($1, 'north', 'north', 'FREE', 'north', $1, now(), $1, now())`, healthy)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `INSERT INTO webhook_endpoints (subscription_id, tenant_id, url, payload_version, paused, held_until)
		SELECT gen_random_uuid(), $1::uuid, 'https://example.com/', 'B', false, now() + interval '1 hour' FROM generate_series(1, 100)
		UNION ALL SELECT $1::uuid, $1::uuid, 'https://example.com/', 'B', false, '-infinity'`, healthy)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_type, payload_version, state,
			created_at, queued_at)
		SELECT gen_random_uuid(), w.subscription_id, w.tenant_id, gen_random_uuid(), 'x', 'B', 'PENDING', now(), now()
		  FROM webhook_endpoints w, generate_series(1, 50)`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `INSERT INTO webhook_secrets (id, tenant_id, subscription_id, name, sealed, created_at)
		SELECT gen_random_uuid(), w.tenant_id, w.subscription_id, 'secret', '\x00', now() FROM webhook_endpoints w`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `ANALYZE`)
	require.NoError(t, err)
	blocks := func(sql string, args ...any) int {
		var text []byte
		require.NoError(t, conn.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+sql, args...).Scan(&text))
		var plans []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			} `json:"Plan"`
		}
		require.NoError(t, json.Unmarshal(text, &plans))
		return plans[0].Plan.Hit + plans[0].Plan.Read
	}
	claim := func(waiting []uuid.UUID) int {
		return blocks(claimFirstAttempts, []uuid.UUID{}, []int{}, now, 4, []uuid.UUID{}, 256, now.Add(time.Minute), waiting)
	}
	all := []uuid.UUID{}
	rows, err := conn.Query(t.Context(), `SELECT subscription_id FROM webhook_endpoints`)
	require.NoError(t, err)
	all, err = pgx.AppendRows(all, rows, pgx.RowTo[uuid.UUID])
	require.NoError(t, err)
	alone, beside := claim([]uuid.UUID{healthy}), claim(all)
	scan := blocks(waitingEndpoints, uuid.Nil, scannedAtOnce)
	t.Logf("blocks of a claim for one endpoint %d, for it and 100 held ones %d; of the scan, once a second, %d", alone, beside, scan)
	require.Less(t, alone, 250)
	require.Less(t, beside, alone+250, "held endpoints are looked up, their deliveries are not read")
}
