package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/notifications"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// fixture is a database with a tenant in Berlin, a clock, and several notifiers.
type fixture struct {
	*testing.T

	db        *persistence.DB
	conn      *pgx.Conn
	tenant    uuid.UUID
	clock     atomic.Int64
	notifiers []*Notifier
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	url := pgtest.URL(t)
	f := &fixture{T: t, db: pgtest.Open(t, url), tenant: uuid.New()}
	f.clock.Store(time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC).UnixMicro())
	require.NoError(t, f.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutTenant(domain.Tenant{
			ID: f.tenant, Name: "North", Code: "north", Plan: domain.PlanFree, Namespace: "north", TimeZone: "Europe/Berlin",
			Audit: domain.NewAudit(domain.SystemPrincipalID(), f.now()),
		})
		return nil
	}))
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	f.conn = conn
	for range 3 {
		f.notifiers = append(f.notifiers, New(Options{
			DB: f.db, BaseURL: "https://procession.example.com", Clock: f.now, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
		}))
	}
	return f
}

func (f *fixture) now() time.Time { return time.UnixMicro(f.clock.Load()).UTC() }

// receiver stores a receiver with a spec.
func (f *fixture) receiver(spec string) {
	f.Helper()
	var decoded resource.NotificationReceiverSpec
	require.NoError(f, json.Unmarshal([]byte(spec), &decoded))
	id := uuid.New()
	require.NoError(f, f.db.Write(f.Context(), func(tx *persistence.Tx) error {
		notifications.PutReceiver(tx, domain.NotificationReceiver{
			ID: id, TenantID: f.tenant, EventTypes: decoded.Problems(), Paused: decoded.Paused,
		})
		return tx.PutResource(resource.Stored{
			Document: resource.Document{
				Kind: resource.KindNotificationReceiver, Metadata: resource.Metadata{Code: "R-" + id.String()[:8]}, Spec: &decoded,
			},
			ID: id, TenantID: f.tenant, Audit: domain.NewAudit(domain.SystemPrincipalID(), f.now()),
		})
	}))
}

// record records events of a type about resources.
func (f *fixture) record(t domain.EventType, state string, subjects ...uuid.UUID) {
	f.Helper()
	require.NoError(f, f.db.Record(f.Context(), domain.Call{}, func(*persistence.Tx) (events domain.Events, _ error) {
		for _, subject := range subjects {
			events = append(events, domain.Event{
				TenantID: f.tenant, Type: t, ResourceKind: domain.ResourceIncident, ResourceID: subject, State: state,
				Details: map[string]string{"taskQueue": "LOANS"}, ActorID: domain.SystemPrincipalID(), OccurredAt: f.now(),
			})
		}
		return events, nil
	}))
}

// after lets all notifiers read the events so far, moves the clock, lets them work until all is done, and returns the subjects of all
// messages.
func (f *fixture) after(d time.Duration) []string {
	f.Helper()
	f.settle()
	f.clock.Add(d.Microseconds())
	f.settle()
	rows, err := f.conn.Query(f.Context(), `SELECT subject FROM outbox_messages ORDER BY created_at, subject`)
	require.NoError(f, err)
	subjects, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(f, err)
	return subjects
}

// settle lets all notifiers work concurrently until all is done.
func (f *fixture) settle() {
	f.Helper()
	require.Eventually(f, func() bool {
		var group errgroup.Group
		var busy atomic.Bool
		for _, n := range f.notifiers {
			group.Go(func() error {
				if n.notifyDue(f.Context()) == 0 {
					busy.Store(true)
				}
				return nil
			})
		}
		_ = group.Wait()
		var behind bool
		require.NoError(f, f.conn.QueryRow(f.Context(), `SELECT EXISTS (SELECT 1 FROM events e, notification_cursor c
			WHERE (e.era, e.xid, e.position) > (c.era, c.xid, c.position))`).Scan(&behind))
		return !busy.Load() && !behind
	}, 20*time.Second, time.Millisecond)
}

