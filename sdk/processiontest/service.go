// Package processiontest tests workers without a service and without Temporal's server. A Service keeps processes, items
// and artifacts in memory. It runs the workflows of a worker, with real activities over HTTP, in Temporal's test
// environment, where months pass in milliseconds.
//
//	s := processiontest.New(t, processiontest.Options{Register: register, Workflow: "ClaimWorkflow"})
//	s.When("REPORT", func(task *processiontest.Task) { task.Complete(Report{Amount: 100}) })
//	response, err := s.Run()
//
// The Service implements the rules and error codes that concern workers: creations are idempotent by id, only the owner of
// a task may change it, finished processes and tasks are final, completed tasks and messages of users signal the workflow.
// Package conformance compares it with the real service. It checks neither rights nor schemas; Options describe the
// definitions. Temporal's test environment attempts an activity ten times at most.
package processiontest

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// testTimeout bounds the real time of the workflows and activities of a test.
const testTimeout = time.Minute

// version is the path that the API begins with.
const version = "/v2024-06-14"

// Options configure a Service. Register is required where workflows run.
type Options struct {
	// Register registers the workflows and activities of the worker, as in procession.Program.
	Register func(*procession.Worker) error
	// Workflow is the workflow type of processes that Run starts, and of processes that callers create without a relation.
	Workflow string
	// EncryptionKey, when set, is the id of the key that the definition names: payloads are encrypted with it.
	EncryptionKey string
	// UserActions are the types of the workflows that user actions start, by the codes of the actions.
	UserActions map[string]string
	// Robots assist with tasks, by the codes of the tasks.
	Robots map[string]Robot
	// Principals are the callers by their bearer tokens; unknown callers have the zero id.
	Principals map[string]uuid.UUID
	// Emails are principals by the e-mail addresses that requests name; other addresses are refused.
	Emails map[string]uuid.UUID
	// Managers may work on tasks of others, as the worker may.
	Managers []uuid.UUID
	// Hidden, when set, reports which items a caller does not see.
	Hidden func(caller uuid.UUID, item rest.ProcessItem) bool
	// Spoil, when set, changes an item before an operation (create, claim, update, patch, complete) answers it.
	Spoil func(operation string, item *rest.ProcessItem)
	// Refuse, when set, answers a request with that status and body when the status is not 0.
	Refuse func(*http.Request) (status int, body string)
}

// Robot is a program that is started when a task gets an owner.
type Robot struct{ Workflow, Operation string }

// Service is an in-memory service that runs one worker. It is safe for concurrent use.
type Service struct {
	// URL is the endpoint of the Service.
	URL string
	// Initiator is the principal that Run starts processes as.
	Initiator uuid.UUID

	tb      testing.TB
	options Options
	people  map[string]func(*Task)

	mu        sync.Mutex
	processes map[uuid.UUID]*rest.Process
	items     []*rest.ProcessItem
	artifacts map[uuid.UUID]*rest.BusinessArtifact
	actions   map[uuid.UUID]*rest.BusinessArtifactAction
	// userActions are those on processes.
	userActions map[uuid.UUID]*userAction
	queries     map[uuid.UUID]*rest.DataSourceQuery
	documents   []Document
	payloads    payloads
	engines     map[uuid.UUID]*engine
	running     sync.WaitGroup
}

// engine is one run of a workflow. It can be cancelled and signalled once started is closed: before, the environment
// has no handlers and panics.
type engine struct {
	*testsuite.TestWorkflowEnvironment
	started chan struct{}
}

// onceStarted calls f as soon as it may do something to the workflow.
func (e *engine) onceStarted(f func()) {
	select {
	case <-e.started:
		f()
	default:
		go func() { <-e.started; f() }()
	}
}

// Document is a document that was uploaded.
type Document struct {
	Query   map[string]string
	Content string
}

// New starts a Service that ends with the test.
func New(tb testing.TB, options Options) *Service {
	tb.Helper()
	s := &Service{
		tb: tb, options: options, Initiator: uuid.New(), people: map[string]func(*Task){},
		processes: map[uuid.UUID]*rest.Process{}, engines: map[uuid.UUID]*engine{},
		artifacts: map[uuid.UUID]*rest.BusinessArtifact{}, actions: map[uuid.UUID]*rest.BusinessArtifactAction{},
		userActions: map[uuid.UUID]*userAction{}, queries: map[uuid.UUID]*rest.DataSourceQuery{},
	}
	server := httptest.NewServer(s.newHandler())
	s.URL = server.URL
	tb.Cleanup(func() {
		s.mu.Lock()
		left := make([]*engine, 0, len(s.engines))
		for _, e := range s.engines {
			left = append(left, e)
		}
		s.mu.Unlock()
		for _, e := range left {
			<-e.started
			e.CancelWorkflow()
		}
		s.running.Wait()
		server.Close()
	})
	return s
}

// When registers f to be called for each task with that code, before its creation returns.
func (s *Service) When(code string, f func(*Task)) { s.people[code] = f }

// Task is a task that people are to work on.
type Task struct {
	Item    rest.ProcessItem
	service *Service
}

// Complete completes the task with data, which is encoded as JSON; nil leaves its data as it is. A task that has ended
// stays as it is.
func (t *Task) Complete(data any) {
	s := t.service
	s.mu.Lock()
	defer s.mu.Unlock()
	var value *rest.JSONValue
	if data != nil {
		value = s.encodeValue(data)
	}
	item := s.itemWithID(t.Item.ID)
	if item.Task.State == rest.ProcessItemTaskStateCOMPLETED || item.Task.State == rest.ProcessItemTaskStateCANCELLED {
		s.tb.Logf("a task that is %s cannot be completed", item.Task.State)
		return
	}
	s.completeItem(item, value)
}

