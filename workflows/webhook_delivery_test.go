package workflows_test

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/procession-dev/procession/activities"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/engine"
	"github.com/procession-dev/procession/events/dispatch"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
	"github.com/procession-dev/procession/workflows"
)

// administrationService has a name other than app.Service, for structs with both.
type administrationService = administration.Service

// deliveryFixture is a service with the webhook subscription HOOK and a fake of its receiver.
type deliveryFixture struct {
	*app.Service
	*dispatch.Attempts
	*administrationService
	t     *testing.T
	db    *persistence.DB
	clock func() time.Time

	mu   sync.Mutex
	sent []string
	// accepts is the attempt that the receiver accepts, 0 for none.
	accepts int
	asks    time.Duration
}

// Send implements dispatch.Sender.
func (c *deliveryFixture) Send(_ context.Context, d webhook.Delivery) (webhook.Result, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = append(c.sent, d.ID)
	if len(c.sent) == c.accepts {
		return webhook.Result{Status: http.StatusOK}, nil
	}
	return webhook.Result{Status: http.StatusServiceUnavailable, Failure: webhook.FailureStatus, RetryAfter: c.asks}, nil
}

func newDeliveryFixture(t *testing.T, clock func() time.Time, delay dispatch.Delay) *deliveryFixture {
	t.Helper()
	c := &deliveryFixture{t: t, db: pgtest.New(t), clock: clock}
	key, err := authn.LoadOrCreateSealKey(t.TempDir() + "/seal.key")
	require.NoError(t, err)
	sealer, err := authn.NewSealer(key)
	require.NoError(t, err)
	store := storage.New(storage.Options{DB: c.db, Clock: clock})
	c.Service = app.New(app.Options{Store: store, Sealer: sealer})
	c.Attempts = dispatch.NewAttempts(dispatch.AttemptOptions{DB: c.db, Sealer: sealer, Sender: c, Delay: delay, Clock: clock})
	c.administrationService = administration.New(administration.Options{Store: store, Sealer: sealer})
	_, err = c.ApplyResources(t.Context(), c.systemCaller(), administration.ApplyRequest{Documents: []json.RawMessage{
		json.RawMessage(`{"apiVersion":"procession/v1","kind":"Tenant","metadata":{"code":"north"},"spec":{"name":"North"}}`),
		json.RawMessage(`{"apiVersion":"procession/v1","kind":"WebhookSubscription","metadata":{"code":"HOOK","tenant":"north"},
			"spec":{"name":"Hook","url":"https://events.example/"}}`),
	}})
	require.NoError(t, err)
	_, err = c.IssueSecret(t.Context(), c.systemCaller(),
		administration.ResourceKey{Tenant: "north", Kind: resource.KindWebhookSubscription, Code: "HOOK"}, administration.NewSecret{Name: "first"})
	require.NoError(t, err)
	return c
}

func (c *deliveryFixture) systemCaller() domain.Call {
	return domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem, Operator: true}}
}

// sendPing sends an event.
func (c *deliveryFixture) sendPing() uuid.UUID {
	c.t.Helper()
	event, err := c.PingWebhookEndpoint(c.t.Context(), c.systemCaller(), administration.WebhookKey{Code: "HOOK"})
	require.NoError(c.t, err)
	return event.ID
}

// newDispatcher returns a dispatcher that makes the first attempts and starts
// workflows for retries.
func (c *deliveryFixture) newDispatcher(retry func(context.Context, domain.WebhookDelivery) error) *dispatch.Dispatcher {
	return dispatch.New(dispatch.Options{
		DB: c.db, Clock: time.Now, Logger: enginetest.Logger(), Attempt: c.AttemptDelivery, Retry: retry,
	})
}

// startDispatcher runs a dispatcher until the test ends.
func (c *deliveryFixture) startDispatcher(retry func(context.Context, domain.WebhookDelivery) error) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.t.Context()))
	var running sync.WaitGroup
	running.Go(func() { c.newDispatcher(retry).Run(ctx) })
	c.t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// readLog returns the delivery of an event and the attempts at it.
func (c *deliveryFixture) readLog(event uuid.UUID) (*domain.WebhookDeliveryInfo, []domain.WebhookAttempt) {
	c.t.Helper()
	page, err := c.FindWebhookDeliveries(c.t.Context(), c.systemCaller(),
		administration.WebhookDeliveryFilter{EventIDs: []uuid.UUID{event}}, domain.PageRequest{Size: 1}, nil)
	require.NoError(c.t, err)
	if len(page.Items) == 0 {
		return nil, nil
	}
	delivery, attempts, err := c.RetrieveWebhookDelivery(c.t.Context(), c.systemCaller(), page.Items[0].ID)
	require.NoError(c.t, err)
	return delivery, attempts
}

func (c *deliveryFixture) activities() *activities.Activities {
	return activities.New(activities.Options{App: c.Service, Webhooks: c.Attempts, Clock: c.clock, Logger: enginetest.Logger()})
}

