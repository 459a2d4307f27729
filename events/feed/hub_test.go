package feed_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/feed"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/events"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

// timeout bounds the wait of a test for an expected event.
const timeout = 20 * time.Second

// fixture is a database with the hubs that watch it.
type fixture struct {
	t      *testing.T
	url    string
	db     *persistence.DB
	tenant uuid.UUID
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	url := pgtest.URL(t)
	return &fixture{t: t, url: url, db: pgtest.Open(t, url), tenant: uuid.New()}
}

// start runs a component of a replica until the test ends.
func (r *fixture) start(part func(context.Context)) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.t.Context()))
	var running sync.WaitGroup
	running.Go(func() { part(ctx) })
	r.t.Cleanup(func() {
		cancel()
		running.Wait()
	})
}

// startHub starts a hub, and returns it once it listens and has its first position.
func (r *fixture) startHub() *feed.Hub {
	r.t.Helper()
	hub := feed.NewHub(feed.Options{DB: r.db, Logger: slog.New(slog.DiscardHandler), PerPrincipal: 2})
	first, err := hub.Subscribe(uuid.New(), []uuid.UUID{r.tenant})
	require.NoError(r.t, err)
	r.t.Cleanup(first.Close)
	r.start(hub.Run)
	r.requireNews(first)
	require.Eventually(r.t, func() bool { return r.countListeners() > 0 }, timeout, time.Millisecond)
	return hub
}

func (r *fixture) openConnection() *pgx.Conn {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.url)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(r.t.Context())) })
	return conn
}

const listeners = `FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN procession_events'`

// countListeners counts connections that listen.
func (r *fixture) countListeners() (n int) {
	r.t.Helper()
	conn := r.openConnection()
	require.NoError(r.t, conn.QueryRow(r.t.Context(), `SELECT count(*) `+listeners).Scan(&n))
	require.NoError(r.t, conn.Close(r.t.Context()))
	return n
}

func (r *fixture) requireNews(s *feed.Subscription) {
	r.t.Helper()
	select {
	case <-s.News():
	case <-time.After(timeout):
		require.FailNow(r.t, "no news")
	}
}

// recordEvent records an event of a tenant without a notification.
func (r *fixture) recordEvent(tenant uuid.UUID, t domain.EventType) {
	r.t.Helper()
	require.NoError(r.t, r.db.Record(r.t.Context(), domain.Call{}, func(*persistence.Tx) (domain.Events, error) {
		return domain.Events{{
			TenantID: tenant, Type: t, ResourceKind: domain.ResourceProcess, ResourceID: uuid.New(),
			ActorID: uuid.New(), OccurredAt: time.Now(),
		}}, nil
	}))
}

// Notifications arrive, also where statements are sent through a pooler.
func TestHubWakesOnNotification(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	r.db = pgtest.OpenWithin(t, pgtest.Pooler(t, r.url), persistence.Limits{DirectURL: r.url})
	here, there := r.startHub(), r.startHub()
	notifier := feed.NewNotifier(r.db, slog.New(slog.DiscardHandler))
	r.start(notifier.Run)
	one, err := here.Subscribe(uuid.New(), []uuid.UUID{uuid.New(), r.tenant})
	require.NoError(t, err)
	other, err := there.Subscribe(uuid.New(), []uuid.UUID{r.tenant})
	require.NoError(t, err)
	stranger, err := here.Subscribe(uuid.New(), []uuid.UUID{uuid.New()})
	require.NoError(t, err)
	for range 5 {
		r.recordEvent(r.tenant, domain.EventProcessCreated)
		notifier.Wake()
		r.requireNews(one)
		r.requireNews(other)
	}
	// Events for administrators only and events of another tenant wake no
	// subscriber.
	r.recordEvent(r.tenant, domain.EventSecretIssued)
	foreign := uuid.New()
	last, err := here.Subscribe(uuid.New(), []uuid.UUID{foreign})
	require.NoError(t, err)
	r.recordEvent(foreign, domain.EventProcessCreated)
	here.Wake()
	r.requireNews(last)
	require.Empty(t, one.News())
	require.Empty(t, stranger.News())
}

