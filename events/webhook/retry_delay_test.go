package webhook_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/events/webhook"
)

const middle = 0.5

func TestNextDelay(t *testing.T) {
	t.Parallel()
	want := []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	var total time.Duration
	for i, step := range want {
		delay, more := webhook.NextDelay(i+1, middle, 0)
		require.True(t, more)
		require.InDelta(t, step.Seconds(), delay.Seconds(), 0.001)
		total += delay

		shortest, _ := webhook.NextDelay(i+1, 0, 0)
		require.InDelta(t, 0.8*step.Seconds(), shortest.Seconds(), 0.001)
		longest, _ := webhook.NextDelay(i+1, 0.999999, 0)
		require.InDelta(t, 1.2*step.Seconds(), longest.Seconds(), 0.1)
	}
	require.Equal(t, 75*time.Hour+35*time.Minute+5*time.Second, total.Round(time.Second))
	require.Len(t, want, webhook.Attempts-1)
	for _, attempt := range []int{-1, 0, webhook.Attempts, webhook.Attempts + 1} {
		_, more := webhook.NextDelay(attempt, middle, time.Hour)
		require.False(t, more, attempt)
	}
}

func TestNextDelayHonoursRetryAfter(t *testing.T) {
	t.Parallel()
	for name, example := range map[string]struct{ retryAfter, want time.Duration }{
		"shorter than the step":   {time.Minute, 5 * time.Minute},
		"longer":                  {7 * time.Minute, 7 * time.Minute},
		"twice the step":          {10 * time.Minute, 10 * time.Minute},
		"longer than twice":       {11 * time.Minute, 10 * time.Minute},
		"the longest there is":    {1<<63 - 1, 10 * time.Minute},
		"before now, as a mishap": {-time.Hour, 5 * time.Minute},
	} {
		delay, more := webhook.NextDelay(2, middle, example.retryAfter)
		require.True(t, more, name)
		require.Equal(t, example.want, delay.Round(time.Millisecond), name)
	}
}
