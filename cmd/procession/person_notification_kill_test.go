package main

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/cmd/procession/config"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/smtptest"
)

var (
	mailedTask = regexp.MustCompile(`/console/tasks/([0-9a-f-]{36})`)
	// softBreaks joins the lines of quoted-printable texts.
	softBreaks = strings.NewReplacer("=\r\n", "", "=\n", "")
)

// The service is killed while it writes notifications and their mails: each task notifies its owner once, in one mail, which may be
// sent again with the same Message-ID.
func TestKilledAmidNotificationsOfPeople(t *testing.T) {
	t.Parallel()
	const kills, tasks = 4, 9
	server := smtptest.New(t)
	server.AcceptPlain()
	s := newStack(t, false, withConfig(func(c *config.Config) {
		c.PublicURL, c.SMTPAddress, c.SMTPTLS, c.MailFrom = "https://procession.example.com", server.Address, "none", "procession@example.com"
	}))
	process := strings.TrimPrefix(s.loan(), "/processes/")
	for kill := range kills {
		// The later kills come after more mails, as far as there are more: a mail tells all that is due.
		reached := make(chan struct{}, 1)
		var mails atomic.Int64
		server.OnMail(func(smtptest.Mail) {
			if mails.Add(1) == int64(1+kill%2) {
				reached <- struct{}{}
			}
		})
		for range tasks {
			status, body := s.call(demo.Alice(), http.MethodPost, "/process-items", map[string]any{
				"type": "TASK", "processId": process, "processItemDefinitionCode": "LOAN_APPLICATION", "ownerEmail": "bob@demo.example",
			})
			require.Equal(t, http.StatusCreated, status, body)
		}
		select {
		case <-reached:
		case <-time.After(5 * time.Second):
		}
		s.killService()
		// The leases of the killed service end.
		var n int
		s.query(`WITH ended AS (UPDATE outbox_messages SET leased_until = '-infinity' WHERE state = 'PENDING' RETURNING 1)
			SELECT count(*)::int FROM ended`, &n)
		s.startService()
		s.await("all mails", func() bool {
			return s.queried(`SELECT (SELECT count(*) FROM person_notifications WHERE kind = 'ASSIGNED' AND mail_due_at IS NULL) || ' ' ||
				(SELECT count(*) FROM outbox_messages WHERE state <> 'SENT')`) == strconv.Itoa(tasks*(kill+1))+" 0"
		})
	}
	status, page := s.call(demo.Bob(), http.MethodGet, "/notifications?kind=ASSIGNED&size=100", nil)
	require.Equal(t, http.StatusOK, status)
	require.Len(t, page["content"], kills*tasks)
	mailOf := map[string]string{}
	sent := map[string]bool{}
	for _, m := range server.Mails() {
		id := m.Header.Get("Message-ID")
		sent[id] = true
		for _, found := range mailedTask.FindAllStringSubmatch(softBreaks.Replace(m.Body), -1) {
			if earlier, is := mailOf[found[1]]; is {
				require.Equal(t, earlier, id, "task %s is in two mails", found[1])
			}
			mailOf[found[1]] = id
		}
	}
	require.Len(t, mailOf, kills*tasks)
	t.Logf("%d kills: %d tasks in %d mails, sent %d times", kills, len(mailOf), len(sent), len(server.Mails()))
}
