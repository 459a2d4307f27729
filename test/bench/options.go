package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// options configure the sections of a run and their length.
type options struct {
	only           []string
	seconds        int
	rounds         int
	clients        int
	items          []int
	artifacts      int
	administered   int
	requests       int
	pageTasks      int
	listTenants    int
	processes      int
	samples        int
	tenants        int
	restSeconds    int
	standIn        bool
	serviceCount   int
	spread         bool
	visibility     int
	incidents      int
	baselineBinary string
	keep           bool
	statements     int
}

func sectionNames() []string {
	return []string{"memory", "creates", "pairs", "engine", "hosts", "workers", "latency", "webhooks", "pages", "list", "artifacts", "administration", "bulk", "ends", "idle", "camunda"}
}

func (o *options) wantsSection(section string) bool {
	return len(o.only) == 0 && section != "camunda" && section != "hosts" || slices.Contains(o.only, section)
}

func parseOptions(args []string, help io.Writer) (options, error) {
	var o options
	var only, items string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(help)
	f.StringVar(&only, "only", "", "sections to run, of "+strings.Join(sectionNames(), ",")+"; empty for all")
	f.IntVar(&o.seconds, "seconds", 5, "how long one round of a throughput lasts, in seconds")
	f.IntVar(&o.rounds, "rounds", 3, "rounds of a throughput, of which the median counts")
	f.IntVar(&o.clients, "clients", 8, "clients at once, of the service and of pgbench alike")
	f.StringVar(&items, "items", "10000,1000000", "numbers of items to measure lists at, growing")
	f.IntVar(&o.artifacts, "artifacts", 1_000_000, "number of business artifacts to search")
	f.IntVar(&o.administered, "administered", 1000, "how much administrators list, in thousandths of what the section is meant for")
	f.IntVar(&o.requests, "requests", 50, "requests per kind of list, at most 20 seconds on one; a quarter of those per page and round")
	f.IntVar(&o.pageTasks, "page-tasks", 100_000, "open tasks while pages are measured, each in a process of its own")
	f.IntVar(&o.listTenants, "list-tenants", 300, "tenants with rights of initiators while lists are measured")
	f.IntVar(&o.processes, "processes", 2000, "processes with a workflow per round")
	f.IntVar(&o.samples, "samples", 200, "processes to measure latencies with")
	f.IntVar(&o.tenants, "tenants", 1000, "tenants that are idle, without open runs and with ten each")
	f.IntVar(&o.restSeconds, "rest", 60, "for how long the service is left alone, in seconds")
	f.IntVar(&o.visibility, "visibility-rows", 200_000, "workflows in Temporal's lists for ends, a quarter of them open")
	f.IntVar(&o.incidents, "incidents", 10_000, "open incidents that bulk retries")
	f.IntVar(&o.serviceCount, "replicas", 1, "processes of the service, to which clients connect by turns")
	f.BoolVar(&o.spread, "spread-temporal", false, "run Temporal as four processes instead of one, as for --only hosts")
	f.BoolVar(&o.standIn, "stand-in", false, "measure idle with a stand-in for Temporal, for more tenants than a Temporal can be given; needs --only idle")
	f.StringVar(&o.baselineBinary, "baseline", "", "another build of cmd/procession, measured by turns in creates, pairs, pages and engine, and after this build elsewhere, webhooks excepted")
	f.IntVar(&o.statements, "statements", 0, "after each section, print as many of the statements that took longest; needs pg_stat_statements")
	f.BoolVar(&o.keep, "keep", false, "keep the directory with data, logs and pgbench scripts")
	if err := f.Parse(args); err != nil {
		return o, fmt.Errorf("reading the flags: %w", err)
	}
	if only != "" {
		o.only = strings.Split(only, ",")
	}
	for _, section := range o.only {
		if !slices.Contains(sectionNames(), section) {
			return o, fmt.Errorf("--only: there is no section %q", section)
		}
	}
	o.spread = o.spread || slices.Contains(o.only, "hosts")
	if o.standIn && !slices.Equal(o.only, []string{"idle"}) {
		return o, errors.New("--stand-in needs --only idle: workflows do not run there")
	}
	for text := range strings.SplitSeq(items, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1000 || len(o.items) > 0 && n <= o.items[len(o.items)-1] {
			return o, errors.New("--items must be growing numbers of 1000 or more")
		}
		o.items = append(o.items, n)
	}
	if min(o.seconds, o.rounds, o.clients, o.requests, o.pageTasks, o.listTenants, o.artifacts, o.administered, o.processes, o.samples, o.tenants, o.visibility, o.serviceCount, o.restSeconds) < 1 {
		return o, errors.New("numbers must be 1 or more")
	}
	return o, nil
}
