package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/persistence/webhooks"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// seedLists creates a tenant with 20,000 events of every process and three others, 200 webhooks with 20 failed deliveries
// each, 1,500 running processes with a task that waits and one that an active user has claimed, except for 3 tasks of a user who left, 200 people with descriptions stored apart from their rows, and 100 task queues that a definition in 3 versions with processes needs.
const seedLists = `
INSERT INTO tenants (id, code, name, plan, namespace, created_by, created_at, last_modified_by, last_modified_at)
VALUES ('01970000-0000-7000-8000-00000000a111', 'north', 'North', 'FREE', 'north', gen_random_uuid(), now(), gen_random_uuid(), now());
INSERT INTO events (id, era, xid, tenant_id, process_id, type, actor_id, occurred_at, resource_kind, resource_id)
SELECT gen_random_uuid(), 0, '4', t.id, t.id, 'PROCESS.STATE_CHANGED', t.id, now(), 'PROCESS', t.id
  FROM tenants t, generate_series(1, 20000);
INSERT INTO events (id, era, xid, tenant_id, type, actor_id, occurred_at, resource_kind, resource_id)
SELECT gen_random_uuid(), 0, '3', t.id, 'SECRET.ISSUED', t.id, now(), 'SECRET', t.id FROM tenants t, generate_series(1, 3);
INSERT INTO resources (tenant_id, kind, code, id, labels, spec, created_by, created_at, last_modified_by, last_modified_at)
SELECT t.id, k.kind, k.kind || n, gen_random_uuid(), '{}',
       json_build_object('name', 'Name ' || n, 'more', (SELECT string_agg(md5(random()::text), '') FROM generate_series(1, 100 + n % 2))),
       t.id, now(), t.id, now()
  FROM tenants t, generate_series(1, 200) n, (VALUES ('Tenant'), ('WebhookSubscription')) k (kind);
INSERT INTO webhook_endpoints (subscription_id, tenant_id, url, payload_version, event_types, paused)
SELECT r.id, r.tenant_id, 'https://example.com/', 'B', '{}', true FROM resources r WHERE r.kind = 'WebhookSubscription';
INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_type, payload_version, state, created_at, queued_at,
                                finished_at)
SELECT gen_random_uuid(), w.subscription_id, w.tenant_id, gen_random_uuid(), 'x', 'B', 'DEAD', now(), now(), now()
  FROM webhook_endpoints w, generate_series(1, 20);
INSERT INTO process_definitions (id, tenant_id, code) SELECT gen_random_uuid(), t.id, 'D' || n FROM tenants t, generate_series(1, 100) n;
INSERT INTO process_definition_versions (version, process_definition_id, name, workflow_type, task_queue, signal_shape, runner_id, spec,
                                         created_at, number, digest, created_by)
SELECT gen_random_uuid(), d.id, 'D', 'W', 'QUEUE_' || d.code, 'B', p.id, '{}', now(), n, sha256(''), p.id
  FROM process_definitions d, generate_series(1, 3) n, (SELECT id FROM principals LIMIT 1) p;
UPDATE process_definitions d SET published_version = v.version
  FROM process_definition_versions v WHERE v.process_definition_id = d.id AND v.number = 3;
INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, subject, initiator_id,
                       created_by, created_at, last_modified_by, last_modified_at)
SELECT gen_random_uuid(), d.tenant_id, d.id, v.version, d.code, 'RUNNING', 'P', gen_random_uuid(), v.runner_id, now(), v.runner_id, now()
  FROM process_definitions d JOIN process_definition_versions v ON v.process_definition_id = d.id, generate_series(1, 5);
INSERT INTO principals (id, type, name, email, created_at)
SELECT ('01970000-0000-7000-8000-0000000000b' || n)::uuid, 'USER', 'P', n || '@north.example', now() FROM generate_series(1, 2) n;
INSERT INTO person_names (tenant_id, principal_id, name) SELECT t.id, p.id, 'P' FROM tenants t, principals p WHERE p.type = 'USER';
INSERT INTO tenant_users (id, tenant_id, principal_id, role, created_by, created_at, last_modified_by, last_modified_at)
SELECT gen_random_uuid(), t.id, p.id, 'MEMBER', p.id, now(), p.id, now() FROM tenants t, principals p WHERE p.email = '1@north.example';
INSERT INTO item_definitions (id, process_definition_id, code) SELECT gen_random_uuid(), d.id, 'I' FROM process_definitions d;
INSERT INTO item_definition_grants (item_definition_id, permission, grantee_id)
SELECT i.id, 'CANDIDATE', p.id FROM item_definitions i, principals p WHERE p.email = '1@north.example';
INSERT INTO process_items (id, tenant_id, process_id, process_definition_id, type, item_definition_id, item_version, item_definition_code,
                           owner_id, task_state, claimed_at, created_by, created_at, last_modified_by, last_modified_at)
SELECT gen_random_uuid(), p.tenant_id, p.id, p.process_definition_id, 'TASK', i.id, i.id, 'I',
       CASE s.state WHEN 'CLAIMED' THEN u.id END, s.state, CASE s.state WHEN 'CLAIMED' THEN now() END, u.id, now(), u.id, now()
  FROM processes p
  JOIN item_definitions i ON i.process_definition_id = p.process_definition_id
  JOIN principals u ON u.email = '1@north.example',
       (VALUES ('CLAIMED'), ('READY')) s (state);
UPDATE process_items i SET owner_id = p.id
  FROM principals p WHERE p.email = '2@north.example' AND i.id IN (SELECT id FROM process_items WHERE task_state = 'CLAIMED' LIMIT 3);
ANALYZE;`

