package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/cmd/procession/doctor"
	"github.com/procession-dev/procession/cmd/procession/server"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	documents "github.com/procession-dev/procession/examples/demo"
	"github.com/procession-dev/procession/test/kit/pgtest"
	"github.com/procession-dev/procession/test/kit/smtptest"
)

// faultSign is a fault with the places that must show it, "" for none. docs/operations.md has the same table.
type faultSign struct {
	name string
	// screen is a path of the console, text a part of its page. Without a screen text is the notice above a form that cannot be sent.
	screen, text string
	// metric is a number of the service that wrong holds for, alert the rule about it.
	metric string
	wrong  func(float64) bool
	alert  string
	// event is a type of the event log, message a part of the subject of a mail.
	event, message string
	// seconds bounds the time until all of them show it.
	seconds int
}

func positive(v float64) bool { return v > 0 }

// unavailableNotice is the notice of a form that the service could not carry out.
const unavailableNotice = "Temporarily unavailable"

// faultTest injects faults into a stack.
type faultTest struct {
	*testStack

	mails *smtptest.Server
	alice *browser
	rules map[string]string
}

// TestSignsOfFaults injects each fault and requires its signs.
func TestSignsOfFaults(t *testing.T) {
	t.Parallel()
	f := newFaultTest(t)
	documented := documentedFaults(t)

	// Faults of tenants exist side by side.
	began := time.Now()
	f.expireCertificate()
	f.breakWorker()
	f.applyBadDefinition()
	f.disableBob()
	f.killEndpoint()
	f.startUnserved()
	for _, sign := range tenantFaults {
		f.requireSigns(sign, began, documented)
	}
	// Faults of the installation follow each other.
	for _, fault := range []struct {
		sign   faultSign
		inject func() (mend func())
	}{
		{foreignTransaction, f.holdEvents},
		{databaseReadOnly, func() func() { return f.breakDatabase(pgtest.ReadOnly()) }},
		{diskFull, func() func() { return f.breakDatabase(pgtest.DiskFull()) }},
		{databaseDown, func() func() { return f.breakDatabase(pgtest.Down()) }},
		{temporalDown, f.breakTemporal},
	} {
		began := time.Now()
		mend := fault.inject()
		f.requireSigns(fault.sign, began, documented)
		mend()
	}
	require.Empty(t, documented, "docs/operations.md has other faults")
}

var (
	tenantFaults = []faultSign{
		{
			name: "Fault of a worker", screen: "incidents", text: "no rate for the currency",
			metric: `procession_incidents_open{kind="WORKFLOW_TASK"}`, wrong: positive, alert: "ProcessionIncidents",
			event: "INCIDENT.OPENED", message: "incident", seconds: 60,
		},
		{
			name: "Wrong definition", screen: "incidents", text: "NoSuchWorkflow",
			metric: `procession_incidents_open{kind="WORKFLOW_TASK"}`, wrong: func(v float64) bool { return v > 1 }, alert: "ProcessionIncidents",
			event: "INCIDENT.OPENED", message: "incident", seconds: 60,
		},
		{
			name: "No worker", screen: "queues", text: "QUEUE_INSPECTION",
			metric: `procession_task_queue_backlog_age_seconds{kind="workflow"}`, wrong: positive, alert: "ProcessionWorkersMissing",
			event: "QUEUE.UNSERVED", message: "task queue", seconds: 60,
		},
		{
			name: "Dead endpoint of webhooks", screen: "webhooks", text: "DEAD",
			metric: "procession_webhook_endpoints_disabled", wrong: positive, alert: "ProcessionWebhookEndpointDisabled",
			event: "ENDPOINT.DISABLED", message: "webhook endpoint", seconds: 60,
		},
		{
			name: "Expired certificate", screen: "health/checks", text: "certificate",
			metric: `procession_certificate_expiry_timestamp_seconds{certificate="listener"}`,
			wrong:  func(v float64) bool { return v < float64(time.Now().Add(14*24*time.Hour).Unix()) },
			alert:  "ProcessionCertificateEnds", event: "CERTIFICATE.EXPIRING", message: "certificate", seconds: 60,
		},
		{name: "Person gone", screen: "people/unowned", text: "APPROVE_LOAN", event: "RESOURCE.CHANGED", seconds: 60},
	}
	foreignTransaction = faultSign{
		name: "Open transaction in the database", screen: "health/checks", text: "transaction",
		metric: "procession_event_lag_seconds", wrong: positive, alert: "ProcessionEventsLate", seconds: 60,
	}
	databaseReadOnly = faultSign{
		name: "Read-only database", text: unavailableNotice,
		metric: "readyz", wrong: positive, alert: "ProcessionErrors", seconds: 60,
	}
	diskFull = faultSign{
		name: "Full disk of the database", text: unavailableNotice, metric: "readyz", wrong: positive, alert: "ProcessionErrors", seconds: 60,
	}
	databaseDown = faultSign{
		name: "Database down", text: unavailableNotice, metric: "readyz", wrong: positive, alert: "ProcessionErrors", seconds: 60,
	}
	temporalDown = faultSign{
		name: "Temporal down", screen: "health/checks", text: "Temporal",
		metric: "procession_engine_command_lag_seconds", wrong: positive, alert: "ProcessionCommandsLate", seconds: 60,
	}
)

