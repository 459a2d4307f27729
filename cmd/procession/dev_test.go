package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/devstack/pgcluster"
	data "github.com/procession-dev/procession/examples/demo"
	"github.com/procession-dev/procession/test/kit/nettest"
)

// devStack is the stack as make run starts it.
type devStack struct {
	*testStack
	args    []string
	process *child.Process
	out     *output
}

// output contains the output of a program so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (d *devStack) start() {
	d.t.Helper()
	d.out = &output{}
	cmd := program(d.args...)
	cmd.Stdout, cmd.Stderr = d.out, d.out
	var err error
	d.process, err = child.Start(cmd, syscall.SIGKILL)
	require.NoError(d.t, err)
	d.await("the banner", func() bool {
		select {
		case <-d.process.Done():
			d.t.Fatalf("it ended: %s", d.out)
		default:
		}
		return strings.Contains(d.out.String(), "Ctrl-C stops all of it.")
	})
}

func (d *devStack) interrupt() {
	d.t.Helper()
	d.stopProcess(d.process, syscall.SIGINT)
	require.NoError(d.t, d.process.Err(), d.out.String())
}

// The first start needs no Temporal that was compiled here.
func TestDevOnTheOfficialTemporal(t *testing.T) {
	t.Parallel()
	listen := nettest.FreeAddress(t)
	d := &devStack{testStack: &testStack{t: t, http: &http.Client{}}, args: []string{
		"dev", "--ephemeral", "--engine", "official", "--worker", example(t, "loan"), "--listen", listen, "--listen-tls", nettest.FreeAddress(t),
		"--listen-health", nettest.FreeAddress(t), "--temporal-listen", nettest.FreeAddress(t),
	}}
	d.start()
	require.Contains(t, d.out.String(), "every program on this machine reaches all workflows")
	out, err := exec.CommandContext(t.Context(), example(t, "loan/drive"), "-endpoint", "http://"+listen).CombinedOutput()
	require.NoError(t, err, string(out))
	d.interrupt()
}

func TestDevRunsTheWholeStackAndKeepsItsData(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp(pgcluster.ScratchDir(), "procession-dev-test-") //nolint:usetesting // PostgreSQL's user must get in
	require.NoError(t, err)
	listen, admin := nettest.FreeAddress(t), nettest.FreeAddress(t)
	d := &devStack{
		testStack: &testStack{t: t, dir: dir, http: &http.Client{}, config: config.Config{HTTP: config.HTTP{Listen: listen, ListenHealth: admin}}},
		args: []string{
			"dev", "--dir", dir, "--worker", example(t, "loan"), "--worker", example(t, "inspection"), "--listen", listen, "--listen-health", admin,
			"--listen-tls", nettest.FreeAddress(t), "--temporal-listen", nettest.FreeAddress(t),
		},
	}
	t.Cleanup(func() {
		if t.Failed() {
			d.stopProcess(d.process, syscall.SIGINT)
		}
		require.NoError(t, pgcluster.Remove(filepath.Join(dir, "postgres")))
		require.NoError(t, os.RemoveAll(dir))
	})
	temporalBinary(t)
	d.start()
	d.requireConsoleFirst()
	d.requireOperator()
	d.await("workers on all task queues", func() bool {
		queues := d.administer(http.MethodGet, "/task-queues", "")
		return strings.Contains(queues, "QUEUE_INSPECTION") && !strings.Contains(queues, `"problems":[{`) && !strings.Contains(queues, `"workers":[]`)
	})
	others := d.loansToApprove()
	d.suggestDecisions()
	carol := d.applyForALoan()
	d.requireRobot()
	d.requireOwnHosts()
	const renamed = `{"documents":[{"apiVersion":"procession/v1","kind":"Group","metadata":{"code":"REVIEWERS","tenant":"demo"},` +
		`"spec":{"name":"Renamed","members":[{"user":"bob"}]}}]}`
	d.administer(http.MethodPost, "/resources/~actions/apply", renamed)
	d.interrupt()
	carol.Type(`[name="v/LAST_NAME"]`, "Demo")
	carol.AwaitText("No connection. Your input is kept here and saved when the connection is back.")

	d.start()
	require.Contains(t, d.out.String(), "your changes to them are kept")
	require.Contains(t, d.administer(http.MethodGet, "/resources/Group/REVIEWERS?tenant=demo", ""), `"name":"Renamed"`)
	require.Equal(t, "RUNNING", d.processState(carol.process), "the process is still there")
	d.requireRobot()
	d.finishApplication(carol)
	d.decide(carol)
	d.watchProcesses(carol.process, others[0])
	d.interrupt()
}

