package workflows_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/blobstore"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/engine/completions"
	"github.com/procession-dev/procession/engine/relay"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
	"github.com/procession-dev/procession/workflows"
)

const timeout = time.Minute

// fixture is a service without its API, on a Temporal of its own.
type fixture struct {
	*app.Service
	*administrationService
	enginetest.Tenant

	db        *persistence.DB
	url       string
	documents *blobstore.Store
	stack     *enginetest.Stack
	relay     atomic.Pointer[relay.Relay]
	starter   atomic.Pointer[engine.Starter[domain.DueAssistance]]
}

type request struct {
	ProcessID string `json:"processId"`
}

// loan waits for the end of one task.
func loan(ctx workflow.Context, _ request) error {
	workflow.GetSignalChannel(ctx, "KuFlow_Engine_Signal_Process_Item").Receive(ctx, nil)
	return nil
}

func quick(workflow.Context, request) error { return nil }

// newFixture returns a service before Temporal runs.
func newFixture(t *testing.T, change ...func(*app.Options)) *fixture {
	t.Helper()
	url := pgtest.URL(t)
	db := pgtest.Open(t, url)
	f := &fixture{db: db, url: url, stack: enginetest.New(t, db), Tenant: enginetest.Seed(t, db, "tenant", "loan", "quick", "flaky")}
	var err error
	f.documents, err = blobstore.Open(t.Context(), "mem://")
	require.NoError(t, err)
	options := app.Options{
		Store: storage.New(storage.Options{
			DB: db, Clock: time.Now, Wake: func() { f.relay.Load().Wake(); f.starter.Load().Wake() },
		}),
		TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Minute, Documents: f.documents,
	}
	for _, c := range change {
		c(&options)
	}
	f.Service, f.administrationService = app.New(options), administration.New(administration.Options{Store: options.Store})
	return f
}

// startComponents runs the components of the service until the test ends or the returned
// function is called.
func (f *fixture) startComponents(t *testing.T) (stop func()) {
	t.Helper()
	e := f.stack.Engine()
	acts := activities.New(activities.Options{
		App: f.Service, Engine: e, Clock: time.Now, Logger: enginetest.Logger(),
	})
	supervisor := engine.NewSupervisor(engine.SupervisorOptions{
		Engine: e, Namespaces: f.db.Reader().ListNamespaces, Clock: time.Now, Logger: enginetest.Logger(),
		Schedules: []engine.Schedule{
			{ID: "document-expiry", Type: workflows.DocumentExpiryName, Every: workflows.DocumentExpiryInterval},
			{ID: "document-sweep", Type: workflows.DocumentSweepName, Every: workflows.DocumentSweepInterval},
			{ID: "registration-expiry", Type: workflows.RegistrationExpiryName, Every: workflows.RegistrationExpiryInterval},
		},
		Register: func(r worker.Registry) {
			workflows.Register(r)
			acts.Register(r)
		},
	})
	observer := completions.New(completions.Options{
		DB: f.db, App: f.Service, Engine: e, Missing: supervisor.Recheck, Clock: time.Now, Logger: enginetest.Logger(),
	})
	relay := relay.New(relay.Options{
		DB: f.db, Execute: e.Execute, Unavailable: engine.Unavailable, Clock: time.Now, Logger: enginetest.Logger(),
		Executed: observer.MarkActive,
		Refused: func(err error) {
			if namespace, missing := engine.MissingNamespace(err); missing {
				supervisor.Recheck(namespace)
			}
		},
	})
	f.relay.Store(relay)
	starter := engine.NewStarter(engine.StarterOptions[domain.DueAssistance]{
		Name:   "runs of assistance",
		Engine: e, Exchange: f.DispatchAssistance, Logger: enginetest.Logger(),
		Workflow: func(run domain.DueAssistance) engine.OwnedWorkflow {
			return engine.OwnedWorkflow{
				ID: run.WorkflowID(), Type: workflows.AssistanceName,
				Input: workflows.AssistanceInput{Key: run.AssistanceKey, Deadline: run.Deadline},
			}
		},
	})
	f.starter.Store(starter)
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	stop = func() {
		cancel()
		wg.Wait()
	}
	t.Cleanup(stop)
	wg.Go(func() { relay.Run(ctx) })
	wg.Go(func() { starter.Run(ctx) })
	wg.Go(func() { supervisor.Run(ctx) })
	wg.Go(func() { observer.Run(ctx) })
	return stop
}

// startWorker runs the tenant's worker.
func (f *fixture) startWorker(t *testing.T, flaky func(workflow.Context, request) error) {
	t.Helper()
	c := f.stack.Client(f.Namespace)
	require.Eventually(t, func() bool {
		_, err := c.WorkflowService().DescribeNamespace(t.Context(),
			&workflowservice.DescribeNamespaceRequest{Namespace: f.Namespace})
		return err == nil
	}, timeout, 100*time.Millisecond)
	w := worker.New(c, f.TaskQueue, worker.Options{})
	for name, run := range map[string]any{"loan": loan, "quick": quick, "flaky": flaky} {
		w.RegisterWorkflowWithOptions(run, workflow.RegisterOptions{Name: name})
	}
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
}

func (f *fixture) processState(t *testing.T, p *domain.Process) domain.ProcessState {
	t.Helper()
	p, err := f.RetrieveProcess(t.Context(), f.Call, p.ID)
	require.NoError(t, err)
	return p.State
}

