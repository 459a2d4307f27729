package feed

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/test/kit/cputime"
)

// The cost of waking the subscriptions of a tenant does not depend on the subscriptions to others.
func TestWakeUpsCostAsMuchAsTheirTenant(t *testing.T) { //nolint:paralleltest // it measures time
	news := map[uuid.UUID]map[uuid.UUID]bool{uuid.New(): {uuid.New(): true}}
	cost := func(others int) float64 {
		h := NewHub(Options{})
		for tenant := range news {
			_, err := h.Subscribe(uuid.New(), []uuid.UUID{tenant})
			require.NoError(t, err)
		}
		for range others {
			_, err := h.Subscribe(uuid.New(), []uuid.UUID{uuid.New()})
			require.NoError(t, err)
		}
		return float64(cputime.Of(func() {
			for range 20_000 {
				h.wakeSubscriptions(news)
			}
		}))
	}
	few, many := cost(1), cost(20_000)
	t.Logf("20,000 wake-ups: %.1f ms with 1 other subscription, %.1f ms with 20,000", few/1e6, many/1e6)
	require.Less(t, many, 10*few)
}

// A subscription names the processes with news once, and none of them when there are too many.
func TestSubjectsOfNews(t *testing.T) {
	t.Parallel()
	h := NewHub(Options{})
	tenant, a, b := uuid.New(), uuid.New(), uuid.New()
	s, err := h.Subscribe(uuid.New(), []uuid.UUID{tenant})
	require.NoError(t, err)
	h.wakeSubscriptions(map[uuid.UUID]map[uuid.UUID]bool{tenant: {a: true}, uuid.New(): {uuid.New(): true}})
	h.wakeSubscriptions(map[uuid.UUID]map[uuid.UUID]bool{tenant: {b: true}})
	processes, complete := s.TakeSubjects()
	require.True(t, complete)
	require.Equal(t, map[uuid.UUID]bool{a: true, b: true}, processes)
	processes, complete = s.TakeSubjects()
	require.True(t, complete)
	require.Empty(t, processes)

	for range maxSubjects + 1 {
		h.wakeSubscriptions(map[uuid.UUID]map[uuid.UUID]bool{tenant: {uuid.New(): true}})
	}
	_, complete = s.TakeSubjects()
	require.False(t, complete)
	h.wakeSubscriptions(nil)
	_, complete = s.TakeSubjects()
	require.False(t, complete)
	s.Close()
	require.Empty(t, h.byTenant)
}
