package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/devstack/demo"
	procession "github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/processiontest/conformance"
)

// Workers of the SDK behave on the real service as on the one in memory, and survive expired access, broken
// connections, restarts of the service and workers of another version.
func TestWorkersOfTheSDK(t *testing.T) { //nolint:tparallel // each part begins where the one before has ended
	t.Parallel()
	s := newStack(t, false)
	documents, err := conformance.Definitions.ReadFile("definitions.yaml")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "definitions.yaml")
	require.NoError(t, os.WriteFile(file, documents, 0o600))
	asAlice := s.asking(demo.Alice())
	printed(t, append([]string{"apply", "-f", file}, asAlice...)...)
	w := s.startSDKWorker("first", conformance.Register)

	t.Run("they do what they do on the service in memory", func(t *testing.T) {
		target := conformance.Service{
			URL: s.url(), Client: s.http, Authorization: map[string]string{}, Names: map[string]uuid.UUID{},
		}
		for name, account := range map[string]demo.Account{"worker": demo.LoanWorker(), "alice": demo.Alice(), "bob": demo.Bob()} {
			target.Authorization[name], target.Names[name] = authorization(account), account.ID
		}
		conformance.Run(t, "workflows", target)
	})

	// Expired credentials are not used again: Temporal denies them from here on.
	s.expire(t, w, "token", asAlice, func() {})
	// A certificate is shown when connections are made.
	s.expire(t, w, "certificate", asAlice, w.relay.cut)
	require.Equal(t, "24\n", printed(t, append([]string{
		"access", "list", "--all", "--kind", "certificate", "--principal", demo.LoanWorker().ID.String(),
		"-o", "jq=map((.expiresAt[0:19] + \"Z\" | fromdate) - (.issuedAt[0:19] + \"Z\" | fromdate) | . / 3600 | round) | min",
	}, asAlice...)...))

	process := s.startScenario(t, "TASKS")
	s.complete(t, s.awaitItem(process, "REPORT"))
	s.killService()
	s.startService()
	s.complete(t, s.awaitItem(process, "DECIDE"))
	s.awaitState(process, "COMPLETED")
	require.Equal(t, 2, s.countItems(process), "every task is created once")

	s.besideAnotherVersion(t, w)
	require.NotContains(t, w.log(), "Temporal denies the worker")
}

// expire lets the worker's access of a kind expire, then does something, and has Temporal deny all of that kind that was
// issued before. The worker must have got another, and goes on.
func (s *testStack) expire(t *testing.T, w *sdkWorker, kind string, asAlice []string, then func()) {
	t.Helper()
	issued := func() []string {
		return strings.Fields(printed(t, append([]string{"access", "list", "--kind", kind, "-o", "jq=.[].id"}, asAlice...)...))
	}
	// Another holder of access of that kind shows when Temporal denies it.
	account := s.engineAccount(demo.LoanWorker())
	_, token, err := account.token()
	require.NoError(t, err)
	denied := account.client(fixed(token))
	s.requireServed(denied, "before")
	before := issued()
	require.GreaterOrEqual(t, len(before), 2)
	w.ahead.Add(int64(2 * s.config.CertificateLifetime))
	then()
	waiting := s.startScenario(t, "TASKS")
	s.await("other access", func() bool { return len(issued()) > len(before) })
	s.awaitItem(waiting, "REPORT")
	for _, id := range before {
		require.Equal(t, "1 revoked\n", printed(t, append([]string{"access", "revoke", id}, asAlice...)...))
	}
	s.awaitDenied(denied, "its access is revoked")
	for range 3 {
		process := s.startScenario(t, "OWN")
		s.awaitState(process, "COMPLETED")
	}
}

// besideAnotherVersion starts a worker that has another step in the workflow, guarded as docs/workers.md says.
func (s *testStack) besideAnotherVersion(t *testing.T, first *sdkWorker) {
	t.Helper()
	begun := s.startScenario(t, "TASKS")
	report := s.awaitItem(begun, "REPORT")
	second := s.startSDKWorker("second", func(w *procession.Worker) error {
		procession.RegisterWorkflow(w, "ConformanceWorkflow", func(ctx workflow.Context, _ procession.WorkflowRequest) (procession.WorkflowResponse, error) {
			if _, err := procession.Metadata[map[string]any](ctx); err != nil {
				return procession.WorkflowResponse{}, err
			}
			done, err := procession.AwaitTask[map[string]any](ctx, "REPORT")
			if err != nil {
				return procession.WorkflowResponse{}, err
			}
			if workflow.GetVersion(ctx, "note", workflow.DefaultVersion, 1) != workflow.DefaultVersion {
				if _, err := procession.SendMessage(ctx, "NOTE", "reported"); err != nil {
					return procession.WorkflowResponse{}, err
				}
			}
			decided, err := procession.AwaitTask[map[string]any](ctx, "DECIDE",
				procession.WithData(done.Data), procession.WithContextData(map[string]any{"OF": "REPORT"}))
			if err != nil {
				return procession.WorkflowResponse{}, err
			}
			return procession.WorkflowResponse{Message: "played"}, procession.SetMetadata(ctx, map[string]any{"RESULT": decided.Data})
		})
		return nil
	})
	// One that began with the first version passed the change before there was one.
	s.complete(t, report)
	decide := s.awaitItem(begun, "DECIDE")
	beside := s.startScenario(t, "TASKS")
	other := s.awaitItem(beside, "REPORT")

	first.stop(t)
	s.complete(t, decide)
	s.awaitState(begun, "COMPLETED")
	require.Equal(t, 2, s.countItems(begun), "it goes on as it began")
	s.complete(t, other)
	s.complete(t, s.awaitItem(beside, "DECIDE"))
	s.awaitState(beside, "COMPLETED")
	require.Equal(t, 3, s.countItems(beside), "it has the new step")
	second.stop(t)
}

