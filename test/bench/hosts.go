package main

import (
	"context"
	"fmt"
	"time"
)

const (
	// hostsIdle is the time over which the processor time of idle hosts is measured.
	hostsIdle = 15 * time.Second
	// hostsSettle is the time after which a new host has its share of the shards.
	hostsSettle = 10 * time.Second
)

// measureHosts measures the processor time of Temporal for a workflow with one, two and four history hosts on this machine, less that
// of idle hosts.
func (b *bench) measureHosts(ctx context.Context) error {
	seen := &watch{}
	raw, err := b.dialRaw(ctx, "bench-hosts")
	if err != nil {
		return err
	}
	defer raw.Close()
	w, err := startWorker(ctx, raw, seen)
	if err != nil {
		return err
	}
	defer w.Stop()
	work := engineWorks()[1]
	if _, err := runRaw(ctx, seen, raw, work, warmUp); err != nil {
		return err
	}
	var first float64
	started := 1
	for _, hosts := range []int{1, 2, 4} {
		for ; started < hosts; started++ {
			o := b.history
			o.Advertise = fmt.Sprintf("127.0.0.%d", 1+started)
			if err := b.startTemporalProcess(ctx, o); err != nil {
				return fmt.Errorf("starting another history host: %w", err)
			}
		}
		if err := waitFor(ctx, hostsSettle); err != nil {
			return err
		}
		idle, err := b.measureTemporalCPU(ctx, func() error { return waitFor(ctx, hostsIdle) })
		if err != nil {
			return err
		}
		var costs, rates []float64
		for range b.rounds {
			began := time.Now()
			used, err := b.measureTemporalCPU(ctx, func() error {
				rate, err := runRaw(ctx, seen, raw, work, b.processes)
				rates = append(rates, rate)
				return err
			})
			if err != nil {
				return err
			}
			resting := idle * time.Since(began).Seconds() / hostsIdle.Seconds()
			costs = append(costs, (used-resting)*1000/float64(b.processes))
		}
		cost := medianOf(costs)
		if first == 0 {
			first = cost
		}
		b.report.add(row{
			measure: fmt.Sprintf("CPU of Temporal and its databases per workflow with %d history hosts, less that of idle ones", hosts),
			value:   fmt.Sprintf("%.1f ms", cost), limit: "within 15 % of one host", missed: cost > 1.15*first || cost < 0.85*first,
			beside: fmt.Sprintf("%s; idle %.2f of a processor", formatRate(medianOf(rates)), idle/hostsIdle.Seconds()),
		})
	}
	return nil
}

// measureTemporalCPU returns the processor time of Temporal and its databases during f, in seconds.
func (b *bench) measureTemporalCPU(ctx context.Context, f func() error) (float64, error) {
	before, err := b.processorTimes(ctx)
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := b.processorTimes(ctx)
	return (after[ofTemporal] - before[ofTemporal] + after[ofOthers] - before[ofOthers]).Seconds(), err
}
