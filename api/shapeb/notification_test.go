package shapeb_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/persistence/notifications"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// writeNotifications has several replicas write the notifications of all events at the same time.
func writeNotifications(s *apitest.Service) {
	s.T.Helper()
	require.Eventually(s.T, func() bool {
		var replicas errgroup.Group
		for range 4 {
			replicas.Go(func() error {
				for {
					written, err := notifications.WriteForPeople(s.T.Context(), s.DB, 7, false, s.Now())
					if err != nil || written.Events == 0 {
						return err
					}
				}
			})
		}
		require.NoError(s.T, replicas.Wait())
		return s.Count(`SELECT count(*) FROM events e, person_notification_cursor c
			WHERE (e.era, e.xid, e.position) > (c.era, c.xid, c.position)`) == 0
	}, 20*time.Second, 5*time.Millisecond)
}

// notificationsOf returns the notifications of a person as kinds by the ids of their subjects.
func notificationsOf(s *apitest.Service, of demo.Account, query string) (oasb.NotificationPage, []string) {
	s.T.Helper()
	page := apitest.Decode[oasb.NotificationPage](s.T, s.Get(200, of, "/notifications"+query))
	var kinds []string
	for _, n := range page.Content {
		kinds = append(kinds, string(n.Kind))
	}
	return page, kinds
}

const talks = `{"name":"Talks","items":[{"code":"CHECK","type":"TASK","name":"Check","candidates":[{"user":"bob"},{"user":"alice"}]},
	{"code":"SECRET","type":"TASK","name":"Secret","candidates":[{"user":"alice"}]}],
	"permissions":{"initiators":[{"user":"carol"}],"managers":[{"user":"alice"}],"viewers":[{"user":"bob"}]}}`

// Each event notifies a person once, with the most important reason, and never the person who caused it.
func TestNotificationsOfPeople(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	definition := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "TALKS", definition, talks))
	process := s.Process(demo.Carol(), definition).ID
	create := func(members string) oasb.ProcessItem {
		return apitest.Decode[oasb.ProcessItem](t, s.Post(201, demo.Alice(), "/process-items", `{"processId":"`+process.String()+`",`+members+`}`))
	}
	task := create(`"type":"TASK","processItemDefinitionCode":"CHECK"`)
	s.Post(200, demo.Alice(), apitest.ItemPath(task.ID, "/task/~actions/assign"), `{"ownerEmail":"bob@demo.example"}`)
	create(`"type":"MESSAGE","message":{"text":"@bob and @alice and @carol"}`)
	create(`"type":"MESSAGE","message":{"text":"and more"}`)
	own := create(`"type":"TASK","processItemDefinitionCode":"SECRET"`)
	s.Post(200, demo.Alice(), apitest.ItemPath(own.ID, "/task/~actions/claim"), "")
	writeNotifications(s)
	writeNotifications(s)

	page, kinds := notificationsOf(s, demo.Bob(), "")
	require.Equal(t, []string{"MESSAGE", "MENTIONED", "ASSIGNED"}, kinds)
	require.Equal(t, 4, page.Unread, "three, and the digest")
	require.Len(t, page.Claimable, 1)
	require.EqualValues(t, 1, page.Claimable[0].Tasks)
	require.Equal(t, "CHECK", page.Claimable[0].ProcessItemDefinitionCode)
	require.Equal(t, task.ID, *page.Content[2].ProcessItemID)
	require.Equal(t, demo.Alice().ID, page.Content[2].CreatedBy)
	require.Nil(t, page.Content[0].ReadAt)
	page, kinds = notificationsOf(s, demo.Alice(), "")
	require.Empty(t, kinds, "nobody is notified of own actions")
	require.Empty(t, page.Claimable)
	_, kinds = notificationsOf(s, demo.Carol(), "")
	require.Empty(t, kinds, "the initiator may not read the messages")

	s.Post(200, demo.Alice(), apitest.ProcessPath(process, "/~actions/complete"), "")
	writeNotifications(s)
	_, kinds = notificationsOf(s, demo.Carol(), "")
	require.Equal(t, []string{"FINISHED"}, kinds)
	_, kinds = notificationsOf(s, demo.Bob(), "?kind=MENTIONED&kind=ASSIGNED")
	require.Equal(t, []string{"MENTIONED", "ASSIGNED"}, kinds)
}

const deadlines = `{"name":"Deadlines","items":[{"code":"CHECK","type":"TASK","name":"Check","candidates":[{"user":"bob"},{"user":"alice"}],
	"escalation":[{"after":"PT1H","notify":[{"group":"tellers"},{"user":"carol"}]}]}],
	"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}],"viewers":[{"user":"bob"}]}}`

