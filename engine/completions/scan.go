package completions

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
)

const (
	// Temporal lists a workflow some time after it has ended, and not in order.
	// Looks go back by nearOverlap, those of busy namespaces between two full looks
	// by shortOverlap, and some looks by farOverlap. The sweep finds what is listed
	// even later.
	shortOverlap = time.Second
	nearOverlap  = 2 * time.Second
	farOverlap   = 30 * time.Second
	farEvery     = 10 * time.Second
	// fullEvery is the time between two looks for workflows that did not return, in
	// a namespace that is busy. Elsewhere it is that of quietLooks looks, and fullEvery
	// at least.
	fullEvery  = 2 * time.Second
	quietLooks = 6

	// The sweep checks runs without news for a while, a limited number at a time: every quietSweepEvery, and where
	// namespaces that are not busy are looked at seldom every quietSweeps looks. Looks at a busy namespace wait for
	// it, so there it takes a tenth of the time ten times as often.
	// It describes those that Temporal does not list as running, and one in
	// describeOne of the others, so that a wrong list hides no end for good.
	busySweepEvery  = 6 * time.Second
	busySweepSize   = 50
	quietSweepEvery = time.Minute
	quietSweepSize  = 500
	quietSweeps     = 10
	sweepAge        = time.Minute
	describeOne     = 50

	// clocks is how far the clocks of Temporal and of PostgreSQL may be apart.
	clocks = time.Minute
)

// look is one look at a namespace.
type look struct {
	persistence.LookDone

	observer *Observer
	began    time.Time
	// pause is the time between two looks at a namespace that is not busy.
	pause time.Duration
}

// run looks and returns the outcome. After a fault the next look goes back as far
// as this one did.
func (l *look) run(ctx context.Context) persistence.LookDone {
	before := l.DueLook
	err := l.list(ctx)
	if err != nil {
		l.ClosedAt, l.EndsAt, l.FullAt, l.FarAt = before.ClosedAt, before.EndsAt, before.FullAt, before.FarAt
	}
	if fault := l.sweepIfDue(ctx); err == nil {
		err = fault
	}
	switch {
	case ctx.Err() != nil:
		l.RetryAt = l.began
	case engine.RateLimited(err):
		l.RetryAt = l.observer.o.Clock().Add(limitInterval)
	case err != nil:
		l.RetryAt = l.observer.o.Clock().Add(faultInterval)
		if engine.NamespaceMissing(err) {
			l.observer.o.Missing(l.Namespace)
		}
		l.observer.o.Logger.WarnContext(ctx, "observing the ends of workflows failed",
			slog.String("namespace", l.Namespace), slog.Any("error", err))
	}
	return l.LookDone
}

// list records the workflows that ended since the look before, and raises what was
// seen if all were recorded.
func (l *look) list(ctx context.Context) error {
	if err := l.skipOlder(ctx); err != nil {
		return err
	}
	far := l.began.Sub(l.FarAt) >= farEvery
	full := l.Busy && far || l.began.Sub(l.FullAt) >= l.fullEvery()
	overlap := nearOverlap
	switch {
	case far:
		overlap, l.FarAt = farOverlap, l.began
	case l.Busy && !full:
		overlap = shortOverlap
	}
	latest, fault := l.listKind(ctx, engine.EndCompleted, l.ClosedAt.Add(-overlap))
	if full {
		if !l.Busy {
			// The far look may have been one of those in between.
			overlap = farOverlap
		}
		l.FullAt = l.began
		for _, kind := range engine.OtherEnds() {
			last, err := l.listKind(ctx, kind, l.EndsAt.Add(-overlap))
			latest, fault = later(latest, last), errors.Join(fault, err)
		}
	}
	l.ClosedAt = later(l.ClosedAt, latest)
	if full {
		l.EndsAt = l.ClosedAt
	}
	return fault
}

// skipOlder makes the first look at a namespace begin at the start of the oldest open run. Temporal may retain millions
// of workflows that ended before it.
func (l *look) skipOlder(ctx context.Context) error {
	if l.ClosedAt.Unix() > 0 {
		return nil
	}
	oldest, err := l.observer.o.DB.Reader().OldestRun(ctx, l.Namespace)
	if err == nil && oldest != nil {
		l.ClosedAt, l.EndsAt = oldest.Add(-clocks), oldest.Add(-clocks)
	}
	return err
}

// fullEvery returns the time between two looks for all ends.
func (l *look) fullEvery() time.Duration {
	if l.Busy {
		return fullEvery
	}
	return max(fullEvery, quietLooks*l.pause)
}

// sweeps returns the time between two sweeps, and how many runs one checks.
func (l *look) sweeps() (every time.Duration, size int) {
	if l.Busy {
		return busySweepEvery, busySweepSize
	}
	return max(quietSweepEvery, quietSweeps*l.pause), quietSweepSize
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// listKind records the ends of one kind since a time, the latest first, and returns
// the latest.
func (l *look) listKind(ctx context.Context, kind engine.EndKind, since time.Time) (latest time.Time, fault error) {
	var token []byte
	for {
		// A long list must not hold up the sweep.
		fault = errors.Join(fault, l.sweepIfDue(ctx))
		page, next, err := l.observer.o.Engine.ListClosed(ctx, l.Namespace, kind, token)
		if err != nil {
			return latest, errors.Join(fault, err)
		}
		fresh := page
		for i := range page {
			latest = later(latest, page[i].ClosedAt)
			if page[i].ClosedAt.Before(since) {
				fresh, next = page[:i], nil
				break
			}
		}
		// A failure to record one page must not hold up later pages.
		fault = errors.Join(fault, l.record(ctx, fresh))
		if len(next) == 0 {
			return latest, fault
		}
		token = next
	}
}

// sweepIfDue checks the next runs without news for long, so that no process stays
// open because an end was not listed in time.
func (l *look) sweepIfDue(ctx context.Context) error {
	every, size := l.sweeps()
	if l.began.Sub(l.SweptAt) < every {
		return nil
	}
	l.SweptAt = l.began
	runs, err := l.observer.o.DB.Reader().ListQuietRuns(ctx, l.Namespace, l.began.Add(-sweepAge), l.SweepAfter, size)
	if err != nil {
		return err
	}
	ids := make([]string, len(runs))
	for i := range runs {
		ids[i] = runs[i].WorkflowID
	}
	running, err := l.observer.o.Engine.ListRunning(ctx, l.Namespace, ids)
	if err != nil {
		return err
	}
	l.SweepAfter = uuid.Nil
	if len(runs) == size {
		l.SweepAfter = runs[size-1].ID
	}
	var suspect []domain.EngineRun
	for _, r := range runs {
		if !running[r.WorkflowID] || rand.IntN(describeOne) == 0 { //nolint:gosec // which of them does not matter
			suspect = append(suspect, r)
		}
	}
	return l.recordAll(ctx, suspect)
}
