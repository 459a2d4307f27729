package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
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

// startProcess runs services of the world's cluster in a process of their own, and returns it when they have started.
func (w *testServer) startProcess(t *testing.T, services ...string) *exec.Cmd {
	t.Helper()
	opts := w.opts
	opts.Services = services
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
// survives a restart of the process with their histories.
func TestClusterOfProcesses(t *testing.T) {
	t.Parallel()
	w := newAuthorities(t)
	w.opts.Store, w.opts.DatabaseURL = options.StorePostgres, newPostgres(t)
	w.opts.Internal = filepath.Join(t.TempDir(), "internal.pem")
	require.NoError(t, certs.WriteShared(w.opts.Internal, time.Now()))
	require.Error(t, certs.WriteShared(w.opts.Internal, time.Now()), "a file that is there is kept")
	var held []net.Listener
	place := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		held = append(held, l)
		return l.Addr().String()
	}
	w.opts.Listen = place()
	w.opts.Hosts = []string{"internal-frontend=" + place(), "history=" + place(), "matching=" + place(), "worker=" + place()}
	for _, l := range held {
		require.NoError(t, l.Close())
	}

	history := w.startProcess(t, "history")
	w.startProcess(t, "matching")
	w.startProcess(t, "frontend", "internal-frontend", "worker")
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
	w.startProcess(t, "history")
	require.NoError(t, service.SignalWorkflow(ctx, "w1", run.GetRunID(), "go", "after"))
	var result string
	require.NoError(t, run.Get(ctx, &result))
	require.Equal(t, "before after", result)
}
