package activities

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"github.com/procession-dev/procession/engine"
)

const (
	// A namespace is busy for busyFor after the service did something there or a
	// workflow ended.
	busyFor      = 30 * time.Second
	busyInterval = 250 * time.Millisecond
	openInterval = 750 * time.Millisecond
	idleInterval = 2 * time.Second
	// activityEvery is how often the database is queried whether a namespace is
	// busy; commands of this process are known at once.
	activityEvery = time.Second
	faultInterval = 2 * time.Second
	limitInterval = 500 * time.Millisecond
)

// ObserveClosingsInput contains the namespace to observe, for how long, and the
// position from which the sweep over its open runs continues.
type ObserveClosingsInput struct {
	Namespace  string        `json:"namespace"`
	Duration   time.Duration `json:"duration"`
	SweepAfter uuid.UUID     `json:"sweepAfter"`
}

// ObserveClosingsResult is the position from which the next observation
// continues.
type ObserveClosingsResult struct {
	SweepAfter uuid.UUID `json:"sweepAfter"`
}

// ObserveClosings watches for workflows of a namespace that end, for the given
// time or until the worker stops, and records each. It retries after errors of
// Temporal and of the database.
func (a *Activities) ObserveClosings(ctx context.Context, in ObserveClosingsInput) (ObserveClosingsResult, error) {
	o := &observation{
		a: a, namespace: in.Namespace, sweepAfter: in.SweepAfter,
		heartbeat: func() { activity.RecordHeartbeat(ctx) },
	}
	watermark, err := a.o.App.EngineWatermark(ctx, in.Namespace)
	if err != nil {
		return ObserveClosingsResult{}, fmt.Errorf("observing closings: %w", err)
	}
	o.watermark, o.saved = watermark, watermark
	began := a.o.Clock()
	o.nextSweep = began.Add(sweepEvery)
	touched := a.touched.channel(in.Namespace)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ObserveClosingsResult{}, fmt.Errorf("observing closings: %w", ctx.Err())
		case <-activity.GetWorkerStopChannel(ctx):
			return ObserveClosingsResult{SweepAfter: o.sweepAfter}, nil
		case <-touched:
			o.active = a.o.Clock()
			timer.Reset(max(0, busyInterval-o.active.Sub(o.polled)))
			continue
		case <-timer.C:
		}
		timer.Reset(o.step(ctx))
		o.heartbeat()
		if o.polled.Sub(began) >= in.Duration {
			return ObserveClosingsResult{SweepAfter: o.sweepAfter}, nil
		}
	}
}

// step looks once and returns the time until the next look.
func (o *observation) step(ctx context.Context) time.Duration {
	o.polled = o.a.o.Clock()
	err := o.look(ctx)
	if err == nil && !o.polled.Before(o.nextSweep) {
		o.nextSweep = o.polled.Add(sweepEvery)
		err = o.sweep(ctx)
	}
	if err == nil {
		err = o.learnActivity(ctx)
	}
	switch {
	case engine.RateLimited(err):
		return limitInterval
	case err != nil:
		if ctx.Err() == nil {
			o.a.o.Logger.WarnContext(ctx, "observing closings failed",
				slog.String("namespace", o.namespace), slog.Any("error", err))
		}
		return faultInterval
	case o.polled.Sub(o.active) < busyFor:
		return busyInterval
	case o.open:
		return openInterval
	default:
		return idleInterval
	}
}

// learnActivity queries whether any process of the service has recently executed
// a command in the namespace.
func (o *observation) learnActivity(ctx context.Context) error {
	if o.polled.Before(o.nextActivity) {
		return nil
	}
	o.nextActivity = o.polled.Add(activityEvery)
	last, err := o.a.o.App.LastActive(ctx, o.namespace)
	if err != nil {
		return err
	}
	o.open = last != nil
	if o.open && last.After(o.active) {
		o.active = *last
	}
	return nil
}
