// Package storetest tests implementations of access.Store.
package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/temporal-server/access"
)

// Run tests an empty store.
func Run(t *testing.T, store access.Store) {
	t.Helper()
	ctx, now := t.Context(), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	key, err := store.SealKey(ctx)
	require.NoError(t, err)
	require.Len(t, key, access.SealKeyBytes)
	again, err := store.SealKey(ctx)
	require.NoError(t, err)
	require.Equal(t, key, again)

	claim := func(namespace, queue, subject string, at time.Time) string {
		owner, err := store.Claim(ctx, access.Claim{Namespace: namespace, Queue: queue, Subject: subject, At: at}, 3)
		require.NoError(t, err)
		return owner
	}
	_, known, err := store.Owner(ctx, "alpha", "s1")
	require.NoError(t, err)
	require.False(t, known)
	require.Equal(t, "a", claim("alpha", "s1", "a", now))
	require.Equal(t, "a", claim("alpha", "s1", "b", now))
	require.Equal(t, "b", claim("beta", "s1", "b", now), "queues of another namespace are others")
	owner, known, err := store.Owner(ctx, "alpha", "s1")
	require.NoError(t, err)
	require.True(t, known)
	require.Equal(t, "a", owner)

	require.Empty(t, claim("alpha", "s1", "", now), "a normal queue")
	require.Empty(t, claim("alpha", "s1", "a", now))
	require.Empty(t, claim("alpha", "s1", "", now))

	for i := range 3 {
		require.Equal(t, "c", claim("alpha", fmt.Sprint("c", i), "c", now.Add(-time.Hour)))
	}
	_, err = store.Claim(ctx, access.Claim{Namespace: "alpha", Queue: "c3", Subject: "c", At: now}, 3)
	require.ErrorIs(t, err, access.ErrTooManyQueues)
	require.Equal(t, "c", claim("alpha", "c0", "c", now), "one it has already")
	require.Equal(t, "c", claim("alpha", "c1", "b", now), "another's claim renews nothing")
	require.NoError(t, store.Forget(ctx, now.Add(-time.Minute)))
	require.Equal(t, "c", claim("alpha", "c0", "b", now))
	require.Equal(t, "b", claim("alpha", "c1", "b", now), "forgotten")
	require.Equal(t, "c", claim("alpha", "c3", "c", now), "those forgotten no longer count")

	testConcurrentClaims(t, store, now)
}

// testConcurrentClaims requires that concurrent claims of one queue return the same owner.
func testConcurrentClaims(t *testing.T, store access.Store, now time.Time) {
	t.Helper()
	owners := make([]string, 16)
	var done sync.WaitGroup
	for i := range owners {
		done.Go(func() {
			owners[i], _ = store.Claim(t.Context(), access.Claim{Namespace: "alpha", Queue: "race", Subject: fmt.Sprint("s", i), At: now}, 3)
		})
	}
	done.Wait()
	for _, owner := range owners {
		require.NotEmpty(t, owner)
		require.Equal(t, owners[0], owner)
	}
}