func newFaultTest(t *testing.T) *faultTest {
	t.Helper()
	f := &faultTest{mails: smtptest.New(t), rules: alertRules(t)}
	f.mails.AcceptPlain()
	f.testStack = newStack(t, false, withConfig(func(c *config.Config) {
		c.PublicURL = "https://procession.example.com"
		c.SMTPAddress, c.SMTPTLS, c.MailFrom = f.mails.Address, "none", "Procession <procession@example.com>"
		c.DatabaseOutageTolerance = time.Second
		c.TaskQueueInterval = time.Second
	}))
	f.applyText(`
apiVersion: procession/v1
kind: NotificationReceiver
metadata: {code: OPS, tenant: demo}
spec: {name: Operations, type: EMAIL, addresses: [operations@example.com]}
`)
	f.alice = f.browse(demo.Alice().Secret)
	return f
}

// requireSigns waits until all signs of a fault are there, and compares them with the documented ones.
func (f *faultTest) requireSigns(sign faultSign, began time.Time, documented map[string]string) {
	f.t.Helper()
	end := began.Add(time.Duration(sign.seconds) * time.Second)
	see := func(place string, condition func() bool) {
		f.t.Helper()
		for !condition() {
			if time.Now().After(end) {
				assert.Fail(f.t, "the fault is invisible", "%s: %s", sign.name, place) //nolint:forbidigo // all signs are reported
				return
			}
			<-time.After(50 * time.Millisecond)
		}
	}
	var shown string
	if sign.text != "" {
		see("screen", func() bool {
			switch sign.screen {
			case "health/checks":
				shown = f.openChecks()
			case "":
				shown = f.alice.Text("#unavailable")
			default:
				f.alice.open(sign.screen)
				shown = f.alice.Text("main")
			}
			return strings.Contains(strings.ToLower(shown), strings.ToLower(sign.text))
		})
	}
	if f.t.Failed() {
		f.t.Log(tail(shown, 25))
	}
	if sign.metric != "" {
		see("metric", func() bool { return sign.wrong(f.number(sign.metric)) })
	}
	if sign.event != "" {
		see("event", func() bool {
			return f.queried(`SELECT count(*) FROM events WHERE type = '`+string(eventType(sign.event))+`'`) != "0"
		})
	}
	if sign.message != "" {
		see("message", func() bool {
			return slices.ContainsFunc(f.mails.Mails(), func(m smtptest.Mail) bool {
				return strings.Contains(m.Header.Get("Subject"), sign.message)
			})
		})
	}
	if sign.alert != "" && sign.metric != "readyz" {
		name, _, _ := strings.Cut(sign.metric, "{")
		require.Contains(f.t, f.rules, sign.alert)
		require.Contains(f.t, f.rules[sign.alert], name)
	}
	f.t.Logf("%s: all signs within %s", sign.name, time.Since(began).Round(100*time.Millisecond))
	assert.Equal(f.t, sign.row(), documented[sign.name], "docs/operations.md") //nolint:forbidigo // all rows are compared
	delete(documented, sign.name)
}

// openChecks returns the findings that operators see in Health and in procession doctor, except passed checks.
func (f *faultTest) openChecks() string {
	options := server.DoctorOptions(f.config, time.Now)
	options.Timeout = testTimeout
	var open strings.Builder
	for _, finding := range doctor.Examine(f.t.Context(), options) {
		if finding.Verdict == doctor.Warn || finding.Verdict == doctor.Fail {
			fmt.Fprintln(&open, finding.Check, finding.Finding)
		}
	}
	return open.String()
}

// eventType returns the type in the event log of a public event.
func eventType(name string) domain.EventType {
	for _, problem := range domain.ProblemTypes() {
		if problem.Name == name {
			return problem.Opens
		}
	}
	return domain.EventType(name)
}

// number returns a metric, or 1 while the service is not ready.
func (f *faultTest) number(name string) float64 {
	if name == "readyz" {
		if f.get("http://"+f.config.ListenHealth+"/readyz") == http.StatusServiceUnavailable {
			return 1
		}
		return 0
	}
	return f.metric(name)
}

