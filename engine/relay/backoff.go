package relay

import (
	"math/rand/v2"
	"time"
)

const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 10 * time.Second
	// While a cluster is unavailable, its circuit limits the attempts. A longer backoff
	// of a command would only delay it once Temporal is available again.
	maxUnavailableBackoff = time.Second
)

// retryDelay returns the backoff of a command after attempts earlier failures and one
// more. It doubles each time and varies by a fifth, so that commands that failed
// together are not retried together.
func retryDelay(attempts int, unavailable bool) time.Duration {
	limit := maxBackoff
	if unavailable {
		limit = maxUnavailableBackoff
	}
	pause := limit
	if attempts < 10 {
		pause = min(limit, firstBackoff<<attempts)
	}
	return pause - time.Duration(rand.Int64N(int64(pause)/5)) //nolint:gosec // nothing secret
}

const (
	// tripAfter is the number of consecutive failures that open the circuit.
	tripAfter = 3
	maxProbe  = time.Second
)

// circuit is the circuit breaker for calls to a cluster of Temporal. While it is open, one command
// at a time probes Temporal.
type circuit struct {
	failures int
	probeAt  time.Time
	pause    time.Duration
}

func (c *circuit) isOpen() bool { return c.failures >= tripAfter }

// recordAttempt records an outcome and reports whether the circuit has opened or
// closed.
func (c *circuit) recordAttempt(unavailable bool, now time.Time) (changed bool) {
	before := c.isOpen()
	if !unavailable {
		*c = circuit{}
		return before
	}
	c.failures++
	if !before && c.isOpen() {
		c.startProbe(now)
	}
	return before != c.isOpen()
}

// cluster is a cluster of Temporal: its circuit, and its claimed commands without a result.
type cluster struct {
	circuit

	pending int
}

// startProbe records that a command probes Temporal, or that none is due, and sets the
// time of the next probe.
func (c *circuit) startProbe(now time.Time) {
	c.pause = min(maxProbe, max(firstBackoff, 2*c.pause))
	c.probeAt = now.Add(c.pause)
}