// After calls f when that time has passed in the workflow.
func (t *Task) After(d time.Duration, f func()) { t.engineOf().RegisterDelayedCallback(f, d) }

// Signal sends the workflow a signal about an item, whatever the state of the task.
func (t *Task) Signal(id uuid.UUID, kind rest.ProcessItemType) {
	t.engineOf().SignalWorkflow(itemSignal, procession.ItemSignal{ID: id, Type: string(kind)})
}

// InvokeAction sends the workflow the signal of a user action of type SEND_WORKFLOW_SIGNAL.
func (t *Task) InvokeAction(code, signalName string, input map[string]any) {
	e := t.engineOf()
	e.SignalWorkflow(signalName, procession.ActionSignal{UserActionDefinitionCode: code, Input: input, RequestTime: e.Now()})
}

// CancelProcess cancels the workflow.
func (t *Task) CancelProcess() { t.engineOf().CancelWorkflow() }

func (t *Task) engineOf() *engine {
	t.service.mu.Lock()
	defer t.service.mu.Unlock()
	return t.service.engines[t.Item.ProcessID]
}

// itemSignal is the signal about items.
const itemSignal = "KuFlow_Engine_Signal_Process_Item"

// Run starts a process and returns the result of its workflow. A workflow that waits for an event without a source fails
// with a timeout at once.
func (s *Service) Run() (procession.WorkflowResponse, error) {
	s.tb.Helper()
	process := s.NewProcess()
	var response procession.WorkflowResponse
	err := s.Execute(s.options.Workflow, procession.WorkflowRequest{ProcessID: process.ID}, &response)
	return response, err
}

// NewProcess adds a process without a workflow. A change to it is seen by all operations.
func (s *Service) NewProcess() *rest.Process {
	process := &rest.Process{ID: uuid.New(), State: rest.ProcessStateRUNNING, InitiatorID: &s.Initiator, Metadata: withoutErrors(nil), Entity: withoutErrors(nil)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.processes[process.ID] = process
	return process
}

// NewItem adds an item, such as one that an earlier run of the workflow has left.
func (s *Service) NewItem(item rest.ProcessItem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = append(s.items, &item)
}

// NewArtifact adds a business artifact with data, and returns its id.
func (s *Service) NewArtifact(data any) uuid.UUID {
	id := uuid.New()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.artifacts[id] = &rest.BusinessArtifact{ID: id, Data: s.encodeValue(data)}
	return id
}

// NewArtifactAction adds an action of type DOWNLOADABLE with its input, and returns its id.
func (s *Service) NewArtifactAction(input any) uuid.UUID {
	id := uuid.New()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addArtifactAction(id, s.encodeValue(input))
	return id
}

// NewUserAction adds a user action on a process that waits for its document, and returns its id.
func (s *Service) NewUserAction(process uuid.UUID) uuid.UUID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addUserAction(process, uuid.New(), "").ID
}

// Execute runs a workflow with a request and decodes its response. Use it for actions, and for processes of NewProcess.
func (s *Service) Execute(workflowType string, request, response any) error {
	s.tb.Helper()
	e := s.newEngine()
	if r, ok := request.(procession.WorkflowRequest); ok {
		s.mu.Lock()
		s.engines[r.ProcessID] = e
		s.mu.Unlock()
		defer func() { s.endProcess(r.ProcessID, e.GetWorkflowError()) }()
	}
	e.ExecuteWorkflow(workflowType, request)
	if err := e.GetWorkflowError(); err != nil {
		return err
	}
	return e.GetWorkflowResult(response)
}

// newEngine returns an environment with the worker's workflows and activities.
func (s *Service) newEngine() *engine {
	w, err := procession.NewWorker(procession.Config{
		Client: procession.ClientConfig{
			Endpoint: s.URL, Credentials: procession.ClientCredentials("worker", "secret"), Attempts: 1,
		},
		TaskQueue: "QUEUE", Logger: slog.New(slog.DiscardHandler),
	})
	if err == nil {
		err = s.options.Register(w)
	}
	if err != nil {
		panic(fmt.Sprintf("making a worker: %v", err))
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	e := &engine{suite.NewTestWorkflowEnvironment(), make(chan struct{})}
	e.SetTestTimeout(testTimeout)
	e.RegisterDelayedCallback(func() { close(e.started) }, 0)
	if s.options.EncryptionKey != "" {
		s.useEncryption(e, w)
	}
	w.RegisterOn(e)
	return e
}

// Items returns the items there are, in the order of their creation.
func (s *Service) Items() []rest.ProcessItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	result := make([]rest.ProcessItem, len(s.items))
	for i, item := range s.items {
		result[i] = *item
	}
	return result
}

// Codes returns the codes of the items there are, in the order of their creation.
func (s *Service) Codes() []string {
	var codes []string
	for _, item := range s.Items() {
		codes = append(codes, item.ProcessItemDefinitionRef.Code)
	}
	return codes
}

// Processes returns the processes there are.
func (s *Service) Processes() []rest.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	var result []rest.Process
	for _, process := range s.processes {
		result = append(result, *process)
	}
	return result
}

// Artifact returns the business artifact with that id.
func (s *Service) Artifact(id uuid.UUID) rest.BusinessArtifact {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.artifacts[id]
}

// Documents returns the documents that were uploaded.
func (s *Service) Documents() []Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.documents)
}

// encodeValue returns data as the service keeps it.
func (s *Service) encodeValue(data any) *rest.JSONValue {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(fmt.Sprintf("data that is no JSON: %v", err))
	}
	return &rest.JSONValue{Valid: new(true), Value: raw}
}
