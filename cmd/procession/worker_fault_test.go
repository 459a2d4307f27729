package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/devstack/child"
	"github.com/procession-dev/procession/devstack/demo"
	documents "github.com/procession-dev/procession/examples/demo"
)

// Programs of test/compat/faults.
var faultWorkers = flag.String("fault-workers", "", "directory of workers with faults")

// The code of a worker with faults.
const (
	phaseFirst  = "first"
	phaseFaulty = "faulty"
	phaseMended = "mended"
)

// The faults of a worker. The last digit of a process id chooses one.
const (
	faultException = iota + 1
	faultNull
	faultBlocked
	faultChangedCode
	faultActivity
	faultSignal
	faultEncrypted
	faultCount = iota
)

const processSignal = "KuFlow_Engine_Signal_Process_Item"

// faultReport is the incident that a fault must open: its kind and parts of its message and stack trace.
type faultReport struct {
	kind  string
	texts []string
}

// faultReports contains the incidents of the faults by SDK.
type faultReports map[int]faultReport

// TestFaultsOfWorkers is the short form of TestFaultsOfForeignWorkers.
func TestFaultsOfWorkers(t *testing.T) {
	t.Parallel()
	s := newFaultStack(t)
	s.requireFaultsNoticed(s.startFaultyGoWorker, faultReports{
		faultException:   {"WORKFLOW_TASK", []string{"no rate for the currency", "worker_fault_test.go"}},
		faultNull:        {"WORKFLOW_TASK", []string{"nil pointer", "worker_fault_test.go"}},
		faultBlocked:     {"WORKFLOW_TASK", []string{"deadlock", "worker_fault_test.go"}},
		faultChangedCode: {"WORKFLOW_TASK", []string{"TMPRL1100"}},
		faultActivity:    {"ACTIVITY", []string{"activityType=send"}},
		faultSignal:      {"NO_WAIT", nil},
		// This SDK fails the workflow.
		faultEncrypted: {"FAILURE", []string{"binary/encrypted"}},
	})
}

// Faults of the authors of workers in other languages are incidents until they are mended.
func TestFaultsOfForeignWorkers(t *testing.T) {
	t.Parallel()
	if *faultWorkers == "" {
		t.Skip("make compat installs the workers and runs this")
	}
	for language, reports := range foreignFaultReports() {
		program := filepath.Join(*faultWorkers, language)
		if _, err := os.Stat(program); err != nil {
			continue
		}
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s := newFaultStack(t)
			access := s.writeAccess()
			s.requireFaultsNoticed(func(phase string) func() { return s.startFaultyProgram(program, access, phase) }, reports)
		})
	}
}

// foreignFaultReports returns the incidents by language. Current SDKs of Python and Java drop a signal that they
// cannot decode.
func foreignFaultReports() map[string]faultReports {
	python := faultReports{
		faultException:   {"WORKFLOW_TASK", []string{"ValueError: no rate for the currency", "worker.py"}},
		faultNull:        {"WORKFLOW_TASK", []string{"AttributeError: 'NoneType' object", "worker.py"}},
		faultBlocked:     {"WORKFLOW_TASK", []string{"deadlock"}},
		faultChangedCode: {"WORKFLOW_TASK", []string{"ondeterminis"}},
		faultActivity:    {"ACTIVITY", []string{"send"}},
		faultSignal:      {"NO_WAIT", nil},
		faultEncrypted:   {"WORKFLOW_TASK", []string{"binary/encrypted", "converter.py"}},
	}
	legacy := maps.Clone(python)
	legacy[faultSignal] = faultReport{"WORKFLOW_TASK", []string{"binary/unknown", "converter.py"}}
	return map[string]faultReports{
		"python": python, "python-legacy": legacy,
		"typescript": {
			faultException:   {"WORKFLOW_TASK", []string{"no rate for the currency", "faulty.js"}},
			faultNull:        {"WORKFLOW_TASK", []string{"Cannot read properties of undefined", "faulty.js"}},
			faultBlocked:     {"WORKFLOW_TASK", []string{"timed out"}},
			faultChangedCode: {"WORKFLOW_TASK", []string{"Nondeterminism"}},
			faultActivity:    {"ACTIVITY", []string{"send"}},
			faultSignal:      {"WORKFLOW_TASK", []string{"Unknown encoding: binary/unknown", "workflow-bundle"}},
			faultEncrypted:   {"WORKFLOW_TASK", []string{"Unknown encoding: binary/encrypted", "workflow-bundle"}},
		},
		"java": {
			faultException:   {"WORKFLOW_TASK", []string{"no rate for the currency", "Faults.java"}},
			faultNull:        {"WORKFLOW_TASK", []string{"NullPointerException", "Faults.java"}},
			faultBlocked:     {"WORKFLOW_TASK", []string{"did not complete it in time"}},
			faultChangedCode: {"WORKFLOW_TASK", []string{"NonDeterministicException"}},
			faultActivity:    {"ACTIVITY", []string{"Send"}},
			faultSignal:      {"NO_WAIT", nil},
			faultEncrypted:   {"WORKFLOW_TASK", []string{"DataConverterException"}},
		},
	}
}

