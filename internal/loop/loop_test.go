package loop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/internal/loop"
)

func TestLoopStepsAfterEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		advance := func(d time.Duration) {
			time.Sleep(d) //nolint:forbidigo // the clock is synctest's
			synctest.Wait()
		}
		var steps []time.Duration
		var received []int
		woken := 0
		results := make(chan int)
		l := loop.Loop[int]{
			Step: func(context.Context) time.Duration {
				steps = append(steps, time.Since(start))
				return time.Second
			},
			Wake: loop.NewSignal(), OnWake: func() { woken++ },
			Results: results, OnResult: func(r int) { received = append(received, r) },
			GatherTime:  func() time.Duration { return 10 * time.Millisecond },
			MinInterval: 100 * time.Millisecond,
		}
		ctx, cancel := context.WithCancel(t.Context())
		go l.Run(ctx)
		synctest.Wait()
		require.Len(t, steps, 1, "the first step is immediate")

		l.Wake.Wake()
		l.Wake.Wake()
		results <- 1
		advance(50 * time.Millisecond)
		require.Len(t, steps, 1, "the minimum interval is kept")
		require.Equal(t, []int{1}, received, "results are received meanwhile")

		advance(100 * time.Millisecond)
		require.Equal(t, 1, woken, "wake-ups are merged")

		advance(100 * time.Millisecond)
		results <- 2
		advance(5 * time.Millisecond)
		results <- 3
		advance(3 * time.Second)
		require.Equal(t, []int{1, 2, 3}, received)
		ms := time.Millisecond
		require.Equal(t, []time.Duration{0, 110 * ms, 260 * ms, 1270 * ms, 2280 * ms}, steps,
			"a wake-up, two results gathered, the pause twice")
		cancel()
		synctest.Wait()
	})
}

func TestLoopStopsWithContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	l := loop.Loop[struct{}]{Step: func(context.Context) time.Duration {
		if steps++; steps == 3 {
			cancel()
		}
		return 0
	}}
	l.Run(ctx)
	require.Equal(t, 3, steps)
}
