// Package storetest tests implementations of access.Store.
package storetest

import (
	"errors"
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

	testTakenQueue(t, store, now)
	testConcurrentClaims(t, store, now)
	testConcurrentForgetting(t, store, now)
}

// testTakenQueue requires that a queue that became a normal one no longer counts.
func testTakenQueue(t *testing.T, store access.Store, now time.Time) {
	t.Helper()
	claim := func(queue, subject string) (string, error) {
		return store.Claim(t.Context(), access.Claim{Namespace: "gamma", Queue: queue, Subject: subject, At: now}, 2)
	}
	for _, step := range []struct{ queue, subject, owner string }{
		{"q1", "d", "d"}, {"q2", "d", "d"}, {"q2", "", ""}, {"q3", "d", "d"}, {"q2", "d", ""},
	} {
		owner, err := claim(step.queue, step.subject)
		require.NoError(t, err, "%v", step)
		require.Equal(t, step.owner, owner, "%v", step)
	}
	_, err := claim("q4", "d")
	require.ErrorIs(t, err, access.ErrTooManyQueues)
	_, err = claim("q4", "d")
	require.ErrorIs(t, err, access.ErrTooManyQueues, "a refused claim leaves nothing behind")
}

// testConcurrentForgetting requires that renewed queues are kept while frontends forget others, and that those forgotten can be claimed again.
func testConcurrentForgetting(t *testing.T, store access.Store, now time.Time) {
	t.Helper()
	claim := func(queue string, at time.Time) error {
		_, err := store.Claim(t.Context(), access.Claim{Namespace: "delta", Queue: queue, Subject: "e", At: at}, 50)
		return err
	}
	for i := range 20 {
		require.NoError(t, claim(fmt.Sprint("old", i), now.Add(-3*time.Hour)))
		require.NoError(t, claim(fmt.Sprint("renewed", i), now.Add(-3*time.Hour)))
	}
	var done sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		done.Go(func() {
			if i%2 == 0 {
				errs[i] = store.Forget(t.Context(), now.Add(-2*time.Hour))
				return
			}
			for q := range 20 {
				errs[i] = errors.Join(errs[i], claim(fmt.Sprint("renewed", q), now))
			}
		})
	}
	done.Wait()
	require.NoError(t, errors.Join(errs...))
	require.NoError(t, store.Forget(t.Context(), now.Add(-2*time.Hour)))
	for i := range 20 {
		_, known, err := store.Owner(t.Context(), "delta", fmt.Sprint("old", i))
		require.NoError(t, err)
		require.False(t, known)
		_, known, err = store.Owner(t.Context(), "delta", fmt.Sprint("renewed", i))
		require.NoError(t, err)
		require.True(t, known)
	}
	for i := range 30 {
		require.NoError(t, claim(fmt.Sprint("new", i), now), "those forgotten no longer count")
	}
	require.ErrorIs(t, claim("beyond", now), access.ErrTooManyQueues)
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
