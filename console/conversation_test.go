package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/browsertest"
)

const discussion = `
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: DISCUSSED, tenant: demo}
spec:
  name: Discussed
  items: [{code: TOPIC, type: THREAD, name: Topic}]
  permissions: {initiators: [{user: alice}], managers: [{user: alice}, {user: bob}]}
`

// startDiscussion starts a process that Alice and Bob manage.
func (s *site) startDiscussion() uuid.UUID {
	s.t.Helper()
	s.applyManifests(discussion)
	started, _, err := s.app.CreateProcess(s.t.Context(), s.callerOf(demo.Alice()), app.NewProcess{
		Definition: app.DefinitionKey{Code: "DISCUSSED"},
	})
	require.NoError(s.t, err)
	return started.ID
}

// messagesOf returns the messages of a process.
func (s *site) messagesOf(process uuid.UUID) []domain.ProcessPart {
	s.t.Helper()
	found, err := s.app.FindProcessParts(s.t.Context(), s.callerOf(demo.Alice()), process, []domain.ItemType{domain.ItemMessage},
		domain.PageRequest{Size: 100}, nil)
	require.NoError(s.t, err)
	return found.Items
}

var onePage = domain.PageRequest{Size: 10}

const composerText = `.message-form textarea`

// A message leaves the composer empty and focused, is sent once however often it is sent, and reaches another person.
func TestConversation(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process := s.startDiscussion()
	alice, bob := s.signIn("Alice"), s.signIn("Bob")
	alice.openPath("processes/" + process.String() + "/messages")
	bob.openPath("processes/" + process.String() + "/messages")
	bob.Type(composerText, "half a sent")

	alice.Type(composerText, "**Hello** @bob")
	alice.Eval(`const form = document.querySelector(".message-form"); form.requestSubmit(); form.requestSubmit()`)
	alice.Await(`document.querySelector(".message-text strong")?.textContent === "Hello"`)
	alice.Await(`document.querySelector(".message-form textarea").value === "" && document.activeElement.matches(".message-form textarea")`)
	require.Len(t, s.messagesOf(process), 1)
	alice.Press("again")
	alice.Press(kb.Enter, chromedp.ModifierCtrl)
	alice.Await(`document.querySelectorAll(".message").length === 2 && document.querySelector(".message-form textarea").value === ""`)

	bob.Await(`document.querySelectorAll(".message").length === 2`)
	require.Equal(t, "half a sent", browsertest.Eval[string](bob.Tab, `document.querySelector(".message-form textarea").value`))
	require.Equal(t, "@Bob", browsertest.Eval[string](bob.Tab, `document.querySelector(".mention").textContent`))
	require.Zero(t, bob.Count(".message-text img, .message-text script"))
	require.Len(t, s.messagesOf(process), 2)
}

// The same form sent again writes no second message; another text in it is another message.
func TestMessagesAreSentOnce(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process := s.startDiscussion()
	alice := s.clientWithToken(demo.Alice().Secret)
	path := "processes/" + process.String() + "/messages"
	form := url.Values{"text": {"Once"}, "once": {uuid.NewString()}}
	for range 3 {
		require.Equal(t, http.StatusSeeOther, s.sendRequest(alice, http.MethodPost, path, form).status)
	}
	require.Len(t, s.messagesOf(process), 1)
	form.Set("text", "Twice")
	s.sendRequest(alice, http.MethodPost, path, form)
	require.Len(t, s.messagesOf(process), 2)

	refused := s.sendRequest(alice, http.MethodPost, path, url.Values{"text": {strings.Repeat("x", 100_001)}})
	require.Equal(t, http.StatusBadRequest, refused.status)
	require.Contains(t, string(refused.body), strings.Repeat("x", 100_001)+"</textarea>", "the text is kept")
	require.Len(t, s.messagesOf(process), 2)
	sent := s.sendRequest(alice, http.MethodPost, path, url.Values{"text": {"Home"}, "return": {"https://evil.example/"}})
	require.Equal(t, http.StatusSeeOther, sent.status)
	require.NotContains(t, sent.header.Get("Location"), "evil")
}

// The address of a process is its subject for those who may read the process.
func TestLinksToProcesses(t *testing.T) {
	t.Parallel()
	s := makeSite(t)
	s.t = t
	process, other := s.startDiscussion(), s.startCorrespondence()
	whole, err := s.app.RetrieveProcess(t.Context(), s.callerOf(demo.Alice()), other)
	require.NoError(t, err)
	address := s.url + "processes/" + other.String()
	alice, bob := s.clientWithToken(demo.Alice().Secret), s.clientWithToken(demo.Bob().Secret)
	path := "processes/" + process.String() + "/messages"
	s.sendRequest(alice, http.MethodPost, path, url.Values{"text": {"see " + address}})
	require.Contains(t, string(s.sendRequest(alice, http.MethodGet, path, nil).body), ">"+whole.Subject+"</a>")
	shown := string(s.sendRequest(bob, http.MethodGet, path, nil).body)
	require.Contains(t, shown, ">"+address+"</a>")
	require.NotContains(t, shown, whole.Subject)
}
