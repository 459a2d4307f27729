package mail_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/events/mail"
	"github.com/procession-dev/procession/test/kit/smtptest"
)

const password = "correct horse"

func newClient(t *testing.T, server *smtptest.Server, mode mail.TLSMode, user string) *mail.Client {
	t.Helper()
	client, err := mail.New(mail.Options{
		Address: server.Address, TLS: mode, User: user, From: "Procession <procession@example.com>", RootCAs: server.RootCAs,
		Password: func() (string, error) { return password, nil },
	})
	require.NoError(t, err)
	return client
}

func message() mail.Message {
	return mail.Message{
		ID: "01970000-0000-7000-8000-0000000000e1", To: "sarah@example.com", Subject: "Grüße\r\nBcc: mallory@example.com",
		Text: "Zahlung fällig\n.\n", HTML: "<p>Zahlung fällig</p>", Date: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC),
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t)
	client := newClient(t, server, mail.STARTTLS, "procession")
	require.NoError(t, client.Check(t.Context()))
	require.NoError(t, client.Send(t.Context(), message()))
	mails := server.Mails()
	require.Len(t, mails, 1)
	require.Equal(t, "procession@example.com", mails[0].From)
	require.Equal(t, "sarah@example.com", mails[0].To)
	require.Equal(t, "<01970000-0000-7000-8000-0000000000e1@example.com>", mails[0].Header.Get("Message-ID"))
	require.Equal(t, "auto-generated", mails[0].Header.Get("Auto-Submitted"))
	require.Empty(t, mails[0].Header.Get("Bcc"), "a subject adds no header")
	require.Contains(t, mails[0].Header.Get("Content-Type"), "multipart/alternative")
	require.Equal(t, []string{"procession:" + password, "procession:" + password}, server.Logins())
}

func TestSendRequiresSTARTTLS(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t)
	server.AcceptPlain()
	err := newClient(t, server, mail.STARTTLS, "procession").Send(t.Context(), message())
	require.Error(t, err)
	require.NotContains(t, err.Error(), password)
	require.Empty(t, server.Logins())
	require.NoError(t, newClient(t, server, mail.Plain, "").Send(t.Context(), message()))
	require.Len(t, server.Mails(), 1)
}

func TestSendRequiresATrustedCertificate(t *testing.T) {
	t.Parallel()
	server := smtptest.New(t)
	server.RootCAs = nil
	require.Error(t, newClient(t, server, mail.STARTTLS, "").Send(t.Context(), message()))
	require.Empty(t, server.Mails())
}

// Refusals of a recipient or of the content are permanent; busy servers and wrong passwords are not.
func TestSendClassifiesRefusals(t *testing.T) {
	t.Parallel()
	for answer, want := range map[[2]string]bool{
		{"RCPT", "550 5.1.1 no such user"}:          true,
		{"RCPT", "450 4.2.1 try later"}:             false,
		{"MAIL", "553 5.7.1 sender refused"}:        true,
		{"DATA", "554 5.6.0 refused"}:               true,
		{"DATA", "451 4.3.0 busy"}:                  false,
		{"AUTH", "535 5.7.8 wrong password"}:        false,
		{"EHLO", "421 4.3.2 shutting down"}:         false,
		{"STARTTLS", "454 4.7.0 TLS not available"}: false,
	} {
		server := smtptest.New(t)
		server.Answer(answer[0], answer[1])
		err := newClient(t, server, mail.STARTTLS, "procession").Send(t.Context(), message())
		require.Error(t, err)
		_, permanent := errors.AsType[*mail.PermanentError](err)
		require.Equal(t, want, permanent, "%s: %v", answer, err)
		require.NotContains(t, err.Error(), password)
	}
}

func TestNewRefusesWrongOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []mail.Options{
		{Address: "smtp.example.com", From: "a@example.com"},
		{Address: "smtp.example.com:0", From: "a@example.com"},
		{Address: ":25", From: "a@example.com"},
		{Address: "smtp.example.com:25", From: "Procession"},
	} {
		_, err := mail.New(o)
		require.Error(t, err)
	}
}
