package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/domain"
)

// listTexts returns the first column of the result of a query.
func (q queueOwners) listTexts(t *testing.T, sql string) []string {
	t.Helper()
	conn := connect(t, q.url)
	rows, err := conn.Query(t.Context(), sql)
	require.NoError(t, err)
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return texts
}

// An outage of a needed queue is recorded once, after the grace time and by one replica, and so is its end.
func TestQueueOutagesAreRecordedOnce(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.publishSpec(t, uuid.New(), 1, "LOANS", `{}`, domain.ProcessRunning)
	q.lists(t, q.tenant, q.runner, "FREE")
	q.register(t, q.tenant, q.runner, "FREE")
	limits := domain.DefaultTaskQueueTimeouts()
	observe := func(after, poll time.Duration) []string {
		q.now = q.now.Add(after)
		require.NoError(t, q.db.MatchTaskQueues(t.Context(), q.now))
		for _, queue := range []string{"LOANS", "FREE"} {
			seen := domain.TaskQueueObservation{ObservedAt: q.now}
			if poll >= 0 {
				seen.Pollers = []domain.Poller{{Identity: "w", Kind: domain.TaskKindWorkflow, LastAccessAt: q.now.Add(-poll)}}
			}
			require.NoError(t, q.db.PutObservations(t.Context(), []domain.SeenTaskQueue{{
				DueTaskQueue: domain.DueTaskQueue{TenantID: q.tenant, TaskQueue: queue}, Observation: seen,
			}}))
		}
		var replicas errgroup.Group
		for range 4 {
			replicas.Go(func() error { return q.db.RecordQueueOutages(t.Context(), limits, 2*time.Minute, q.now) })
		}
		require.NoError(t, replicas.Wait())
		return q.listTexts(t, `SELECT type || ' ' || (details ->> 'taskQueue') FROM events WHERE type LIKE 'QUEUE.%' ORDER BY occurred_at`)
	}
	require.Empty(t, observe(0, time.Second))
	require.Empty(t, observe(time.Minute, -1), "the outage begins")
	require.Empty(t, observe(time.Minute, -1))
	const unserved, served = "QUEUE.UNSERVED LOANS", "QUEUE.SERVED LOANS"
	require.Equal(t, []string{unserved}, observe(time.Minute, limits.Poll+time.Second))
	require.Equal(t, []string{unserved}, observe(time.Minute, -1))
	require.Equal(t, []string{unserved, served}, observe(time.Minute, time.Second))
	require.Equal(t, []string{unserved, served}, observe(time.Minute, -1))
	require.Equal(t, []string{unserved, served}, observe(time.Minute, time.Second), "an outage below the grace time is not recorded")
	require.Equal(t, []string{unserved, served}, observe(time.Hour, -1))
	require.Equal(t, []string{unserved, served, unserved}, observe(2*time.Minute, -1))
	q.now = q.now.Add(time.Hour)
	require.NoError(t, q.db.RecordQueueOutages(t.Context(), limits, 0, q.now), "without observations nothing changes")
	require.Len(t, observe(0, -1), 3)
}

func TestCertificatesAreRecordedOnce(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	tenants := q.listTexts(t, `SELECT id::text FROM tenants`)
	record := func(expires, now time.Time) []string {
		var replicas errgroup.Group
		for range 4 {
			replicas.Go(func() error {
				return q.db.RecordCertificate(t.Context(), domain.Certificate{Name: domain.CertificateTemporal, ExpiresAt: expires}, now)
			})
		}
		require.NoError(t, replicas.Wait())
		return q.listTexts(t, `SELECT min(type) || ' ' || count(*) FROM events WHERE type LIKE 'CERTIFICATE.%'
			GROUP BY type, occurred_at ORDER BY occurred_at`)
	}
	const day = 24 * time.Hour
	expiring, renewed := "CERTIFICATE.EXPIRING 2", "CERTIFICATE.RENEWED 2"
	require.Len(t, tenants, 2)
	old := q.now.Add(60 * day)
	require.Empty(t, record(old, q.now))
	want := []string{expiring}
	require.Equal(t, want, record(old, q.now.Add(31*day)))
	require.Equal(t, want, record(old, q.now.Add(40*day)))
	want = append(want, expiring)
	require.Equal(t, want, record(old, q.now.Add(54*day)))
	want = append(want, expiring)
	require.Equal(t, want, record(old, q.now.Add(59*day)))
	require.Equal(t, want, record(old, q.now.Add(61*day)))
	want = append(want, renewed)
	fresh := q.now.Add(400 * day)
	require.Equal(t, want, record(fresh, q.now.Add(62*day)))
	require.Equal(t, want, record(old, q.now.Add(62*day)), "a replica that has not reloaded it changes nothing")
	require.Equal(t, want, record(fresh, q.now.Add(62*day)))
}
