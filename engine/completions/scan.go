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
	// Temporal lists a workflow some time after its end, and not in order of the ends.
	// Each scan therefore rereads the ends of an overlap: mediumOverlap, shortOverlap in
	// active namespaces between two full scans, and wideOverlap every wideScanInterval.
	// The sweep finds later entries.
	shortOverlap     = time.Second
	mediumOverlap    = 2 * time.Second
	wideOverlap      = 30 * time.Second
	wideScanInterval = 10 * time.Second
	// minFullScanInterval is the time between two full scans, for all kinds of ends, of
	// an active namespace. In idle namespaces, one scan of scansPerFullScan is full.
	minFullScanInterval = 2 * time.Second
	scansPerFullScan    = 6

	// The sweep checks a limited number of runs without news for sweepAge: every
	// idleSweepInterval, or every scansPerSweep scans of rarely scanned namespaces.
	// Because it delays the scan, a sweep of an active namespace checks a tenth of the
	// runs ten times as often. The sweep describes the runs that Temporal does not list
	// as running, and one in describeShare of the others in case the list is wrong.
	activeSweepInterval = 6 * time.Second
	activeSweepSize     = 50
	idleSweepInterval   = time.Minute
	idleSweepSize       = 500
	scansPerSweep       = 10
	sweepAge            = time.Minute
	describeShare       = 50

	// maxClockSkew is the assumed maximum difference between the clocks of Temporal and
	// PostgreSQL.
	maxClockSkew = time.Minute
)

// scan is one scan of a namespace.
type scan struct {
	persistence.ScanResult

	observer *Observer
	began    time.Time
	// idleInterval is the time between two scans of an idle namespace.
	idleInterval time.Duration
}

// run executes the scan and returns its outcome. After a fault the next scan starts
// at the same time as this one.
func (s *scan) run(ctx context.Context) persistence.ScanResult {
	before := s.DueScan
	err := s.listEnds(ctx)
	if err != nil {
		s.ClosedAt, s.EndsAt, s.FullAt, s.WideAt = before.ClosedAt, before.EndsAt, before.FullAt, before.WideAt
	}
	if fault := s.sweepIfDue(ctx); err == nil {
		err = fault
	}
	if err == nil && s.FullAt.Equal(s.began) {
		err = s.inspectWorkflows(ctx)
	}
	switch {
	case ctx.Err() != nil:
		s.RetryAt = s.began
	case engine.RateLimited(err):
		s.RetryAt = s.observer.o.Clock().Add(rateLimitPause)
	case err != nil:
		s.Failed = true
		s.RetryAt = s.observer.o.Clock().Add(faultPause)
		if engine.NamespaceMissing(err) {
			s.observer.o.Missing(s.Namespace)
		}
		s.observer.o.Logger.WarnContext(ctx, "observing the ends of workflows failed",
			slog.String("namespace", s.Namespace), slog.Any("error", err))
	}
	return s.ScanResult
}

// listEnds records the ends since the previous scan, and advances the watermarks if
// all were recorded.
func (s *scan) listEnds(ctx context.Context) error {
	if err := s.skipOldEnds(ctx); err != nil {
		return err
	}
	wide := s.began.Sub(s.WideAt) >= wideScanInterval
	full := s.Active && wide || s.began.Sub(s.FullAt) >= s.fullScanInterval()
	overlap := mediumOverlap
	switch {
	case wide:
		overlap, s.WideAt = wideOverlap, s.began
	case s.Active && !full:
		overlap = shortOverlap
	}
	latest, fault := s.listEndsOfKind(ctx, engine.EndCompleted, s.ClosedAt.Add(-overlap))
	if full {
		if !s.Active {
			// The last wide scan may not have been a full one.
			overlap = wideOverlap
		}
		s.FullAt = s.began
		for _, kind := range engine.OtherEnds() {
			last, err := s.listEndsOfKind(ctx, kind, s.EndsAt.Add(-overlap))
			latest, fault = maxTime(latest, last), errors.Join(fault, err)
		}
	}
	s.ClosedAt = maxTime(s.ClosedAt, latest)
	if full {
		s.EndsAt = s.ClosedAt
	}
	return fault
}

// skipOldEnds limits the first scan of a namespace to ends after the start of the
// oldest open run. Temporal may retain millions of earlier ones.
func (s *scan) skipOldEnds(ctx context.Context) error {
	if s.ClosedAt.Unix() > 0 {
		return nil
	}
	oldest, err := s.observer.o.DB.Reader().OldestRun(ctx, s.Namespace)
	if err == nil && oldest != nil {
		s.ClosedAt, s.EndsAt = oldest.Add(-maxClockSkew), oldest.Add(-maxClockSkew)
	}
	return err
}

// fullScanInterval returns the time between two scans for all kinds of ends.
func (s *scan) fullScanInterval() time.Duration {
	if s.Active {
		return minFullScanInterval
	}
	return max(minFullScanInterval, scansPerFullScan*s.idleInterval)
}

// sweepLimits returns the time between two sweeps, and the number of runs in one.
func (s *scan) sweepLimits() (interval time.Duration, size int) {
	if s.Active {
		return activeSweepInterval, activeSweepSize
	}
	return max(idleSweepInterval, scansPerSweep*s.idleInterval), idleSweepSize
}

func maxTime(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// listEndsOfKind records the ends of one kind since a time, the latest first, and
// returns the time of the latest.
func (s *scan) listEndsOfKind(ctx context.Context, kind engine.EndKind, since time.Time) (latest time.Time, fault error) {
	var token []byte
	for {
		// A long list must not delay the sweep.
		fault = errors.Join(fault, s.sweepIfDue(ctx))
		page, next, err := s.observer.o.Engine.ListClosed(ctx, s.Namespace, kind, token)
		if err != nil {
			return latest, errors.Join(fault, err)
		}
		s.observer.listed.Add(int64(len(page)))
		fresh := page
		for i := range page {
			latest = maxTime(latest, page[i].ClosedAt)
			if page[i].ClosedAt.Before(since) {
				fresh, next = page[:i], nil
				break
			}
		}
		// A failure to record one page must not block later pages.
		fault = errors.Join(fault, s.recordEnds(ctx, fresh))
		if len(next) == 0 {
			return latest, fault
		}
		token = next
	}
}

// sweepIfDue checks the next runs without recent news, so that no process stays open
// because an end was listed too late.
func (s *scan) sweepIfDue(ctx context.Context) error {
	interval, size := s.sweepLimits()
	if s.began.Sub(s.SweptAt) < interval {
		return nil
	}
	s.SweptAt = s.began
	runs, err := s.observer.o.DB.Reader().ListStaleRuns(ctx, s.Namespace, s.began.Add(-sweepAge), s.SweepAfter, size)
	if err != nil {
		return err
	}
	ids := make([]string, len(runs))
	for i := range runs {
		ids[i] = runs[i].WorkflowID
	}
	running, err := s.observer.o.Engine.ListRunning(ctx, s.Namespace, ids)
	if err != nil {
		return err
	}
	s.SweepAfter = uuid.Nil
	if len(runs) == size {
		s.SweepAfter = runs[size-1].ID
	}
	var suspects []domain.EngineRun
	for _, r := range runs {
		if !running[r.WorkflowID] || rand.IntN(describeShare) == 0 { //nolint:gosec // a sample
			suspects = append(suspects, r)
		}
	}
	return s.recordRuns(ctx, suspects)
}
