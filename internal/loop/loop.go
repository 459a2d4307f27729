// Package loop runs the service's pollers. A poller works at once, then whenever
// it is woken, whenever something that it began has a result, and after a pause
// at the latest.
package loop

import (
	"context"
	"time"
)

// Signal wakes one receiver. Several calls of Wake before it receives are one.
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

// Loop is a poller with results of type R. Fields that are nil or zero are not
// used. Its functions are called one at a time.
type Loop[R any] struct {
	// Step does what is due. It returns when to call it again unless something
	// happens before.
	Step func(ctx context.Context) (pause time.Duration)
	// Woken is called when Wake was received.
	Wake  Signal
	Woken func()
	// Note is called with each result.
	Results <-chan R
	Note    func(R)
	// Gather returns how long to wait for further results before Step is called, so
	// that one Step deals with many of them.
	Gather func() time.Duration
	// Rest is the least time between two calls of Step. Results are noted meanwhile.
	Rest time.Duration
}

// Run runs the loop until ctx ends.
func (l *Loop[R]) Run(ctx context.Context) {
	for ctx.Err() == nil {
		pause := l.Step(ctx)
		l.collect(ctx, l.Rest)
		l.await(ctx, pause-l.Rest)
		if l.Gather != nil {
			l.collect(ctx, l.Gather())
		}
	}
}

// await returns when something happens, after the pause at the latest.
func (l *Loop[R]) await(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-l.Wake:
		if l.Woken != nil {
			l.Woken()
		}
	case r := <-l.Results:
		l.Note(r)
	case <-timer.C:
	}
}

// collect notes the results of the time.
func (l *Loop[R]) collect(ctx context.Context, d time.Duration) {
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
			l.Note(r)
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
