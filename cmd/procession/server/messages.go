package server

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/outbox"
	"github.com/procession-dev/procession/persistence"
	messages "github.com/procession-dev/procession/persistence/outbox"
)

// newOutbox returns the sender of mails and chat messages.
func (s *Service) newOutbox(db *persistence.DB) (*outbox.Outbox, error) {
	client, err := s.config.MailClient()
	if err != nil {
		return nil, err
	}
	o := outbox.Options{DB: db, Chat: s.sender.client, Wake: s.signals.outbox, Clock: time.Now, Logger: s.log}
	switch {
	case client != nil:
		o.Mail = client
	case s.mailbox != nil:
		o.Mail = localMails{s.mailbox}
	}
	return outbox.New(o), nil
}

// sendsMails reports whether mails are sent, or kept by the local stack.
func (s *Service) sendsMails() bool { return s.config.SendsMails() || s.mailbox != nil }

// deadFor is the time for which the metrics count a message that was given up.
const deadFor = 24 * time.Hour

// newMessageMetrics collects the attempts of this replica and the backlog of all.
func newMessageMetrics(b *outbox.Outbox, reader *persistence.Reader) collector {
	sent := newCounter("procession_messages_sent_total", "Mails and chat messages accepted, by channel.", "channel")
	failed := newCounter("procession_messages_failed_total", "Failed attempts to send mails and chat messages, by channel.", "channel")
	pending := newGauge("procession_messages_pending", "Mails and chat messages that are not accepted yet, by channel.", "channel")
	lag := newGauge("procession_message_lag_seconds", "Age of the oldest of these messages, in seconds.", "channel")
	dead := newGauge("procession_messages_dead", "Mails and chat messages given up in the last 24 hours, by channel.", "channel")
	return collector{[]number{sent, failed, pending, lag, dead}, func(ctx context.Context, show show) {
		for _, channel := range domain.MessageChannels() {
			stats := b.Stats(channel)
			show(sent, float64(stats.Sent), string(channel))
			show(failed, float64(stats.Failed), string(channel))
		}
		now := time.Now()
		found, err := messages.Count(ctx, reader, now.Add(-deadFor))
		if err != nil {
			return
		}
		for _, channel := range domain.MessageChannels() {
			show(pending, float64(found[channel].Pending), string(channel))
			var since time.Time
			if found[channel].Since != nil {
				since = *found[channel].Since
			}
			show(lag, secondsSince(since, now), string(channel))
			show(dead, float64(found[channel].Dead), string(channel))
		}
	}}
}
