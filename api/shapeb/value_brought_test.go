package shapeb_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// plantDocument returns a task of Carol's with a reference to a document that she does not
// see, in a process of hers, and that reference.
func plantDocument(s *apitest.Service) (task uuid.UUID, uri string) {
	s.T.Helper()
	uri = s.Upload(demo.Alice(), apitest.ProcessPath(s.Process(demo.Alice(), demo.Loan()).ID, ""), "secret")
	task = s.Item(s.Loan().ID, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol())).ID
	saved := apitest.Decode[oasb.ProcessItem](s.T, s.Call(200, demo.Carol(), http.MethodPut, apitest.ItemPath(task, "/task/data"),
		`{"data":{"value":{"NOTE":"`+uri+`"}}}`))
	apitest.RequireAbsent(s.T, saved.Task.Data, "/NOTE", uri)
	return task, uri
}

// A later save by a caller to whom the target of a reference is visible does
// not copy the target.
func TestSaveKeepsEarlierReferencesUnresolved(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task, uri := plantDocument(s)
	documents := s.Count("SELECT count(*) FROM documents")
	save := func(method, body string) *oasb.JSONValue {
		t.Helper()
		return apitest.Decode[oasb.ProcessItem](t, s.Call(200, demo.Alice(), method, apitest.ItemPath(task, "/task/data"), body)).Task.Data
	}
	apitest.RequireAbsent(t, save(http.MethodPatch, `[{"op":"add","path":"/OTHER","value":1}]`), "/NOTE", uri)
	apitest.RequireAbsent(t, save(http.MethodPatch, `[{"op":"test","path":"/NOTE","value":"`+uri+`"},{"op":"copy","from":"/NOTE","path":"/COPY"}]`), "/COPY", uri)
	apitest.RequireAbsent(t, save(http.MethodPatch, `[{"op":"move","from":"/COPY","path":"/MOVED"}]`), "/MOVED", uri)
	apitest.RequireAbsent(t, save(http.MethodPut, `{"data":{"value":{"NOTE":"`+uri+`","OTHER":2}}}`), "/NOTE", uri)
	require.Equal(t, documents, s.Count("SELECT count(*) FROM documents"))

	// The rights of the caller who adds a reference decide; a linked reference
	// stays linked.
	brought := save(http.MethodPatch, `[{"op":"replace","path":"/NOTE","value":"`+uri+`"}]`)
	require.Equal(t, documents+1, s.Count("SELECT count(*) FROM documents"))
	again := save(http.MethodPatch, `[{"op":"replace","path":"/OTHER","value":3}]`)
	require.Equal(t, brought.Errors, again.Errors)
	var data struct{ NOTE string }
	require.NoError(t, json.Unmarshal(again.Value, &data))
	require.Equal(t, "secret", s.Get(200, demo.Carol(), taskDownload(task, data.NOTE)).Body)
	require.Equal(t, documents+1, s.Count("SELECT count(*) FROM documents"))
}

