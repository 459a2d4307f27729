package notify

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/loop"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/notifications"
	"github.com/procession-dev/procession/persistence/outbox"
)

// MailerOptions configure a PersonMailer.
type MailerOptions struct {
	DB *persistence.DB
	// BaseURL is the beginning of links.
	BaseURL string
	// Unsubscribe returns the address that ends the mails of a person about kinds.
	Unsubscribe func(person uuid.UUID, kinds []domain.NotificationKind) string
	// Compose writes a mail: its subject, text and HTML.
	Compose func(domain.NotificationMail) (subject, text, html string, err error)
	Wake    loop.Signal
	// Written is called after a mail was written to the outbox.
	Written func()
	Clock   func() time.Time
	Logger  *slog.Logger
}

// PersonMailer writes the mails about notifications of people to the outbox. A mail and the mark that it is written are committed
// together, so that a notification is in one mail. Several may work on one database.
type PersonMailer struct {
	o        MailerOptions
	failures loop.FailureLog
}

// NewPersonMailer returns a PersonMailer that is started with Run.
func NewPersonMailer(o MailerOptions) *PersonMailer {
	o.DB = o.DB.Background()
	return &PersonMailer{o: o, failures: loop.FailureLog{Logger: o.Logger, Clock: o.Clock, Interval: loop.FailureInterval}}
}

// Run works until ctx ends. It must not be called twice.
func (m *PersonMailer) Run(ctx context.Context) {
	l := loop.Loop[struct{}]{Step: m.writeDue, Wake: m.o.Wake}
	l.Run(ctx)
}

// writeDue writes a mail. It returns the pause before the next step.
func (m *PersonMailer) writeDue(ctx context.Context) time.Duration {
	found, err := m.writeMail(ctx)
	if err != nil {
		m.failures.Record(ctx, "writing mails about notifications failed", err)
		return pollInterval
	}
	m.failures.End()
	if found {
		return 0
	}
	return pollInterval
}

// writeMail writes the oldest due mail, or plans a digest. It reports whether there was one.
func (m *PersonMailer) writeMail(ctx context.Context) (found bool, err error) {
	wrote := false
	err = m.o.DB.Record(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		now := m.o.Clock()
		turn, err := notifications.LockMailTurn(ctx, tx, now)
		if found = turn != nil; err != nil || turn == nil {
			return nil, err
		}
		entries, err := turn.Entries(ctx, tx, now)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 || turn.Email == "" {
			turn.Drop(tx, now)
			return domain.NoEvents(), nil
		}
		wrote, err = m.writeTurn(tx, turn, entries, zoneOf(turn.TimeZone), now)
		return domain.NoEvents(), err
	})
	if err == nil && wrote && m.o.Written != nil {
		m.o.Written()
	}
	return found, err
}

// writeTurn plans the digests of a turn and writes a mail about its other entries that are unread. It reports whether it wrote one.
func (m *PersonMailer) writeTurn(
	tx *persistence.Tx, turn *notifications.MailTurn, entries []notifications.MailEntry, zone *time.Location, now time.Time,
) (bool, error) {
	mail := domain.NotificationMail{
		RecipientID: turn.RecipientID, Email: turn.Email, Locale: turn.Locale, TenantName: turn.TenantName, Zone: zone, BaseURL: m.o.BaseURL,
	}
	var digests, finished []uuid.UUID
	var kinds []domain.NotificationKind
	for _, e := range entries {
		switch {
		case e.ReadAt != nil:
			finished = append(finished, e.ID)
		case e.Digest:
			digests = append(digests, e.ID)
		default:
			finished = append(finished, e.ID)
			kinds = append(kinds, e.Kind)
			mail.Entries, mail.DefinitionNames = append(mail.Entries, e.Notification), append(mail.DefinitionNames, e.DefinitionName)
		}
	}
	if len(digests) > 0 {
		turn.Plan(tx, digests, domain.NextDigest(now, zone))
	}
	turn.Finish(tx, finished)
	if len(mail.Entries) == 0 {
		return false, nil
	}
	mail.Unsubscribe = m.o.Unsubscribe(turn.RecipientID, kinds)
	subject, text, html, err := m.o.Compose(mail)
	if err != nil {
		return false, err
	}
	outbox.Enqueue(tx, domain.OutgoingMessage{
		TenantID: turn.TenantID, Channel: domain.ChannelMail, Recipients: []string{turn.Email}, Subject: subject, Body: text, HTML: html,
		DedupKey: "notification " + mail.Entries[0].ID.String(), Unsubscribe: mail.Unsubscribe,
	}, now)
	return true, nil
}
