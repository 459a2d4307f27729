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
	"github.com/procession-dev/procession/domain/jsondoc"
)

// findProcess reads a process as Alice.
func (s *site) findProcess(id uuid.UUID) *domain.Process {
	s.t.Helper()
	found, err := s.app.RetrieveProcess(s.t.Context(), s.callerOf(demo.Alice()), id)
	require.NoError(s.t, err)
	return found
}

func TestValuesOfProcesses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	id := uuid.MustParse(s.loanOf("Loan with values", "Carol", "Demo"))
	path := "processes/" + id.String() + "/edit"
	alice := s.clientWithToken(demo.Alice().Secret)
	require.Contains(t, string(s.sendRequest(alice, http.MethodGet, "processes/"+id.String(), nil).body), path)
	require.NotContains(t, string(s.sendRequest(s.clientWithToken(demo.Carol().Secret), http.MethodGet, "processes/"+id.String(), nil).body), path)
	require.Contains(t, string(s.sendRequest(alice, http.MethodGet, path, nil).body), `name="v/metadata/LAST_NAME"`)

	origin := string(s.findProcess(id).Metadata.Value)
	begun := url.Values{
		"version": {string(s.findProcess(id).Version())}, "base": {`{"metadata":` + origin + `}`},
		"origin": {`{"metadata":` + origin + `}`}, "once": {uuid.NewString()}, "do": {"complete"},
	}
	entered := func(name, text string) url.Values {
		values := url.Values{"v/metadata/" + name: {text}}
		for key, value := range begun {
			values[key] = value
		}
		return values
	}
	require.Equal(t, "done", s.postForm(alice, path, entered("LAST_NAME", "Changed")).Status)
	require.JSONEq(t, `{"FIRST_NAME":"Carol","LAST_NAME":"Changed"}`, string(s.findProcess(id).Metadata.Value))

	// The same page again: conflicts are shown, other changes are merged.
	conflict := s.postForm(alice, path, entered("LAST_NAME", "Other"))
	require.Equal(t, "conflict", conflict.Status)
	require.Contains(t, conflict.HTML, "Changed")
	require.Equal(t, "done", s.postForm(alice, path, entered("FIRST_NAME", "Caroline")).Status)
	require.JSONEq(t, `{"FIRST_NAME":"Caroline","LAST_NAME":"Changed"}`, string(s.findProcess(id).Metadata.Value))

	_, err := s.app.CancelProcess(t.Context(), s.callerOf(demo.Alice()), id)
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, s.sendRequest(alice, http.MethodGet, path, nil).status)
	require.NotContains(t, string(s.sendRequest(alice, http.MethodGet, "processes/"+id.String(), nil).body), path)
}

// Another person changes one value after the check of the page's version: the other value is still saved.
func TestElementsOfProcesses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	definition := demo.Inspection()
	started, _, err := s.app.CreateProcess(t.Context(), s.callerOf(demo.Alice()), app.NewProcess{
		Definition: app.DefinitionKey{ID: &definition}, Metadata: json.RawMessage(`{"KEPT":1}`),
	})
	require.NoError(t, err)
	alice, path := s.clientWithToken(demo.Alice().Secret), "processes/"+started.ID.String()
	begun := url.Values{
		"version": {string(started.Version())}, "base": {`{"metadata":{"KEPT":1},"elements":{}}`},
		"origin": {`{"metadata":{"KEPT":1},"elements":{}}`}, "once": {uuid.NewString()}, "do": {"complete"},
		"v/elements/REF": {"A-17"}, "v/elements/SCORE": {"3.50"}, "v/metadata/KEPT": {"2"},
	}
	_, err = s.app.PatchProcessEntity(t.Context(), s.callerOf(demo.Alice()), started.ID, []jsondoc.Operation{
		{Op: "add", Path: "/theirs", Value: json.RawMessage("true")},
	})
	require.NoError(t, err)
	require.Equal(t, "done", s.postForm(alice, path+"/edit", begun).Status)
	saved := s.findProcess(started.ID)
	require.JSONEq(t, `{"KEPT":2}`, string(saved.Metadata.Value))
	require.JSONEq(t, `{"theirs":true}`, string(saved.Entity.Value))
	require.Equal(t, "3.50", string(saved.Elements["SCORE"][0].Value))
	page := string(s.sendRequest(alice, http.MethodGet, path, nil).body)
	require.Contains(t, page, "<dt>Reference</dt>")
	require.Contains(t, page, "<dd>A-17</dd>")
}