// newFaultStack starts a stack with a definition that only open work continues, and one with a key.
func newFaultStack(t *testing.T) *testStack {
	t.Helper()
	s := newStack(t, false)
	s.applySealedLoan()
	text, err := documents.Files.ReadFile("loan.yaml")
	require.NoError(t, err)
	before, after, found := strings.Cut(string(text), "    - code: NOTE\n")
	require.True(t, found)
	after = after[strings.Index(after, "  i18n:"):]
	quiet := strings.NewReplacer("  code: LOAN\n", "  code: QUIET_LOAN\n",
		"  id: "+demo.Loan().String()+"\n", "  id: "+quietLoan().String()+"\n").Replace(before + after)
	file := filepath.Join(t.TempDir(), "quiet.yaml")
	require.NoError(t, os.WriteFile(file, []byte(quiet), 0o600))
	printed(t, append([]string{"apply", "-f", file}, s.asking(demo.Alice())...)...)
	return s
}

func quietLoan() uuid.UUID { return uuid.MustParse("01970000-0000-7000-8000-00000000e0f2") }

// createFault creates the process of a fault.
func (s *testStack) createFault(fault int) uuid.UUID {
	s.t.Helper()
	id := uuid.New()
	id[len(id)-1] = byte(fault)
	definition := quietLoan()
	if fault == faultEncrypted {
		definition = sealedLoan()
	}
	status, body := s.call(demo.Carol(), http.MethodPost, "/processes", map[string]any{"id": id, "processDefinitionId": definition})
	require.Equal(s.t, http.StatusCreated, status, body)
	s.await("the start", func() bool { return s.runState(id) == "RUNNING" })
	return id
}

// requireFaultsNoticed runs the faulty and the mended code of a worker.
func (s *testStack) requireFaultsNoticed(start func(phase string) (stop func()), reports faultReports) {
	s.t.Helper()
	processes := map[int]uuid.UUID{faultChangedCode: s.createFault(faultChangedCode)}
	stop := start(phaseFirst)
	s.await("the first step", func() bool { return s.hasEvent(processes[faultChangedCode], enumspb.EVENT_TYPE_TIMER_STARTED) })
	stop()

	stop = start(phaseFaulty)
	for fault := range faultCount + 1 {
		if fault != 0 && fault != faultChangedCode {
			processes[fault] = s.createFault(fault)
		}
	}
	s.signalProcess(processes[faultChangedCode], "json/plain")
	s.await("the step before the signal", func() bool {
		return s.hasEvent(processes[faultSignal], enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED)
	})
	s.signalProcess(processes[faultSignal], "binary/unknown")
	for fault, process := range processes {
		want := reports[fault]
		s.requireProblem(process, want.kind, want.texts...)
	}
	stop()

	start(phaseMended)
	s.signalProcess(processes[faultSignal], "json/plain")
	if reports[faultEncrypted].kind == "FAILURE" {
		// The workflow has ended.
		printed(s.t, append([]string{"incidents", "retry", s.awaitIncident(processes[faultEncrypted])}, s.asking(demo.Alice())...)...)
	}
	for fault, process := range processes {
		// Temporal repeats workflow tasks after pauses that grow while they fail.
		s.awaitFor(5*testTimeout, fmt.Sprintf("the incident of fault %d to be resolved", fault), func() bool {
			var states string
			s.inspectNow(process)
			s.query(`SELECT coalesce(string_agg(DISTINCT state, ' '), 'none') FROM incidents WHERE process_id = $1`, &states, process)
			return states != "none" && !strings.Contains(states, "OPEN")
		})
		require.Equal(s.t, "RUNNING", s.runState(process), "fault %d", fault)
	}
	s.requireMovesIgnored(processes[faultException])
}

// requireMovesIgnored sends signals of moves to a workflow without a handler. Its worker takes them without a failure and with at most a
// line in its log for each.
func (s *testStack) requireMovesIgnored(process uuid.UUID) {
	s.t.Helper()
	const moves, name = 20, "Procession_Signal_Definition_Version"
	countLines := func() int {
		text, _ := os.ReadFile(filepath.Join(s.dir, "worker.log"))
		return strings.Count(string(text), "\n")
	}
	failed, lines := s.countEvents(process, enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED), countLines()
	for range moves {
		s.sendSignal(process, name, "json/plain", `{"from":{"number":1},"to":{"number":2}}`)
	}
	s.await("the signals of moves", func() bool {
		events := s.history(process)
		return events[len(events)-1].GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
	})
	require.Equal(s.t, moves, s.countSignals(process, name))
	require.Equal(s.t, failed, s.countEvents(process, enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED))
	require.Equal(s.t, "RUNNING", s.runState(process))
	require.LessOrEqual(s.t, countLines()-lines, moves)
}

