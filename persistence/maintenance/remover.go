package maintenance

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/retention"
)

const (
	// planInterval is the maximum time until a new tenant or a changed bound takes effect.
	planInterval   = 10 * time.Minute
	removeInterval = time.Minute
	// retryInterval is the pause of a failed turn, during which the others continue.
	retryInterval = time.Hour
	// pauseFactor is the pause after a part as a multiple of the part's duration.
	pauseFactor = 4
	minPause    = 10 * time.Millisecond
)

// RemoverOptions configure a Remover.
type RemoverOptions struct {
	DB *persistence.DB
	// Bounds are the retention times of the installation.
	Bounds retention.Bounds
	Clock  func() time.Time
	Logger *slog.Logger
}

// Remover removes data older than its retention time. Replicas share the turns, and
// another replica continues the turn of a dead one.
type Remover struct {
	o         RemoverOptions
	plannedAt time.Time
	// partitionsRetryAt is the time of the next attempt at partitions after a failure.
	partitionsRetryAt time.Time
	removed           map[domain.RetentionKind]*atomic.Int64
	faults            atomic.Int64
}

// NewRemover returns a Remover that is started with Run.
func NewRemover(o RemoverOptions) *Remover {
	o.DB = o.DB.Background()
	r := &Remover{o: o, removed: map[domain.RetentionKind]*atomic.Int64{}}
	for _, kind := range domain.RetentionKinds() {
		r.removed[kind] = &atomic.Int64{}
	}
	return r
}

// Removed returns the number of rows of a kind that this replica has removed.
func (r *Remover) Removed(kind domain.RetentionKind) int64 { return r.removed[kind].Load() }

// Faults returns the number of failed removals of this replica.
func (r *Remover) Faults() int64 { return r.faults.Load() }

// Run removes data until ctx ends.
func (r *Remover) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: r.removePart}
	l.Run(ctx)
}

// removePart removes a part and returns the pause before the next call.
func (r *Remover) removePart(ctx context.Context) time.Duration {
	now := r.o.Clock()
	if now.Sub(r.plannedAt) >= planInterval {
		if err := retention.Plan(ctx, r.o.DB, r.o.Bounds, now); err != nil {
			r.logFailure(ctx, err)
			return faultPause
		}
		r.plannedAt = now
		r.rotatePartitions(ctx, now)
	}
	began := r.o.Clock()
	part, err := retention.RemoveDue(ctx, r.o.DB, r.o.Bounds, now)
	if err != nil {
		r.logFailure(ctx, err, turnAttributes(part.Turn)...)
		if part.Found && ctx.Err() == nil {
			err = retention.Postpone(ctx, r.o.DB, part.Turn, now.Add(retryInterval))
		}
		if err != nil {
			return faultPause
		}
		return minPause
	}
	if !part.Found {
		return removeInterval
	}
	r.removed[part.Turn.Kind].Add(part.Removed)
	if part.Done && part.Total > 0 {
		r.o.Logger.InfoContext(ctx, "old data removed", append(turnAttributes(part.Turn), slog.Int64("count", part.Total))...)
	}
	return pauseAfter(r.o.Clock().Sub(began))
}

// rotatePartitions adds the next partition of the event log and drops old ones.
func (r *Remover) rotatePartitions(ctx context.Context, now time.Time) {
	if now.Before(r.partitionsRetryAt) {
		return
	}
	added, err := retention.AddPartition(ctx, r.o.DB, r.o.Bounds)
	if added {
		r.o.Logger.InfoContext(ctx, "partition of the event log created")
	}
	if bound := r.o.Bounds[domain.RetainEvents]; err == nil && bound > 0 {
		var dropped retention.Partitions
		dropped, err = DropPartitions(ctx, r.o.DB, now.Add(-bound), r.o.Clock)
		r.removed[domain.RetainEvents].Add(dropped.Events)
		if dropped.Count > 0 {
			r.o.Logger.InfoContext(ctx, "old partitions of the event log dropped", slog.Int64("count", dropped.Count),
				slog.Int64("events", dropped.Events), slog.Time("before", now.Add(-bound)))
		}
	}
	if err != nil {
		r.logFailure(ctx, err)
		r.partitionsRetryAt = now.Add(retryInterval)
	}
}

// DropPartitions drops the partitions of the event log that are older than a time. It returns the number of dropped
// partitions and events, also with an error.
func DropPartitions(ctx context.Context, db *persistence.DB, before time.Time, clock func() time.Time) (retention.Partitions, error) {
	var all retention.Partitions
	for {
		dropped, err := retention.DropPartition(ctx, db, before, clock())
		if err != nil || dropped.Count == 0 {
			return all, err
		}
		all.Count, all.Events = all.Count+dropped.Count, all.Events+dropped.Events
	}
}

func (r *Remover) logFailure(ctx context.Context, err error, more ...any) {
	if ctx.Err() != nil {
		return
	}
	r.faults.Add(1)
	r.o.Logger.WarnContext(ctx, "removing old data failed", append(more, slog.Any("error", err))...)
}

func turnAttributes(t retention.Turn) []any {
	return []any{
		slog.String("tenant", t.Tenant), slog.String("kind", string(t.Kind)), slog.Time("before", t.Before),
	}
}

// pauseAfter returns the pause after a part.
func pauseAfter(took time.Duration) time.Duration { return max(minPause, pauseFactor*took) }

// Purge removes all rows of the turn in parts, with the pauses of a Remover, and returns
// their number. Parts removed before an error stay removed.
func Purge(ctx context.Context, db *persistence.DB, t retention.Turn, clock func() time.Time) (removed int64, err error) {
	for {
		began := clock()
		part, err := retention.Remove(ctx, db, t, began)
		if err != nil {
			return removed, err
		}
		removed += part.Removed
		if part.Done {
			return removed, nil
		}
		t = part.Turn
		loop.Sleep(ctx, pauseAfter(clock().Sub(began)))
		if err := ctx.Err(); err != nil {
			return removed, err
		}
	}
}
