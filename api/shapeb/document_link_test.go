package shapeb_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func TestDocumentsAreKeptWhileAValueRefersToThem(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := apitest.ProcessPath(s.Loan().ID, "")
	save := func(uris ...string) oasb.Process {
		return apitest.Decode[oasb.Process](t, s.Call(200, demo.Alice(), "PUT", process+"/metadata", apitest.Metadata(uris...)))
	}
	first, second := s.Upload(demo.Alice(), process, "first"), s.Upload(demo.Alice(), process, "second")
	s.RequireExpiring(first, 24*time.Hour)
	saved := save(first, second)
	require.Nil(t, saved.Metadata.Errors)
	s.RequireKept(first)
	s.RequireKept(second)

	s.Later(48 * time.Hour)
	require.Equal(t, "first", s.Download(demo.Alice(), process, first))
	save(second)
	s.RequireExpiring(first, 24*time.Hour)
	s.RequireKept(second)

	// Linked again in time it stays.
	s.Later(23 * time.Hour)
	patch := `[{"op":"add","path":"/files/-","value":"` + first + `"}]`
	s.Call(200, demo.Alice(), http.MethodPatch, process+"/metadata", patch)
	s.RequireKept(first)
	s.Later(48 * time.Hour)
	require.Equal(t, "first", s.Download(demo.Alice(), process, first))

	s.Call(200, demo.Alice(), http.MethodPatch, process+"/metadata", `[{"op":"remove","path":"/files"}]`)
	s.RequireExpiring(first, 24*time.Hour)
	s.RequireExpiring(second, 24*time.Hour)
	s.Later(24 * time.Hour)
	s.Get(404, demo.Alice(), apitest.DownloadPath(process, first))
	require.Zero(t, s.Count("SELECT count(*) FROM documents"))
	s.RequireBlobs(0)
}

func TestTemporaryDocumentsExpire(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := apitest.ProcessPath(s.Loan().ID, "")
	artifact := apitest.ArtifactPath(s.Customer(`{"name":"Acme"}`).ID, "")
	ofProcess, ofArtifact := s.Upload(demo.Alice(), process, "p"), s.Upload(demo.Alice(), artifact, "a")
	s.RequireExpiring(ofArtifact, 2*time.Hour)
	s.Later(2*time.Hour - time.Minute)
	s.Download(demo.Alice(), artifact, ofArtifact)
	s.Later(time.Minute)
	s.Get(404, demo.Alice(), apitest.DownloadPath(artifact, ofArtifact))
	s.RequireBlobs(1)
	s.Later(22*time.Hour - time.Minute)
	s.Download(demo.Alice(), process, ofProcess)
	s.Later(time.Minute)
	s.Get(404, demo.Alice(), apitest.DownloadPath(process, ofProcess))
	s.RequireBlobs(0)
}

// A document is kept while any value refers to it.
func TestDocumentOfTwoValuesExpiresAfterBoth(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	process := apitest.ProcessPath(loan, "")
	uri := s.Upload(demo.Alice(), process, "shared")
	task := apitest.ItemPath(s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol())+`,"task":{"data":{"value":{"ATTACHMENT":"`+uri+
		`"}},"contextData":{"value":{"x":"`+uri+`"}}}`).ID, "/task")
	s.Call(200, demo.Alice(), "PUT", process+"/metadata", apitest.Metadata(uri))
	s.Call(200, demo.Alice(), "PUT", process+"/metadata", apitest.Metadata())
	s.RequireKept(uri)
	s.Call(200, demo.Carol(), "PUT", task+"/data", `{"data":{"value":{}}}`)
	s.RequireKept(uri)
	s.Call(200, demo.Alice(), "PUT", task+"/context-data", `{"data":{"value":{}}}`)
	s.RequireExpiring(uri, 24*time.Hour)
}

