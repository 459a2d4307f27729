package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestDescribeTaskQueue(t *testing.T) {
	t.Parallel()
	stack := enginetest.New(t, pgtest.New(t))
	stack.Start()
	e := stack.Engine()
	require.NoError(t, e.EnsureNamespace(t.Context(), "tenant"))
	describe := func() domain.TaskQueueObservation {
		seen, err := e.DescribeTaskQueue(t.Context(), "tenant", "Q")
		require.NoError(t, err)
		return seen
	}
	require.Equal(t, domain.TaskQueueObservation{Backlogs: []domain.TaskBacklog{
		{Kind: domain.TaskKindWorkflow}, {Kind: domain.TaskKindActivity},
	}}, describe(), "an unused queue")

	c := stack.Client("tenant")
	for range 3 {
		_, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: "Q"}, "Nothing")
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		backlog := describe().Backlogs[0]
		return backlog.Count == 3 && backlog.Age > 0
	}, time.Minute, 50*time.Millisecond)
	require.Zero(t, describe().Backlogs[1].Count)

	// Temporal records a poll in the partition where it found its task, which is not
	// always the one that reports pollers; so one poll is not enough.
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	var polling sync.WaitGroup
	polling.Go(func() {
		for ctx.Err() == nil {
			_, _ = c.WorkflowService().PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{
				Namespace: "tenant", Identity: "someone",
				TaskQueue: &taskqueue.TaskQueue{Name: "Q", Kind: enumspb.TASK_QUEUE_KIND_NORMAL},
			})
		}
	})
	require.Eventually(t, func() bool { return len(describe().Pollers) == 1 }, time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool { return describe().Backlogs[0].Count == 0 }, time.Minute, 50*time.Millisecond)
	poller := describe().Pollers[0]
	stop()
	polling.Wait()
	require.Equal(t, "someone", poller.Identity)
	require.Equal(t, domain.TaskKindWorkflow, poller.Kind)
	require.WithinDuration(t, time.Now(), poller.LastAccessAt, time.Minute)

	_, err := e.DescribeTaskQueue(t.Context(), "nowhere", "Q")
	require.True(t, engine.NamespaceMissing(err), err)
}

// observerFixture is a database with a worker that registered for queues, and an
// observer of them.
type observerFixture struct {
	db        *persistence.DB
	tenant    uuid.UUID
	observer  *engine.TaskQueueObserver
	questions chan string

	mu     sync.Mutex
	answer error
}

func newObserverFixture(t *testing.T, queues ...string) *observerFixture {
	t.Helper()
	o := &observerFixture{db: pgtest.New(t), tenant: uuid.New(), questions: make(chan string, 100)}
	now := time.Now()
	principal := uuid.New()
	require.NoError(t, o.db.Write(t.Context(), func(tx *persistence.Tx) error {
		audit := domain.NewAudit(domain.SystemPrincipalID(), now)
		tx.PutTenant(domain.Tenant{
			ID: o.tenant, Name: "T", Plan: domain.PlanFree, Namespace: "tenant", TimeZone: "Etc/UTC", Audit: audit,
		})
		tx.PutApplication(domain.Application{
			Principal: domain.Principal{ID: principal, Name: "app"}, TenantID: o.tenant, Role: domain.RoleMember, Audit: audit,
		})
		return tx.PutResource(resource.Stored{
			Document: resource.Document{
				Kind: resource.KindApplication, Metadata: resource.Metadata{Code: "app"},
				Spec: &resource.ApplicationSpec{Name: "app", Engine: &resource.WorkerSpec{TaskQueues: queues}},
			},
			ID: principal, TenantID: o.tenant, Audit: audit,
		})
	}))
	for _, queue := range queues {
		w := &domain.Worker{
			ID: uuid.New(), TenantID: o.tenant, Identity: "w", TaskQueue: queue, Hostname: "host", IP: "127.0.0.1",
			LastSeenAt: now, Audit: domain.NewAudit(principal, now),
		}
		result, err := o.db.RegisterWorker(t.Context(), domain.Precondition{}, w, 1, domain.WorkerEvent(w, principal, now))
		require.NoError(t, err)
		require.True(t, result.Stored)
	}
	o.observer = engine.NewTaskQueueObserver(engine.TaskQueueObserverOptions{
		Match: o.db.MatchTaskQueues, Claim: o.db.ClaimTaskQueues, Put: o.db.PutObservations,
		Interval: 60 * time.Millisecond, Clock: time.Now, Logger: enginetest.Logger(),
		Describe: func(_ context.Context, namespace, queue string) (domain.TaskQueueObservation, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			select {
			case o.questions <- namespace + " " + queue:
			default:
			}
			return domain.TaskQueueObservation{Pollers: []domain.Poller{{Identity: "w", Kind: domain.TaskKindWorkflow}}}, o.answer
		},
	})
	return o
}

func (o *observerFixture) answers(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = err
}

func (o *observerFixture) run(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { o.observer.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// awaitObservations waits until every queue is observed as wanted.
func (o *observerFixture) awaitObservations(t *testing.T, matches func(*domain.TaskQueueObservation) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		queues, err := o.db.Reader().ListTaskQueues(t.Context(), persistence.AdministrationScope{Everywhere: true},
			persistence.TaskQueueFilter{}, domain.PageRequest{Size: 100}, time.Now())
		require.NoError(t, err)
		for _, q := range queues.Items {
			if q.Observed == nil || !matches(q.Observed) {
				return false
			}
		}
		return true
	}, time.Minute, 10*time.Millisecond)
}

func TestTaskQueuesAreObserved(t *testing.T) {
	t.Parallel()
	o := newObserverFixture(t, "P", "Q")
	defer o.run(t)()
	o.awaitObservations(t, func(seen *domain.TaskQueueObservation) bool { return len(seen.Pollers) == 1 && seen.Failure == "" })
	queues := map[string]bool{}
	for range 4 {
		queues[<-o.questions] = true
	}
	require.Equal(t, map[string]bool{"tenant P": true, "tenant Q": true}, queues)
}

func TestObservationsRecordThatTemporalIsDown(t *testing.T) {
	t.Parallel()
	o := newObserverFixture(t, "P", "Q")
	defer o.run(t)()
	o.awaitObservations(t, func(seen *domain.TaskQueueObservation) bool { return seen.Failure == "" })
	for _, c := range []struct {
		err  error
		want string
	}{
		{serviceerror.NewUnavailable("down"), "Temporal is not available"},
		{serviceerror.NewNamespaceNotFound("tenant"), "its namespace does not exist"},
		{errors.New("something else"), "Temporal cannot describe it"},
	} {
		o.answers(c.err)
		o.awaitObservations(t, func(seen *domain.TaskQueueObservation) bool {
			return seen.Failure == c.want && len(seen.Pollers) == 1 && !seen.FailedAt.IsZero()
		})
	}
	o.answers(nil)
	o.awaitObservations(t, func(seen *domain.TaskQueueObservation) bool { return seen.Failure == "" && seen.FailedAt.IsZero() })
}

// While Temporal is down, many queues cost only a few calls.
func TestObserverLimitsCallsWhileTemporalIsDown(t *testing.T) {
	t.Parallel()
	queues := make([]string, 40)
	for i := range queues {
		queues[i] = uuid.NewString()
	}
	o := newObserverFixture(t, queues...)
	o.answers(serviceerror.NewUnavailable("down"))
	stop := o.run(t)
	o.awaitObservations(t, func(seen *domain.TaskQueueObservation) bool { return seen.Failure != "" })
	stop()
	require.Less(t, len(o.questions), len(queues))
}
