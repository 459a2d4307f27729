package cli_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cli"
)

func TestWebhooks(t *testing.T) {
	t.Parallel()
	w := newNorth(t)
	requireGolden(t, "webhooks-waiting.txt", w.succeeds("webhooks", "list"))
	require.Equal(t, "null\n", w.succeeds("webhooks", "list", "-o", "jq=.[].failingSince"))
	w.as(memberToken).fails(cli.ExitDenied, "webhooks", "list")
	require.Contains(t, w.fails(cli.ExitConflict, "webhooks", "ping", "EVENTS"), "NO_SECRET")

	w.succeeds("secrets", "issue", "webhook", "EVENTS", "--name", "first")
	o := w.runs("webhooks", "ping", "EVENTS")
	require.NoError(t, o.err)
	event := strings.TrimSpace(o.stdout)
	require.Contains(t, o.stderr, "procession webhooks deliveries --event "+event)
	require.Equal(t, "no deliveries\n", w.runs("webhooks", "deliveries", "--event", event).stderr)

	dead := "01980000-0000-7000-8000-0000000000b1"
	w.execSQL(`INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_type, payload_version, state, round,
			attempts, created_at, queued_at, last_attempt_at, finished_at)
		SELECT '`+dead+`', r.id, r.tenant_id, '`+event+`', 'PING', 'B', 'DEAD', 1, 2, n, n, n, n
		  FROM resources r, (SELECT timestamptz '2026-03-02T10:30:00Z') t(n) WHERE r.code = 'EVENTS'`,
		`INSERT INTO webhook_attempts (delivery_id, tenant_id, round, number, at, status, latency, failure, detail, answer)
		SELECT id, tenant_id, 1, 1, created_at, 0, interval '1.5 seconds', 'TIMEOUT', 'there was no answer', '' FROM webhook_deliveries`,
		`INSERT INTO webhook_attempts (delivery_id, tenant_id, round, number, at, status, latency, failure, detail, answer)
		SELECT id, tenant_id, 1, 2, created_at, 503, interval '12 milliseconds', 'STATUS', 'the answer was 503', E'busy\x1b[31m'||repeat('x', 200)
		  FROM webhook_deliveries`,
		`UPDATE webhook_endpoints SET disabled_at = '2026-03-02T10:30:00Z', disabled_reason = 'FAILING'`)
	requireGolden(t, "webhooks.txt", w.succeeds("webhooks", "list"))
	require.Len(t, w.complete("webhooks show "), 1)
	requireGolden(t, "webhook-deliveries.txt", w.succeeds("webhooks", "deliveries", "--state", "DEAD,DROPPED", "--webhook", "EVENTS"))
	requireGolden(t, "webhook-delivery.txt", w.succeeds("webhooks", "show", dead))
	require.Contains(t, w.fails(cli.ExitConflict, "webhooks", "replay", dead), "enable it first")
	require.Equal(t, "EVENTS ACTIVE\n", w.succeeds("webhooks", "enable", "EVENTS"))
	require.Equal(t, dead+" PENDING\n", w.succeeds("webhooks", "replay", dead))
	require.Equal(t, "0 replayed\n", w.succeeds("webhooks", "replay-failed", "EVENTS", "--since", "30d"))
	w.execSQL(`UPDATE webhook_deliveries SET state = 'DROPPED', finished_at = queued_at`)
	require.Equal(t, "0 replayed\n", w.succeeds("webhooks", "replay-failed", "EVENTS", "--since", "1h"))
	require.Equal(t, "1 replayed\n", w.succeeds("webhooks", "replay-failed", "EVENTS", "--since", "2026-03-02T10:30:00Z"))
	w.execSQL(`UPDATE webhook_deliveries SET state = 'DELIVERED', finished_at = queued_at`)
	require.Equal(t, "0 replayed\n", w.succeeds("webhooks", "replay-failed", "EVENTS", "--since", "2026-03-02T10:30:00Z"))
	require.Equal(t, "1 replayed\n", w.succeeds("webhooks", "replay-all", "EVENTS", "--since", "2026-03-02T10:30:00Z"))
	requireAllReplayed(w, event)

	require.Equal(t, "WebhookSubscription/NONE not found", w.fails(cli.ExitNotFound, "webhooks", "ping", "NONE"))
	w.as(memberToken).fails(cli.ExitNotFound, "webhooks", "enable", "EVENTS")
	unknown := "01980000-0000-7000-8000-0000000000ff"
	require.Equal(t, "delivery "+unknown+" not found", w.fails(cli.ExitNotFound, "webhooks", "show", unknown))
	for _, wrong := range [][]string{
		{"show"},
		{"show", "x"},
		{"replay", "x"},
		{"ping"},
		{"ping", "a b"},
		{"replay-failed", "EVENTS"},
		{"replay-all", "EVENTS"},
		{"replay-failed", "EVENTS", "--since", "yesterday"},
		{"deliveries", "--limit", "0"},
		{"deliveries", "--event", "x"},
		{"deliveries", "x"},
	} {
		w.fails(cli.ExitUsage, append([]string{"webhooks"}, wrong...)...)
	}
}

// execSQL changes the database of the service.
func (w *terminal) execSQL(statements ...string) {
	w.t.Helper()
	conn, err := pgx.Connect(w.t.Context(), w.url)
	require.NoError(w.t, err)
	defer func() { _ = conn.Close(w.t.Context()) }()
	for _, sql := range statements {
		_, err := conn.Exec(w.t.Context(), sql)
		require.NoError(w.t, err)
	}
}

// requireAllReplayed delivers an event 10,000 times more and requires that deliveries are made again in two steps.
func requireAllReplayed(w *terminal, event string) {
	t := w.t
	t.Helper()
	w.execSQL(`WITH many AS (
			INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, actor_id, occurred_at)
			SELECT gen_random_uuid(), e.tenant_id, e.type, e.resource_kind, e.resource_id, e.actor_id, e.occurred_at
			  FROM events e, generate_series(1, 10000) WHERE e.id = '`+event+`' RETURNING id)
		INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_type, payload_version, state,
			created_at, queued_at, finished_at)
		SELECT gen_random_uuid(), d.subscription_id, d.tenant_id, m.id, 'PING', 'B', 'DELIVERED', at, at, at
		  FROM webhook_deliveries d, (SELECT id, timestamptz '2026-03-02T10:30:00Z' + row_number() OVER () * interval '1 second' FROM many) m(id, at)`,
		`UPDATE webhook_deliveries SET state = 'DELIVERED', finished_at = queued_at`)
	for _, replayed := range []struct{ since, count, others string }{
		{"2026-03-02T10:30:00Z", "10000 replayed\n", "There are more: repeat with --since 2026-03-02T13:16:40Z.\n"},
		{"2026-03-02T13:16:40Z", "1 replayed\n", ""},
	} {
		o := w.runs("webhooks", "replay-all", "EVENTS", "--since", replayed.since)
		require.NoError(t, o.err)
		require.Equal(t, replayed.count, o.stdout)
		require.Equal(t, replayed.others, o.stderr)
	}
}
