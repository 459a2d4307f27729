package persistence_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/retention"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// changeManifest records an event of a change days ago, and the manifest that it replaced.
func (l *ledger) changeManifest(conn *pgx.Conn, tenant uuid.UUID, days int) {
	l.t.Helper()
	at, event := time.Now().AddDate(0, 0, -days), uuid.New()
	l.exec(conn, `INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, actor_id, occurred_at)
VALUES ($1, $2, 'RESOURCE.CHANGED', 'GROUP', $1, $1, $3)`, event, tenant, at)
	l.exec(conn, `INSERT INTO manifest_history (tenant_id, event_id, resource_id, kind, code, labels, spec, since, until)
VALUES ($1, $2, $2, 'Group', $3, '{}', '{}', $4::timestamptz - interval '1 year', $4)`, tenant, event, fmt.Sprint(days), at)
}

// requireHistory requires the ages of the manifests of a tenant, and the age from which on its history is complete.
func (l *ledger) requireHistory(conn *pgx.Conn, tenant uuid.UUID, complete string, ages ...string) {
	l.t.Helper()
	require.ElementsMatch(l.t, ages, collect(l.t, conn, `SELECT code FROM manifest_history WHERE tenant_id = $1`, tenant))
	require.Equal(l.t, complete, collect(l.t, conn,
		`SELECT coalesce(max(extract(day FROM now() - since)::integer::text), '') FROM manifest_history_starts WHERE tenant_id = $1`, tenant)[0])
}

// A manifest is kept as long as the event that replaced it: with rows that are removed for a tenant, and with partitions.
func TestManifestsAreRemovedWithTheirEvents(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(l *ledger, conn *pgx.Conn){
		"rows": func(l *ledger, _ *pgx.Conn) {
			_, err := retention.Remove(t.Context(), l.DB,
				retention.Turn{TenantID: l.tenant, Kind: domain.RetainEvents, Before: time.Now().AddDate(0, 0, -100)}, time.Now())
			require.NoError(t, err)
		},
		"partitions": func(l *ledger, conn *pgx.Conn) {
			l.exec(conn, `SELECT begin_event_partition()`)
			l.add(conn, l.tenant, 0)
			l.passAll(conn)
			dropped, err := retention.DropPartition(t.Context(), l.DB, time.Now().AddDate(0, 0, -100), time.Now())
			require.NoError(t, err)
			require.EqualValues(t, 1, dropped.Count)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger(t)
			conn, other := l.connect(l.url), uuid.New()
			for _, days := range []int{400, 300, 200} {
				l.changeManifest(conn, l.tenant, days)
			}
			if name == "rows" {
				l.changeManifest(conn, l.tenant, 90)
				l.changeManifest(conn, other, 400)
			}
			l.passAll(conn)
			l.requireHistory(conn, other, "", map[string][]string{"rows": {"400"}}[name]...)
			remove(l, conn)
			l.requireHistory(conn, l.tenant, "200", map[string][]string{"rows": {"90"}}[name]...)
			l.requireHistory(conn, other, "", map[string][]string{"rows": {"400"}}[name]...)
		})
	}
}

// The role of the service adds to the history, and erases the personal data of users in it.
func TestTheHistoryOfManifestsIsAppendOnly(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	l.changeManifest(l.connect(pgtest.AsService(t, l.url)), l.tenant, 1)
	conn := l.connect(pgtest.AsService(t, l.url))
	for _, sql := range []string{
		`UPDATE manifest_history SET spec = '{}'`,
		`DELETE FROM manifest_history`,
		`TRUNCATE manifest_history`,
		`INSERT INTO manifest_history_starts VALUES (gen_random_uuid(), now())`,
		`DELETE FROM manifest_history_starts`,
		`SELECT remove_old_manifests(gen_random_uuid(), now())`,
	} {
		requireDenied(t, conn, sql)
	}
	l.exec(conn, `SELECT erase_manifests(gen_random_uuid(), 'Erased', 'erased@erased.invalid')`)
}
