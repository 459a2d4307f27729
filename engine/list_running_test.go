package engine_test

import (
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/engine"
)

// strangeID returns a random id of a workflow, of characters with a meaning in queries, strings of Go, or patterns. Temporal's SDK allows
// printable ASCII. Without quotation marks and backslashes, which lists in PostgreSQL and SQLite do not find.
func strangeID(random *rand.Rand) string {
	parts := []string{
		"'", "`", "*", "?", "%", "_", "(", ")", ",", ";", " ", " AND ", " OR ", "--", "{}", "[]", "^", "~", ":", "/", "+",
		"a", "B", "0",
	}
	// Temporal loses apostrophes at both ends.
	id := "i"
	for range 1 + random.IntN(12) {
		id += parts[random.IntN(len(parts))]
	}
	return id + "d"
}

// A list of running workflows finds exactly the workflows with the ids.
func TestListRunningFindsEveryID(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var ids []string
	for range 20 {
		ids = append(ids, strangeID(random))
	}
	for _, id := range ids {
		_, err := b.client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: "unpolled"}, "sleeper")
		require.NoError(t, err, "%q", id)
	}
	list := func(wanted ...string) (running map[string]bool) {
		require.Eventually(t, func() bool {
			var err error
			running, err = b.ListRunning(t.Context(), namespace, wanted)
			require.True(t, err == nil || engine.RateLimited(err), "%q: %v", wanted, err)
			return err == nil
		}, time.Minute, 100*time.Millisecond)
		return running
	}
	distinct := map[string]bool{}
	for _, id := range ids {
		distinct[id] = true
	}
	require.Eventually(t, func() bool { return maps.Equal(distinct, list(ids...)) }, time.Minute, 250*time.Millisecond)
	for _, id := range ids[:3] {
		require.Equal(t, map[string]bool{id: true}, list(id))
	}
}
