package api_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// planted is a task of Carol's with a reference to a document that she does not
// see, in a process of hers, and that reference.
func (s *service) planted() (task uuid.UUID, uri string) {
	s.t.Helper()
	uri = s.upload(demo.Alice(), processPath(s.process(demo.Alice(), demo.Loan()).ID, ""), "secret")
	task = s.item(s.loan().ID, "LOAN_APPLICATION", ownedBy(demo.Carol())).ID
	saved := decode[oasb.ProcessItem](s.t, s.call(200, demo.Carol(), http.MethodPut, itemPath(task, "/task/data"),
		`{"data":{"value":{"NOTE":"`+uri+`"}}}`))
	requireAbsent(s.t, saved.Task.Data, "/NOTE", uri)
	return task, uri
}

// requireAbsent requires that a value has a text at a place, and that there is no
// such document for it.
func requireAbsent(t *testing.T, value *oasb.JSONValue, pointer, text string) {
	t.Helper()
	var members map[string]any
	require.NoError(t, json.Unmarshal(value.Value, &members))
	require.Equal(t, text, members[pointer[1:]])
	require.False(t, *value.Valid)
	format := "format"
	require.Contains(t, value.Errors, oasb.JSONValueError{PropertyPath: &pointer, Type: &format})
}

// A later save by a caller to whom the target of a reference is visible does
// not copy the target.
func TestSaveKeepsEarlierReferencesUnresolved(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task, uri := s.planted()
	documents := s.count("SELECT count(*) FROM documents")
	save := func(method, body string) *oasb.JSONValue {
		t.Helper()
		return decode[oasb.ProcessItem](t, s.call(200, demo.Alice(), method, itemPath(task, "/task/data"), body)).Task.Data
	}
	requireAbsent(t, save(http.MethodPatch, `[{"op":"add","path":"/OTHER","value":1}]`), "/NOTE", uri)
	requireAbsent(t, save(http.MethodPatch, `[{"op":"test","path":"/NOTE","value":"`+uri+`"},{"op":"copy","from":"/NOTE","path":"/COPY"}]`), "/COPY", uri)
	requireAbsent(t, save(http.MethodPatch, `[{"op":"move","from":"/COPY","path":"/MOVED"}]`), "/MOVED", uri)
	requireAbsent(t, save(http.MethodPut, `{"data":{"value":{"NOTE":"`+uri+`","OTHER":2}}}`), "/NOTE", uri)
	require.Equal(t, documents, s.count("SELECT count(*) FROM documents"))

	// The rights of the caller who adds a reference decide; a linked reference
	// stays linked.
	brought := save(http.MethodPatch, `[{"op":"replace","path":"/NOTE","value":"`+uri+`"}]`)
	require.Equal(t, documents+1, s.count("SELECT count(*) FROM documents"))
	again := save(http.MethodPatch, `[{"op":"replace","path":"/OTHER","value":3}]`)
	require.Equal(t, brought.Errors, again.Errors)
	var data struct{ NOTE string }
	require.NoError(t, json.Unmarshal(again.Value, &data))
	require.Equal(t, "secret", s.get(200, demo.Carol(), taskDownload(task, data.NOTE)).body)
	require.Equal(t, documents+1, s.count("SELECT count(*) FROM documents"))
}

