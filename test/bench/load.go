package main

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// errExhausted is returned by a step when its client has no subject left.
var errExhausted = errors.New("nothing is left to do")

// driveClients makes clients repeat their steps one after the other for d, or until they are
// exhausted, and returns the number of steps and the time that they took.
func driveClients(ctx context.Context, clients int, d time.Duration, step func(client int) error) (int64, time.Duration, error) {
	group, working := errgroup.WithContext(ctx)
	var done atomic.Int64
	start := time.Now()
	end := start.Add(d)
	for client := range clients {
		group.Go(func() error {
			for time.Now().Before(end) && working.Err() == nil {
				err := step(client)
				if errors.Is(err, errExhausted) {
					return nil
				}
				if err != nil {
					return err
				}
				done.Add(1)
			}
			return nil
		})
	}
	err := errors.Join(group.Wait(), ctx.Err())
	return done.Load(), time.Since(start), err
}

func perSecond(n int64, d time.Duration) float64 { return float64(n) / d.Seconds() }

// percentileOf returns the value that a share p of the values does not exceed.
func percentileOf[T int | float64 | time.Duration](values []T, p float64) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(float64(len(sorted))*p))]
}

func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
