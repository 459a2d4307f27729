package console_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

// A mention rings the bell of an open page within two seconds, and its notification leads to the message.
func TestBell(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process := s.startDiscussion()
	bob := s.signIn("Bob")
	bob.openPath("processes")
	require.Empty(t, browsertest.Eval[string](bob.Tab, `document.querySelector("#bell").dataset.unread`))
	bob.Await(`document.documentElement.dataset.live !== undefined`)
	began := time.Now()
	_, _, err := s.app.CreateProcessItem(t.Context(), s.callerOf(demo.Alice()), app.NewItem{Type: "MESSAGE", ProcessID: process, Text: "@bob, a **word**"})
	require.NoError(t, err)
	bob.Await(`document.querySelector("#bell").dataset.unread === "1" && document.title.startsWith("(1) ")`)
	require.Less(t, time.Since(began), 2*time.Second)

	bob.Click("#bell")
	bob.AwaitText("Alice mentioned you")
	require.Equal(t, 1, bob.Count(".row-item.unread"))
	bob.Click(".row-item.unread button.row-link")
	bob.AwaitPath("/console/processes/" + process.String() + "/messages")
	bob.Await(`document.querySelector("#bell").dataset.unread === "" && !document.title.startsWith("(")`)
	bob.openPath("notifications")
	require.Zero(t, bob.Count(".row-item.unread"))

	// A message that is seen is read.
	bob.openPath("processes/" + process.String() + "/messages")
	_, _, err = s.app.CreateProcessItem(t.Context(), s.callerOf(demo.Alice()), app.NewItem{Type: "MESSAGE", ProcessID: process, Text: "@bob again"})
	require.NoError(t, err)
	bob.Await(`document.querySelector("#bell").dataset.unread === "1"`)
	bob.Await(`document.querySelector("#bell").dataset.unread === ""`)
}

func TestNotificationsAreOfTheirPerson(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process := s.startDiscussion()
	_, _, err := s.app.CreateProcessItem(t.Context(), s.callerOf(demo.Alice()), app.NewItem{Type: "MESSAGE", ProcessID: process, Text: "@bob"})
	require.NoError(t, err)
	var id uuid.UUID
	require.Eventually(t, func() bool {
		found, err := s.app.FindNotifications(t.Context(), s.callerOf(demo.Bob()), app.NotificationFilter{}, onePage)
		require.NoError(t, err)
		if len(found.Items) == 1 {
			id = found.Items[0].ID
		}
		return len(found.Items) == 1
	}, 10*time.Second, 10*time.Millisecond)
	for secret, want := range map[string]int{demo.Carol().Secret: http.StatusNotFound, demo.Bob().Secret: http.StatusSeeOther} {
		require.Equal(t, want, s.sendRequest(s.clientWithToken(secret), http.MethodPost, "notifications/"+id.String(), nil).status)
	}
	found, err := s.app.FindNotifications(t.Context(), s.callerOf(demo.Bob()), app.NotificationFilter{Unread: true}, onePage)
	require.NoError(t, err)
	require.Empty(t, found.Items)
}
