package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/examples/loan/lending"
	"github.com/procession-dev/procession/examples/loan/restapi"
)

// service stands for the real one: it keeps processes and items in memory by the contract's rules, and runs the real
// loan workflow with its real activities for every process created.
type service struct {
	t      *testing.T
	url    string
	carol  uuid.UUID
	owners map[string]uuid.UUID // principal by Authorization header

	// mistake, when set, spoils an answer before it is sent.
	mistake func(operation string, item *restapi.ProcessItem)

	mu        sync.Mutex
	processes map[uuid.UUID]*restapi.Process
	items     []*restapi.ProcessItem
	engines   map[uuid.UUID]*engineRun
	running   sync.WaitGroup
}

// engineRun is one run of the loan workflow. The environment can be cancelled and signalled once started is closed:
// before, it has no handlers and panics.
type engineRun struct {
	*testsuite.TestWorkflowEnvironment
	started <-chan struct{}
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{
		t: t, carol: uuid.MustParse("01970000-0000-7000-8000-00000000c003"),
		processes: map[uuid.UUID]*restapi.Process{}, engines: map[uuid.UUID]*engineRun{},
	}
	s.owners = map[string]uuid.UUID{
		"Bearer demo-token-alice": uuid.MustParse("01970000-0000-7000-8000-00000000c001"),
		"Bearer demo-token-bob":   uuid.MustParse("01970000-0000-7000-8000-00000000c002"),
		"Bearer demo-token-carol": s.carol,
	}
	routes := http.NewServeMux()
	const base = "/v2024-06-14"
	routes.HandleFunc("POST "+base+"/processes", s.createProcess)
	routes.HandleFunc("GET "+base+"/processes/{id}", s.retrieveProcess)
	routes.HandleFunc("PATCH "+base+"/processes/{id}/metadata", s.patchMetadata)
	routes.HandleFunc("GET "+base+"/process-items", s.findItems)
	routes.HandleFunc("POST "+base+"/process-items", s.createItem)
	routes.HandleFunc("GET "+base+"/process-items/{id}", s.onItem("retrieve"))
	routes.HandleFunc("POST "+base+"/process-items/{id}/task/~actions/claim", s.onItem("claim"))
	routes.HandleFunc("POST "+base+"/process-items/{id}/task/~actions/complete", s.onItem("complete"))
	routes.HandleFunc("PUT "+base+"/process-items/{id}/task/data", s.onItem("update"))
	routes.HandleFunc("PATCH "+base+"/process-items/{id}/task/data", s.onItem("patch"))
	server := httptest.NewServer(routes)
	s.url = server.URL
	t.Cleanup(func() {
		s.mu.Lock()
		for _, engine := range s.engines {
			<-engine.started
			engine.CancelWorkflow()
		}
		s.mu.Unlock()
		s.running.Wait()
		server.Close()
	})
	return s
}

func send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	send(w, status, restapi.DefaultError{Status: status, Message: code, Errors: []restapi.ErrorInfo{{Code: code, Message: code}}})
}

func (s *service) createProcess(w http.ResponseWriter, r *http.Request) {
	var params restapi.ProcessCreateParams
	_ = json.NewDecoder(r.Body).Decode(&params)
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.processes[params.ID]; ok {
		send(w, http.StatusOK, known)
		return
	}
	initiator := s.owners[r.Header.Get("Authorization")]
	process := &restapi.Process{ID: params.ID, State: restapi.ProcessRunning, InitiatorID: &initiator}
	s.processes[params.ID] = process
	s.startWorkflow(params.ID)
	send(w, http.StatusCreated, process)
}

// startWorkflow runs the loan workflow as the worker would, and completes the process when it returns.
func (s *service) startWorkflow(processID uuid.UUID) {
	api, err := restapi.New(restapi.Config{Endpoint: s.url, Credentials: restapi.ClientCredentials("worker", "secret")})
	require.NoError(s.t, err)
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	engine := suite.NewTestWorkflowEnvironment()
	engine.SetTestTimeout(time.Minute)
	(&lending.Activities{API: api}).Register(engine)
	// The environment skips time while no activity runs, up to the workflow's timeout. One that runs all along
	// makes it wait for people.
	ended := make(chan struct{})
	started := make(chan struct{})
	engine.RegisterActivityWithOptions(func(context.Context) error { <-ended; return nil }, activity.RegisterOptions{Name: "waitForPeople"})
	loan := func(ctx workflow.Context, request lending.WorkflowRequest) (lending.WorkflowResponse, error) {
		defer close(ended)
		close(started)
		workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Hour}), "waitForPeople")
		return lending.SampleEngineWorkerLoanWorkflow(ctx, request)
	}
	s.engines[processID] = &engineRun{engine, started}
	s.running.Go(func() {
		engine.ExecuteWorkflow(loan, lending.WorkflowRequest{ProcessID: processID.String()})
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.engines, processID)
		if err := engine.GetWorkflowError(); err != nil {
			s.t.Logf("workflow of process %s: %v", processID, err)
			return
		}
		s.processes[processID].State = restapi.ProcessCompleted
	})
}

