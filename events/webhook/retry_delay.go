package webhook

import "time"

// Attempts is the number of attempts to deliver an event to an endpoint.
const Attempts = 10

// NextDelay returns the delay after the given failed attempt, counted from 1, or
// false when it was the last: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and
// 24 h, 75 h 35 min 5 s in all.
//
// Jitter is a random number from 0 up to 1; it changes the delay by up to a fifth
// either way, so that deliveries that failed together are not retried together.
// RetryAfter is the delay that the receiver asked for, or 0: it can make the
// delay longer, up to twice the step, and never shorter.
//
// The result depends on the arguments alone, so that a workflow may call it.
func NextDelay(attempt int, jitter float64, retryAfter time.Duration) (time.Duration, bool) {
	steps := [Attempts - 1]time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour,
		5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	if attempt < 1 || attempt > len(steps) {
		return 0, false
	}
	const spread = 0.2
	step := steps[attempt-1]
	delay := time.Duration(float64(step) * (1 - spread + 2*spread*jitter))
	return max(delay, min(retryAfter, 2*step)), true
}
