package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/devstack/demo"
)

const (
	probeQueue = "QUEUE_SAMPLE_LOAN"
	probeName  = "Probe"
	echoName   = "Echo"
)

// probe returns a workflow that takes two workflow tasks and an activity task.
func probe(ctx workflow.Context, n int) (int, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	var echoed int
	err := workflow.ExecuteActivity(ctx, echoName, n).Get(ctx, &echoed)
	return echoed, err
}

func echo(_ context.Context, n int) (int, error) { return n, nil }

// engineAccount contains the credentials that a worker fetches at its start.
type engineAccount struct {
	s     *testStack
	as    demo.Account
	pair  tls.Certificate
	roots *x509.CertPool
}

// engineAccount fetches a certificate, and of the roots only the first, as Java
// clients do.
func (s *testStack) engineAccount(as demo.Account) engineAccount {
	s.t.Helper()
	status, got := s.call(as, http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_CERTIFICATE"})
	require.Equal(s.t, http.StatusOK, status, got)
	file := func(name string) []byte {
		return []byte(field[string](s.t, got, "engineCertificate", "tls", name))
	}
	pair, err := tls.X509KeyPair(file("clientCertificate"), file("clientPrivateKey"))
	require.NoError(s.t, err)
	first, _ := pem.Decode(file("serverRootCaCertificate"))
	root, err := x509.ParseCertificate(first.Bytes)
	require.NoError(s.t, err)
	roots := x509.NewCertPool()
	roots.AddCert(root)
	return engineAccount{s: s, as: as, pair: pair, roots: roots}
}

// token fetches a token.
func (a engineAccount) token() (id, token string, err error) {
	status, got := a.s.call(a.as, http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_TOKEN"})
	if status != http.StatusOK {
		return "", "", fmt.Errorf("asking for a token: status %d", status)
	}
	return field[string](a.s.t, got, "id"), field[string](a.s.t, got, "engineToken", "token"), nil
}

// client connects with tokens of the source.
func (a engineAccount) client(token func(context.Context) (string, error)) client.Client {
	a.s.t.Helper()
	c, err := client.NewLazyClient(client.Options{
		HostPort: a.s.config.TemporalAddress, Namespace: "demo", Credentials: client.NewAPIKeyDynamicCredentials(token),
		Logger:            sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
		ConnectionOptions: client.ConnectionOptions{TLS: &tls.Config{RootCAs: a.roots, Certificates: []tls.Certificate{a.pair}}},
	})
	require.NoError(a.s.t, err)
	a.s.t.Cleanup(c.Close)
	return c
}

// work polls with a new connection, and a new token every second, until the test ends or the worker is stopped.
// tasks counts its tasks.
func (a engineAccount) work(tasks *atomic.Int64) worker.Worker {
	a.s.t.Helper()
	var mu sync.Mutex
	var token string
	var fetched time.Time
	w := worker.New(a.client(func(context.Context) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(fetched) < time.Second {
			return token, nil
		}
		_, fresh, err := a.token()
		if err == nil {
			token, fetched = fresh, time.Now()
		}
		return token, err
	}), probeQueue, worker.Options{MaxConcurrentWorkflowTaskPollers: 2, MaxConcurrentActivityTaskPollers: 2})
	w.RegisterWorkflowWithOptions(probe, workflow.RegisterOptions{Name: probeName})
	w.RegisterActivityWithOptions(func(ctx context.Context, n int) (int, error) {
		tasks.Add(1)
		return echo(ctx, n)
	}, activity.RegisterOptions{Name: echoName})
	require.NoError(a.s.t, w.Start())
	return w
}

// probes starts workflows until it is stopped.
type probes struct {
	t    *testing.T
	c    client.Client
	runs []client.WorkflowRun
}

func (p *probes) start(n int) {
	p.t.Helper()
	run, err := p.c.ExecuteWorkflow(p.t.Context(), client.StartWorkflowOptions{
		ID: fmt.Sprintf("probe-%d", n), TaskQueue: probeQueue, WorkflowTaskTimeout: 10 * time.Second,
	}, probeName, n)
	require.NoError(p.t, err)
	p.runs = append(p.runs, run)
}

// until starts workflows as long as the condition does not hold.
func (p *probes) until(what string, holds func() bool) {
	p.t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(testTimeout)
	for done := holds(); !done; done = holds() {
		p.start(len(p.runs))
		select {
		case <-ticker.C:
		case <-deadline:
			require.Fail(p.t, "waiting for "+what)
		}
	}
}

// requireDone waits for all workflows.
func (p *probes) requireDone(ctx context.Context) {
	p.t.Helper()
	for n, run := range p.runs {
		var echoed int
		require.NoError(p.t, run.Get(ctx, &echoed))
		require.Equal(p.t, n, echoed)
	}
}

// requireNothingLost waits for all workflows. No task was delivered twice, which would follow the loss of one.
func (p *probes) requireNothingLost() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), testTimeout)
	defer cancel()
	p.requireDone(ctx)
	for n, run := range p.runs {
		history := p.c.GetWorkflowHistory(ctx, run.GetID(), run.GetRunID(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for history.HasNext() {
			event, err := history.Next()
			require.NoError(p.t, err)
			require.NotContains(p.t, []enums.EventType{
				enums.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT, enums.EVENT_TYPE_WORKFLOW_TASK_FAILED,
				enums.EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT, enums.EVENT_TYPE_ACTIVITY_TASK_FAILED,
			}, event.GetEventType(), "workflow %d", n)
			if started := event.GetActivityTaskStartedEventAttributes(); started != nil {
				require.EqualValues(p.t, 1, started.GetAttempt(), "workflow %d", n)
			}
		}
	}
}

// command runs a command of the program on the stack's configuration and returns
// the words of its output.
func (s *testStack) command(args ...string) []string {
	s.t.Helper()
	var out bytes.Buffer
	require.NoError(s.t, run(s.t.Context(), append(args, "--config", s.dir+"/procession.yaml"), &out, s.t.Output()))
	return strings.Fields(out.String())
}

// signing waits until the newest key of a family is the one that signs.
func (s *testStack) signing(family, id string) func() bool {
	return func() bool {
		words := s.command(family, "list")
		i := slices.Index(words, id)
		return i >= 0 && words[i+1] == "SIGNING"
	}
}

// shown returns the serial number of the certificate that Temporal's frontend shows.
func (s *testStack) shown() string {
	conn, err := tls.Dial("tcp", s.config.TemporalAddress, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return ""
	}
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Text(16)
}

func TestRotationUnderTwentyPollingWorkersLosesNoTask(t *testing.T) {
	t.Parallel()
	s := newStack(t, false, withConfig(func(c *config.Config) {
		c.KeyReload, c.KeyPublishDelay = 200*time.Millisecond, 3*time.Second
	}))
	var tasks [21]atomic.Int64
	early := s.engineAccount(demo.LoanWorker())
	var workers []worker.Worker
	for n := range 20 {
		workers = append(workers, s.engineAccount(demo.LoanWorker()).work(&tasks[n]))
	}
	p := &probes{t: t, c: s.systemClient()}
	p.until("every worker to work", func() bool {
		for n := range workers {
			if tasks[n].Load() == 0 {
				return false
			}
		}
		return true
	})

	shown := s.shown()
	for _, family := range []string{"keys", "ca"} {
		made := s.command(family, "rotate")[0]
		p.until("the new key to sign", s.signing(family, made))
	}
	s.command("certificate", "--host", "127.0.0.1", "--out", s.dir)
	p.until("Temporal to show its new certificate", func() bool { return s.shown() != shown })
	before := len(p.runs)
	p.until("some more tasks", func() bool { return len(p.runs) > before+100 })
	p.requireNothingLost()

	// Clients that connect afterwards are served, with a certificate from before as well
	// as with one of the new authority. Workers that stop may take a task with them,
	// which Temporal hands out again.
	for _, w := range workers {
		w.Stop()
	}
	late := s.engineAccount(demo.LoanWorker())
	require.NotEqual(t, issuerOf(t, early), issuerOf(t, late))
	for _, account := range []engineAccount{early, late} {
		tasks[20].Store(0)
		w := account.work(&tasks[20])
		before := len(p.runs)
		p.until("the worker to work", func() bool { return len(p.runs) > before && tasks[20].Load() > 0 })
		p.requireDone(t.Context())
		w.Stop()
	}
	require.Equal(t, "RUNNING", s.processState(s.createLoan(uuid.New())), "the service itself goes on")
	s.awaitReady()
	t.Logf("%d workflows", len(p.runs))
}

func issuerOf(t *testing.T, a engineAccount) string {
	t.Helper()
	leaf, err := x509.ParseCertificate(a.pair.Certificate[0])
	require.NoError(t, err)
	return leaf.Issuer.CommonName
}
