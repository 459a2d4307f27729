package relay

import (
	"math/rand/v2"
	"time"
)

const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 10 * time.Second
	// While Temporal cannot be used, the circuit limits the attempts; a command's
	// own backoff would only make it late when Temporal is back.
	maxUnavailableBackoff = time.Second
)

// backoff returns how long a command waits after it has failed once more than attempts
// times. It doubles each time and varies by a fifth, so that commands that failed
// together are not retried together.
func backoff(attempts int, unavailable bool) time.Duration {
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
	// tripAfter is how many commands in a row must find Temporal unusable: one may
	// be unlucky.
	tripAfter = 3
	maxProbe  = time.Second
)

// circuit is the circuit breaker for calls to Temporal. While Temporal cannot be
// used, the circuit is open and one command at a time probes it.
type circuit struct {
	streak  int
	probeAt time.Time
	pause   time.Duration
}

func (c *circuit) open() bool { return c.streak >= tripAfter }

// note records the outcome of an attempt and reports whether the circuit has
// opened or closed.
func (c *circuit) note(unavailable bool, now time.Time) (changed bool) {
	before := c.open()
	if !unavailable {
		*c = circuit{}
		return before
	}
	c.streak++
	if !before && c.open() {
		c.probed(now)
	}
	return before != c.open()
}

// probed records that a command is under way as the probe.
func (c *circuit) probed(now time.Time) {
	c.pause = min(maxProbe, max(firstBackoff, 2*c.pause))
	c.probeAt = now.Add(c.pause)
}