func ids(n int) []uuid.UUID {
	all := make([]uuid.UUID, n)
	for i := range all {
		all[i] = uuid.New()
	}
	return all
}

const email = `{"name":"Operations","type":"EMAIL","addresses":["ops@example.com"]%s}`

func TestProblemsAreGrouped(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.receiver(fmt.Sprintf(email, ""))
	storm := ids(200)
	f.record(domain.EventIncidentCreated, "OPEN", storm[:50]...)
	require.Empty(t, f.after(0), "problems are gathered")
	f.record(domain.EventIncidentCreated, "OPEN", storm[50:]...)
	want := []string{"North: 200 incidents opened"}
	require.Equal(t, want, f.after(domain.NotificationGather))
	f.record(domain.EventIncidentCreated, "OPEN", uuid.New())
	f.record(domain.EventIncidentStateChanged, "RETRIED", storm[:3]...)
	f.record(domain.EventQueueUnserved, "", uuid.New())
	require.Equal(t, want, f.after(0))
	want = append(want, "North: 1 task queue without workers")
	require.Equal(t, want, f.after(time.Minute), "kinds do not wait for each other")
	require.Equal(t, want, f.after(domain.NotificationPace-2*time.Minute))
	want = append(want, "North: 1 incident opened, 3 incidents resolved")
	require.Equal(t, want, f.after(2*time.Minute))
	f.record(domain.EventIncidentStateChanged, "DISMISSED", storm...)
	require.Equal(t, want, f.after(0))
	want = append(want, "North: 197 incidents resolved")
	require.Equal(t, want, f.after(domain.NotificationPace))
	var body string
	require.NoError(t, f.conn.QueryRow(t.Context(), `SELECT body FROM outbox_messages WHERE subject LIKE '%200%'`).Scan(&body))
	require.Equal(t, domain.NotificationListed, strings.Count(body, "- 2026-03-02 11:00 opened"))
	require.Contains(t, body, "… and 195 more")
}

// A problem that ends before it is told is told with its end; the end of a problem that is not told is not told.
func TestProblemsEndEarly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.receiver(fmt.Sprintf(email, `,"eventTypes":["INCIDENT.OPENED"]`))
	short := uuid.New()
	f.record(domain.EventIncidentStateChanged, "RESOLVED", uuid.New())
	f.record(domain.EventQueueUnserved, "", uuid.New())
	require.Empty(t, f.after(time.Hour))
	f.record(domain.EventIncidentCreated, "OPEN", short)
	f.record(domain.EventIncidentStateChanged, "RESOLVED", short)
	require.Empty(t, f.after(0))
	require.Equal(t, []string{"North: 1 incident opened, 1 incident resolved"}, f.after(time.Hour))
}

// Problems of quiet hours, which are in the time zone of the tenant, are told at their end.
// incident stores an open incident of an action that is muted until a time.
func (f *fixture) incident(until time.Time) uuid.UUID {
	f.Helper()
	id, run := uuid.New(), domain.EngineRun{ID: uuid.New(), TenantID: f.tenant, OwnerID: uuid.New()}
	_, err := f.conn.Exec(f.Context(), `SET session_replication_role = replica`) // without its run
	require.NoError(f, err)
	_, err = f.conn.Exec(f.Context(), `INSERT INTO incidents (id, tenant_id, engine_run_id, run_id, message, failure, state, created_at, muted_until)
		VALUES ($1, $2, $3, 'run', 'no funds', '', 'OPEN', $4, $5)`, id, f.tenant, run.ID, f.now(), until)
	require.NoError(f, err)
	return id
}

