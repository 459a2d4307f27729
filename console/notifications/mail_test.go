package notifications_test

import (
	"context"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/console/notifications"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/events/mail"
	"github.com/procession-dev/procession/events/notify"
	"github.com/procession-dev/procession/events/outbox"
	"github.com/procession-dev/procession/internal/loop"
	stored "github.com/procession-dev/procession/persistence/notifications"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/pgtest"
	"github.com/procession-dev/procession/test/kit/smtptest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const base = "https://procession.example.com"

// A mail has reasons and names in the language of the person, and nothing that users entered in processes.
func TestComposeMail(t *testing.T) {
	t.Parallel()
	process, item := uuid.New(), uuid.New()
	composed := domain.NotificationMail{
		Locale: "de-AT", TenantName: "North <b>", Zone: time.UTC, BaseURL: base, Unsubscribe: base + "/console/unsubscribe/x",
		Entries: []domain.Notification{{
			Kind: domain.NotifyMentioned, ActorName: "Alice <i>", ProcessID: process, ItemID: &item, Subject: "secret subject",
			CreatedAt: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC),
		}},
		DefinitionNames: []translation.Name{{Source: "Loan"}},
	}
	subject, text, html, err := notifications.ComposeMail(composed)
	require.NoError(t, err)
	require.Equal(t, "North <b>: Alice <i> hat Sie erwähnt", subject)
	for _, want := range []string{"Neues für Sie in North <b>:", "Loan", base + "/console/processes/" + process.String() + "/messages#item-" + item.String(), composed.Unsubscribe} {
		require.Contains(t, text, want)
	}
	require.Contains(t, html, `<html lang="de">`)
	require.Contains(t, html, "Alice &lt;i&gt; hat Sie erwähnt")
	require.NotContains(t, html+text, "secret")
	for _, loaded := range []string{"<img", "<link", "<script", "url("} {
		require.NotContains(t, html, loaded)
	}
	composed.Locale, composed.Entries, composed.DefinitionNames = "fr", append(composed.Entries, composed.Entries[0]), append(composed.DefinitionNames, composed.DefinitionNames[0])
	subject, text, _, err = notifications.ComposeMail(composed)
	require.NoError(t, err)
	require.Equal(t, "North <b>: 2 notifications", subject)
	require.Equal(t, 2, strings.Count(text, "mentioned you"))
}

// post is the writing side of mails of two replicas, and an SMTP server.
type post struct {
	*apitest.Service

	smtp *smtptest.Server
	now  func() time.Time
}

func newPost(t *testing.T) *post {
	t.Helper()
	p := &post{Service: apitest.NewService(t), smtp: smtptest.New(t), now: time.Now}
	client, err := mail.New(mail.Options{
		Address: p.smtp.Address, TLS: mail.STARTTLS, From: "Procession <procession@example.com>", RootCAs: p.smtp.RootCAs,
	})
	require.NoError(t, err)
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{}, 4)
	for range 2 {
		written := loop.NewSignal()
		mailer := notify.NewPersonMailer(notify.MailerOptions{
			DB: p.DB, BaseURL: base, Compose: notifications.ComposeMail, Written: written.Wake, Clock: time.Now, Logger: log,
			Unsubscribe: func(person uuid.UUID, kinds []domain.NotificationKind) string {
				return base + "/console/unsubscribe/" + p.App.UnsubscribeToken(person, kinds)
			},
		})
		sender := outbox.New(outbox.Options{DB: p.DB, Mail: client, Wake: written, Clock: time.Now, Logger: log})
		for _, run := range []func(context.Context){mailer.Run, sender.Run} {
			go func() {
				run(ctx)
				ended <- struct{}{}
			}()
		}
	}
	t.Cleanup(func() {
		stop()
		for range 4 {
			<-ended
		}
	})
	return p
}

// writeAll writes the notifications of all events.
func (p *post) writeAll() {
	p.T.Helper()
	require.Eventually(p.T, func() bool {
		_, err := stored.WriteForPeople(p.T.Context(), p.DB, 100, true, p.now())
		require.NoError(p.T, err)
		return p.Count(`SELECT count(*) FROM events e, person_notification_cursor c
			WHERE (e.era, e.xid, e.position) > (c.era, c.xid, c.position)`) == 0
	}, 20*time.Second, 5*time.Millisecond)
}

// await waits until a number of mails has arrived, and returns them.
func (p *post) await(n int) []smtptest.Mail {
	p.T.Helper()
	require.Eventually(p.T, func() bool {
		return len(p.smtp.Mails()) >= n && p.Count(`SELECT (SELECT count(*) FROM outbox_messages WHERE finished_at IS NULL) +
			(SELECT count(*) FROM person_notifications WHERE mail_due_at <= now())`) == 0
	}, 30*time.Second, 10*time.Millisecond)
	require.Len(p.T, p.smtp.Mails(), n)
	return p.smtp.Mails()
}

// Each notification is in one mail, whose address ends such mails without a sign-in.
func TestMailsAboutNotifications(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	definition := uuid.New()
	p.Define(apitest.Identified("demo", "ProcessDefinition", "TALKS", definition, `{"name":"Talks","items":[{"code":"CHECK","type":"TASK",
		"name":"Check","candidates":[{"user":"bob"}]}],"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}],"viewers":[{"user":"bob"}]}}`))
	process := p.Process(demo.Alice(), definition).ID.String()
	assign := func() {
		p.Post(201, demo.Alice(), "/process-items", `{"processId":"`+process+`","type":"TASK","processItemDefinitionCode":"CHECK","ownerEmail":"bob@demo.example"}`)
		p.writeAll()
	}
	assign()
	got := p.await(1)[0]
	require.Equal(t, "bob@demo.example", got.To)
	require.Contains(t, got.Header.Get("Subject"), "Alice assigned a task to you")
	require.Equal(t, "List-Unsubscribe=One-Click", got.Header.Get("List-Unsubscribe-Post"))
	address := strings.Trim(got.Header.Get("List-Unsubscribe"), "<>")
	token, found := strings.CutPrefix(address, base+"/console/unsubscribe/")
	require.True(t, found, address)

	// Messages are gathered for the morning.
	p.Post(201, demo.Alice(), "/process-items", `{"processId":"`+process+`","type":"MESSAGE","message":{"text":"Hello"}}`)
	p.writeAll()
	require.Eventually(t, func() bool {
		return p.Count(`SELECT count(*) FROM person_notifications WHERE kind = 'MESSAGE' AND mail_due_at > now() AND NOT mail_digest`) == 1
	}, 20*time.Second, 10*time.Millisecond)
	p.Post(201, demo.Alice(), "/process-items", `{"processId":"`+process+`","type":"MESSAGE","message":{"text":"@bob"}}`)
	p.writeAll()
	mails := p.await(2)
	require.Contains(t, mails[1].Header.Get("Subject"), "mentioned you")
	require.NotEqual(t, mails[0].Header.Get("Message-ID"), mails[1].Header.Get("Message-ID"))

	kinds, err := p.App.UnsubscribedKinds(token)
	require.NoError(t, err)
	require.Equal(t, []domain.NotificationKind{domain.NotifyAssigned}, kinds)
	for _, wrong := range []string{"", "x", token[:len(token)-2], token + "AA"} {
		_, err := p.App.Unsubscribe(t.Context(), wrong)
		require.ErrorAs(t, err, new(*domain.Error), wrong)
	}
	assign()
	p.await(3)
	for range 2 {
		_, err = p.App.Unsubscribe(t.Context(), token)
		require.NoError(t, err)
	}
	assign()
	p.await(3)
}