// administer sends a request of Alice to the administration API and returns the
// answer.
func (d *devStack) administer(method, path, body string) string {
	d.t.Helper()
	request, err := http.NewRequestWithContext(d.t.Context(), method, d.url()+"/admin/v1"+path, strings.NewReader(body))
	require.NoError(d.t, err)
	request.Header.Set("Authorization", "Bearer "+demo.Alice().Secret)
	request.Header.Set("Content-Type", "application/json")
	answer, err := d.http.Do(request)
	require.NoError(d.t, err)
	defer func() { require.NoError(d.t, answer.Body.Close()) }()
	got, err := io.ReadAll(answer.Body)
	require.NoError(d.t, err)
	require.Equal(d.t, http.StatusOK, answer.StatusCode, string(got))
	return string(got)
}

// requireOperator requires that the command of the banner makes an operator, who may create a tenant.
func (d *devStack) requireOperator() {
	d.t.Helper()
	line := regexp.MustCompile(`(?m)^  bin/procession (operators add .*?)  +makes Alice an operator`).FindStringSubmatch(d.out.String())
	require.NotNil(d.t, line, d.out.String())
	add := program(strings.Fields(line[1])...)
	add.Stderr = d.t.Output()
	token, err := add.Output()
	require.NoError(d.t, err)
	apply := program("apply", "-f", "-")
	apply.Stdin = strings.NewReader("apiVersion: procession/v1\nkind: Tenant\nmetadata: {code: acme}\nspec: {name: Acme}\n")
	apply.Env = append(apply.Env, "PROCESSION_SERVER="+d.url(), "PROCESSION_TOKEN="+strings.TrimSpace(string(token)))
	apply.Stderr = d.t.Output()
	applied, err := apply.Output()
	require.NoError(d.t, err)
	require.Equal(d.t, "Tenant/acme created\n", string(applied))
}

// requireRobot requires that the robot of the demo data can be downloaded.
func (d *devStack) requireRobot() {
	d.t.Helper()
	want, err := data.RobotPackage()
	require.NoError(d.t, err)
	request, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet,
		d.url()+"/v2024-06-14/robots/"+demo.Robot().String()+"/~actions/download-source-code", nil)
	require.NoError(d.t, err)
	request.SetBasicAuth(demo.LoanWorker().ID.String(), demo.LoanWorker().Secret)
	answer, err := d.http.Do(request)
	require.NoError(d.t, err)
	defer func() { require.NoError(d.t, answer.Body.Close()) }()
	got, err := io.ReadAll(answer.Body)
	require.NoError(d.t, err)
	require.Equal(d.t, http.StatusOK, answer.StatusCode, string(got))
	require.Equal(d.t, want, got)
}

func TestDevListsAllBusyAddresses(t *testing.T) {
	t.Parallel()
	var listening net.ListenConfig
	taken, err := listening.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	args := []string{"dev", "--dir", t.TempDir(), "--listen", taken.Addr().String(), "--listen-tls", nettest.FreeAddress(t)}
	err = run(context.Background(), append(args, "--listen-health", taken.Addr().String(), "--temporal-listen", taken.Addr().String()),
		t.Output(), t.Output())
	for _, flag := range []string{"listen", "listen-health", "temporal-listen"} {
		require.ErrorContains(t, err, taken.Addr().String()+" (--"+flag+")")
	}
	require.NotContains(t, err.Error(), "listen-tls")
	require.ErrorContains(t, err, "make run DEV_FLAGS='--port-offset 100'")
}