// startScenario starts a process; the metadata selects the steps of its workflow.
func (s *testStack) startScenario(t *testing.T, scenario string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	status, body := s.call(demo.Alice(), http.MethodPost, "/processes", map[string]any{
		"id": id, "processDefinitionCode": "CONFORMANCE", "metadata": map[string]any{"value": map[string]any{"SCENARIO": scenario}},
	})
	require.Equal(t, http.StatusCreated, status, body)
	return id
}

// complete claims and completes a task as Bob.
func (s *testStack) complete(t *testing.T, item string) {
	t.Helper()
	for _, action := range []string{"claim", "complete"} {
		status, body := s.call(demo.Bob(), http.MethodPost, "/process-items/"+item+"/task/~actions/"+action, nil)
		require.Equal(t, http.StatusOK, status, body)
	}
}

// authorization returns the Authorization header of an account.
func authorization(a demo.Account) string {
	if a.Email != "" {
		return "Bearer " + a.Secret
	}
	request := http.Request{Header: http.Header{}}
	request.SetBasicAuth(a.ID.String(), a.Secret)
	return request.Header.Get("Authorization")
}

// sdkWorker is a worker of the SDK in the process of the test.
type sdkWorker struct {
	relay *tcpRelay
	// ahead is how far its clock is ahead, in nanoseconds.
	ahead atomic.Int64
	file  string
	stop  func(*testing.T)
}

func (w *sdkWorker) log() string {
	content, err := os.ReadFile(w.file)
	if err != nil {
		return err.Error()
	}
	return string(content)
}

// startSDKWorker runs a worker until it is stopped or the test ends, and waits until it polls.
func (s *testStack) startSDKWorker(name string, register func(*procession.Worker) error) *sdkWorker {
	s.t.Helper()
	account := demo.LoanWorker()
	running := &sdkWorker{relay: newTCPRelay(s.t, s.config.TemporalAddress), file: filepath.Join(s.dir, name+".log")}
	ready := make(chan string, 1)
	w, err := procession.NewWorker(procession.Config{
		Client: procession.ClientConfig{
			Endpoint: s.url(), Credentials: procession.ClientCredentials(account.ID.String(), account.Secret), MaxWait: 100 * time.Millisecond,
		},
		TemporalAddress: running.relay.address, TaskQueue: conformance.TaskQueue, Identity: name,
		Logger: slog.New(slog.NewTextHandler(s.logTo(name+".log"), nil)),
		Ready:  func(namespace string) { ready <- namespace },
		Clock:  func() time.Time { return time.Now().Add(time.Duration(running.ahead.Load())) },
	})
	require.NoError(s.t, err)
	require.NoError(s.t, register(w))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	stopped := sync.OnceValue(func() error { cancel(); return <-ended })
	running.stop = func(t *testing.T) {
		t.Helper()
		require.NoError(t, stopped())
	}
	s.t.Cleanup(func() { _ = stopped() })
	select {
	case <-ready:
	case <-time.After(testTimeout):
		require.Fail(s.t, "the worker does not poll")
	}
	return running
}

// tcpRelay passes connections on, and can break them.
type tcpRelay struct {
	address string
	mu      sync.Mutex
	open    []net.Conn
}

func newTCPRelay(t *testing.T, target string) *tcpRelay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &tcpRelay{address: listener.Addr().String()}
	t.Cleanup(func() { _ = listener.Close(); r.cut() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				_ = near.Close()
				continue
			}
			r.mu.Lock()
			r.open = append(r.open, near, far)
			r.mu.Unlock()
			for from, to := range map[net.Conn]net.Conn{near: far, far: near} {
				go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
			}
		}
	}()
	return r
}

// cut breaks all connections.
func (r *tcpRelay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, conn := range r.open {
		_ = conn.Close()
	}
	r.open = nil
}