// New events are found by polling: without a notification, after the connection
// is cut, and when an older transaction had to end first.
func TestHubFindsEventsByPolling(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	s, err := r.startHub().Subscribe(uuid.New(), []uuid.UUID{r.tenant})
	require.NoError(t, err)
	defer s.Close()
	r.recordEvent(r.tenant, domain.EventProcessCreated)
	r.requireNews(s)

	admin := r.openConnection()
	var cut int
	require.NoError(t, admin.QueryRow(t.Context(),
		`SELECT count(*) FROM (SELECT pg_terminate_backend(pid) `+listeners+`) t`).Scan(&cut))
	require.Equal(t, 1, cut)
	r.recordEvent(r.tenant, domain.EventProcessCreated)
	r.requireNews(s)
	require.Eventually(t, func() bool { return r.countListeners() == 1 }, timeout, time.Millisecond)

	older, err := admin.Begin(t.Context())
	require.NoError(t, err)
	_, err = older.Exec(t.Context(), `INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, actor_id, occurred_at)
		VALUES ($1, $1, 'PROCESS.CREATED', 'PROCESS', $1, $1, now())`, uuid.New())
	require.NoError(t, err)
	r.recordEvent(r.tenant, domain.EventProcessCreated)
	found, err := events.ListNew(t.Context(), r.db.Reader(), domain.EventCursor{}, 10)
	require.NoError(t, err)
	require.True(t, found.Pending)
	require.Empty(t, s.News())
	require.NoError(t, older.Rollback(t.Context()))
	r.requireNews(s)
}

// A follower is woken at most four times a second, and for the last event too.
func TestFollowersAreWokenAtIntervals(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	hub := r.startHub()
	s, err := hub.Subscribe(uuid.New(), []uuid.UUID{r.tenant})
	require.NoError(t, err)
	woken := 0
	began := time.Now()
	for time.Since(began) < time.Second {
		r.recordEvent(r.tenant, domain.EventProcessCreated)
		hub.Wake()
		select {
		case <-s.News():
			woken++
		default:
		}
	}
	took := time.Since(began)
	require.LessOrEqual(t, woken, 2+int(took/(250*time.Millisecond)))
	r.requireNews(s)
}

// A hub without subscriptions does not read the log.
func TestHubWithoutFollowersIsIdle(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	closed := pgtest.Open(t, r.url)
	closed.Close()
	var log strings.Builder
	hub := feed.NewHub(feed.Options{DB: closed, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { hub.Run(ctx) })
	for range 5 {
		hub.Wake()
		<-time.After(30 * time.Millisecond)
	}
	cancel()
	running.Wait()
	require.NotContains(t, log.String(), "reading new events failed")
}

// Many events cause few notifications, and one for the last event.
func TestNotifierMergesNotifications(t *testing.T) {
	t.Parallel()
	r := newFixture(t)
	received, ready := make(chan struct{}, 1000), make(chan struct{})
	r.start(func(ctx context.Context) {
		_ = r.db.ReceiveEventSignals(ctx, func() { close(ready) }, func() { received <- struct{}{} })
	})
	<-ready
	notifier := feed.NewNotifier(r.db, slog.New(slog.DiscardHandler))
	for range 1000 {
		notifier.Wake()
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		notifier.Run(ctx)
		close(stopped)
	}()
	select {
	case <-received:
	case <-time.After(timeout):
		require.FailNow(t, "no notification")
	}
	// A pending notification is sent on stop.
	notifier.Wake()
	cancel()
	<-stopped
	select {
	case <-received:
	case <-time.After(timeout):
		require.FailNow(t, "no last notification")
	}
	require.Empty(t, received)
}

func TestSubscribeLimitsAPrincipal(t *testing.T) {
	t.Parallel()
	hub := feed.NewHub(feed.Options{PerPrincipal: 2})
	principal, tenants := uuid.New(), []uuid.UUID{uuid.New()}
	first, err := hub.Subscribe(principal, tenants)
	require.NoError(t, err)
	_, err = hub.Subscribe(principal, tenants)
	require.NoError(t, err)
	_, err = hub.Subscribe(principal, tenants)
	require.True(t, domain.HasCode(err, domain.CodeRateLimited), err)
	_, err = hub.Subscribe(uuid.New(), nil)
	require.NoError(t, err)
	first.Close()
	again, err := hub.Subscribe(principal, tenants)
	require.NoError(t, err)
	require.Equal(t, 3, hub.Count())

	select {
	case <-again.Draining():
		require.FailNow(t, "a subscription ended too early")
	default:
	}
	hub.Drain()
	hub.Drain()
	<-again.Draining()
	_, err = hub.Subscribe(principal, nil)
	require.True(t, domain.HasCode(err, domain.CodeUnavailable), err)
}