// Lists of administrators read few rows beyond the page.
func TestListsReadWhatTheyShow(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	url := pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	_, err = conn.Exec(t.Context(), seedLists, pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err)
	tenants := []uuid.UUID{uuid.MustParse("01970000-0000-7000-8000-00000000a111")}
	recorded := func(everywhere bool, filter events.Filter) func(*persistence.Reader) {
		return func(r *persistence.Reader) {
			found, err := events.ListRecords(t.Context(), r, persistence.AdministrationScope{Everywhere: everywhere, Tenants: tenants}, filter,
				events.Range{NewestFirst: true, Limit: 50})
			require.NoError(t, err)
			require.Len(t, found, 3)
		}
	}
	unowned := func(r *persistence.Reader) {
		found, err := r.ListUnownedWork(t.Context(), persistence.AdministrationScope{Tenants: tenants}, nil, domain.PageRequest{Size: 25}, 10_000)
		require.NoError(t, err)
		require.EqualValues(t, 3, found.Total)
	}
	inboxNews := func(r *persistence.Reader) {
		caller := domain.Caller{
			PrincipalID: uuid.MustParse("01970000-0000-7000-8000-0000000000b1"), Type: domain.PrincipalUser,
			Memberships: []domain.Membership{{TenantID: tenants[0]}},
		}
		count, err := r.CountInboxNews(t.Context(), caller, persistence.InboxFilter{View: domain.InboxToClaim}, domain.EventCursor{}, nil)
		require.NoError(t, err)
		require.Zero(t, count)
	}
	const (
		rows    = "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relname = $1"
		of      = "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_user_tables WHERE relname = ANY($1::text[])"
		probes  = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = $1"
		outside = "SELECT coalesce(toast_blks_hit, 0) + coalesce(toast_blks_read, 0) FROM pg_statio_user_tables WHERE relname = $1"
	)
	for name, c := range map[string]struct {
		counted, table string
		atMost         int64
		read           func(*persistence.Reader)
	}{
		"events of a rare type": {rows, "events_1", 10, recorded(false, events.Filter{Types: []domain.EventType{domain.EventSecretIssued}})},
		"and of all tenants":    {rows, "events_1", 10, recorded(true, events.Filter{Types: []domain.EventType{domain.EventSecretIssued}})},
		"about a rare kind":     {rows, "events_1", 10, recorded(false, events.Filter{ResourceKinds: []domain.EventResource{domain.ResourceSecret}})},
		"webhooks": {rows, "webhook_deliveries", 25 * 20, func(r *persistence.Reader) {
			found, err := webhooks.ListEndpoints(t.Context(), r, persistence.AdministrationScope{Tenants: tenants}, webhooks.EndpointFilter{},
				domain.PageRequest{Size: 25}, nil, time.Now())
			require.NoError(t, err)
			require.Len(t, found.Items, 25)
			require.EqualValues(t, 200, found.Total)
			require.EqualValues(t, 20, found.Items[0].Dead)
		}},
		"task queues": {probes, "processes_running", 10, func(r *persistence.Reader) {
			found, err := r.ListTaskQueues(t.Context(), persistence.AdministrationScope{Tenants: tenants}, persistence.TaskQueueFilter{},
				domain.PageRequest{Size: 5}, time.Now())
			require.NoError(t, err)
			require.Len(t, found.Items, 5)
			require.EqualValues(t, 100, found.Total)
		}},
		// Of 1,500 tasks to claim and 20,000 events.
		"news of an inbox":       {of, "{process_items,events_1,processes,item_definition_grants}", 600, inboxNews},
		"tasks without an owner": {rows, "process_items", 10, unowned},
		"manifests with words": {outside, "resources", 20, func(r *persistence.Reader) {
			err := r.ShowResources(t.Context(), persistence.AdministrationScope{Everywhere: true}, persistence.ResourceFilter{
				Kinds: []resource.Kind{resource.KindTenant}, Search: "nAME 77",
			}, domain.PageRequest{Size: 25}, nil, func(found *domain.Listing[resource.Stored]) error {
				require.EqualValues(t, 1, found.Total)
				return nil
			})
			require.NoError(t, err)
		}},
	} {
		counted := func() (n int64) {
			_, err := conn.Exec(t.Context(), "SELECT pg_stat_force_next_flush()")
			require.NoError(t, err)
			_, err = conn.Exec(t.Context(), "SELECT pg_stat_clear_snapshot()")
			require.NoError(t, err)
			require.NoError(t, conn.QueryRow(t.Context(), c.counted, c.table).Scan(&n))
			return n
		}
		before := counted()
		// Connections report their reads when they end.
		db := pgtest.Open(t, url)
		c.read(db.Reader())
		db.Close()
		require.Eventually(t, func() bool { return counted() > before }, time.Minute, 10*time.Millisecond, name)
		require.LessOrEqual(t, counted()-before, c.atMost, name)
	}
}
