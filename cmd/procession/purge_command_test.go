package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/pgtest"
)

// The command removes exactly the rows that a dry run counts, of the selected tenants and kinds.
func TestPurge(t *testing.T) { //nolint:funlen // one story, of a database that is filled and purged
	t.Parallel()
	url := pgtest.URL(t)
	_, _, err := bootstrap(t, url, "--tenant", "north", "--email", "olga@north.example")
	require.NoError(t, err)
	for _, sql := range []string{
		`WITH made AS (INSERT INTO tenants (id, code, name, plan, namespace, created_by, created_at, last_modified_by, last_modified_at)
			SELECT gen_random_uuid(), 'south', 'South', 'FREE', 'south', p.id, now(), p.id, now() FROM principals p LIMIT 1 RETURNING 1)
			SELECT count(*) FROM made`,
		`WITH made AS (INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, actor_id, occurred_at)
			SELECT gen_random_uuid(), t.id, 'WORKER.REGISTERED', 'WORKER', t.id, t.id, now() - n * interval '1 day'
			  FROM tenants t, generate_series(1, 1500) n ORDER BY n DESC RETURNING 1) SELECT count(*) FROM made`,
		`WITH c AS (UPDATE webhook_cursor SET xid = '18446744073709551615' RETURNING 1),
			u AS (UPDATE counted_until SET xid = '18446744073709551615' RETURNING 1) SELECT count(*) FROM c, u`,
	} {
		require.Positive(t, countRows(t, url, sql))
	}
	purge := func(args ...string) ([]purgedLine, error) {
		var out bytes.Buffer
		err := run(t.Context(), append([]string{"purge", "--database-url", url, "-o", "json"}, args...), &out, &bytes.Buffer{})
		var lines []purgedLine
		if err == nil {
			require.NoError(t, json.Unmarshal(out.Bytes(), &lines))
		}
		return lines, err
	}
	left := func(tenant string) int {
		return countRows(t, url, `SELECT count(*) FROM events e JOIN tenants t ON t.id = e.tenant_id
			WHERE type = 'WORKER.REGISTERED' AND t.code = '`+tenant+`'`)
	}
	lines, err := purge("--dry-run")
	require.NoError(t, err)
	require.Len(t, lines, 4, "deliveries and incidents alone have a bound")
	for _, wrong := range [][]string{
		{"--before", "29d"},
		{"--before", "soon"},
		{"--kind", "nothing"},
		{"--kind", "processes", "--before", "23h"},
		{"--event-retention", "719h"},
		{"--delivery-retention", "721h"},
		{"--incident-retention", "23h"},
	} {
		_, err = purge(wrong...)
		require.Equal(t, exitUsage, exitCode(err), "%v: %v", wrong, err)
	}
	_, err = purge("--tenant", "west")
	require.ErrorContains(t, err, "not found")
	chosen := []string{"--event-retention", "2400h", "--kind", "events", "--tenant", "south"}
	announced, err := purge(append(chosen, "--dry-run")...)
	require.NoError(t, err)
	require.Equal(t, 1500, left("south"))
	require.EqualValues(t, 1401, announced[0].Count)
	done, err := purge(chosen...)
	require.NoError(t, err)
	require.Equal(t, [2]any{announced[0].Count, announced[0].OldestKept}, [2]any{done[0].Count, done[0].OldestKept})
	require.Equal(t, 99, left("south"))
	require.Equal(t, 1500, left("north"))
	_, err = purge("--before", "60d", "--tenant", "south")
	require.NoError(t, err)
	require.Equal(t, 59, left("south"))
	require.Equal(t, 2, countRows(t, url, `SELECT count(*) FROM events WHERE type = 'EVENTS.REMOVED'`))

	for _, dry := range []bool{true, false} {
		args := []string{"--before", "60d", "--kind", "events"}
		if dry {
			args = append(args, "--dry-run")
		}
		lines, err = purge(args...)
		require.NoError(t, err)
		require.Equal(t, [2]any{eventPartitions, int64(0)}, [2]any{lines[0].Kind, lines[0].Count}, "events are recorded in it")
	}
}
