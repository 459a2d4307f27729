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

const patience = 20 * time.Second

var (
	errDown    = errors.New("no answer")
	errRefused = errors.New("the command is refused")
)

// office is a service whose commands are executed by a fake of Temporal.
type office struct {
	*app.Service
	enginetest.Tenant

	db    *persistence.DB
	relay *relay.Relay

	mu      sync.Mutex
	answer  func(domain.DueCommand) error
	carried []domain.DueCommand
	tried   int
}

func newOffice(t *testing.T) *office {
	t.Helper()
	db := pgtest.New(t)
	o := &office{db: db, Tenant: enginetest.Seed(t, db, "tenant", "Loan")}
	o.relay = o.newRelay()
	o.Service = app.New(app.Options{
		Store:        storage.New(storage.Options{DB: db, Clock: time.Now, Wake: o.relay.Wake}),
		TaskLogLimit: app.DefaultTaskLogLimit, CancelGrace: time.Hour,
	})
	return o
}

func (o *office) newRelay() *relay.Relay {
	return relay.New(relay.Options{
		DB: o.db, Execute: o.execute, Clock: time.Now, Logger: enginetest.Logger(),
		Unavailable: func(err error) bool { return errors.Is(err, errDown) },
	})
}

func (o *office) execute(_ context.Context, c domain.DueCommand) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.tried++
	if o.answer != nil {
		if err := o.answer(c); err != nil {
			return "", err
		}
	}
	o.carried = append(o.carried, c)
	return "run-of-" + c.Run.WorkflowID, nil
}

func (o *office) answers(f func(domain.DueCommand) error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = f
}

// run starts a relay that stops with the test, or when the returned function is
// called.
func run(t *testing.T, relay *relay.Relay) (stop func()) {
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

// kinds lists, for each process, the kinds of the executed commands in order.
func (o *office) kinds() map[uuid.UUID][]domain.CommandKind {
	o.mu.Lock()
	defer o.mu.Unlock()
	kinds := map[uuid.UUID][]domain.CommandKind{}
	for _, c := range o.carried {
		kinds[c.Run.OwnerID] = append(kinds[c.Run.OwnerID], c.Kind)
	}
	return kinds
}

func (o *office) attempts() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.tried
}

func (o *office) backlog(t *testing.T) domain.Backlogs {
	t.Helper()
	b, err := o.db.Reader().ReadAllBacklogs(t.Context(), time.Now())
	require.NoError(t, err)
	return b
}

func (o *office) awaitEmpty(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return o.backlog(t).Commands == 0 }, patience, 10*time.Millisecond)
}

func TestCommandsOfAProcessAreCarriedOutInOrder(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const processes, tasks = 20, 3
	want := map[uuid.UUID][]domain.CommandKind{}
	for range processes {
		p := o.Create(t, o.Service, "Loan")
		want[p.ID] = []domain.CommandKind{domain.CommandStart}
		for range tasks {
			task := o.Task(t, o.Service, p, true)
			_, err := o.CompleteProcessItemTask(t.Context(), o.Caller, task.ID)
			require.NoError(t, err)
			want[p.ID] = append(want[p.ID], domain.CommandSignal)
		}
	}
	require.EqualValues(t, processes*(tasks+1), o.backlog(t).Commands)
	// Two replicas share the work.
	run(t, o.relay)
	run(t, o.newRelay())
	o.awaitEmpty(t)
	require.Equal(t, want, o.kinds())

	runs, err := o.db.Reader().ListQuietRuns(t.Context(), o.Namespace, time.Now().Add(time.Hour), uuid.Nil, 100)
	require.NoError(t, err)
	require.Len(t, runs, processes)
	for _, r := range runs {
		require.Equal(t, "run-of-"+r.WorkflowID, r.RunID)
	}
}

func TestAFailingCommandHoldsUpOnlyItsOwnProcess(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	bad := o.Create(t, o.Service, "Loan")
	o.answers(func(c domain.DueCommand) error {
		if c.Run.OwnerID == bad.ID {
			return errRefused
		}
		return nil
	})
	task := o.Task(t, o.Service, bad, true)
	_, err := o.CompleteProcessItemTask(t.Context(), o.Caller, task.ID)
	require.NoError(t, err)
	run(t, o.relay)
	for range 40 {
		o.Create(t, o.Service, "Loan")
	}
	require.Eventually(t, func() bool { return len(o.kinds()) == 40 }, patience, 10*time.Millisecond)
	require.NotContains(t, o.kinds(), bad.ID)
	require.False(t, o.relay.Stats().Down)

	o.answers(nil)
	o.awaitEmpty(t)
	require.Equal(t, []domain.CommandKind{domain.CommandStart, domain.CommandSignal}, o.kinds()[bad.ID])
}

func TestRelayProbesWhileTemporalIsDown(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.answers(func(domain.DueCommand) error { return errDown })
	run(t, o.relay)
	const processes = 200
	for range processes {
		o.Create(t, o.Service, "Loan")
	}
	require.Eventually(t, func() bool { return o.relay.Stats().Down }, patience, 10*time.Millisecond)
	before, since := o.attempts(), time.Now()
	require.Eventually(t, func() bool { return time.Since(since) > 2*time.Second }, patience, 100*time.Millisecond)
	// Commands claimed before fail too; then one command a second is the probe.
	require.Less(t, o.attempts()-before, 60)
	require.EqualValues(t, processes, o.backlog(t).Commands)
	require.WithinDuration(t, since, o.backlog(t).CommandsDueSince, patience)

	o.answers(nil)
	o.awaitEmpty(t)
	require.Len(t, o.kinds(), processes)
	require.False(t, o.relay.Stats().Down)
}

func TestStoppedRelayReleasesCommandsNotBegun(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	begun := make(chan struct{}, 100)
	release := make(chan struct{})
	relay := relay.New(relay.Options{
		DB: o.db, Clock: time.Now, Logger: enginetest.Logger(), Concurrency: 2,
		Unavailable: func(error) bool { return false },
		Execute: func(context.Context, domain.DueCommand) (string, error) {
			begun <- struct{}{}
			<-release
			return "run", nil
		},
	})
	for range 10 {
		o.Create(t, o.Service, "Loan")
	}
	stop := run(t, relay)
	<-begun
	<-begun
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		stop()
	}()
	select {
	case <-stopped:
		t.Fatal("the relay did not wait for what it had begun")
	case <-time.After(100 * time.Millisecond):
	}
	close(release)
	<-stopped
	require.EqualValues(t, 8, o.backlog(t).Commands)
	// All other commands can be claimed at once.
	run(t, o.relay)
	require.Eventually(t, func() bool { return len(o.kinds()) == 8 }, 3*time.Second, 10*time.Millisecond)
}

func TestALeaseKeepsACommandFromOthersUntilItEnds(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
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
	o := newOffice(t)
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
	require.Eventually(t, func() bool { return requests().InUse == requests().Limit }, patience, time.Millisecond)
	run(t, o.relay)
	require.Eventually(t, func() bool { return o.relay.Stats().Executed == 1 }, patience, time.Millisecond)
	require.Equal(t, requests().Limit, requests().InUse, "requests hold what they held")
	close(free)
	busy.Wait()
}