func TestMutedIncidentsAreToldWhenTheMuteEnds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.receiver(fmt.Sprintf(email, ""))
	lasting, ending := f.incident(f.now().Add(2*time.Hour)), f.incident(f.now().Add(2*time.Hour))
	f.record(domain.EventIncidentCreated, "OPEN", lasting, ending)
	require.Empty(t, f.after(time.Hour))
	f.record(domain.EventIncidentStateChanged, "RESOLVED", ending)
	other := ids(1)
	f.record(domain.EventIncidentCreated, "OPEN", other...)
	require.Empty(t, f.after(0))
	require.Len(t, f.after(time.Minute), 1, "another incident does not wait for the mute to end")
	require.Len(t, f.after(50*time.Minute), 1)
	f.record(domain.EventIncidentStateChanged, "RESOLVED", other...)
	require.Len(t, f.after(0), 1)
	require.Len(t, f.after(2*time.Minute), 2, "the recovery of the other one")
	told := f.after(16 * time.Minute)
	require.Len(t, told, 3)
	require.Contains(t, told, "North: 1 incident resolved")
	require.Len(t, f.after(24*time.Hour), 3)
}

func TestQuietHoursPostpone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.receiver(fmt.Sprintf(email, `,"quietHours":{"from":"10:30","to":"12:00"}`)) // until 11:00 UTC
	f.record(domain.EventIncidentCreated, "OPEN", ids(2)...)
	require.Empty(t, f.after(0))
	require.Empty(t, f.after(59*time.Minute))
	f.record(domain.EventIncidentCreated, "OPEN", uuid.New())
	require.Equal(t, []string{"North: 3 incidents opened"}, f.after(2*time.Minute))
}

// Paused receivers get no messages, also later.
func TestPausedReceivers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.receiver(fmt.Sprintf(email, `,"paused":true`))
	f.record(domain.EventIncidentCreated, "OPEN", uuid.New())
	require.Empty(t, f.after(time.Hour))
}

// A process is a problem while it is FAILED or STUCK, however often it changes between them.
func TestConditionsAreProblems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.receiver(fmt.Sprintf(email, ""))
	process := uuid.New()
	f.record(domain.EventProcessConditionChanged, "WAITING_FOR_SIGNAL", process)
	require.Empty(t, f.after(time.Hour))
	f.record(domain.EventProcessConditionChanged, "STUCK", process)
	require.Empty(t, f.after(0))
	want := []string{"North: 1 process in need of attention"}
	require.Equal(t, want, f.after(time.Hour))
	f.record(domain.EventProcessConditionChanged, "FAILED", process)
	require.Equal(t, want, f.after(time.Hour))
	f.record(domain.EventProcessConditionChanged, "RUNNING", process)
	require.Equal(t, want, f.after(0))
	require.Equal(t, append(want, "North: 1 process proceeding"), f.after(time.Hour))
}

// A chat message is the JSON of the preset.
func TestChatMessages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.receiver(`{"name":"Chat","type":"CHAT","url":"https://chat.example.com/hook","preset":"SLACK"}`)
	f.record(domain.EventQueueUnserved, "", uuid.New())
	require.Empty(t, f.after(0))
	require.Len(t, f.after(time.Hour), 1)
	var channel, body string
	require.NoError(t, f.conn.QueryRow(t.Context(), `SELECT channel, body FROM outbox_messages`).Scan(&channel, &body))
	require.Equal(t, "CHAT", channel)
	require.JSONEq(t, `{"text":"*North: 1 task queue without workers*\n- 2026-03-02 11:00 without workers: LOANS\nhttps://procession.example.com/console/queues"}`, body)
}

func TestLeftWorkIsCountedWithoutThePerson(t *testing.T) {
	t.Parallel()
	require.Equal(t, "2 claimed tasks, 1 running process", countLeftWork(map[string]string{
		"code": "bob", "tasks": "2", "processes": "1", "incidents": "0", "rights": "0",
	}))
}

// A person who has no work left is told with the end.
func TestSettledWorkIsTold(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.receiver(fmt.Sprintf(email, ""))
	f.record(domain.EventUserLeftWork, "", uuid.New())
	require.Equal(t, []string{"North: 1 person left with open work, 1 person with all work settled"}, f.after(time.Hour))
	var body string
	require.NoError(t, f.conn.QueryRow(t.Context(), `SELECT body FROM outbox_messages`).Scan(&body))
	require.Contains(t, body, "- 2026-03-02 11:00 with all work settled")
}
