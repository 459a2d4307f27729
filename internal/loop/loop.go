// Package loop runs background work: pollers that results and wake-ups cut short,
// and functions at intervals.
package loop

import (
	"context"
	"time"
)

// Signal wakes one receiver. Several calls of Wake before it receives are merged.
type Signal chan struct{}

// NewSignal returns a Signal.
func NewSignal() Signal { return make(Signal, 1) }

// Wake wakes the receiver. It never blocks.
func (s Signal) Wake() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// Loop is a poller with results of type R. Only Step is required. Its functions are
// called one at a time.
type Loop[R any] struct {
	// Step does the work that is due and returns the pause before the next call, which
	// a wake-up or a result ends.
	Step func(ctx context.Context) (pause time.Duration)
	// OnWake is called when Wake was received.
	Wake   Signal
	OnWake func()
	// OnResult is called with each result.
	Results  <-chan R
	OnResult func(R)
	// GatherTime returns how long to wait for further results before Step is called, so
	// that one Step handles many of them.
	GatherTime func() time.Duration
	// MinInterval is the minimum time between two calls of Step. Results are received
	// meanwhile.
	MinInterval time.Duration
}

// Run runs the loop, beginning with Step, until ctx ends.
func (l *Loop[R]) Run(ctx context.Context) {
	for ctx.Err() == nil {
		pause := l.Step(ctx)
		l.collectResults(ctx, l.MinInterval)
		l.waitForEvent(ctx, pause-l.MinInterval)
		if l.GatherTime != nil {
			l.collectResults(ctx, l.GatherTime())
		}
	}
}

// waitForEvent waits for a wake-up or a result, at most for the pause.
func (l *Loop[R]) waitForEvent(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-l.Wake:
		if l.OnWake != nil {
			l.OnWake()
		}
	case r := <-l.Results:
		l.OnResult(r)
	case <-timer.C:
	}
}

// collectResults receives results for the duration d.
func (l *Loop[R]) collectResults(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case r := <-l.Results:
			l.OnResult(r)
		case <-timer.C:
			return
		}
	}
}

// Every calls step every d until ctx ends, for the first time after d.
func Every(ctx context.Context, d time.Duration, step func()) {
	ticker := time.NewTicker(d)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			step()
		}
	}
}

// Sleep returns after d, or when ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
