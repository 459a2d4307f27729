package persistence_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

func TestAnIdentityThatIsOnlineIsNotTakenOver(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.lists(t, q.tenant, q.runner, "mine")
	q.lists(t, q.tenant, q.rival, "yours")
	q.registerAs(t, "1@host", q.tenant, q.runner, "mine")
	q.now = q.now.Add(domain.WorkerOfflineAfter)
	got := q.registration(t, "1@host", q.tenant, q.rival, "yours")
	require.Equal(t, persistence.WorkerRegistration{Worker: true, Servable: true}, got)
	q.now = q.now.Add(time.Millisecond)
	got = q.registration(t, "1@host", q.tenant, q.rival, "yours")
	require.Equal(t, persistence.WorkerRegistration{Worker: true, Servable: true, Stored: true}, got)
	require.False(t, q.registration(t, "1@host", q.tenant, q.runner, "mine").Stored)
}

func TestOneOfTwoApplicationsGetsAnIdentity(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.lists(t, q.tenant, q.runner, "queue")
	q.lists(t, q.tenant, q.rival, "queue")
	stored := make(chan bool, 2)
	var both sync.WaitGroup
	for _, principal := range []uuid.UUID{q.runner, q.rival} {
		both.Go(func() { stored <- q.registration(t, "1@host", q.tenant, principal, "queue").Stored })
	}
	both.Wait()
	first, second := <-stored, <-stored
	require.NotEqual(t, first, second)
}

func TestRegistrationsOfAPrincipalAreBounded(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.lists(t, q.tenant, q.runner, "queue", "another")
	q.lists(t, q.tenant, q.rival, "queue")
	var group sync.WaitGroup
	crowded := make(chan bool, 3*q.maxWorkers)
	for i := range 3 * q.maxWorkers {
		group.Go(func() {
			crowded <- q.registration(t, fmt.Sprint("worker-", i), q.tenant, q.runner, "queue").Crowded
		})
	}
	group.Wait()
	rejections := 0
	for range 3 * q.maxWorkers {
		if <-crowded {
			rejections++
		}
	}
	require.Equal(t, 2*q.maxWorkers, rejections)
	workers := func() []domain.RegisteredWorker {
		page, err := q.db.Reader().ListWorkers(t.Context(), everywhere(), persistence.WorkerFilter{}, q.now,
			domain.PageRequest{Size: 100}, nil)
		require.NoError(t, err)
		return page.Items
	}
	first := workers()
	require.Len(t, first, q.maxWorkers)
	// Registered workers continue, and workers of other principals are not limited.
	q.registerAs(t, first[0].Identity, q.tenant, q.runner, "queue", "another")
	q.registerAs(t, "of another", q.tenant, q.rival, "queue")

	// Workers that are offline make room; the one seen last is replaced last.
	q.now = q.now.Add(domain.WorkerOfflineAfter / 2)
	q.registerAs(t, first[0].Identity, q.tenant, q.runner, "queue")
	q.now = q.now.Add(domain.WorkerOfflineAfter/2 + time.Second)
	for i := range 2 * q.maxWorkers {
		q.registration(t, fmt.Sprint("next-", i), q.tenant, q.runner, "queue")
	}
	left := map[string]bool{}
	for _, w := range workers() {
		left[w.Identity] = true
	}
	require.Len(t, left, q.maxWorkers+1)
	require.True(t, left[first[0].Identity])
	require.True(t, left["of another"])
}

func TestExpireRegistrations(t *testing.T) {
	t.Parallel()
	q := newQueueOwners(t)
	q.lists(t, q.tenant, q.runner, "P", "Q")
	q.registerAs(t, "gone", q.tenant, q.runner, "P", "Q")
	q.registerAs(t, "stays", q.tenant, q.runner, "P", "Q")
	q.now = q.now.Add(7 * 24 * time.Hour)
	q.registerAs(t, "stays", q.tenant, q.runner, "P")
	expire := func() int {
		deleted, err := q.db.ExpireRegistrations(t.Context(), q.now, 10)
		require.NoError(t, err)
		return deleted
	}
	require.Zero(t, expire())
	q.now = q.now.Add(time.Second)
	require.Equal(t, 2, expire(), "a worker with its queues, and a queue of another")
	require.Zero(t, expire())
	page, err := q.db.Reader().ListWorkers(t.Context(), everywhere(), persistence.WorkerFilter{}, q.now,
		domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	require.Equal(t, "stays", page.Items[0].Identity)
	require.Len(t, page.Items[0].Queues, 1)
}