// Patches of metadata by managers make no document of Alice's process visible
// to Carol.
func TestReferencesInMetadataStayWhatTheyWere(t *testing.T) {
	t.Parallel()
	s := newService(t)
	alices := s.process(demo.Alice(), demo.Loan()).ID
	uri := s.upload(demo.Alice(), processPath(alices, ""), "secret")
	seen := kuflowref.Process{ID: alices}.String()
	process := decode[oasb.Process](t, s.post(201, demo.Carol(), "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":{"f":"`+uri+`","p":"`+seen+`"}}}`))
	requireAbsent(t, process.Metadata, "/f", uri)
	for method, body := range map[string]string{
		http.MethodPatch: `[{"op":"add","path":"/n","value":1}]`,
		http.MethodPut:   `{"metadata":{"value":{"f":"` + uri + `","n":2}}}`,
	} {
		saved := decode[oasb.Process](t, s.call(200, demo.LoanWorker(), method, processPath(process.ID, "/metadata"), body))
		requireAbsent(t, saved.Metadata, "/f", uri)
	}
	require.Zero(t, s.count("SELECT count(*) FROM documents WHERE owner_id = $1", process.ID))
}

// A process reference resolves only for callers to whom the process is visible,
// and a patch of another member does not reveal whether it exists.
func TestAPatchResolvesNoOtherReference(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := uuid.New()
	s.define(identified("demo", "ProcessDefinition", "REFER", id, `{"name":"Refer","metadataSchema":{"type":"object",`+
		`"properties":{"process":{"type":"string","format":"kuflow-process"}}},`+
		`"permissions":{"initiators":[{"user":"carol"}],"managers":[{"user":"alice"}]}}`))
	seen := kuflowref.Process{ID: s.process(demo.Alice(), demo.Loan()).ID}.String()
	process := decode[oasb.Process](t, s.post(201, demo.Carol(), "/processes",
		`{"processDefinitionId":"`+id.String()+`","metadata":{"value":{"process":"`+seen+`"}}}`))
	requireAbsent(t, process.Metadata, "/process", seen)
	patch := func(body string) *oasb.JSONValue {
		t.Helper()
		return decode[oasb.Process](t, s.call(200, demo.Alice(), http.MethodPatch, processPath(process.ID, "/metadata"), body)).Metadata
	}
	requireAbsent(t, patch(`[{"op":"add","path":"/n","value":1}]`), "/process", seen)
	require.True(t, *patch(`[{"op":"add","path":"/process","value":"` + seen + `"}]`).Valid)
	require.True(t, *patch(`[{"op":"add","path":"/n","value":2}]`).Valid)
}

// A new artifact takes over only what its source holds, even if more is visible
// to the caller.
func TestPrefillBringsNoReferences(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret := s.upload(demo.Alice(), processPath(s.process(demo.Alice(), demo.Loan()).ID, ""), "secret")
	source := decode[oasb.BusinessArtifact](t, s.post(201, s.editor(), "/business-artifacts", customerBody(`{"name":"`+secret+`"}`)))
	requireAbsent(t, source.Data, "/name", secret)
	for _, block := range []string{`"createArtifact":{}`, `"createArtifact":{"value":{"name":"` + secret + `"}}`} {
		made := decode[oasb.BusinessArtifactAction](t,
			s.post(201, demo.Alice(), artifactPath(source.ID, "/actions"), invokeAction("CLONE", block)))
		requireAbsent(t, s.retrieveArtifact(*made.CreateArtifact.BusinessArtifactID).Data, "/name", secret)
	}
	require.Equal(t, 1, s.count("SELECT count(*) FROM documents"))

	own := s.upload(demo.Alice(), artifactPath(source.ID, ""), "own")
	s.call(200, demo.Alice(), http.MethodPut, artifactPath(source.ID, "/data"), `{"data":{"value":{"name":"`+own+`"}}}`)
	made := decode[oasb.BusinessArtifactAction](t,
		s.post(201, demo.Alice(), artifactPath(source.ID, "/actions"), invokeAction("CLONE", `"createArtifact":{}`)))
	var data struct{ Name string }
	clone := *made.CreateArtifact.BusinessArtifactID
	require.NoError(t, json.Unmarshal(s.retrieveArtifact(clone).Data.Value, &data))
	require.Equal(t, "own", s.download(demo.Bob(), artifactPath(clone, ""), data.Name))
}

// References in a model's answer are not resolved, even if their targets are
// visible to the requester.
func TestADraftBringsNoReferences(t *testing.T) {
	t.Parallel()
	s := newService(t)
	secret := s.upload(demo.Alice(), processPath(s.process(demo.Alice(), demo.Loan()).ID, ""), "secret")
	task := s.writing(s.drafts(`["/SUMMARY"]`, draftSchema), `{"TOPIC":"x"}`)
	s.post(200, demo.Alice(), itemPath(task, "/task/~actions/assign"), `{"ownerEmail":"alice@demo.example"}`)
	s.provider.says("text", `{"SUMMARY":"`+secret+`"}`)
	_, item := s.draft(demo.Alice(), task, nil)
	requireAbsent(t, item.Task.Data, "/SUMMARY", secret)
	require.Zero(t, s.count("SELECT count(*) FROM document_links WHERE holder_id = $1", task))

	// A document of the task itself may be named, and the owner may add the
	// other.
	uri := s.upload(demo.Alice(), processPath(item.ProcessID, ""), "own")
	s.saveData(demo.Alice(), task, `{"TOPIC":"`+uri+`"}`)
	s.provider.says("text", `{"SUMMARY":"`+uri+`"}`)
	_, item = s.draft(demo.Alice(), task, nil)
	require.True(t, *item.Task.Data.Valid)
}