// Patches of metadata by managers make no document of Alice's process visible
// to Carol.
func TestReferencesInMetadataAreKept(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	alices := s.Process(demo.Alice(), demo.Loan()).ID
	uri := s.Upload(demo.Alice(), apitest.ProcessPath(alices, ""), "secret")
	seen := kuflowref.Process{ID: alices}.String()
	process := apitest.Decode[oasb.Process](t, s.Post(201, demo.Carol(), "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":{"f":"`+uri+`","p":"`+seen+`"}}}`))
	apitest.RequireAbsent(t, process.Metadata, "/f", uri)
	for method, body := range map[string]string{
		http.MethodPatch: `[{"op":"add","path":"/n","value":1}]`,
		http.MethodPut:   `{"metadata":{"value":{"f":"` + uri + `","n":2}}}`,
	} {
		saved := apitest.Decode[oasb.Process](t, s.Call(200, demo.LoanWorker(), method, apitest.ProcessPath(process.ID, "/metadata"), body))
		apitest.RequireAbsent(t, saved.Metadata, "/f", uri)
	}
	require.Zero(t, s.Count("SELECT count(*) FROM documents WHERE owner_id = $1", process.ID))
}

// A process reference resolves only for callers to whom the process is visible,
// and a patch of another member does not reveal whether it exists.
func TestAPatchResolvesNoOtherReference(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "REFER", id, `{"name":"Refer","metadataSchema":{"type":"object",`+
		`"properties":{"process":{"type":"string","format":"kuflow-process"}}},`+
		`"permissions":{"initiators":[{"user":"carol"}],"managers":[{"user":"alice"}]}}`))
	seen := kuflowref.Process{ID: s.Process(demo.Alice(), demo.Loan()).ID}.String()
	process := apitest.Decode[oasb.Process](t, s.Post(201, demo.Carol(), "/processes",
		`{"processDefinitionId":"`+id.String()+`","metadata":{"value":{"process":"`+seen+`"}}}`))
	apitest.RequireAbsent(t, process.Metadata, "/process", seen)
	patch := func(body string) *oasb.JSONValue {
		t.Helper()
		return apitest.Decode[oasb.Process](t, s.Call(200, demo.Alice(), http.MethodPatch, apitest.ProcessPath(process.ID, "/metadata"), body)).Metadata
	}
	apitest.RequireAbsent(t, patch(`[{"op":"add","path":"/n","value":1}]`), "/process", seen)
	require.True(t, *patch(`[{"op":"add","path":"/process","value":"` + seen + `"}]`).Valid)
	require.True(t, *patch(`[{"op":"add","path":"/n","value":2}]`).Valid)
}

// A new artifact takes over only the documents of its source, even if more are visible to
// the caller.
func TestPrefillBringsNoReferences(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	secret := s.Upload(demo.Alice(), apitest.ProcessPath(s.Process(demo.Alice(), demo.Loan()).ID, ""), "secret")
	source := apitest.Decode[oasb.BusinessArtifact](t, s.Post(201, editor(s), "/business-artifacts", apitest.CustomerBody(`{"name":"`+secret+`"}`)))
	apitest.RequireAbsent(t, source.Data, "/name", secret)
	for _, block := range []string{`"createArtifact":{}`, `"createArtifact":{"value":{"name":"` + secret + `"}}`} {
		made := apitest.Decode[oasb.BusinessArtifactAction](t,
			s.Post(201, demo.Alice(), apitest.ArtifactPath(source.ID, "/actions"), apitest.InvokeAction("CLONE", block)))
		apitest.RequireAbsent(t, s.RetrieveArtifact(*made.CreateArtifact.BusinessArtifactID).Data, "/name", secret)
	}
	require.Equal(t, 1, s.Count("SELECT count(*) FROM documents"))

	own := s.Upload(demo.Alice(), apitest.ArtifactPath(source.ID, ""), "own")
	s.Call(200, demo.Alice(), http.MethodPut, apitest.ArtifactPath(source.ID, "/data"), `{"data":{"value":{"name":"`+own+`"}}}`)
	made := apitest.Decode[oasb.BusinessArtifactAction](t,
		s.Post(201, demo.Alice(), apitest.ArtifactPath(source.ID, "/actions"), apitest.InvokeAction("CLONE", `"createArtifact":{}`)))
	var data struct{ Name string }
	clone := *made.CreateArtifact.BusinessArtifactID
	require.NoError(t, json.Unmarshal(s.RetrieveArtifact(clone).Data.Value, &data))
	require.Equal(t, "own", s.Download(demo.Bob(), apitest.ArtifactPath(clone, ""), data.Name))
}

// References in a model's answer are not resolved, even if their targets are
// visible to the requester.
func TestADraftBringsNoReferences(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	secret := s.Upload(demo.Alice(), apitest.ProcessPath(s.Process(demo.Alice(), demo.Loan()).ID, ""), "secret")
	task := draftedTask(s, draftDefinition(s, `["/SUMMARY"]`, draftSchema), `{"TOPIC":"x"}`)
	s.Post(200, demo.Alice(), apitest.ItemPath(task, "/task/~actions/assign"), `{"ownerEmail":"alice@demo.example"}`)
	s.Provider.Says("text", `{"SUMMARY":"`+secret+`"}`)
	_, item := draft(s, demo.Alice(), task, nil)
	apitest.RequireAbsent(t, item.Task.Data, "/SUMMARY", secret)
	require.Zero(t, s.Count("SELECT count(*) FROM document_links WHERE holder_id = $1", task))

	// A document of the task itself may be named, and the owner may add the
	// other.
	uri := s.Upload(demo.Alice(), apitest.ProcessPath(item.ProcessID, ""), "own")
	saveData(s, demo.Alice(), task, `{"TOPIC":"`+uri+`"}`)
	s.Provider.Says("text", `{"SUMMARY":"`+uri+`"}`)
	_, item = draft(s, demo.Alice(), task, nil)
	require.True(t, *item.Task.Data.Valid)
}
