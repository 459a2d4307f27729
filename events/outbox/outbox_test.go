package outbox_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/mail"
	"github.com/procession-dev/procession/events/outbox"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	messages "github.com/procession-dev/procession/persistence/outbox"
	"github.com/procession-dev/procession/test/kit/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// post is a fake of an SMTP server. send returns its answer.
type post struct {
	mu   sync.Mutex
	got  []mail.Message
	send func(m mail.Message) error
}

// Send implements outbox.MailSender.
func (p *post) Send(_ context.Context, m mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.send != nil {
		if err := p.send(m); err != nil {
			return err
		}
	}
	p.got = append(p.got, m)
	return nil
}

func (p *post) recipients() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, m := range p.got {
		all = append(all, m.To)
	}
	slices.Sort(all)
	return all
}

// fixture is a database with a tenant and a clock.
type fixture struct {
	*testing.T

	db     *persistence.DB
	conn   *pgx.Conn
	tenant uuid.UUID
	clock  atomic.Int64
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	url := pgtest.URL(t)
	f := &fixture{T: t, db: pgtest.Open(t, url), tenant: uuid.New()}
	f.advance(time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC).Sub(time.UnixMicro(0)))
	require.NoError(t, f.db.Write(t.Context(), func(tx *persistence.Tx) error {
		tx.PutTenant(domain.Tenant{
			ID: f.tenant, Name: "north", Plan: domain.PlanFree, Namespace: "north", TimeZone: "Etc/UTC",
			Audit: domain.NewAudit(domain.SystemPrincipalID(), f.now()),
		})
		return nil
	}))
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	f.conn = conn
	return f
}

func (f *fixture) now() time.Time { return time.UnixMicro(f.clock.Load()) }

func (f *fixture) advance(d time.Duration) { f.clock.Add(d.Microseconds()) }

func (f *fixture) enqueue(key string, recipients ...string) {
	f.Helper()
	require.NoError(f, f.db.Write(f.Context(), func(tx *persistence.Tx) error {
		messages.Enqueue(tx, domain.OutgoingMessage{
			TenantID: f.tenant, Channel: domain.ChannelMail, Recipients: recipients, Subject: "Subject", Body: "Text", DedupKey: key,
		}, f.now())
		return nil
	}))
}

// start runs an outbox until stop is called.
func (f *fixture) start(sender outbox.MailSender) (wake, stop func()) {
	ctx, cancel := context.WithCancel(f.Context())
	signal := loop.NewSignal()
	o := outbox.Options{
		DB: f.db, Mail: sender, Chat: webhook.NewClient(webhook.ClientConfig{Clock: time.Now}), Wake: signal, Clock: f.now,
		Logger: slog.New(slog.DiscardHandler),
	}
	b := outbox.New(o)
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.Run(ctx)
	}()
	return signal.Wake, func() {
		cancel()
		<-done
	}
}

// states returns the states of the messages by recipient.
func (f *fixture) states() map[string]string {
	f.Helper()
	rows, err := f.conn.Query(f.Context(), `SELECT recipient, state FROM outbox_messages`) //nolint:rowserrcheck // ForEachRow does
	require.NoError(f, err)
	found := map[string]string{}
	var recipient, state string
	_, err = pgx.ForEachRow(rows, []any{&recipient, &state}, func() error {
		found[recipient] = state
		return nil
	})
	require.NoError(f, err)
	return found
}

func (f *fixture) waitFor(want map[string]string, wake func()) {
	f.Helper()
	require.Eventually(f, func() bool {
		wake()
		found := f.states()
		for recipient, state := range want {
			if found[recipient] != state {
				return false
			}
		}
		return true
	}, 20*time.Second, 20*time.Millisecond, "%v", want)
}

