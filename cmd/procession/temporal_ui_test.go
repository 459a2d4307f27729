package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

var temporalUI = flag.String("temporal-ui", "", "program of Temporal's UI, which test/compat/ui builds")

// Operators look into the namespace of a tenant and of the service with Temporal's UI, read only.
func TestOperatorsUseTemporalsUI(t *testing.T) {
	t.Parallel()
	if *temporalUI == "" {
		t.Skip("test/compat/ui builds Temporal's UI and runs this")
	}
	s := newStack(t, false)
	process := s.createLoan(uuid.New())
	s.await("the workflow to run", func() bool { return s.runState(process) == "RUNNING" })
	operator := s.operator()

	b := browsertest.New(t)
	shoot := func(name string) {
		if *screenshots != "" {
			b.Screenshot(filepath.Join(*screenshots, "temporal-ui-"+name+".png"))
		}
	}
	ui := s.startTemporalUI(operator, "demo", "--tenant", "demo")
	b.Open(ui + "/namespaces/demo/workflows")
	b.AwaitText("process-" + process.String())
	shoot("workflows")
	b.Open(ui + "/namespaces/demo/workflows/process-" + process.String())
	b.AwaitText("LoanWorkflow")
	shoot("workflow")
	_ = b.TakeProblems() // the UI also asks for data of the cluster, which the token does not give

	for path, want := range map[string]int{"/api/v1/namespaces/demo/workflows": http.StatusOK, "/api/v1/namespaces/other/workflows": http.StatusForbidden} {
		require.Equal(t, want, s.statusOf(http.MethodGet, ui+path), path)
	}
	// The UI refuses changes before the token does.
	require.Equal(t, http.StatusMethodNotAllowed, s.statusOf(http.MethodPost, ui+"/api/v1/namespaces/demo/workflows/process-"+process.String()+"/terminate"))
	require.Equal(t, "RUNNING", s.processState(process))

	own := s.startTemporalUI(operator, s.config.TemporalNamespace, "--service")
	b.Open(own + "/namespaces/" + s.config.TemporalNamespace + "/schedules")
	b.AwaitText("document-expiry")
	shoot("schedules")
	_ = b.TakeProblems()
}

// startTemporalUI starts Temporal's UI with the access of an operator, as documented, and returns its URL.
func (s *testStack) startTemporalUI(operator demo.Account, namespace string, about ...string) string {
	s.t.Helper()
	folder, port := s.t.TempDir(), freePorts(s.t, 2)
	printed(s.t, append(append([]string{"access", "issue", "--operator", "--directory", folder}, about...), s.asking(operator)...)...)
	token, err := os.ReadFile(filepath.Join(folder, "token"))
	require.NoError(s.t, err)
	settings := append(os.Environ(), "TEMPORAL_ACCESS="+folder, "TEMPORAL_ADDRESS="+s.config.TemporalAddress, "TEMPORAL_NAMESPACE="+namespace,
		"TEMPORAL_API_KEY="+strings.TrimSpace(string(token)), fmt.Sprint("TEMPORAL_UI_PORT=", port), fmt.Sprint("TEMPORAL_PROXY_PORT=", port+1))
	for _, command := range [][]string{
		{*temporalUI, "--root", "../../docs/temporal", "--config", "ui", "start"},
		{"haproxy", "-f", "../../docs/temporal/ui/haproxy.cfg", "-db"},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env, cmd.Stdout, cmd.Stderr = settings, s.logTo("temporal-ui.log"), s.logTo("temporal-ui.log")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		require.NoError(s.t, cmd.Start())
		s.t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
	ui := fmt.Sprintf("http://127.0.0.1:%d", port+1)
	s.await("Temporal's UI to answer", func() bool {
		answer, err := s.http.Get(ui + "/healthz")
		if err != nil {
			return false
		}
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	return ui
}

// statusOf sends a request without credentials.
func (s *testStack) statusOf(method, url string) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, url, strings.NewReader("{}"))
	require.NoError(s.t, err)
	answer, err := s.http.Do(request)
	require.NoError(s.t, err)
	require.NoError(s.t, answer.Body.Close())
	return answer.StatusCode
}
