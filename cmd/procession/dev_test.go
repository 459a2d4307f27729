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
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/devstack/pgcluster"
	data "github.com/procession-dev/procession/examples/demo"
)

// devStack is the stack as make run starts it.
type devStack struct {
	*testStack
	args    []string
	process *child.Process
	out     *output
}

// output is what a program has printed so far.
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

func TestDevRunsTheWholeStackAndKeepsItsData(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp(pgcluster.ScratchDir(), "procession-dev-test-") //nolint:usetesting // PostgreSQL's user must get in
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, pgcluster.Remove(filepath.Join(dir, "postgres")))
		require.NoError(t, os.RemoveAll(dir))
	})
	listen, admin := freeAddress(t), freeAddress(t)
	d := &devStack{
		testStack: &testStack{t: t, dir: dir, http: &http.Client{}, config: Config{Listen: listen, ListenAdmin: admin}},
		args: []string{
			"dev", "--dir", dir, "--worker", example(t, "."), "--listen", listen, "--listen-admin", admin,
			"--listen-tls", freeAddress(t), "--temporal-listen", freeAddress(t),
		},
	}
	temporalBinary(t)
	d.start()
	out, err := exec.CommandContext(t.Context(), example(t, "drive"), "-endpoint", d.url()).CombinedOutput()
	require.NoError(t, err, string(out))
	process := d.createLoan(uuid.New())
	item := d.awaitItem(process, "LOAN_APPLICATION")
	d.requireRobot()
	d.requireOwnHosts()
	d.interrupt()

	d.start()
	require.Equal(t, "RUNNING", d.processState(process), "the process is still there")
	d.requireRobot()
	d.fill(item, map[string]any{"FIRST_NAME": "Carol", "LAST_NAME": "Demo", "CURRENCY": "EUR", "AMOUNT": 1})
	d.awaitState(process, "COMPLETED")
	d.interrupt()
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

func TestDevNamesTheBusyAddressAndItsFlag(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, taken.Close()) }()
	for _, flag := range []string{"listen", "listen-tls", "listen-admin", "temporal-listen"} {
		args := []string{"dev", "--dir", t.TempDir()}
		for _, other := range []string{"listen", "listen-tls", "listen-admin", "temporal-listen"} {
			address := freeAddress(t)
			if other == flag {
				address = taken.Addr().String()
			}
			args = append(args, "--"+other, address)
		}
		err := run(context.Background(), args, t.Output(), t.Output())
		require.ErrorContains(t, err, taken.Addr().String())
		require.ErrorContains(t, err, "--"+flag)
	}
}
