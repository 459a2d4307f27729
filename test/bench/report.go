package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
	"time"
)

// row is one line of the result. A ratio has a target that it should reach, a
// value one that it should not exceed; both may be missing.
type row struct {
	measure, value, beside string
	ratio, target          float64
	limit                  string
	missed                 bool
}

// report contains the results of a run.
type report struct {
	began time.Time
	rows  []row
}

func newReport(began time.Time) *report { return &report{began: began} }

func (r *report) add(one row) { r.rows = append(r.rows, one) }

// writeTo prints the results as a table.
func (r *report) writeTo(out io.Writer) {
	if len(r.rows) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s, %s/%s, %d CPUs\n\n", r.began.UTC().Format(time.RFC3339), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "measure\tresult\tbeside\tratio\ttarget\t")
	for _, one := range r.rows {
		ratio, target, missed := "", one.limit, one.missed
		if one.ratio > 0 {
			ratio, target, missed = fmt.Sprintf("%.2f", one.ratio), fmt.Sprintf("≥ %.2f", one.target), one.ratio < one.target
		}
		verdict := ""
		if target != "" {
			verdict = "met"
		}
		if missed {
			verdict = "MISSED"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", one.measure, one.value, one.beside, ratio, target, cmp.Or(verdict, ""))
	}
	_ = table.Flush()
}

func formatRate(perSecond float64) string { return fmt.Sprintf("%.0f/s", perSecond) }

func formatLatency(took []time.Duration) string {
	return fmt.Sprintf("p50 %s  p99 %s", formatMilliseconds(percentileOf(took, 0.5)), formatMilliseconds(percentileOf(took, 0.99)))
}

func formatMilliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
