package relay_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/engine/relay"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/test/kit/enginetest"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

const timeout = 20 * time.Second

var (
	errDown    = errors.New("no answer")
	errRefused = errors.New("the command is refused")
)

// fixture is a service with a fake of Temporal that executes its commands.
type fixture struct {
	*app.Service
	enginetest.Tenant

	db    *persistence.DB
	relay *relay.Relay

	mu       sync.Mutex
	answer   func(domain.DueCommand) error
	executed []domain.DueCommand
	attempts int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	db := pgtest.New(t)
	o := &fixture{db: db, Tenant: enginetest.Seed(t, db, "tenant", "Loan")}
	o.relay = o.newRelay()
	o.Service = app.New(app.Options{
		Store:        storage.New(storage.Options{DB: db, Clock: time.Now, Wake: o.relay.Wake}),
		TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Hour,
	})
	return o
}

func (o *fixture) newRelay() *relay.Relay {
	return relay.New(relay.Options{
		DB: o.db, Execute: o.executeCommand, Clock: time.Now, Logger: enginetest.Logger(),
		Unavailable: func(err error) bool { return errors.Is(err, errDown) },
	})
}

func (o *fixture) executeCommand(_ context.Context, c domain.DueCommand) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.attempts++
	if o.answer != nil {
		if err := o.answer(c); err != nil {
			return "", err
		}
	}
	o.executed = append(o.executed, c)
	return "run-of-" + c.Run.WorkflowID, nil
}

func (o *fixture) answerWith(f func(domain.DueCommand) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = f
}

// startRelay runs a relay until the test ends or the returned function is called.
func startRelay(t *testing.T, relay *relay.Relay) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		relay.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-stopped
	}
	t.Cleanup(stop)
	return stop
}

// executedKinds lists, for each process, the kinds of the executed commands in order.
func (o *fixture) executedKinds() map[uuid.UUID][]domain.CommandKind {
	o.mu.Lock()
	defer o.mu.Unlock()
	kinds := map[uuid.UUID][]domain.CommandKind{}
	for _, c := range o.executed {
		kinds[c.Run.OwnerID] = append(kinds[c.Run.OwnerID], c.Kind)
	}
	return kinds
}

func (o *fixture) attemptCount() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.attempts
}

func (o *fixture) readBacklog(t *testing.T) domain.Backlogs {
	t.Helper()
	b, err := o.db.Reader().ReadAllBacklogs(t.Context(), time.Now())
	require.NoError(t, err)
	return b
}

func (o *fixture) awaitEmpty(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return o.readBacklog(t).Commands == 0 }, timeout, 10*time.Millisecond)
}

func TestRelayExecutesCommandsOfAProcessInOrder(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	const processes, tasks = 20, 3
	want := map[uuid.UUID][]domain.CommandKind{}
	for range processes {
		p := o.Create(t, o.Service, "Loan")
		want[p.ID] = []domain.CommandKind{domain.CommandStart}
		for range tasks {
			task := o.Task(t, o.Service, p, true)
			_, err := o.CompleteProcessItemTask(t.Context(), o.Call, task.ID)
			require.NoError(t, err)
			want[p.ID] = append(want[p.ID], domain.CommandSignal)
		}
	}
	require.EqualValues(t, processes*(tasks+1), o.readBacklog(t).Commands)
	// Two replicas share the work.
	startRelay(t, o.relay)
	startRelay(t, o.newRelay())
	o.awaitEmpty(t)
	require.Equal(t, want, o.executedKinds())

	runs, err := o.db.Reader().ListStaleRuns(t.Context(), o.Namespace, time.Now().Add(time.Hour), uuid.Nil, 100)
	require.NoError(t, err)
	require.Len(t, runs, processes)
	for _, r := range runs {
		require.Equal(t, "run-of-"+r.WorkflowID, r.RunID)
	}
}

func TestFailingCommandBlocksOnlyItsProcess(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	bad := o.Create(t, o.Service, "Loan")
	o.answerWith(func(c domain.DueCommand) error {
		if c.Run.OwnerID == bad.ID {
			return errRefused
		}
		return nil
	})
	task := o.Task(t, o.Service, bad, true)
	_, err := o.CompleteProcessItemTask(t.Context(), o.Call, task.ID)
	require.NoError(t, err)
	startRelay(t, o.relay)
	for range 40 {
		o.Create(t, o.Service, "Loan")
	}
	require.Eventually(t, func() bool { return len(o.executedKinds()) == 40 }, timeout, 10*time.Millisecond)
	require.NotContains(t, o.executedKinds(), bad.ID)
	require.False(t, o.relay.Stats().Down)

	o.answerWith(nil)
	o.awaitEmpty(t)
	require.Equal(t, []domain.CommandKind{domain.CommandStart, domain.CommandSignal}, o.executedKinds()[bad.ID])
}