// row returns the row of the fault in docs/operations.md.
func (s faultSign) row() string {
	cell := func(text string) string {
		if text == "" {
			return "–"
		}
		return "`" + text + "`"
	}
	screen := "“" + s.text + "”"
	if s.screen != "" {
		screen = cell("/console/" + s.screen)
	}
	mail := "–"
	if s.message != "" {
		mail = "yes"
	}
	metric, _, _ := strings.Cut(s.metric, "{")
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %d |", s.name, screen, cell(metric), cell(s.alert), cell(s.event), mail, s.seconds)
}

// breakWorker starts a process and a worker that panics in it.
func (f *faultTest) breakWorker() {
	f.t.Helper()
	id := uuid.New()
	id[len(id)-1] = faultException
	f.createLoan(id)
	f.startFaultyGoWorker(phaseFaulty)
}

// applyBadDefinition publishes a definition that names a workflow without a worker, and starts a process of it.
func (f *faultTest) applyBadDefinition() {
	f.t.Helper()
	text, err := documents.Files.ReadFile("loan.yaml")
	require.NoError(f.t, err)
	id := uuid.MustParse("01970000-0000-7000-8000-00000000e0f3")
	f.applyText(strings.NewReplacer("  code: LOAN\n", "  code: WRONG_LOAN\n", "  id: "+demo.Loan().String()+"\n", "  id: "+id.String()+"\n",
		"workflowType: SampleEngineWorkerLoanWorkflow", "workflowType: NoSuchWorkflow").Replace(string(text)))
	status, body := f.call(demo.Carol(), http.MethodPost, "/processes", map[string]any{"id": uuid.New(), "processDefinitionId": id})
	require.Equal(f.t, http.StatusCreated, status, body)
}

// disableBob disables a person who has claimed a task.
func (f *faultTest) disableBob() {
	f.t.Helper()
	task := uuid.New()
	for _, step := range []struct {
		as   demo.Account
		path string
		body any
	}{
		{demo.LoanWorker(), "/process-items", map[string]any{
			"id": task, "type": "TASK", "processId": f.createLoan(uuid.New()), "processItemDefinitionCode": "APPROVE_LOAN",
		}},
		{demo.Bob(), "/process-items/" + task.String() + "/task/~actions/claim", nil},
	} {
		status, body := f.call(step.as, http.MethodPost, step.path, step.body)
		require.Less(f.t, status, 300, body)
	}
	bob := printed(f.t, append([]string{"get", "User", "bob", "-o", "yaml"}, f.asking(demo.Alice())...)...)
	require.Contains(f.t, bob, "\nspec:\n")
	file := filepath.Join(f.t.TempDir(), "bob.yaml")
	require.NoError(f.t, os.WriteFile(file, []byte(strings.Replace(bob, "\nspec:\n", "\nspec:\n  disabled: true\n", 1)), 0o600))
	printed(f.t, append([]string{"apply", "-f", file, "--hand-over", "keep"}, f.asking(demo.Alice())...)...)
}

// expireCertificate restarts the service with an HTTPS listener whose certificate ends in three days.
func (f *faultTest) expireCertificate() {
	f.t.Helper()
	k, err := server.OpenKeys(f.t.Context(), f.config, slog.New(slog.DiscardHandler))
	require.NoError(f.t, err)
	defer k.DB.Close()
	files, err := server.WriteCertificate(k.Issuer, f.t.TempDir(), []string{"localhost"}, time.Now().Add(72*time.Hour-server.FrontendCertificateLifetime))
	require.NoError(f.t, err)
	f.config.ListenTLS, f.config.TLSCert, f.config.TLSKey = "127.0.0.1:0", files.Cert, files.Key
	f.stopService()
	f.startService()
}

// killEndpoint subscribes an endpoint that has gone.
func (f *faultTest) killEndpoint() {
	f.t.Helper()
	gone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }))
	f.t.Cleanup(gone.Close)
	f.subscribe("DEAD", gone.URL)
	definition := f.queried(`SELECT id FROM process_definitions WHERE code = 'HOOKED'`)
	status, body := f.call(demo.Alice(), http.MethodPost, "/processes", map[string]any{"id": uuid.New(), "processDefinitionId": definition})
	require.Equal(f.t, http.StatusCreated, status, body)
}

// startUnserved starts a process for a queue without workers. The grace time of an outage passes at once.
func (f *faultTest) startUnserved() {
	f.t.Helper()
	status, body := f.call(demo.Alice(), http.MethodPost, "/processes", map[string]any{"id": uuid.New(), "processDefinitionId": demo.Inspection()})
	require.Equal(f.t, http.StatusCreated, status, body)
	f.await("the beginning of the outage", func() bool {
		var n int
		f.query(`WITH passed AS (UPDATE task_queue_observations SET unserved_since = unserved_since - interval '1 hour'
			WHERE task_queue = 'QUEUE_INSPECTION' AND unserved_since IS NOT NULL RETURNING 1) SELECT count(*)::int FROM passed`, &n)
		return n > 0
	})
}
