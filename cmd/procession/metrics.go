package main

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/maintenance"
	"github.com/procession-dev/procession/persistence/webhooks"
)

// metrics are the metrics of /metrics, in a registry of their own. No label ever
// holds an id or a tenant.
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
			Help:    "Time from receiving a request until its answer is written.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "code"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "procession_http_requests_limited_total", Help: "Requests that were refused with 429, by the limit.",
		}, []string{"limit"}),
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "procession_authentication_failures_total",
			Help: "Requests that were refused for their credentials, by reason.",
		}, []string{"reason"}),
	}
	for _, reason := range domain.SignInReasons() {
		m.signIns.WithLabelValues(string(reason))
	}
	m.registry.MustRegister(m.requests, m.limited, m.signIns, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	return m
}

// newBacklogs shows what waits for Temporal, and the deliveries of webhooks that have not succeeded.
func newBacklogs(reader *persistence.Reader) collector {
	commands := newGauge("procession_engine_commands_pending", "Commands for Temporal that are due and not yet carried out.")
	commandLag := newGauge("procession_engine_command_lag_seconds", "For how long the oldest pending command for Temporal has been due.")
	pending := newGauge("procession_webhook_deliveries_pending", "Webhook deliveries that wait for their first attempt.")
	retrying := newGauge("procession_webhook_deliveries_retrying",
		"Webhook deliveries that have failed and are attempted again.")
	lag := newGauge("procession_webhook_delivery_lag_seconds",
		"For how long the oldest delivery waits for its first attempt to an endpoint that nothing is wrong with.")
	disabled := newGauge("procession_webhook_endpoints_disabled", "Webhook endpoints that get nothing until they are enabled.")
	behind := newGauge("procession_webhook_endpoints_behind",
		"Webhook endpoints that are held, or were, and are yet to catch up with the event log.")
	incidents := newGauge("procession_incidents_open", "Incidents that nothing was done about.")
	overdue := newGauge("procession_engine_looks_overdue",
		"Namespaces of Temporal in which the ends of workflows should have been looked for a minute ago.")
	return collector{[]number{commands, commandLag, pending, retrying, lag, disabled, behind, incidents, overdue}, func(ctx context.Context, show show) {
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
		show(incidents, float64(found.OpenIncidents))
		show(overdue, float64(found.OverdueLooks))
	}}
}

// newWorkMetrics shows the processes and tasks that are open. They are counted in the background, so the numbers are
// those of some seconds ago.
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

// newRetentionMetrics shows what the replica removed because of its age.
func newRetentionMetrics(remover *maintenance.Remover) collector {
	removed := newCounter("procession_retention_removed_total", "What was removed because of its age, by kind.", "kind")
	faults := newCounter("procession_retention_failures_total", "Attempts to remove old data that failed.")
	return collector{[]number{removed, faults}, func(_ context.Context, show show) {
		for _, kind := range domain.RetentionKinds() {
			show(removed, float64(remover.Removed(kind)), string(kind))
		}
		show(faults, float64(remover.Faults()))
	}}
}

// newCertificateMetrics shows when the authority of engine certificates and the certificate of the HTTPS listeners end.
func newCertificateMetrics(issuer *authn.Issuer, served func() *servedCertificate) collector {
	expiry := newGauge("procession_certificate_expiry_timestamp_seconds",
		"When a certificate ends, in seconds since 1970: that of the HTTPS listeners, or of the authority.", "certificate")
	return collector{[]number{expiry}, func(_ context.Context, show show) {
		if ends := issuer.AuthorityExpiry(time.Now()); !ends.IsZero() {
			show(expiry, float64(ends.Unix()), "authority")
		}
		if certificate := served(); certificate != nil {
			show(expiry, float64(certificate.expiry().Unix()), "listener")
		}
	}}
}

// observe counts a request. Route is the pattern, never the path.
func (m *metrics) observe(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Observe(took.Seconds())
}

// limit counts a request that was refused because of a limit.
func (m *metrics) limit(name string) { m.limited.WithLabelValues(name).Inc() }

// signInRefused counts a refused sign-in.
func (m *metrics) signInRefused(reason domain.SignInReason) {
	m.signIns.WithLabelValues(string(reason)).Inc()
}

// gauge registers a number that is read when metrics are.
func (m *metrics) gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// counter registers a number that only grows and is read when metrics are.
func (m *metrics) counter(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, read))
}
