package loop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/internal/loop"
)

func TestLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		advance := func(d time.Duration) {
			time.Sleep(d) //nolint:forbidigo // the clock is synctest's
			synctest.Wait()
		}
		var steps []time.Duration
		var noted []int
		woken := 0
		results := make(chan int)
		l := loop.Loop[int]{
			Step: func(context.Context) time.Duration {
				steps = append(steps, time.Since(begin))
				return time.Second
			},
			Wake: loop.NewSignal(), Woken: func() { woken++ },
			Results: results, Note: func(r int) { noted = append(noted, r) },
			Gather: func() time.Duration { return 10 * time.Millisecond },
			Rest:   100 * time.Millisecond,
		}
		ctx, cancel := context.WithCancel(t.Context())
		go l.Run(ctx)
		synctest.Wait()
		require.Len(t, steps, 1, "the first step is at once")

		l.Wake.Wake()
		l.Wake.Wake()
		results <- 1
		advance(50 * time.Millisecond)
		require.Len(t, steps, 1, "it rests")
		require.Equal(t, []int{1}, noted, "results are noted meanwhile")

		advance(100 * time.Millisecond)
		require.Equal(t, 1, woken, "wake-ups become one")

		advance(100 * time.Millisecond)
		results <- 2
		advance(5 * time.Millisecond)
		results <- 3
		advance(3 * time.Second)
		require.Equal(t, []int{1, 2, 3}, noted)
		ms := time.Millisecond
		require.Equal(t, []time.Duration{0, 110 * ms, 260 * ms, 1270 * ms, 2280 * ms}, steps,
			"a wake-up, two results gathered, the pause twice")
		cancel()
		synctest.Wait()
	})
}

func TestLoopEndsWithItsContext(t *testing.T) {
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