func TestMessagesAreSentOnceEach(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.enqueue("one", "a@example.com", "b@example.com")
	f.enqueue("one", "a@example.com", "c@example.com")
	f.enqueue("two", "a@example.com")
	p := &post{}
	var wakes []func()
	for range 3 {
		wake, stop := f.start(p)
		defer stop()
		wakes = append(wakes, wake)
	}
	f.waitFor(map[string]string{"a@example.com": "SENT", "b@example.com": "SENT", "c@example.com": "SENT"}, wakes[0])
	require.Equal(t, []string{"a@example.com", "a@example.com", "b@example.com", "c@example.com"}, p.recipients())
}

// A failure of one recipient concerns no other. A temporary one is retried with growing pauses up to the lifetime.
func TestFailedMessagesAreRetried(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var attempts atomic.Int64
	p := &post{send: func(m mail.Message) error {
		switch m.To {
		case "gone@example.com":
			return mail.Permanent(errors.New("550 no such user"))
		case "busy@example.com":
			attempts.Add(1)
			return errors.New("451 try later")
		}
		return nil
	}}
	f.enqueue("key", "gone@example.com", "busy@example.com", "fine@example.com")
	wake, stop := f.start(p)
	defer stop()
	f.waitFor(map[string]string{"gone@example.com": "DEAD", "busy@example.com": "PENDING", "fine@example.com": "SENT"}, wake)
	f.waitAttempts(&attempts, 1, wake)
	for i := range int64(8) {
		f.advance(73 * time.Minute)
		f.waitAttempts(&attempts, i+2, wake)
	}
	f.advance(domain.MessageLifetime)
	f.waitFor(map[string]string{"busy@example.com": "DEAD"}, wake)
}

func (f *fixture) waitAttempts(attempts *atomic.Int64, want int64, wake func()) {
	f.Helper()
	require.Eventually(f, func() bool {
		wake()
		return attempts.Load() == want && f.count(`SELECT count(*) FROM outbox_messages WHERE leased_until > '-infinity' AND state = 'PENDING'`) == 0
	}, 20*time.Second, 20*time.Millisecond, "attempt %d, made %d", want, attempts.Load())
}

func (f *fixture) count(sql string) (n int) {
	f.Helper()
	require.NoError(f, f.conn.QueryRow(f.Context(), sql).Scan(&n))
	return n
}

// A replica that is killed after the acceptance sends the message again when its lease has ended, with the same id: no message
// is lost.
func TestMessagesOfADeadReplicaAreSentAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.enqueue("key", "a@example.com", "b@example.com")
	due, err := messages.Claim(t.Context(), f.db, domain.MessageChannels(), f.now(), f.now().Add(2*time.Minute), 1)
	require.NoError(t, err)
	require.Len(t, due, 1)
	p := &post{}
	wake, stop := f.start(p)
	defer stop()
	other := "a@example.com"
	if due[0].Recipient == other {
		other = "b@example.com"
	}
	f.waitFor(map[string]string{other: "SENT", due[0].Recipient: "PENDING"}, wake)
	require.Equal(t, []string{other}, p.recipients(), "a lease keeps others away")
	f.advance(2 * time.Minute)
	f.waitFor(map[string]string{due[0].Recipient: "SENT"}, wake)
	require.Len(t, p.recipients(), 2)
	// The late result of a replica with an expired lease has no effect.
	require.NoError(t, messages.Record(t.Context(), f.db, []domain.MessageResult{{
		ID: due[0].ID, TenantID: f.tenant, Attempt: 1, At: f.now(), Failure: "late",
	}}))
	require.Equal(t, "SENT", f.states()[due[0].Recipient])
}

// Without a mail server mails wait for their lifetime.
func TestMailsWaitForAServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.enqueue("key", "a@example.com")
	wake, stop := f.start(nil)
	wake()
	f.advance(domain.MessageLifetime - time.Minute)
	stop()
	require.Equal(t, "PENDING", f.states()["a@example.com"])
	wake, stop = f.start(nil)
	defer stop()
	f.advance(2 * time.Minute)
	f.waitFor(map[string]string{"a@example.com": "DEAD"}, wake)
	f.advance(domain.MessageRetention + time.Minute)
	require.Eventually(t, func() bool {
		wake()
		return len(f.states()) == 0
	}, 20*time.Second, 20*time.Millisecond)
}
