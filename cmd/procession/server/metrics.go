package server

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/maintenance"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// metrics contains the metrics of /metrics. No label contains an id or a tenant.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	limited  *prometheus.CounterVec
	signIns  *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "procession_http_request_duration_seconds",
			Help:    "Time from the receipt of a request to the end of its answer, in seconds.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "code"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "procession_http_requests_limited_total", Help: "Requests refused with 429, by limit.",
		}, []string{"limit"}),
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "procession_authentication_failures_total",
			Help: "Requests refused because of their credentials, by reason.",
		}, []string{"reason"}),
	}
	for _, reason := range domain.SignInReasons() {
		m.signIns.WithLabelValues(string(reason))
	}
	m.registry.MustRegister(m.requests, m.limited, m.signIns, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	return m
}

// newBacklogs collects the backlog of commands for Temporal and of webhook deliveries.
func newBacklogs(reader *persistence.Reader) collector {
	commands := newGauge("procession_engine_commands_pending", "Commands for Temporal that are due and not executed.")
	commandLag := newGauge("procession_engine_command_lag_seconds", "Time since the oldest pending command for Temporal became due, in seconds.")
	pending := newGauge("procession_webhook_deliveries_pending", "Webhook deliveries that wait for their first attempt.")
	retrying := newGauge("procession_webhook_deliveries_retrying",
		"Webhook deliveries that failed and will be retried.")
	lag := newGauge("procession_webhook_delivery_lag_seconds",
		"Wait of the oldest delivery for its first attempt to a healthy endpoint, in seconds.")
	disabled := newGauge("procession_webhook_endpoints_disabled", "Webhook endpoints that are disabled.")
	behind := newGauge("procession_webhook_endpoints_behind",
		"Webhook endpoints that lag behind the event log, in backoff or after it.")
	overdue := newGauge("procession_engine_scans_overdue",
		"Namespaces of Temporal in which the scan for ended workflows is more than a minute overdue.")
	return collector{[]number{commands, commandLag, pending, retrying, lag, disabled, behind, overdue}, func(ctx context.Context, show show) {
		now := time.Now()
		found, err := webhooks.ReadBacklogs(ctx, reader, persistence.AdministrationScope{Everywhere: true}, nil, now)
		if err != nil {
			return
		}
		show(commands, float64(found.Commands))
		show(commandLag, secondsSince(found.CommandsDueSince, now))
		show(pending, float64(found.Deliveries))
		show(retrying, float64(found.RetriedDeliveries))
		show(lag, secondsSince(found.DeliveriesSince, now))
		show(disabled, float64(found.DisabledEndpoints))
		show(behind, float64(found.EndpointsBehind))
		show(overdue, float64(found.OverdueLooks))
	}}
}

// newWorkMetrics collects the numbers of open processes and tasks. The background counts them every few
// seconds.
func newWorkMetrics(reader *persistence.Reader) collector {
	processes := newGauge("procession_processes", "Processes that are not finished, by state.", "state")
	tasks := newGauge("procession_tasks", "Tasks that are not finished, by state.", "state")
	return collector{[]number{processes, tasks}, func(ctx context.Context, show show) {
		open, err := reader.CountOpenWork(ctx)
		if err != nil {
			return
		}
		show(processes, float64(open.Running), string(domain.ProcessRunning))
		show(tasks, float64(open.Ready), string(domain.TaskReady))
		show(tasks, float64(open.Claimed), string(domain.TaskClaimed))
	}}
}

// newRetentionMetrics collects the numbers of rows that this replica removed because of their age.
func newRetentionMetrics(remover *maintenance.Remover) collector {
	removed := newCounter("procession_retention_removed_total", "Rows removed because of their age, by kind.", "kind")
	faults := newCounter("procession_retention_failures_total", "Attempts to remove old data that failed.")
	return collector{[]number{removed, faults}, func(_ context.Context, show show) {
		for _, kind := range domain.RetentionKinds() {
			show(removed, float64(remover.Removed(kind)), string(kind))
		}
		show(faults, float64(remover.Faults()))
	}}
}

// observeRequest counts a request. Route is the pattern, never the path.
func (m *metrics) observeRequest(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// countLimited counts a request that a limit refused.
func (m *metrics) countLimited(name string) { m.limited.WithLabelValues(name).Inc() }

// countRefusedSignIn counts a refused sign-in.
func (m *metrics) countRefusedSignIn(reason domain.SignInReason) {
	m.signIns.WithLabelValues(string(reason)).Inc()
}

// registerGauge registers a gauge that is read at each scrape.
func (m *metrics) registerGauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// registerCounter registers a counter that is read at each scrape.
func (m *metrics) registerCounter(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read))
}
