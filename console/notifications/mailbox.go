package notifications

import (
	"slices"
	"sync"
	"time"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// mailboxSize is the number of mails that a Mailbox keeps.
const mailboxSize = 200

// LocalMail is a mail of the local stack.
type LocalMail struct {
	ID, To, Subject, Text, Unsubscribe string
	At                                 time.Time
}

// Mailbox keeps the last mails of the local stack in memory, instead of sending them. It is safe for concurrent use.
type Mailbox struct {
	mu    sync.Mutex
	mails []LocalMail
}

// Put keeps a mail. A mail with an id that is kept already is not kept again.
func (b *Mailbox) Put(m LocalMail) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.ContainsFunc(b.mails, func(kept LocalMail) bool { return kept.ID == m.ID }) {
		return
	}
	b.mails = append(b.mails, m)
	b.mails = b.mails[max(0, len(b.mails)-mailboxSize):]
}

// listMails returns the mails, the newest first.
func (b *Mailbox) listMails() []LocalMail {
	b.mu.Lock()
	defer b.mu.Unlock()
	mails := slices.Clone(b.mails)
	slices.Reverse(mails)
	return mails
}

// Mailbox shows the mails of the local stack. Other installations have no such page.
func (s *Screens) Mailbox(v *web.Visit) (*web.Answer, error) {
	if s.Local == nil {
		return nil, domain.NotFound("page")
	}
	return &web.Answer{Title: ui.T(v.Context(), "Mails of the local stack"), Area: "notifications", Body: mailboxPage(s.Local.listMails())}, nil
}