func (s *service) retrieveProcess(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	send(w, http.StatusOK, s.processes[uuid.MustParse(r.PathValue("id"))])
}

// merged applies the "add" operations of a patch, the only ones the example sends.
func merged(r *http.Request, value restapi.Object) restapi.Object {
	var patch []restapi.PatchOperation
	_ = json.NewDecoder(r.Body).Decode(&patch)
	result := restapi.Object{}
	for name, member := range value {
		result[name] = member
	}
	for _, operation := range patch {
		result[strings.TrimPrefix(operation.Path, "/")] = operation.Value
	}
	return result
}

func (s *service) patchMetadata(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	process := s.processes[uuid.MustParse(r.PathValue("id"))]
	process.Metadata = &restapi.JSONValue{Value: merged(r, nil)}
	send(w, http.StatusOK, process)
}

func (s *service) createItem(w http.ResponseWriter, r *http.Request) {
	var params restapi.ProcessItemCreateParams
	_ = json.NewDecoder(r.Body).Decode(&params)
	s.mu.Lock()
	defer s.mu.Unlock()
	valid := true
	item := &restapi.ProcessItem{
		ID: params.ID, Type: params.Type, ProcessID: params.ProcessID, OwnerID: params.OwnerID,
		ProcessItemDefinitionRef: &restapi.DefinitionRef{Code: params.ProcessItemDefinitionCode},
		Task:                     &restapi.Task{State: restapi.TaskReady, Data: &restapi.JSONValue{Valid: &valid, Value: restapi.Object{}}},
	}
	if params.OwnerID != nil {
		item.Task.State = restapi.TaskClaimed
	}
	if params.Task != nil {
		item.Task.Data.Value = params.Task.Data.Value
	}
	if s.mistake != nil {
		s.mistake("create", item)
	}
	s.items = append(s.items, item)
	send(w, http.StatusCreated, item)
}

func (s *service) findItems(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	query := r.URL.Query()
	content := []*restapi.ProcessItem{}
	for _, item := range s.items {
		code := query.Get("processItemDefinitionCode")
		if item.ProcessID.String() == query.Get("processId") && (code == "" || code == item.Code()) {
			content = append(content, item)
		}
	}
	send(w, http.StatusOK, map[string]any{"content": content})
}

// onItem is every operation on one task. APPROVE_LOAN does not exist for Carol.
func (s *service) onItem(operation string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		caller := s.owners[r.Header.Get("Authorization")]
		for _, item := range s.items {
			if item.ID.String() != r.PathValue("id") || item.Code() == "APPROVE_LOAN" && caller == s.carol {
				continue
			}
			if operation != "retrieve" && operation != "claim" && (item.OwnerID == nil || *item.OwnerID != caller) {
				refuse(w, http.StatusForbidden, "TASK_NOT_OWNED")
				return
			}
			s.act(operation, item, caller, r)
			send(w, http.StatusOK, item)
			return
		}
		refuse(w, http.StatusNotFound, "NOT_FOUND")
	}
}

func (s *service) act(operation string, item *restapi.ProcessItem, caller uuid.UUID, r *http.Request) {
	switch operation {
	case "claim":
		item.OwnerID, item.Task.State = &caller, restapi.TaskClaimed
	case "update":
		var body struct{ Data restapi.JSONValue }
		_ = json.NewDecoder(r.Body).Decode(&body)
		item.Task.Data.Value = body.Data.Value
	case "patch":
		item.Task.Data.Value = merged(r, item.Task.Data.Value)
	case "complete":
		item.Task.State = restapi.TaskCompleted
		if engine, ok := s.engines[item.ProcessID]; ok {
			engine.SignalWorkflow(lending.SignalProcessItem, lending.ProcessItemSignal{ID: item.ID, Type: restapi.ItemTask})
		}
	}
	if s.mistake != nil {
		s.mistake(operation, item)
	}
}