// A document of another resource is copied, and the copy is independent of it.
func TestDocumentsOfOthersAreCopied(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	from, to := apitest.ProcessPath(s.Loan().ID, ""), apitest.ProcessPath(s.Loan().ID, "")
	original := s.Upload(demo.Alice(), from, "text")
	value := func(uri string) string { return `{"z":1E22, "a":["` + uri + `",  "` + uri + `x=1;"],"d":0.10}` }
	saved := apitest.Decode[oasb.Process](t, s.Call(200, demo.Alice(), "PUT", to+"/metadata", `{"metadata":{"value":`+value(original)+`}}`))
	var stored struct{ A []string }
	require.NoError(t, json.Unmarshal(saved.Metadata.Value, &stored))
	made := stored.A[0]
	require.NotEqual(t, apitest.DocumentOf(t, original), apitest.DocumentOf(t, made))
	require.Equal(t, apitest.DocumentOf(t, made), apitest.DocumentOf(t, stored.A[1]), "one copy for both")
	require.Equal(t, made+"x=1;", stored.A[1])
	require.JSONEq(t, value(made), string(saved.Metadata.Value))
	require.True(t, *saved.Metadata.Valid)
	require.Contains(t, string(saved.Metadata.Value), `"z":1E22`)
	require.Contains(t, string(saved.Metadata.Value), `"d":0.10`)
	require.Equal(t, "text", s.Download(demo.Alice(), to, made))
	s.Get(404, demo.Alice(), apitest.DownloadPath(to, original))
	s.Get(404, demo.Alice(), apitest.DownloadPath(from, made))
	s.RequireKept(made)
	s.RequireExpiring(original, 24*time.Hour)
	s.RequireBlobs(1)

	s.Later(24 * time.Hour)
	s.Get(404, demo.Alice(), apitest.DownloadPath(from, original))
	require.Equal(t, "text", s.Download(demo.Alice(), to, made))

	// Saving the value of the response again makes no change.
	s.Call(200, demo.Alice(), "PUT", to+"/metadata", `{"metadata":{"value":`+string(saved.Metadata.Value)+`}}`)
	require.Equal(t, 1, s.Count("SELECT count(*) FROM documents"))

	// From a process into an artifact, and into another process by a patch, on
	// creation too.
	artifact := s.Customer(`{"name":"Acme","notes":"` + made + `"}`)
	require.True(t, *artifact.Data.Valid)
	var data struct{ Notes string }
	require.NoError(t, json.Unmarshal(artifact.Data.Value, &data))
	require.Equal(t, "text", s.Download(demo.Alice(), apitest.ArtifactPath(artifact.ID, ""), data.Notes))
	patched := apitest.Decode[oasb.Process](t, s.Call(200, demo.Alice(), http.MethodPatch, from+"/metadata",
		`[{"op":"add","path":"/f","value":{"deep":["`+data.Notes+`"]}}]`))
	var metadata struct{ F struct{ Deep []string } }
	require.NoError(t, json.Unmarshal(patched.Metadata.Value, &metadata))
	require.Equal(t, "text", s.Download(demo.Alice(), from, metadata.F.Deep[0]))
	created := apitest.Decode[oasb.Process](t, s.Post(201, demo.Alice(), "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":{"f":{"deep":["`+made+`"]}}}}`))
	require.NoError(t, json.Unmarshal(created.Metadata.Value, &metadata))
	require.Equal(t, "text", s.Download(demo.Alice(), apitest.ProcessPath(created.ID, ""), metadata.F.Deep[0]))
	require.Equal(t, 4, s.Count("SELECT count(*) FROM documents WHERE expires_at IS NULL"))
	s.RequireBlobs(1)

	// With an artifact that is removed go its documents, and those copied from it stay.
	s.Call(204, demo.Alice(), http.MethodDelete, apitest.ArtifactPath(artifact.ID, ""), "")
	require.Equal(t, 1, s.Count("SELECT artifacts FROM old_deleted($1, now(), 10, true)", demo.TenantDemo()))
	require.Equal(t, 3, s.Count("SELECT count(*) FROM documents"))
	require.Equal(t, "text", s.Download(demo.Alice(), from, patchedFile(t, patched)))
}

func patchedFile(t *testing.T, p oasb.Process) string {
	t.Helper()
	var metadata struct{ F struct{ Deep []string } }
	require.NoError(t, json.Unmarshal(p.Metadata.Value, &metadata))
	return metadata.F.Deep[0]
}

// A reference to a document that the caller may not read is stored and reported
// as invalid.
func TestSaveAbsentDocumentMakesValueInvalid(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	process := apitest.ProcessPath(loan, "")
	foreign := s.Upload(demo.OtherWorker(), apitest.ProcessPath(s.Process(demo.OtherWorker(), demo.OtherLoan()).ID, ""), "secret")
	uri := s.Upload(demo.Alice(), process, "text")
	at, ok := kuflowref.ParseDocumentURI(uri)
	require.True(t, ok)
	at.OwnerID = uuid.New()
	misplaced := kuflowref.File{URI: at.String(), Type: "a/b", Size: 1, Name: "n"}.String()
	outside := "kuflow-file:uri=https://example.org/a;type=a/b;size=1;name=n;"
	expired := s.Upload(demo.Alice(), process, "expired")
	s.Ticks.Add((24 * time.Hour).Milliseconds())
	uri = s.Upload(demo.Alice(), process, "text")
	saved := apitest.Decode[oasb.Process](t, s.Call(200, demo.Alice(), "PUT", process+"/metadata",
		apitest.Metadata(uri, foreign, misplaced, outside, expired, "kuflow-file:no reference")))
	require.False(t, *saved.Metadata.Valid)
	var paths []string
	for _, e := range saved.Metadata.Errors {
		require.Equal(t, "format", *e.Type)
		paths = append(paths, *e.PropertyPath)
	}
	require.Equal(t, []string{"/files/1", "/files/2", "/files/3", "/files/4"}, paths)
	require.Equal(t, 1, s.Count("SELECT count(*) FROM document_links"))

	// The schema's own complaint is not repeated.
	task := s.Item(loan, "LOAN_APPLICATION", `,"task":{"data":{"value":{"ATTACHMENT":"`+foreign+`"}}}`)
	require.False(t, *task.Task.Data.Valid)
	said := 0
	for _, e := range task.Task.Data.Errors {
		if *e.PropertyPath == "/ATTACHMENT" {
			said++
		}
	}
	require.Equal(t, 1, said)

	// A reference does not copy a document out of a process unless the document
	// is visible to the caller.
	alices := apitest.ProcessPath(s.Process(demo.Alice(), demo.Loan()).ID, "")
	taken := apitest.Decode[oasb.Process](t, s.Post(201, demo.Carol(), "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":{"f":"`+s.Upload(demo.Alice(), alices, "x")+`"}}}`))
	require.False(t, *taken.Metadata.Valid)
}

