// Package outbox sends the mails and chat messages of the outbox.
package outbox

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/mail"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/outbox"
)

const (
	// sentAtOnce bounds the concurrent attempts of a replica, and the messages that it leases.
	sentAtOnce = 8
	// messageLease exceeds an attempt and the time until it is recorded. The messages of a dead replica are due again at its end.
	messageLease = 2 * time.Minute
	// pollInterval is the time between two polls for messages of other replicas.
	pollInterval = 5 * time.Second
	// recordTimeout bounds the recording of results, also while the service stops.
	recordTimeout = 5 * time.Second
)

// MailSender sends a mail, as mail.Client does.
type MailSender interface {
	Send(ctx context.Context, m mail.Message) error
}

// ChatSender posts JSON to a URL, as webhook.Client does.
type ChatSender interface {
	Post(ctx context.Context, url string, body []byte) (webhook.Result, error)
}

// Options configure an Outbox.
type Options struct {
	DB *persistence.DB
	// Mail is nil while mails are not configured: they wait for domain.MessageLifetime.
	Mail   MailSender
	Chat   ChatSender
	Wake   loop.Signal
	Clock  func() time.Time
	Logger *slog.Logger
}

// Outbox sends due messages. Several may work on one database: a message is leased by one of them. A message whose acceptance is not
// recorded, because the process is killed or the database is unavailable at that moment, is sent again with the same
// Message-ID; SMTP has no means to prevent that.
type Outbox struct {
	o        Options
	sent     [2]atomic.Int64
	failed   [2]atomic.Int64
	failures loop.FailureLog
	// unrecorded are results that the database has not accepted yet.
	unrecorded []domain.MessageResult
}

// New returns an Outbox that is started with Run.
func New(o Options) *Outbox {
	o.DB = o.DB.Background()
	return &Outbox{o: o, failures: loop.FailureLog{Logger: o.Logger, Clock: o.Clock, Interval: loop.FailureInterval}}
}

// Run sends messages until ctx ends and the attempts in flight are recorded. It must not be called twice.
func (b *Outbox) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{Wake: b.o.Wake, Step: b.exchangeMessages}
	l.Run(ctx)
}

// Stats counts the attempts of this replica.
type Stats struct{ Sent, Failed int64 }

// Stats returns the counts of a channel.
func (b *Outbox) Stats(channel domain.MessageChannel) Stats {
	i := channelIndex(channel)
	return Stats{Sent: b.sent[i].Load(), Failed: b.failed[i].Load()}
}

func channelIndex(channel domain.MessageChannel) int {
	if channel == domain.ChannelMail {
		return 0
	}
	return 1
}

// exchangeMessages records results, leases due messages, and attempts them. It returns the pause before the next one.
func (b *Outbox) exchangeMessages(ctx context.Context) time.Duration {
	if err := b.recordResults(ctx); err != nil {
		b.failures.Record(ctx, "sending messages failed", err, slog.String("during", "recording sent messages"))
		return pollInterval
	}
	channels := []domain.MessageChannel{domain.ChannelChat}
	if b.o.Mail != nil {
		channels = append(channels, domain.ChannelMail)
	}
	now := b.o.Clock()
	due, err := outbox.Claim(ctx, b.o.DB, channels, now, now.Add(messageLease), sentAtOnce)
	if err != nil {
		b.failures.Record(ctx, "sending messages failed", err, slog.String("during", "claiming messages"))
		return pollInterval
	}
	b.failures.End()
	if len(due) == 0 {
		return pollInterval
	}
	b.unrecorded = b.attemptAll(ctx, due)
	if err := b.recordResults(ctx); err != nil {
		b.failures.Record(ctx, "sending messages failed", err, slog.String("during", "recording sent messages"))
	}
	return 0
}

// recordResults stores the results of attempts. The end of ctx does not prevent it.
func (b *Outbox) recordResults(ctx context.Context) error {
	if len(b.unrecorded) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	if err := outbox.Record(ctx, b.o.DB, b.unrecorded); err != nil {
		return err
	}
	b.unrecorded = nil
	return nil
}

// attemptAll attempts messages concurrently.
func (b *Outbox) attemptAll(ctx context.Context, due []domain.DueMessage) []domain.MessageResult {
	results := make([]domain.MessageResult, len(due))
	var attempts sync.WaitGroup
	for i := range due {
		attempts.Go(func() { results[i] = b.attemptMessage(ctx, &due[i]) })
	}
	attempts.Wait()
	return results
}

// attemptMessage sends a message and returns the result.
func (b *Outbox) attemptMessage(ctx context.Context, m *domain.DueMessage) domain.MessageResult {
	retryAfter, err := b.sendMessage(ctx, m)
	result := domain.MessageResult{ID: m.ID, TenantID: m.TenantID, Attempt: m.Attempts, At: b.o.Clock()}
	if err == nil {
		b.sent[channelIndex(m.Channel)].Add(1)
		return result
	}
	b.failed[channelIndex(m.Channel)].Add(1)
	result.Failure = err.Error()
	if _, permanent := errors.AsType[*mail.PermanentError](err); !permanent {
		//nolint:gosec // it spreads attempts over time, and protects nothing
		result.DueAt = m.RetryAt(result.At, rand.Float64(), retryAfter)
	}
	b.o.Logger.DebugContext(ctx, "a message was not sent", slog.String("message", m.ID.String()), slog.Any("error", err))
	return result
}

var errNoReceiver = errors.New("the receiver has no URL any more")

// sendMessage sends a message. After a failure it returns the delay that the receiver asks for.
func (b *Outbox) sendMessage(ctx context.Context, m *domain.DueMessage) (time.Duration, error) {
	switch {
	case m.Channel == domain.ChannelMail:
		return 0, b.o.Mail.Send(ctx, mail.Message{
			ID: m.ID.String(), To: m.Recipient, Subject: m.Subject, Text: m.Body, HTML: m.HTML, Date: m.CreatedAt,
			Unsubscribe: m.Unsubscribe,
		})
	case m.URL == "":
		return 0, mail.Permanent(errNoReceiver)
	}
	result, err := b.o.Chat.Post(ctx, m.URL, []byte(m.Body))
	switch {
	case err != nil:
		return 0, err
	case result.Delivered():
		return 0, nil
	case result.Gone():
		return 0, mail.Permanent(errors.New(result.Detail))
	default:
		return result.RetryAfter, errors.New(result.Detail)
	}
}