func TestRelayProbesWhileTemporalIsDown(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.answerWith(func(domain.DueCommand) error { return errDown })
	startRelay(t, o.relay)
	const processes = 200
	for range processes {
		o.Create(t, o.Service, "Loan")
	}
	require.Eventually(t, func() bool { return o.relay.Stats().Down }, timeout, 10*time.Millisecond)
	before, since := o.attemptCount(), time.Now()
	require.Eventually(t, func() bool { return time.Since(since) > 2*time.Second }, timeout, 100*time.Millisecond)
	// Commands claimed before fail too; then one command a second is the probe.
	require.Less(t, o.attemptCount()-before, 60)
	require.EqualValues(t, processes, o.readBacklog(t).Commands)
	require.WithinDuration(t, since, o.readBacklog(t).CommandsDueSince, timeout)

	o.answerWith(nil)
	o.awaitEmpty(t)
	require.Len(t, o.executedKinds(), processes)
	require.False(t, o.relay.Stats().Down)
}

// A cluster that does not answer gets one command a second, however many wait, and the others are not delayed.
func TestRelayProbesAClusterThatIsDown(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	far := enginetest.SeedIn(t, o.db, "second", "far", "Loan")
	o.answerWith(func(c domain.DueCommand) error {
		if c.Cluster == "second" {
			return errDown
		}
		return nil
	})
	const processes = 200
	for range processes {
		far.Create(t, o.Service, "Loan")
	}
	startRelay(t, o.relay)
	require.Eventually(t, func() bool { return o.attemptCount() >= 3 }, timeout, 10*time.Millisecond)
	near := o.Create(t, o.Service, "Loan")
	require.Eventually(t, func() bool { return len(o.executedKinds()) == 1 }, timeout, time.Millisecond)
	require.Contains(t, o.executedKinds(), near.ID)
	before, since := o.attemptCount(), time.Now()
	require.Eventually(t, func() bool { return time.Since(since) > 3*time.Second }, timeout, 100*time.Millisecond)
	require.Less(t, o.attemptCount()-before, 10)
	require.False(t, o.relay.Stats().Down)
	require.EqualValues(t, processes, o.readBacklog(t).Commands)

	o.answerWith(nil)
	o.awaitEmpty(t)
	require.Len(t, o.executedKinds(), processes+1)
}

func TestStoppedRelayReleasesQueuedCommands(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	started := make(chan struct{}, 100)
	release := make(chan struct{})
	relay := relay.New(relay.Options{
		DB: o.db, Clock: time.Now, Logger: enginetest.Logger(), Concurrency: 2,
		Unavailable: func(error) bool { return false },
		Execute: func(context.Context, domain.DueCommand) (string, error) {
			started <- struct{}{}
			<-release
			return "run", nil
		},
	})
	for range 10 {
		o.Create(t, o.Service, "Loan")
	}
	stop := startRelay(t, relay)
	<-started
	<-started
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	select {
	case <-stopped:
		t.Fatal("the relay did not wait for the commands in flight")
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	<-stopped
	require.EqualValues(t, 8, o.readBacklog(t).Commands)
	// All other commands can be claimed at once.
	startRelay(t, o.relay)
	require.Eventually(t, func() bool { return len(o.executedKinds()) == 8 }, 3*time.Second, 10*time.Millisecond)
}

func TestLeasedCommandIsClaimedAfterItsLease(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.Create(t, o.Service, "Loan")
	now := time.Now()
	take := func(at time.Time) []domain.DueCommand {
		due, err := o.db.ExchangeEngineCommands(t.Context(), persistence.CommandExchange{
			Limit: 10, Now: at, LeaseUntil: at.Add(time.Minute),
		})
		require.NoError(t, err)
		return due
	}
	first := take(now)
	require.Len(t, first, 1)
	require.Equal(t, "Europe/Madrid", first[0].TimeZone)
	require.Empty(t, take(now.Add(59*time.Second)))
	require.Len(t, take(now.Add(time.Minute)), 1)
}

func TestRelayHasItsOwnConnections(t *testing.T) {
	t.Parallel()
	o := newFixture(t)
	o.Create(t, o.Service, "Loan")
	free := make(chan struct{})
	var busy sync.WaitGroup
	for range persistence.DefaultLimits().Requests {
		busy.Go(func() {
			_ = o.db.Write(t.Context(), func(*persistence.Tx) error {
				<-free
				return nil
			})
		})
	}
	requests := func() persistence.PoolState { return o.db.PoolState(persistence.PoolRequests) }
	require.Eventually(t, func() bool { return requests().InUse == requests().Limit }, timeout, time.Millisecond)
	startRelay(t, o.relay)
	require.Eventually(t, func() bool { return o.relay.Stats().Executed == 1 }, timeout, time.Millisecond)
	require.Equal(t, requests().Limit, requests().InUse, "requests keep their connections")
	close(free)
	busy.Wait()
}