// The target of a reference must exist and be visible where the schema declares
// a reference.
func TestReferencesAreChecked(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "REFER", id, `{"name":"Refer","metadataSchema":{"type":"object","properties":{`+
		`"principal":{"type":"string","format":"kuflow-principal"},"group":{"type":"string","format":"kuflow-group"},`+
		`"process":{"type":"string","format":"kuflow-process"},"artifact":{"type":"string","format":"kuflow-business-artifact"},`+
		`"file":{"type":"string","format":"kuflow-file","accept":".txt,application/pdf","maxSize":10},`+
		`"source":{"type":"string","format":"kuflow-data-source"}}},`+
		`"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	process := apitest.ProcessPath(s.Process(demo.Alice(), id).ID, "")
	artifact := s.Customer(`{"name":"Acme"}`).ID
	foreign := s.Process(demo.OtherWorker(), demo.OtherLoan()).ID
	principal := func(id uuid.UUID) string {
		return kuflowref.Principal{ID: id, Type: "USER", Name: "n"}.String()
	}
	small, large := s.Upload(demo.Alice(), process, "small"), s.Upload(demo.Alice(), process, "too large for it")
	image := s.UploadAs(demo.Alice(), process, "image/png", "a.png", "png")
	// The type, size and name in a reference are ignored.
	lie := strings.NewReplacer("size=16", "size=1").Replace(large)
	for name, c := range map[string]struct{ member, good, bad string }{
		"principal": {"principal", principal(demo.Bob().ID), principal(demo.OtherWorker().ID)},
		"group":     {"group", kuflowref.Group{ID: demo.Reviewers()}.String(), kuflowref.Group{ID: uuid.New()}.String()},
		"process": {
			"process", kuflowref.Process{ID: s.Loan().ID}.String(), kuflowref.Process{ID: foreign}.String(),
		},
		"artifact": {
			"artifact", kuflowref.BusinessArtifact{ID: artifact, DefinitionID: apitest.Customers()}.String(),
			kuflowref.BusinessArtifact{ID: uuid.New(), DefinitionID: apitest.Customers()}.String(),
		},
		"file size":   {"file", small, large},
		"file lie":    {"file", small, lie},
		"file type":   {"file", small, image},
		"data source": {"source", kuflowref.DataSource{ID: uuid.New()}.String(), "kuflow-data-source:id=x;"},
	} {
		save := func(text string) oasb.Process {
			return apitest.Decode[oasb.Process](t, s.Call(200, demo.Alice(), "PUT", process+"/metadata",
				`{"metadata":{"value":{"`+c.member+`":"`+text+`"}}}`))
		}
		require.True(t, *save(c.good).Metadata.Valid, name)
		saved := save(c.bad)
		require.False(t, *saved.Metadata.Valid, name)
		require.Equal(t, "/"+c.member, *saved.Metadata.Errors[0].PropertyPath, name)
	}
}

// A patch may keep the existing references of the value.
func TestPatchKeepsExistingReferences(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	process := apitest.ProcessPath(loan, "")
	task := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol()))
	uri := s.Upload(demo.Carol(), process, "text")
	s.Call(200, demo.Carol(), "PUT", apitest.ItemPath(task.ID, "/task/data"),
		`{"data":{"value":{"FIRST_NAME":"Carol","ATTACHMENT":"`+uri+`"}}}`)
	patched := apitest.Decode[oasb.ProcessItem](t, s.Call(200, demo.Carol(), http.MethodPatch, apitest.ItemPath(task.ID, "/task/data"),
		`[{"op":"add","path":"/x","value":1}]`))
	for _, e := range patched.Task.Data.Errors {
		require.NotEqual(t, "/ATTACHMENT", *e.PropertyPath)
	}
	s.RequireKept(uri)
	// A failed patch neither links nor copies documents.
	other := s.Upload(demo.Alice(), apitest.ProcessPath(s.Loan().ID, ""), "other")
	before := s.Snapshot()
	s.Refused(409, "PATCH_FAILED", demo.Carol(), http.MethodPatch, apitest.ItemPath(task.ID, "/task/data"),
		`[{"op":"add","path":"/y","value":"`+other+`"},{"op":"test","path":"/x","value":2}]`)
	require.Equal(t, before, s.Snapshot())
}

// When two requests at once link and unlink a document, it is kept exactly if a
// value refers to it afterwards.
func TestLinkingRaces(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	loan := s.Loan().ID
	process := apitest.ProcessPath(loan, "")
	task := s.Item(loan, "LOAN_APPLICATION", apitest.OwnedBy(demo.Carol())).ID
	uri := s.Upload(demo.Carol(), process, "text")
	set := func(as demo.Account, path, member, text string) *http.Request {
		return apitest.Request(t, as, "PUT", path, `{"`+member+`":{"value":{"x":"`+text+`"}}}`)
	}
	conn, err := pgx.Connect(t.Context(), s.URL)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for i := range 60 {
		texts := [2]string{"", uri}
		done := make(chan error, 2)
		go func() {
			_, err := s.Exchange(set(demo.Alice(), process+"/metadata", "metadata", texts[i%2]))
			done <- err
		}()
		go func() {
			_, err := s.Exchange(set(demo.Carol(), apitest.ItemPath(task, "/task/data"), "data", texts[1-i%2]))
			done <- err
		}()
		require.NoError(t, <-done)
		require.NoError(t, <-done)
		var linked, kept bool
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM document_links), expires_at IS NULL
          FROM documents WHERE id = $1`, apitest.DocumentOf(t, uri)).Scan(&linked, &kept))
		require.True(t, linked)
		require.True(t, kept)
	}
}
