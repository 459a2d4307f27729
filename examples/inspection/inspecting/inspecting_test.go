package inspecting_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/procession-dev/procession/examples/inspection/inspecting"
	"github.com/procession-dev/procession/examples/inspection/shapea"
	"github.com/procession-dev/procession/sdk"
	"github.com/procession-dev/procession/sdk/rest"
)

// service stands for the real one: it keeps one task and the elements of its process.
type service struct {
	process uuid.UUID
	// outages is how many calls fail before one succeeds; refusal, when set, is the answer to a creation.
	outages int
	refusal string
	// onCreated is called for each creation that succeeds, before it is answered.
	onCreated func()

	mu      sync.Mutex
	task    shapea.Task
	tokens  [][]byte
	created int
	score   []shapea.ElementValue
}

// bench is the workflow in Temporal's test environment, with activities that call the service.
type bench struct {
	*service

	engine *testsuite.TestWorkflowEnvironment
}

func newBench(t *testing.T, withActivityToken bool) bench {
	t.Helper()
	s := &service{process: uuid.New(), onCreated: func() {}}
	const base = "/v2022-10-08"
	routes := http.NewServeMux()
	routes.HandleFunc("POST "+base+"/tasks", s.createTask)
	routes.HandleFunc("GET "+base+"/tasks/{id}", s.retrieveTask)
	routes.HandleFunc("POST "+base+"/processes/{id}/~actions/save-element", s.saveElement)
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	w, err := procession.NewWorker(procession.Config{
		Client:    procession.ClientConfig{Endpoint: server.URL, Credentials: procession.BearerToken("token"), Attempts: 1},
		TaskQueue: inspecting.TaskQueue, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.NoError(t, inspecting.Register(w, inspecting.Options{WithActivityToken: withActivityToken}))

	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	b := bench{service: s, engine: suite.NewTestWorkflowEnvironment()}
	b.engine.SetTestTimeout(time.Minute)
	w.RegisterOn(b.engine)
	return b
}

func send(w http.ResponseWriter, body any) {
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

func (s *service) createTask(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.outages > 0 {
		s.outages--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if s.refusal != "" {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, s.refusal)
		return
	}
	if id := r.URL.Query().Get("activityToken"); id != "" {
		token, err := base64.StdEncoding.DecodeString(id)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		s.tokens = append(s.tokens, token)
	}
	if s.created++; s.task.State == nil {
		_ = json.NewDecoder(r.Body).Decode(&s.task)
		s.task.State = new(shapea.TaskStateREADY)
	}
	s.onCreated()
	send(w, s.task)
}

func (s *service) retrieveTask(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.PathValue("id") != s.task.ID.String() {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	send(w, s.task)
}

func (s *service) saveElement(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body shapea.ProcessSaveElementCommand
	_ = json.NewDecoder(r.Body).Decode(&body)
	if r.PathValue("id") != s.process.String() || body.ElementDefinitionCode != "SCORE" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	s.score = body.ElementValues
	send(w, shapea.Process{ID: &s.process})
}

// finish leaves the task in a state, with ratings.
func (s *service) finish(state shapea.TaskState, ratings ...shapea.ElementValue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.task.State = &state
	s.task.ElementValues["RATING"] = ratings
}

// run runs the workflow. An hour of the workflow's time after the task is created, person is called and then the
// workflow is notified in the way it waits. The timer is set before the creation is answered: without one, the test
// environment would skip to the timeout of the workflow.
func (b bench) run(person func()) (procession.WorkflowResponse, error) {
	b.onCreated = func() {
		b.engine.RegisterDelayedCallback(func() {
			person()
			b.notify()
		}, time.Hour)
	}
	b.engine.ExecuteWorkflow("InspectionWorkflow", map[string]any{
		"processId": b.process, "requestTime": "2026-03-02T10:30:15Z", "requestTimeZone": "Europe/Madrid",
	})
	var answer procession.WorkflowResponse
	err := b.engine.GetWorkflowError()
	if err == nil {
		err = b.engine.GetWorkflowResult(&answer)
	}
	return answer, err
}

// notify completes the activity that waits, or else sends the signal: another task's, then this one's, twice.
func (b bench) notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.tokens) > 0 {
		_ = b.engine.CompleteActivity(b.tokens[len(b.tokens)-1], nil, nil)
		return
	}
	id := b.task.ID.String()
	for _, task := range []string{uuid.NewString(), id, id} {
		b.engine.SignalWorkflow("KuFlow_Engine_Signal_Completed_Task", task)
	}
}

// number returns a value of type NUMBER.
func number(digits string) shapea.ElementValue {
	return shapea.ElementValue{Type: "NUMBER", Value: json.RawMessage(digits)}
}

func TestInspection(t *testing.T) {
	t.Parallel()
	invalid := false
	rating := number("4.50")
	wrong := shapea.ElementValue{Type: "NUMBER", Value: json.RawMessage("7"), Valid: &invalid}
	for name, test := range map[string]struct {
		person  func(*service)
		outages int
		want    string
		score   []shapea.ElementValue
	}{
		"the rating is the score, digit for digit": {
			person: func(s *service) { s.finish("COMPLETED", rating) }, want: "Inspected",
			score: []shapea.ElementValue{rating},
		},
		"an outage of the service is waited for": {
			person: func(s *service) { s.finish("COMPLETED", rating) }, outages: 3, want: "Inspected",
			score: []shapea.ElementValue{rating},
		},
		"without a rating there is no score": {
			person: func(s *service) { s.finish("COMPLETED") }, want: "Inspected without a rating",
		},
		"a rating that is not valid is none": {
			person: func(s *service) { s.finish("COMPLETED", wrong) }, want: "Inspected without a rating",
		},
	} {
		for mode, withActivityToken := range map[string]bool{"signal": false, "activity token": true} {
			t.Run(name+", "+mode, func(t *testing.T) {
				t.Parallel()
				b := newBench(t, withActivityToken)
				b.outages = test.outages
				answer, err := b.run(func() { test.person(b.service) })
				require.NoError(t, err)
				require.Equal(t, test.want, answer.Message)
				require.Equal(t, test.score, b.score)
				require.Equal(t, 1, b.created)
				require.Len(t, b.tokens, map[bool]int{true: 1}[withActivityToken])
				require.Equal(t, procession.ItemID(b.process, "INSPECT"), *b.task.ID)
				require.Equal(t, "INSPECT", *b.task.TaskDefinition.Code)
				require.True(t, shapea.First(b.task.ElementValues, "NOTE").IsValid())
			})
		}
	}
}

func TestCancelledTaskIsNoInspection(t *testing.T) {
	t.Parallel()
	b := newBench(t, true)
	answer, err := b.run(func() { b.finish("CANCELLED") })
	require.NoError(t, err)
	require.Equal(t, "The inspection was cancelled", answer.Message)
	require.Empty(t, b.score)
}

func TestTaskOfAnEarlierRunIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	b := newBench(t, false)
	b.task = shapea.Task{
		ID: new(procession.ItemID(b.process, "INSPECT")), ProcessID: b.process, State: new(shapea.TaskStateCOMPLETED),
		ElementValues: shapea.TaskElementValues{"RATING": {number("1")}},
	}
	b.engine.ExecuteWorkflow("InspectionWorkflow", map[string]any{"processId": b.process})
	require.NoError(t, b.engine.GetWorkflowError())
	require.Equal(t, []shapea.ElementValue{number("1")}, b.score)
}

func TestRefusalFailsTheWorkflowAtOnce(t *testing.T) {
	t.Parallel()
	for mode, withActivityToken := range map[string]bool{"signal": false, "activity token": true} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, withActivityToken)
			b.refusal = `{"status":403,"message":"Not yours","errors":[{"code":"ACCESS_DENIED","message":"no"}]}`
			b.engine.ExecuteWorkflow("InspectionWorkflow", map[string]any{"processId": b.process})
			var failure *temporal.ApplicationError
			require.ErrorAs(t, b.engine.GetWorkflowError(), &failure)
			require.Equal(t, procession.RestFailure, failure.Type())
			var body rest.DefaultError
			require.NoError(t, failure.Details(&body))
			require.Equal(t, rest.ErrorCodeACCESSDENIED, body.Errors[0].Code)
		})
	}
}