// hasEvent reports whether the history of a process has an event of a type.
func (s *testStack) hasEvent(process uuid.UUID, want enumspb.EventType) bool {
	for _, event := range s.history(process) {
		if event.GetEventType() == want {
			return true
		}
	}
	return false
}

// signalProcess sends the signal of a completed item in an encoding.
func (s *testStack) signalProcess(process uuid.UUID, encoding string) {
	s.t.Helper()
	s.sendSignal(process, processSignal, encoding, `{}`)
}

func (s *testStack) sendSignal(process uuid.UUID, name, encoding, data string) {
	s.t.Helper()
	payload := converter.NewRawValue(&commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte(encoding)}, Data: []byte(data)})
	require.NoError(s.t, s.systemClient().SignalWorkflow(s.t.Context(), "process-"+process.String(), "", name, payload))
}

// writeAccess writes the certificates and the token of the worker into a directory.
func (s *testStack) writeAccess() string {
	s.t.Helper()
	dir := s.t.TempDir()
	status, certificate := s.call(demo.LoanWorker(), http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_CERTIFICATE"})
	require.Equal(s.t, http.StatusOK, status, certificate)
	status, token := s.call(demo.LoanWorker(), http.MethodPost, "/authentications", map[string]any{"type": "ENGINE_TOKEN"})
	require.Equal(s.t, http.StatusOK, status, token)
	for name, member := range map[string]string{
		"ca.pem": "serverRootCaCertificate", "client.pem": "clientCertificate", "client.key": "clientPrivateKey",
	} {
		text := field[string](s.t, certificate, "engineCertificate", "tls", member)
		require.NoError(s.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(s.t, os.WriteFile(filepath.Join(dir, "token"), []byte(field[string](s.t, token, "engineToken", "token")), 0o600))
	return dir
}

// startFaultyProgram starts a program of test/compat/faults. TLS in the SDKs of 2023 accepts servers by name only.
func (s *testStack) startFaultyProgram(program, access, phase string) (stop func()) {
	s.t.Helper()
	_, port, err := net.SplitHostPort(s.config.TemporalAddress)
	require.NoError(s.t, err)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "COMPAT_TEMPORAL=localhost:"+port, "COMPAT_ACCESS="+access, "COMPAT_PHASE="+phase)
	log := s.logTo("worker.log")
	cmd.Stdout, cmd.Stderr = log, log
	p, err := child.Start(cmd, syscall.SIGKILL)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { s.stopProcess(p, syscall.SIGKILL) })
	return func() { s.stopProcess(p, syscall.SIGKILL) }
}

// startFaultyGoWorker starts a worker in the process of the test.
func (s *testStack) startFaultyGoWorker(phase string) (stop func()) {
	s.t.Helper()
	c := s.clientOf(demo.LoanWorker(), func(o *client.Options) {
		if phase == phaseMended {
			o.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), keyCodec{})
		}
	})
	w := worker.New(c, "QUEUE_SAMPLE_LOAN", worker.Options{})
	w.RegisterWorkflowWithOptions(faultyWorkflow(phase == phaseFaulty), workflow.RegisterOptions{Name: "SampleEngineWorkerLoanWorkflow"})
	name := "send"
	if phase == phaseFaulty {
		name = "another"
	}
	w.RegisterActivityWithOptions(func(context.Context) error { return nil }, activity.RegisterOptions{Name: name})
	require.NoError(s.t, w.Start())
	s.t.Cleanup(w.Stop)
	return w.Stop
}

// faultyWorkflow returns the workflow with or without the faults.
func faultyWorkflow(faulty bool) func(workflow.Context, map[string]any) error {
	return func(ctx workflow.Context, _ map[string]any) error {
		id := workflow.GetInfo(ctx).WorkflowExecution.ID
		fault := int(id[len(id)-1] - '0')
		switch {
		case fault == faultException && faulty:
			panic("no rate for the currency")
		case fault == faultNull && faulty:
			var missing *uuid.UUID
			missing[0] = 1 //nolint:govet // the fault
		case fault == faultBlocked && faulty:
			<-make(chan int)
		case fault == faultActivity, fault == faultChangedCode && faulty:
			ctx := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
				StartToCloseTimeout: time.Minute,
				RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 10 * time.Millisecond, BackoffCoefficient: 1},
			})
			if err := workflow.ExecuteActivity(ctx, "send").Get(ctx, nil); err != nil {
				return err
			}
		case fault == faultSignal:
			var signal map[string]any
			workflow.GetSignalChannel(ctx, processSignal).Receive(ctx, &signal)
		}
		return workflow.Sleep(ctx, time.Hour)
	}
}

// keyCodec stands for a codec with the right key. It leaves other encodings: a workflow that dropped a signal must drop it in a replay.
type keyCodec struct{}

func (keyCodec) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	return payloads, nil
}

func (keyCodec) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	decoded := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if decoded[i] = p; strings.HasPrefix(string(p.GetMetadata()["encoding"]), "binary/encrypted") {
			decoded[i] = &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte("{}")}
		}
	}
	return decoded, nil
}
