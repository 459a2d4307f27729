package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/temporal-server/internal/certs"
	"github.com/procession-dev/procession/temporal-server/internal/options"
	"github.com/procession-dev/procession/temporal-server/internal/server"
)

// serverOptions is the environment variable with which this program is a server, and the options of it.
const serverOptions = "TEST_SERVER_OPTIONS"

func TestMain(m *testing.M) {
	if text, ok := os.LookupEnv(serverOptions); ok {
		if err := beServer(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// beServer runs a server until the process is asked to end.
func beServer(text string) error {
	var opts options.Options
	if err := json.Unmarshal([]byte(text), &opts); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	srv, err := server.Start(ctx, opts, slog.New(slog.NewJSONHandler(os.Stderr, nil)), time.Now)
	if err != nil {
		return err
	}
	if _, err := os.Stdout.WriteString("ready\n"); err != nil {
		return errors.Join(err, srv.Stop())
	}
	<-ctx.Done()
	return srv.Stop()
}

// clusterNetwork makes w a cluster of several processes on PostgreSQL, and returns the addresses of n hosts of its own.
func (w *testServer) clusterNetwork(t *testing.T, n int) []string {
	t.Helper()
	w.opts.Store, w.opts.Visibility, w.opts.DatabaseURL = options.StorePostgres, options.StorePostgres, newPostgres(t)
	return w.clusterHosts(t, n)
}

// clusterHosts makes w a cluster of several processes, and returns the addresses of n hosts of its own.
func (w *testServer) clusterHosts(t *testing.T, n int) []string {
	t.Helper()
	w.opts.Internal = filepath.Join(t.TempDir(), "internal.pem")
	require.NoError(t, certs.WriteShared(w.opts.Internal, time.Now()))
	network := fmt.Sprintf("127.%d.%d.", 1+rand.IntN(254), rand.IntN(256))
	hosts := make([]string, n)
	for i := range hosts {
		hosts[i] = network + strconv.Itoa(i+1)
	}
	w.opts.Listen = hosts[0] + ":7233"
	return hosts
}

// startProcess runs services of the cluster in a process of their own on a host, and returns it when they have started.
func (w *testServer) startProcess(t *testing.T, host string, services ...string) *exec.Cmd {
	t.Helper()
	opts := w.opts
	opts.Services, opts.Advertise, opts.Listen = services, host, net.JoinHostPort(host, "7233")
	text, err := json.Marshal(opts)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverOptions+"="+string(text))
	cmd.Stderr = w.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, "%s", strings.Join(w.log.lines(""), ""))
	require.Equal(t, "ready\n", line)
	return cmd
}

// A cluster of several processes runs workflows behind the same access rules, and
// survives the loss of the process with their histories and its start on another host.
func TestClusterOfProcesses(t *testing.T) {
	t.Parallel()
	w := newAuthorities(t)
	hosts := w.clusterNetwork(t, 2)
	require.Error(t, certs.WriteShared(w.opts.Internal, time.Now()), "a file that is there is kept")

	history := w.startProcess(t, hosts[0], "history")
	w.startProcess(t, hosts[1], "matching")
	w.startProcess(t, hosts[0], "frontend", "internal-frontend", "worker")
	_, err := server.Start(t.Context(), w.opts, slog.New(slog.DiscardHandler), time.Now)
	require.Error(t, err, "one process for all is no part of a cluster")

	w.addNamespace(t, "alpha")
	engine := w.sdk(t, "alpha", w.ca.client(t, "alpha"), claims("alpha", "q1"))
	robot := worker.New(engine, "q1", worker.Options{})
	robot.RegisterWorkflowWithOptions(func(ctx workflow.Context) (string, error) {
		var before, after string
		workflow.GetSignalChannel(ctx, "go").Receive(ctx, &before)
		workflow.GetSignalChannel(ctx, "go").Receive(ctx, &after)
		return before + after, nil
	}, workflow.RegisterOptions{Name: "waits"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	service := w.sdk(t, "alpha", w.ca.client(t, "temporal-system"), systemClaims())
	var run client.WorkflowRun
	require.Eventually(t, func() bool {
		run, err = service.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "w1", TaskQueue: "q1"}, "waits")
		return err == nil
	}, 30*time.Second, 100*time.Millisecond, "namespaces take seconds to reach all processes")
	require.NoError(t, robot.Start())
	defer robot.Stop()
	_, err = w.sdk(t, "alpha", w.ca.client(t, "alpha"), claims("alpha", "q1")).ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "q1"}, "waits")
	require.Error(t, err, "engines start no workflows")

	require.NoError(t, service.SignalWorkflow(ctx, "w1", run.GetRunID(), "go", "before "))
	require.NoError(t, history.Process.Kill())
	_ = history.Wait()
	w.startProcess(t, hosts[1], "history")
	require.NoError(t, service.SignalWorkflow(ctx, "w1", run.GetRunID(), "go", "after"))
	var result string
	require.NoError(t, run.Get(ctx, &result))
	require.Equal(t, "before after", result)
}