// awaitState waits until the process has the state and returns the waiting time.
func (f *fixture) awaitState(t *testing.T, p *domain.Process, want domain.ProcessState) time.Duration {
	t.Helper()
	since := time.Now()
	require.Eventually(t, func() bool { return f.processState(t, p) == want }, timeout, 10*time.Millisecond)
	return time.Since(since)
}

func (f *fixture) listIncidents(t *testing.T) []domain.Incident {
	t.Helper()
	page, err := f.ListIncidents(t.Context(), f.Call,
		administration.IncidentFilter{States: []domain.IncidentState{domain.IncidentOpen}}, domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	return page.Items
}

func TestProcessesFollowTheirWorkflows(t *testing.T) { //nolint:funlen // one story of two workflows
	t.Parallel()
	f := newFixture(t)
	f.startComponents(t)

	// Created before Temporal and the namespace exist.
	early := make([]*domain.Process, 50)
	for i := range early {
		early[i] = f.Create(t, f.Service, "quick")
	}
	f.stack.Start()
	var mended atomic.Bool
	f.startWorker(t, func(workflow.Context, request) error {
		if !mended.Load() {
			return errors.New("no funds")
		}
		return nil
	})
	since := time.Now()
	for _, p := range early {
		f.awaitState(t, p, domain.ProcessCompleted)
	}
	t.Logf("%d processes that had waited for Temporal: %s", len(early), time.Since(since))

	var times []time.Duration
	for range 20 {
		p := f.Create(t, f.Service, "loan")
		task := f.Task(t, f.Service, p, true)
		require.Equal(t, domain.ProcessRunning, f.processState(t, p))
		_, err := f.CompleteProcessItemTask(t.Context(), f.Call, task.ID)
		require.NoError(t, err)
		times = append(times, f.awaitState(t, p, domain.ProcessCompleted))
	}
	slices.Sort(times)
	t.Logf("from a completed task to a completed process: median %s, max %s", times[len(times)/2], times[len(times)-1])

	// The workflow is terminated by an administrator of Temporal.
	p := f.Create(t, f.Service, "loan")
	open := f.Task(t, f.Service, p, false)
	tenant := f.stack.Client(f.Namespace)
	require.Eventually(t, func() bool {
		return tenant.CancelWorkflow(t.Context(), "process-"+p.ID.String(), "") == nil
	}, timeout, 50*time.Millisecond)
	require.NoError(t, tenant.TerminateWorkflow(t.Context(), "process-"+p.ID.String(), "", "test"))
	f.awaitState(t, p, domain.ProcessCancelled)
	item, err := f.RetrieveProcessItem(t.Context(), f.Call, open.ID)
	require.NoError(t, err)
	require.Equal(t, domain.TaskCancelled, item.Task.State)

	p = f.Create(t, f.Service, "flaky")
	require.Eventually(t, func() bool { return len(f.listIncidents(t)) == 1 }, timeout, 50*time.Millisecond)
	incident := f.listIncidents(t)[0]
	require.Equal(t, p.ID, *incident.ProcessID)
	require.Equal(t, "no funds", incident.Message)
	require.Equal(t, domain.ProcessRunning, f.processState(t, p))
	mended.Store(true)
	_, err = f.RetryIncident(t.Context(), f.Call, incident.ID)
	require.NoError(t, err)
	f.awaitState(t, p, domain.ProcessCompleted)

	// A new tenant gets its namespace and its observer too.
	other := &fixture{Service: f.Service, db: f.db, stack: f.stack, Tenant: enginetest.Seed(t, f.db, "newcomer", "quick")}
	p = other.Create(t, f.Service, "quick")
	other.startWorker(t, quick)
	other.awaitState(t, p, domain.ProcessCompleted)
}

func TestAnotherProcessContinuesObserving(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.stack.Start()
	stop := f.startComponents(t)
	f.startWorker(t, quick)
	f.awaitState(t, f.Create(t, f.Service, "quick"), domain.ProcessCompleted)

	// An observer finds workflows that ended before it started.
	p := f.Create(t, f.Service, "loan")
	task := f.Task(t, f.Service, p, true)
	require.Eventually(t, func() bool {
		_, err := f.stack.Client(f.Namespace).DescribeWorkflow(t.Context(), "process-"+p.ID.String(), "")
		return err == nil
	}, timeout, 100*time.Millisecond)
	stop()
	_, err := f.CompleteProcessItemTask(t.Context(), f.Call, task.ID)
	require.NoError(t, err)
	tenant := f.stack.Client(f.Namespace)
	require.NoError(t, tenant.SignalWorkflow(t.Context(), "process-"+p.ID.String(), "",
		"KuFlow_Engine_Signal_Process_Item", nil))
	require.NoError(t, tenant.GetWorkflow(t.Context(), "process-"+p.ID.String(), "").Get(t.Context(), nil))
	require.Equal(t, domain.ProcessRunning, f.processState(t, p))

	f.startComponents(t)
	t.Logf("found by the next observer after %s", f.awaitState(t, p, domain.ProcessCompleted))
}

func TestEmptiedTemporalIsSetUpAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.stack.Start()
	f.startComponents(t)
	f.startWorker(t, quick)
	f.awaitState(t, f.Create(t, f.Service, "quick"), domain.ProcessCompleted)

	f.stack.Stop()
	p := f.Create(t, f.Service, "quick")
	require.Equal(t, domain.ProcessRunning, f.processState(t, p))
	f.stack.Start()
	since := time.Now()
	f.startWorker(t, quick)
	f.awaitState(t, p, domain.ProcessCompleted)
	t.Logf("from an empty Temporal to a completed process: %s", time.Since(since))
}
