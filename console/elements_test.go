package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// createInspection starts an inspection of Alice's and returns its task, which is hers.
func (s *site) createInspection() uuid.UUID {
	s.t.Helper()
	definition := demo.Inspection()
	started, _, err := s.app.CreateProcess(s.t.Context(), s.callerOf(demo.Alice()), app.NewProcess{
		Definition: app.DefinitionKey{ID: &definition},
	})
	require.NoError(s.t, err)
	task := s.createTask(started.ID, "INSPECT", "")
	s.assignTask(task, demo.Alice())
	return task
}

// elementValues returns the values of the elements of a task.
func (s *site) elementValues(task uuid.UUID) domain.ElementValues {
	s.t.Helper()
	opened, err := s.app.OpenTask(s.t.Context(), s.callerOf(demo.Alice()), task)
	require.NoError(s.t, err)
	return opened.Item.Task.Elements
}

// formAnswer is the answer to the script of a form.
type formAnswer struct {
	Status, Version, Base, To, HTML string
	Problems                        []struct{ Text string }
}

// postForm posts input as the script of a form does.
func (s *site) postForm(client *http.Client, path string, entered url.Values) formAnswer {
	s.t.Helper()
	answer := s.sendRequest(client, http.MethodPost, path+"/form", entered, "Accept", "application/json")
	require.Equal(s.t, http.StatusOK, answer.status, string(answer.body))
	var read formAnswer
	require.NoError(s.t, json.Unmarshal(answer.body, &read))
	return read
}

func TestElementsOfTasks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createInspection()
	path := "tasks/" + task.String()
	alice := s.clientWithToken(demo.Alice().Secret)
	page := string(s.sendRequest(alice, http.MethodGet, path, nil).body)
	for _, label := range []string{"Note", "Rating", "Photo", "Inspector", "Report"} {
		require.Contains(t, page, ">"+label+"<")
	}
	require.NotContains(t, page, "There is nothing to fill in.")

	found := s.sendRequest(alice, http.MethodGet, path+"/form/found?at=/elements/INSPECTOR&q=bo", nil)
	require.Contains(t, string(found.body), "kuflow-principal:id="+demo.Bob().ID.String())
	answer := s.postForm(alice, path, url.Values{
		"base": {"{}"}, "v/elements/NOTE": {"Rust"}, "v/elements/RATING": {"4.50"}, "v/elements/INSPECTOR": {"Bob"},
	})
	require.Equal(t, "saved", answer.Status)
	require.Empty(t, answer.Problems)
	require.Equal(t, domain.ElementValues{
		"NOTE":   {{Type: domain.ValueString, Valid: true, Value: json.RawMessage(`"Rust"`)}},
		"RATING": {{Type: domain.ValueNumber, Valid: true, Value: json.RawMessage(`4.50`)}},
		"INSPECTOR": {{Type: domain.ValuePrincipal, Valid: true, Value: json.RawMessage(
			`{"id":"` + demo.Bob().ID.String() + `","type":"USER","name":"Bob"}`)}},
	}, s.elementValues(task))

	answer = s.postForm(alice, path, url.Values{"version": {answer.Version}, "v/elements/NOTE": {""}, "v/elements/RATING": {"good"}})
	require.Equal(t, "Rating must be a number.", answer.Problems[0].Text)
	require.Equal(t, []domain.ElementValue{{Type: domain.ValueString, Value: json.RawMessage(`"good"`)}}, s.elementValues(task)["RATING"])
	require.NotContains(t, s.elementValues(task), "NOTE")

	answer = s.postForm(alice, path, url.Values{"version": {answer.Version}, "do": {"complete"}})
	require.Equal(t, "incomplete", answer.Status)
	answer = s.postForm(alice, path, url.Values{"version": {answer.Version}, "v/elements/RATING": {"5"}, "do": {"complete"}})
	require.Equal(t, "done", answer.Status)
	page = string(s.sendRequest(alice, http.MethodGet, path, nil).body)
	require.Contains(t, page, `>Bob</output>`, "a completed task shows its elements")
}

func TestDocumentsOfElements(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	task := s.createInspection()
	path := "tasks/" + task.String()
	alice := s.clientWithToken(demo.Alice().Secret)
	var references []string
	for _, name := range []string{"one.txt", "two.txt"} {
		stored := s.sendRequest(alice, http.MethodPost, path+"/form/files?at=/elements/PHOTO", url.Values{"content": {name}},
			"X-File-Name", name, "Content-Type", "text/plain")
		require.Equal(t, http.StatusOK, stored.status, string(stored.body))
		var file struct{ Reference string }
		require.NoError(t, json.Unmarshal(stored.body, &file))
		references = append(references, file.Reference)
	}
	require.Len(t, s.elementValues(task)["PHOTO"], 2)
	// The page does not know the values that the uploads have saved.
	answer := s.postForm(alice, path, url.Values{"base": {"{}"}, "v/elements/PHOTO": references})
	require.Equal(t, "saved", answer.Status)
	require.Len(t, s.elementValues(task)["PHOTO"], 2)
	file := s.sendRequest(alice, http.MethodGet, path+"/file?"+url.Values{"reference": {references[1]}}.Encode(), nil)
	require.Equal(t, "content=two.txt", string(file.body))

	answer = s.postForm(alice, path, url.Values{"version": {answer.Version}, "v/elements/PHOTO": {references[1]}})
	require.Equal(t, "saved", answer.Status)
	values := s.elementValues(task)["PHOTO"]
	require.Len(t, values, 1)
	kept, err := values[0].Document()
	require.NoError(t, err)
	require.Equal(t, "two.txt", kept.Name)
}
