package main

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

const (
	administrationPath = "/admin/v1"
	// administrationTarget is the longest time for the first page of a list.
	administrationTarget = 30 * time.Millisecond
)

// administrationPages returns the first pages of lists of administrators, and the requests that
// return the same.
func administrationPages() []page {
	resources := func(kind string) []string {
		return []string{administrationPath + "/resources?size=25&sort=code,asc&kind=" + kind}
	}
	return []page{
		{"definitions", "definitions?kind=ProcessDefinition", resources("ProcessDefinition")},
		{"users", "people?kind=User", resources("User")},
		{"users, searched", "people?kind=User&q=person+77", resources("User")},
		{"groups", "people?kind=Group", resources("Group")},
		{"applications", "people?kind=Application", resources("Application")},
		{"robots", "people?kind=Robot", resources("Robot")},
		{"queues", "queues", []string{administrationPath + "/task-queues?size=25"}},
		{"incidents", "incidents", []string{administrationPath + "/incidents?size=25&state=OPEN"}},
		{"webhooks", "webhooks", []string{administrationPath + "/webhooks?size=25"}},
		{"deliveries", "webhooks/endpoint?tenant=demo&code=webhook-7", []string{administrationPath + "/webhook-deliveries?size=25&tenant=demo&webhook=webhook-7"}},
		{"audit", "audit", []string{administrationPath + "/events?limit=50&order=NEWEST_FIRST"}},
		{"audit, a rare type", "audit?what=SECRET.ISSUED", []string{administrationPath + "/events?limit=50&order=NEWEST_FIRST&type=SECRET.ISSUED"}},
		{"health", "health", []string{administrationPath + "/health"}},
	}
}

// measureAdministration compares lists of administrators with the administration API.
func (b *bench) measureAdministration(ctx context.Context) error {
	fmt.Fprintf(b.progress, "  loading %d ‰ of what is administered\n", b.administered)
	if err := b.loadAdministered(ctx); err != nil {
		return err
	}
	reader, err := newPageReader(ctx, b.stack)
	if err != nil {
		return err
	}
	defer reader.close()
	return b.measureAdministrationPages(ctx, reader)
}

func (b *bench) measureAdministrationPages(ctx context.Context, reader *pageReader) error {
	for _, p := range administrationPages() {
		var measured pageMeasures
		for range b.rounds {
			if err := reader.runRound(p, b.requests, &measured); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
		b.report.addPage(p.name, measured)
		took, err := b.timeFirstPage(ctx, reader.browser, p.path)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		b.report.add(row{
			measure: "first page of " + p.name, value: formatLatency(took), limit: "p99 ≤ " + formatMilliseconds(administrationTarget),
			missed: percentileOf(took, 0.99) > administrationTarget,
		})
		fmt.Fprintf(b.progress, "  %s: %s\n", p.name, formatLatency(took))
	}
	return nil
}

// timeFirstPage times requests of a page, a hundred and one at least, so that the 99th
// percentile is not just the worst.
func (b *bench) timeFirstPage(ctx context.Context, browser *conn, path string) ([]time.Duration, error) {
	var took []time.Duration
	for range max(1, b.requests*6) {
		start := time.Now()
		if _, err := browser.sendRequest(http.MethodGet, console+path, "", http.StatusOK); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, ctx.Err()
}