// The owner of a task is told a day before the due date and when it has passed, once for each due date, and those whom the
// escalation names are told if they may see the task.
func TestNotificationsOfDueDates(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	definition := uuid.New()
	s.Define(apitest.Document("demo", "Group", "tellers", `{"name":"Tellers","members":[{"user":"alice"}]}`),
		apitest.Identified("demo", "ProcessDefinition", "DEADLINES", definition, deadlines))
	process := s.Process(demo.Alice(), definition).ID
	due := s.Now().Add(30 * time.Hour)
	create := func(owner string, due time.Time) {
		s.Post(201, demo.Alice(), "/process-items", `{"processId":"`+process.String()+`","type":"TASK","processItemDefinitionCode":"CHECK"`+owner+`,
			"task":{"dueAt":"`+due.Format(time.RFC3339)+`"}}`)
	}
	create(`,"ownerEmail":"bob@demo.example"`, due)
	create("", due)
	create(`,"ownerEmail":"alice@demo.example"`, s.Now().Add(time.Hour))
	after := func(d time.Duration) (bob, alice []string) {
		t.Helper()
		s.Advance(d)
		for range 2 {
			_, more, err := s.App.HandleDeadlines(t.Context())
			require.NoError(t, err)
			require.False(t, more)
		}
		writeNotifications(s)
		writeNotifications(s)
		_, bob = notificationsOf(s, demo.Bob(), "?kind=DUE_SOON&kind=OVERDUE")
		_, alice = notificationsOf(s, demo.Alice(), "?kind=DUE_SOON&kind=OVERDUE")
		return bob, alice
	}
	bob, alice := after(0)
	require.Empty(t, bob)
	require.Empty(t, alice, "the date was set less than a day before")
	bob, alice = after(6*time.Hour + time.Minute)
	require.Equal(t, []string{"DUE_SOON"}, bob)
	require.Equal(t, []string{"OVERDUE", "OVERDUE"}, alice, "as the owner, and as a member of the group")
	bob, _ = after(24 * time.Hour)
	require.Equal(t, []string{"OVERDUE", "DUE_SOON"}, bob)
	bob, alice = after(2 * time.Hour)
	require.Equal(t, []string{"OVERDUE", "DUE_SOON"}, bob)
	require.Len(t, alice, 4, "two more tasks are escalated")
	_, carol := notificationsOf(s, demo.Carol(), "")
	require.Empty(t, carol, "who may not see the task is not told")
}

func TestReadNotifications(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	definition := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "TALKS", definition, talks))
	process := s.Process(demo.Carol(), definition).ID
	for range 3 {
		s.Post(201, demo.Alice(), "/process-items", `{"processId":"`+process.String()+`","type":"TASK","processItemDefinitionCode":"CHECK","ownerEmail":"bob@demo.example"}`)
		s.Post(201, demo.Alice(), "/process-items", `{"processId":"`+process.String()+`","type":"TASK","processItemDefinitionCode":"CHECK"}`)
	}
	writeNotifications(s)
	page, _ := notificationsOf(s, demo.Bob(), "?size=2")
	require.Equal(t, 4, page.Unread)
	require.EqualValues(t, 3, page.Claimable[0].Tasks)
	require.EqualValues(t, 3, page.Metadata.TotalElements)
	read := func(as demo.Account, body string) {
		s.Post(http.StatusNoContent, as, "/notifications/~actions/read", body)
	}
	id := page.Content[0].ID.String()
	read(demo.Carol(), `{"ids":["`+id+`"]}`)
	read(demo.Bob(), `{"ids":["`+id+`","`+uuid.NewString()+`"]}`)
	page, _ = notificationsOf(s, demo.Bob(), "")
	require.Equal(t, 3, page.Unread)
	require.NotNil(t, page.Content[0].ReadAt)
	read(demo.Bob(), `{"until":"2000-01-01T00:00:00Z"}`)
	page, _ = notificationsOf(s, demo.Bob(), "?unread=true")
	require.Len(t, page.Content, 2)
	read(demo.Bob(), `{}`)
	page, _ = notificationsOf(s, demo.Bob(), "?unread=true")
	require.Zero(t, page.Unread)
	require.Empty(t, page.Content)
	require.Empty(t, page.Claimable)

	s.Post(201, demo.Alice(), "/process-items", `{"processId":"`+process.String()+`","type":"TASK","processItemDefinitionCode":"CHECK"}`)
	writeNotifications(s)
	page, _ = notificationsOf(s, demo.Bob(), "")
	require.EqualValues(t, 1, page.Claimable[0].Tasks, "tasks since the last digest")
	s.Refused(400, "VALIDATION", demo.Bob(), http.MethodPost, "/notifications/~actions/read", `{"ids":["x"]}`)

	// A person who loses the right to read a process keeps no notification of it.
	s.Define(apitest.Identified("demo", "ProcessDefinition", "TALKS", definition, `{"name":"Talks","permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]},
		"items":[{"code":"CHECK","type":"TASK","name":"Check","candidates":[{"user":"alice"}]}]}`))
	page, kinds := notificationsOf(s, demo.Bob(), "?kind=MESSAGE")
	require.Empty(t, kinds)
	require.Empty(t, page.Claimable)
}
