package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/smtptest"
)

// The service is killed while it sends notifications: none is lost, and a kill repeats at most the eight attempts in flight, with the
// same Message-ID.
func TestKilledAmidNotifications(t *testing.T) {
	t.Parallel()
	const kills, recipients, inFlight = 4, 12, 8
	server := smtptest.New(t)
	server.AcceptPlain()
	var posted atomic.Int64
	chat := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posted.Add(1) }))
	t.Cleanup(chat.Close)
	s := newStack(t, false, withConfig(func(c *config.Config) {
		c.PublicURL, c.SMTPAddress, c.SMTPTLS, c.MailFrom = "https://procession.example.com", server.Address, "none", "procession@example.com"
	}))
	var addresses []string
	for i := range recipients {
		addresses = append(addresses, fmt.Sprintf("person%d@example.com", i))
	}
	s.applyText(`
apiVersion: procession/v1
kind: NotificationReceiver
metadata: {code: MAILS, tenant: demo}
spec: {name: Mails, type: EMAIL, addresses: [` + strings.Join(addresses, ", ") + `]}
---
apiVersion: procession/v1
kind: NotificationReceiver
metadata: {code: CHAT, tenant: demo}
spec: {name: Chat, type: CHAT, preset: SLACK, url: "` + chat.URL + `"}
`)
	asAlice := s.asking(demo.Alice())
	for kill := range kills {
		reached := make(chan struct{}, recipients*kills)
		var mails atomic.Int64
		server.OnMail(func(smtptest.Mail) {
			if mails.Add(1) > int64(kill*3) {
				reached <- struct{}{}
			}
		})
		for _, receiver := range []string{"MAILS", "CHAT"} {
			printed(t, append([]string{"receivers", "test", receiver}, asAlice...)...)
		}
		<-reached
		s.killService()
		// The leases of the killed service end.
		var n int
		s.query(`WITH ended AS (UPDATE outbox_messages SET leased_until = '-infinity' WHERE state = 'PENDING' RETURNING 1)
			SELECT count(*)::int FROM ended`, &n)
		s.startService()
		s.await("all messages", func() bool { return s.queried(`SELECT count(*) FROM outbox_messages WHERE state <> 'SENT'`) == "0" })
	}
	sent := map[string]int{}
	for _, m := range server.Mails() {
		sent[m.Header.Get("Message-ID")]++
	}
	require.Len(t, sent, kills*recipients)
	require.LessOrEqual(t, len(server.Mails()), kills*(recipients+inFlight))
	require.GreaterOrEqual(t, posted.Load(), int64(kills))
	require.LessOrEqual(t, posted.Load(), int64(2*kills))
	require.Contains(t, printed(t, append([]string{"receivers", "messages", "MAILS"}, asAlice...)...), "SENT")
	t.Logf("%d kills: %d mails sent %d times, %d chat messages sent %d times", kills, len(sent), len(server.Mails()), kills, posted.Load())
}

// applyText applies manifests as Alice.
func (s *testStack) applyText(text string) {
	s.t.Helper()
	s.applyTextAs(demo.Alice(), text)
}

func (s *testStack) applyTextAs(account demo.Account, text string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "manifest.yaml")
	require.NoError(s.t, os.WriteFile(file, []byte(text), 0o600))
	printed(s.t, append([]string{"apply", "-f", file}, s.asking(account)...)...)
}