// runRetries runs the workflow on a delivery with skipped time and returns the
// outcome.
func runRetries(t *testing.T, asks time.Duration, accepts int) (*domain.WebhookDeliveryInfo, []domain.WebhookAttempt) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(enginetest.Logger()))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkflowRunTimeout(30 * 24 * time.Hour)
	c := newDeliveryFixture(t, env.Now, nil)
	c.asks, c.accepts = asks, accepts
	workflows.Register(env)
	c.activities().Register(env)

	handed := make(chan domain.WebhookDelivery, 1)
	event := c.sendPing()
	c.startDispatcher(func(_ context.Context, d domain.WebhookDelivery) error {
		select {
		case handed <- d:
		default:
		}
		return nil
	})
	d := <-handed
	env.ExecuteWorkflow(workflows.WebhookDeliveryName, workflows.WebhookDeliveryInput{
		DeliveryID: d.ID, Round: d.Round, NextAt: *d.NextAttemptAt,
	})
	require.NoError(t, env.GetWorkflowError())
	for _, id := range c.sent {
		require.Equal(t, event.String(), id)
	}
	return c.readLog(event)
}

func TestRetriesFollowTheSchedule(t *testing.T) {
	t.Parallel()
	delivery, attempts := runRetries(t, 0, 0)
	require.Equal(t, domain.DeliveryDead, delivery.State)
	require.Len(t, attempts, webhook.Attempts)
	for i := 1; i < len(attempts); i++ {
		step, _ := webhook.NextDelay(i, 0.5, 0)
		waited := attempts[i].At.Sub(attempts[i-1].At)
		require.InDelta(t, step.Seconds(), waited.Seconds(), 0.2*step.Seconds()+1, "before attempt %d", i+1)
	}
	all := 75*time.Hour + 35*time.Minute
	took := attempts[len(attempts)-1].At.Sub(attempts[0].At)
	require.InDelta(t, all.Seconds(), took.Seconds(), 0.2*all.Seconds())
	t.Logf("10 attempts in %s", took)
}

func TestRetriesEndWithSuccess(t *testing.T) {
	t.Parallel()
	delivery, attempts := runRetries(t, 0, 4)
	require.Equal(t, domain.DeliveryDelivered, delivery.State)
	require.Len(t, attempts, 4)
}

// A receiver may ask for more time, up to twice the step.
func TestRetriesHonourRetryAfter(t *testing.T) {
	t.Parallel()
	_, attempts := runRetries(t, 24*time.Hour, 6)
	for i := 1; i < len(attempts); i++ {
		step, _ := webhook.NextDelay(i, 0.5, 0)
		require.InDelta(t, 2*step.Seconds(), attempts[i].At.Sub(attempts[i-1].At).Seconds(), 1)
	}
}

// On a real Temporal, and again after Temporal has been away.
func TestWorkflowRetriesDeliveries(t *testing.T) {
	t.Parallel()
	c := newDeliveryFixture(t, time.Now, func(attempt int, _ float64, _ time.Duration) (time.Duration, bool) {
		return 20 * time.Millisecond, attempt < webhook.Attempts
	})
	c.accepts = 4
	stack := enginetest.New(t, c.db)
	e := stack.Engine()
	event := c.sendPing()
	c.startDispatcher(func(ctx context.Context, d domain.WebhookDelivery) error {
		return e.StartOwned(ctx, engine.OwnedWorkflow{
			ID: workflows.WebhookDeliveryID(d.ID, d.Round), Type: workflows.WebhookDeliveryName,
			Input: workflows.WebhookDeliveryInput{DeliveryID: d.ID, Round: d.Round, NextAt: *d.NextAttemptAt},
		})
	})
	stack.Start()
	require.Eventually(t, func() bool { return e.EnsureNamespace(t.Context(), engine.DefaultNamespace) == nil }, timeout, 250*time.Millisecond)
	w := worker.New(stack.Client(engine.DefaultNamespace), engine.TaskQueue, worker.Options{})
	workflows.Register(w)
	c.activities().Register(w)
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	var delivery *domain.WebhookDeliveryInfo
	require.Eventually(t, func() bool {
		delivery, _ = c.readLog(event)
		return delivery != nil && delivery.State == domain.DeliveryDelivered
	}, 2*timeout, 100*time.Millisecond)
	require.Equal(t, 4, delivery.Attempts)

	temporal := stack.Client(engine.DefaultNamespace)
	run := temporal.GetWorkflow(t.Context(), workflows.WebhookDeliveryID(delivery.ID, 1), "")
	require.NoError(t, run.Get(t.Context(), nil))
	require.NoError(t, e.StartOwned(t.Context(), engine.OwnedWorkflow{ID: "webhook-expiry", Type: workflows.WebhookExpiryName}))
	expiry := temporal.GetWorkflow(t.Context(), "webhook-expiry", "")
	require.NoError(t, expiry.Get(t.Context(), nil))
	if *update {
		exportRun(t, temporal, "webhook_delivery.json", executionOf(run))
		exportRun(t, temporal, "webhook_expiry.json", executionOf(expiry))
	}
}

func executionOf(run client.WorkflowRun) *client.ScheduleWorkflowExecution {
	return &client.ScheduleWorkflowExecution{WorkflowID: run.GetID(), FirstExecutionRunID: run.GetRunID()}
}
