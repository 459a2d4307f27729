package server

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// collector reads several numbers together, from the database, at each scrape. It omits numbers that it cannot
// read.
type collector struct {
	numbers []number
	read    func(ctx context.Context, show show)
}

// show reports a number with the values of its labels.
type show func(n number, value float64, labels ...string)

type number struct {
	*prometheus.Desc
	kind prometheus.ValueType
}

func newGauge(name, help string, labels ...string) number {
	return number{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue}
}

func newCounter(name, help string, labels ...string) number {
	return number{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue}
}

// Describe implements prometheus.Collector.
func (c collector) Describe(out chan<- *prometheus.Desc) {
	for _, n := range c.numbers {
		out <- n.Desc
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()
	c.read(ctx, func(n number, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(n.Desc, n.kind, value, labels...)
	})
}

// secondsSince returns the seconds since a time, 0 for the zero time and for future times.
func secondsSince(then, now time.Time) float64 {
	if then.IsZero() {
		return 0
	}
	return max(0, now.Sub(then).Seconds())
}
