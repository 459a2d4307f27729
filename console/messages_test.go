package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

const correspondence = `
apiVersion: procession/v1
kind: DataStructure
metadata: {code: LETTER, tenant: demo}
spec:
  name: Letter
  schema:
    type: object
    title: Letter
    required: [FILES]
    properties:
      FILES: {type: array, title: Enclosed papers, minItems: 1, items: {type: string, format: kuflow-file}}
---
apiVersion: procession/v1
kind: ProcessDefinition
metadata: {code: CORRESPONDENCE, tenant: demo}
spec:
  name: Correspondence
  dataStructures: [LETTER]
  items:
    - {code: TOPIC, type: THREAD, name: Topic}
    - code: CHECK
      type: TASK
      name: Check
      elements: [{code: MARK, name: Mark, type: FIELD, fieldType: NUMBER, mandatory: true}]
      candidates: [{user: alice}]
  permissions: {initiators: [{user: alice}], managers: [{user: alice}]}
`

// startCorrespondence starts a process with file attachments in messages.
func (s *site) startCorrespondence() uuid.UUID {
	s.t.Helper()
	s.applyManifests(correspondence)
	started, _, err := s.app.CreateProcess(s.t.Context(), s.callerOf(demo.Alice()), app.NewProcess{
		Definition: app.DefinitionKey{Code: "CORRESPONDENCE"},
	})
	require.NoError(s.t, err)
	return started.ID
}

func TestMessagesWithFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	process := s.startCorrespondence()
	topic, _, err := s.app.CreateProcessItem(t.Context(), s.callerOf(demo.Alice()), app.NewItem{
		Type: domain.ItemThread, ProcessID: process, DefinitionCode: "TOPIC",
	})
	require.NoError(t, err)
	alice := s.clientWithToken(demo.Alice().Secret)
	path := "processes/" + process.String() + "/messages"
	attach := path + "/LETTER?thread=" + topic.ID.String()
	require.Contains(t, string(s.sendRequest(alice, http.MethodGet, path, nil).body), attach)
	page := s.sendRequest(alice, http.MethodGet, attach, nil)
	require.Equal(t, http.StatusOK, page.status)
	origin := regexp.MustCompile(`name="origin" value="([^"]*)"`).FindSubmatch(page.body)
	require.Equal(t, `{&#34;thread&#34;:&#34;`+topic.ID.String()+`&#34;}`, string(origin[1]))

	path += "/LETTER"
	stored := s.sendRequest(alice, http.MethodPost, path+"/form/files?at=/data/FILES", url.Values{"content": {"Dear Bob"}},
		"X-File-Name", "letter.txt", "Content-Type", "text/plain")
	require.Equal(t, http.StatusOK, stored.status, string(stored.body))
	var file struct{ Reference string }
	require.NoError(t, json.Unmarshal(stored.body, &file))
	begun := `{"thread":"` + topic.ID.String() + `"}`
	entered := url.Values{
		"base": {begun}, "origin": {begun}, "once": {uuid.NewString()}, "do": {"complete"}, "v/text": {"Please read"},
	}
	response := s.postForm(alice, path, entered)
	require.Equal(t, "incomplete", response.Status)
	require.Equal(t, "Enclosed papers is required.", response.Problems[0].Text)
	entered.Set("v/data/FILES", file.Reference)
	require.Equal(t, "done", s.postForm(alice, path, entered).Status)
	require.Equal(t, "done", s.postForm(alice, path, entered).Status, "the same form again writes nothing more")

	shown := string(s.sendRequest(alice, http.MethodGet, "processes/"+process.String()+"/messages", nil).body)
	require.Contains(t, shown, "Please read")
	require.Contains(t, shown, "<dt>Enclosed papers</dt>")
	links := regexp.MustCompile(`class="attachment" href="/console/([^"]*)"[^>]*>`).FindAllStringSubmatch(shown, -1)
	require.Len(t, links, 1)
	require.Contains(t, shown, "letter.txt (16 bytes)")
	require.Equal(t, "content=Dear+Bob", string(s.sendRequest(alice, http.MethodGet, links[0][1], nil).body))
	parts, err := s.app.FindProcessParts(t.Context(), s.callerOf(demo.Alice()), process, []domain.ItemType{domain.ItemMessage},
		domain.PageRequest{Size: 10}, nil)
	require.NoError(t, err)
	require.Equal(t, &topic.ID, parts.Items[0].ThreadID)

	// A mandatory element cannot be left out, so that completing anyway is not offered.
	check, _, err := s.app.CreateProcessItem(t.Context(), s.callerOf(demo.Alice()), app.NewItem{
		Type: domain.ItemTask, ProcessID: process, DefinitionCode: "CHECK",
	})
	require.NoError(t, err)
	_, err = s.app.ClaimProcessItemTask(t.Context(), s.callerOf(demo.Alice()), check.ID)
	require.NoError(t, err)
	answer := s.postForm(alice, "tasks/"+check.ID.String(), url.Values{"version": {string(check.Version())}, "base": {"{}"}, "do": {"complete"}})
	require.Equal(t, "incomplete", answer.Status)
	require.Equal(t, "Mark is required.", answer.Problems[0].Text)
	require.NotContains(t, answer.HTML, "data-anyway")
}
