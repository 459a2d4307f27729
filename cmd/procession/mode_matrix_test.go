package main

import (
	"context"
	"flag"
	"net/http"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/assistance"
	"github.com/procession-dev/procession/devstack/demo"
)

var allModes = flag.Bool("all-modes", false, "test every kind of Temporal cluster, instead of temporal-server and the development server")

// clusterMode is a kind of Temporal cluster, as docs/temporal.md describes it.
type clusterMode struct {
	start func(*testing.T) *testStack
	// rotate replaces the credentials of workers, nil where there are none or another test does.
	rotate func(*testStack)
	// revokes is true if a revoked token is denied within a minute.
	revokes bool
}

func clusterModes(t *testing.T) map[string]clusterMode {
	t.Helper()
	modes := map[string]clusterMode{
		// TestRotationUnderTwentyPollingWorkersLosesNoTask rotates keys and authorities in this mode.
		"guarded":   {start: func(t *testing.T) *testStack { t.Helper(); return newStack(t, false) }, revokes: true},
		"plaintext": {start: newOfficialStack},
	}
	if *allModes {
		modes["stock"] = clusterMode{start: newStockStack, rotate: (*testStack).rotateOwn}
		var guard *clusterGuard
		modes["given"] = clusterMode{
			start:  func(t *testing.T) *testStack { t.Helper(); s, g := newGivenStack(t); guard = g; return s },
			rotate: func(s *testStack) { guard.replaceKey(t, "demo-"+demo.LoanWorker().ID.String()) },
		}
		// The tests of engine/cloud rotate API keys, which live a day at least.
		modes["cloud"] = clusterMode{start: newCloudStack, revokes: true}
	}
	return modes
}

// What the service delegates to Temporal works in each mode.
func TestModesOfClusters(t *testing.T) {
	t.Parallel()
	for name, mode := range clusterModes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := mode.start(t)
			s.stopService()
			s.config.AssistanceBuiltin, s.config.WebhookAllow, s.config.CancelGrace = true, []string{"127.0.0.1"}, 2*time.Second
			s.config.KeyReload, s.config.KeyPublishDelay = 200*time.Millisecond, 15*time.Second
			s.env = []string{webhookStep + "=100ms"}
			s.startService()
			s.awaitReady()
			worker := s.startWorker()
			s.requireDelegation()
			if mode.rotate != nil {
				mode.rotate(s)
				s.stopProcess(worker, syscall.SIGTERM)
				s.startWorker()
				s.requireLoans()
			}
			s.requireRevocation(mode.revokes)
		})
	}
}

// requireLoans takes loans from their start by signals to their ends.
func (s *testStack) requireLoans() {
	s.t.Helper()
	out, err := exec.CommandContext(s.t.Context(), example(s.t, "loan/drive"), "-endpoint", s.url()).CombinedOutput()
	require.NoError(s.t, err, string(out))
}

// requireDelegation requires starts, signals, noticed ends, cancellations, actions, assistance and retries of webhooks.
func (s *testStack) requireDelegation() {
	s.t.Helper()
	s.requireLoans()

	process := s.createLoan(uuid.New())
	s.awaitItem(process, "LOAN_APPLICATION")
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes/"+process.String()+"/~actions/cancel", nil)
	require.Equal(s.t, http.StatusOK, status, body)
	s.await("the workflow to be cancelled", func() bool { return s.runState(process) == "CANCELLED" })

	customer := s.createCustomer(map[string]any{"name": "Acme"})
	action := s.invoke(customer, "STATEMENT", "downloadable", map[string]any{"month": "2026-03"})
	s.awaitAction(customer, action, "COMPLETED")

	task := s.approval("text/plain", "statement.txt", []byte("Ada Lovelace earns 5,000 EUR a month and asks for a loan."))
	s.assist(task)
	require.Equal(s.t, assistance.BuiltinModel, s.awaitAnswer(task)["model"])

	receiver, url := newSubscriber(s.t)
	receiver.failing = 100
	s.subscribe("HOOK", url)
	s.drive(1)
	s.await("the webhooks, after five failures each", func() bool { return receiver.count() == eventsOfProcess })
}

// requireRevocation revokes a token, and requires that calls with it are denied within a minute or not at all.
func (s *testStack) requireRevocation(revokes bool) {
	s.t.Helper()
	namespace := s.queried(`SELECT namespace FROM tenants WHERE code = 'demo'`)
	c := s.clientOf(demo.LoanWorker(), func(o *client.Options) { o.Namespace = namespace }).WorkflowService()
	read := func(ctx context.Context) error {
		_, err := c.DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
		return err
	}
	require.False(s.t, s.denies(read))
	printed(s.t, append([]string{"access", "revoke", "--principal", demo.LoanWorker().ID.String()}, s.asking(demo.Alice())...)...)
	if revokes {
		s.awaitFor(time.Minute, "the token to be denied", func() bool { return s.denies(read) })
		return
	}
	require.False(s.t, s.denies(read))
}

// rotateOwn rotates the service's keys and authority, and waits until the new ones sign.
func (s *testStack) rotateOwn() {
	s.t.Helper()
	for _, family := range []string{"keys", "ca"} {
		s.awaitFor(2*time.Minute, "the new key to sign", s.signing(family, s.command(family, "rotate")[0]))
	}
}
