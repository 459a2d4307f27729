package persistence_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/retention"
)

// seedIncidents stores n incidents of a tenant in a state, closed at a time, each with a comment.
const seedIncidents = `
WITH made AS (
    INSERT INTO incidents (id, tenant_id, engine_run_id, run_id, message, failure, state, created_at, resolved_at)
    SELECT gen_random_uuid(), $1, coalesce($5, gen_random_uuid()), 'run', 'no route', '', $2, now() - interval '400 days', $3
      FROM generate_series(1, $4)
    RETURNING *)
INSERT INTO incident_comments (id, tenant_id, incident_id, author_id, text, created_at)
SELECT gen_random_uuid(), m.tenant_id, m.id, m.tenant_id, 'the mail server is down', m.created_at FROM made m`

// Closed incidents are removed with their comments after their time, in parts of one transaction each.
func TestOldIncidentsAreRemoved(t *testing.T) {
	t.Parallel()
	l := newLedger(t)
	conn := l.connect(l.url)
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := conn.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	ago := func(days int) *time.Time { return new(time.Now().AddDate(0, 0, -days)) }
	exec(`SET session_replication_role = replica`)
	process, stuck := uuid.New(), uuid.New()
	exec(`INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, subject, initiator_id,
                       created_by, created_at, last_modified_by, last_modified_at)
VALUES ($1, $2, $2, $2, 'LOAN', 'RUNNING', 'P', $2, $2, now(), $2, now())`, process, l.tenant)
	exec(`INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, run_id, workflow_type, task_queue, state, created_at,
                         last_active_at, finding, finding_at)
VALUES ($1, $2, 'PROCESS', $3, 'n', 'w', 'run', 'W', 'Q', 'RUNNING', now(), now(), 'STUCK', now())`, stuck, l.tenant, process)
	for _, s := range []struct {
		tenant uuid.UUID
		state  domain.IncidentState
		closed *time.Time
		n      int
		run    *uuid.UUID
	}{
		{l.tenant, domain.IncidentRetried, ago(100), 250, nil},
		{l.tenant, domain.IncidentResolved, ago(91), 150, nil},
		{l.tenant, domain.IncidentDismissed, ago(300), 50, nil},
		// These stay.
		{l.tenant, domain.IncidentResolved, ago(89), 3, nil},
		{l.tenant, domain.IncidentOpen, nil, 4, nil},
		{l.tenant, domain.IncidentDismissed, ago(300), 1, &stuck},
		{uuid.New(), domain.IncidentResolved, ago(300), 5, nil},
	} {
		exec(seedIncidents, s.tenant, s.state, s.closed, s.n, s.run)
	}
	now := time.Now()
	turn := retention.Turn{TenantID: l.tenant, Kind: domain.RetainIncidents, Before: now.Add(-domain.IncidentRetention)}
	found, err := retention.Find(t.Context(), l.Reader(), turn)
	require.NoError(t, err)
	require.EqualValues(t, 450, found.Count)
	require.WithinDuration(t, *ago(89), *found.OldestKept, time.Minute)
	var parts []int64
	for done := false; !done; {
		part, err := retention.Remove(t.Context(), l.DB, turn, now)
		require.NoError(t, err)
		parts, done = append(parts, part.Removed), part.Done
	}
	require.Equal(t, []int64{200, 200, 50}, parts)
	require.Equal(t, []string{"DISMISSED 1 1", "OPEN 4 4", "RESOLVED 8 8"}, collect(t, conn, `
SELECT i.state || ' ' || count(DISTINCT i.id) || ' ' || count(c.id)
  FROM incidents i FULL JOIN incident_comments c ON c.incident_id = i.id GROUP BY i.state`))

	exec(`UPDATE processes SET state = 'COMPLETED' WHERE id = $1`, process)
	part, err := retention.Remove(t.Context(), l.DB, turn, now)
	require.NoError(t, err)
	require.EqualValues(t, 1, part.Removed, "the incident of a problem goes after the end of its process")
}
