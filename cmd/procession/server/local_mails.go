package server

import (
	"context"
	"time"

	"github.com/procession-dev/procession/console/notifications"
	"github.com/procession-dev/procession/events/mail"
)

// localMails keeps mails of the local stack instead of sending them.
type localMails struct{ box *notifications.Mailbox }

// Send implements outbox.MailSender.
func (l localMails) Send(_ context.Context, m mail.Message) error {
	l.box.Put(notifications.LocalMail{
		ID: m.ID, To: m.To, Subject: m.Subject, Text: m.Text, Unsubscribe: m.Unsubscribe, At: time.Now(),
	})
	return nil
}
