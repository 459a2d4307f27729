package api_test

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
)

// metadata is the body that replaces the metadata of a process by FILE and
// whatever else.
func metadata(uris ...string) string {
	text, err := json.Marshal(uris)
	if err != nil {
		panic(err)
	}
	return `{"metadata":{"value":{"n":1.50,"files":` + string(text) + `}}}`
}

// expiry returns how long a document is still kept, nil when it does not
// expire.
func (s *service) expiry(uri string) *time.Duration {
	s.t.Helper()
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	var at *time.Time
	err := conn.QueryRow(s.t.Context(), "SELECT expires_at FROM documents WHERE id = $1", documentOf(s.t, uri)).Scan(&at)
	require.NoError(s.t, err)
	if at == nil {
		return nil
	}
	left := at.Sub(s.now())
	return &left
}

func (s *service) requireKept(uri string) {
	s.t.Helper()
	require.Nil(s.t, s.expiry(uri), "it expires")
}

func (s *service) requireExpiring(uri string, in time.Duration) {
	s.t.Helper()
	left := s.expiry(uri)
	require.NotNil(s.t, left, "it does not expire")
	require.InDelta(s.t, in.Seconds(), left.Seconds(), 1)
}

// later advances the clock and runs the clean-up.
func (s *service) later(by time.Duration) {
	s.t.Helper()
	s.ticks.Add(by.Milliseconds())
	_, err := s.app.ExpireDocuments(s.t.Context(), 100)
	require.NoError(s.t, err)
}

func TestDocumentsAreKeptWhileAValueRefersToThem(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := processPath(s.loan().ID, "")
	save := func(uris ...string) oasb.Process {
		return decode[oasb.Process](t, s.call(200, demo.Alice(), "PUT", process+"/metadata", metadata(uris...)))
	}
	first, second := s.upload(demo.Alice(), process, "first"), s.upload(demo.Alice(), process, "second")
	s.requireExpiring(first, 24*time.Hour)
	saved := save(first, second)
	require.Nil(t, saved.Metadata.Errors)
	s.requireKept(first)
	s.requireKept(second)

	s.later(48 * time.Hour)
	require.Equal(t, "first", s.download(demo.Alice(), process, first))
	save(second)
	s.requireExpiring(first, 24*time.Hour)
	s.requireKept(second)

	// Linked again in time it stays.
	s.later(23 * time.Hour)
	patch := `[{"op":"add","path":"/files/-","value":"` + first + `"}]`
	s.call(200, demo.Alice(), http.MethodPatch, process+"/metadata", patch)
	s.requireKept(first)
	s.later(48 * time.Hour)
	require.Equal(t, "first", s.download(demo.Alice(), process, first))

	s.call(200, demo.Alice(), http.MethodPatch, process+"/metadata", `[{"op":"remove","path":"/files"}]`)
	s.requireExpiring(first, 24*time.Hour)
	s.requireExpiring(second, 24*time.Hour)
	s.later(24 * time.Hour)
	s.get(404, demo.Alice(), downloadPath(process, first))
	require.Zero(t, s.count("SELECT count(*) FROM documents"))
	s.requireBlobs(0)
}

func TestTemporaryDocumentsExpire(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := processPath(s.loan().ID, "")
	artifact := artifactPath(s.customer(`{"name":"Acme"}`).ID, "")
	ofProcess, ofArtifact := s.upload(demo.Alice(), process, "p"), s.upload(demo.Alice(), artifact, "a")
	s.requireExpiring(ofArtifact, 2*time.Hour)
	s.later(2*time.Hour - time.Minute)
	s.download(demo.Alice(), artifact, ofArtifact)
	s.later(time.Minute)
	s.get(404, demo.Alice(), downloadPath(artifact, ofArtifact))
	s.requireBlobs(1)
	s.later(22*time.Hour - time.Minute)
	s.download(demo.Alice(), process, ofProcess)
	s.later(time.Minute)
	s.get(404, demo.Alice(), downloadPath(process, ofProcess))
	s.requireBlobs(0)
}

// A document is kept while any value refers to it.
func TestDocumentOfTwoValuesExpiresAfterBoth(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	process := processPath(loan, "")
	uri := s.upload(demo.Alice(), process, "shared")
	task := itemPath(s.item(loan, "LOAN_APPLICATION", ownedBy(demo.Carol())+`,"task":{"data":{"value":{"ATTACHMENT":"`+uri+
		`"}},"contextData":{"value":{"x":"`+uri+`"}}}`).ID, "/task")
	s.call(200, demo.Alice(), "PUT", process+"/metadata", metadata(uri))
	s.call(200, demo.Alice(), "PUT", process+"/metadata", metadata())
	s.requireKept(uri)
	s.call(200, demo.Carol(), "PUT", task+"/data", `{"data":{"value":{}}}`)
	s.requireKept(uri)
	s.call(200, demo.Carol(), "PUT", task+"/context-data", `{"data":{"value":{}}}`)
	s.requireExpiring(uri, 24*time.Hour)
}

// A document of another resource is copied, and the copy is independent of it.
func TestDocumentsOfOthersAreCopied(t *testing.T) {
	t.Parallel()
	s := newService(t)
	from, to := processPath(s.loan().ID, ""), processPath(s.loan().ID, "")
	original := s.upload(demo.Alice(), from, "text")
	value := func(uri string) string { return `{"z":1E22, "a":["` + uri + `",  "` + uri + `x=1;"],"d":0.10}` }
	saved := decode[oasb.Process](t, s.call(200, demo.Alice(), "PUT", to+"/metadata", `{"metadata":{"value":`+value(original)+`}}`))
	var stored struct{ A []string }
	require.NoError(t, json.Unmarshal(saved.Metadata.Value, &stored))
	made := stored.A[0]
	require.NotEqual(t, documentOf(t, original), documentOf(t, made))
	require.Equal(t, documentOf(t, made), documentOf(t, stored.A[1]), "one copy for both")
	require.Equal(t, made+"x=1;", stored.A[1])
	require.JSONEq(t, value(made), string(saved.Metadata.Value))
	require.True(t, *saved.Metadata.Valid)
	require.Contains(t, string(saved.Metadata.Value), `"z":1E22`)
	require.Contains(t, string(saved.Metadata.Value), `"d":0.10`)
	require.Equal(t, "text", s.download(demo.Alice(), to, made))
	s.get(404, demo.Alice(), downloadPath(to, original))
	s.get(404, demo.Alice(), downloadPath(from, made))
	s.requireKept(made)
	s.requireExpiring(original, 24*time.Hour)
	s.requireBlobs(1)

	s.later(24 * time.Hour)
	s.get(404, demo.Alice(), downloadPath(from, original))
	require.Equal(t, "text", s.download(demo.Alice(), to, made))

	// Saving the value of the answer again changes nothing.
	s.call(200, demo.Alice(), "PUT", to+"/metadata", `{"metadata":{"value":`+string(saved.Metadata.Value)+`}}`)
	require.Equal(t, 1, s.count("SELECT count(*) FROM documents"))

	// From a process into an artifact, and into another process by a patch, on
	// creation too.
	artifact := s.customer(`{"name":"Acme","notes":"` + made + `"}`)
	require.True(t, *artifact.Data.Valid)
	var data struct{ Notes string }
	require.NoError(t, json.Unmarshal(artifact.Data.Value, &data))
	require.Equal(t, "text", s.download(demo.Alice(), artifactPath(artifact.ID, ""), data.Notes))
	patched := decode[oasb.Process](t, s.call(200, demo.Alice(), http.MethodPatch, from+"/metadata",
		`[{"op":"add","path":"/f","value":{"deep":["`+data.Notes+`"]}}]`))
	var metadata struct{ F struct{ Deep []string } }
	require.NoError(t, json.Unmarshal(patched.Metadata.Value, &metadata))
	require.Equal(t, "text", s.download(demo.Alice(), from, metadata.F.Deep[0]))
	created := decode[oasb.Process](t, s.post(201, demo.Alice(), "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":{"f":{"deep":["`+made+`"]}}}}`))
	require.NoError(t, json.Unmarshal(created.Metadata.Value, &metadata))
	require.Equal(t, "text", s.download(demo.Alice(), processPath(created.ID, ""), metadata.F.Deep[0]))
	require.Equal(t, 4, s.count("SELECT count(*) FROM documents WHERE expires_at IS NULL"))
	s.requireBlobs(1)

	// With an artifact that is removed go its documents, and those copied from it stay.
	s.call(204, demo.Alice(), http.MethodDelete, artifactPath(artifact.ID, ""), "")
	require.Equal(t, 1, s.count("SELECT remove_deleted(now())"))
	require.Equal(t, 3, s.count("SELECT count(*) FROM documents"))
	require.Equal(t, "text", s.download(demo.Alice(), from, patchedFile(t, patched)))
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
	s := newService(t)
	loan := s.loan().ID
	process := processPath(loan, "")
	foreign := s.upload(demo.OtherWorker(), processPath(s.process(demo.OtherWorker(), demo.OtherLoan()).ID, ""), "secret")
	uri := s.upload(demo.Alice(), process, "text")
	at, ok := kuflowref.ParseDocumentURI(uri)
	require.True(t, ok)
	at.OwnerID = uuid.New()
	misplaced := kuflowref.File{URI: at.String(), Type: "a/b", Size: 1, Name: "n"}.String()
	outside := "kuflow-file:uri=https://example.org/a;type=a/b;size=1;name=n;"
	expired := s.upload(demo.Alice(), process, "expired")
	s.ticks.Add((24 * time.Hour).Milliseconds())
	uri = s.upload(demo.Alice(), process, "text")
	saved := decode[oasb.Process](t, s.call(200, demo.Alice(), "PUT", process+"/metadata",
		metadata(uri, foreign, misplaced, outside, expired, "kuflow-file:no reference")))
	require.False(t, *saved.Metadata.Valid)
	var paths []string
	for _, e := range saved.Metadata.Errors {
		require.Equal(t, "format", *e.Type)
		paths = append(paths, *e.PropertyPath)
	}
	require.Equal(t, []string{"/files/1", "/files/2", "/files/3", "/files/4"}, paths)
	require.Equal(t, 1, s.count("SELECT count(*) FROM document_links"))

	// The schema's own complaint is not repeated.
	task := s.item(loan, "LOAN_APPLICATION", `,"task":{"data":{"value":{"ATTACHMENT":"`+foreign+`"}}}`)
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
	alices := processPath(s.process(demo.Alice(), demo.Loan()).ID, "")
	taken := decode[oasb.Process](t, s.post(201, demo.Carol(), "/processes",
		`{"processDefinitionId":"`+demo.Loan().String()+`","metadata":{"value":{"f":"`+s.upload(demo.Alice(), alices, "x")+`"}}}`))
	require.False(t, *taken.Metadata.Valid)
}

// The target of a reference must exist and be visible where the schema declares
// a reference.
func TestReferencesAreChecked(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := uuid.New()
	s.define(identified("demo", "ProcessDefinition", "REFER", id, `{"name":"Refer","metadataSchema":{"type":"object","properties":{`+
		`"principal":{"type":"string","format":"kuflow-principal"},"group":{"type":"string","format":"kuflow-group"},`+
		`"process":{"type":"string","format":"kuflow-process"},"artifact":{"type":"string","format":"kuflow-business-artifact"},`+
		`"file":{"type":"string","format":"kuflow-file","accept":".txt,application/pdf","maxSize":10},`+
		`"source":{"type":"string","format":"kuflow-data-source"}}},`+
		`"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	process := processPath(s.process(demo.Alice(), id).ID, "")
	artifact := s.customer(`{"name":"Acme"}`).ID
	foreign := s.process(demo.OtherWorker(), demo.OtherLoan()).ID
	principal := func(id uuid.UUID) string {
		return kuflowref.Principal{ID: id, Type: "USER", Name: "n"}.String()
	}
	small, large := s.upload(demo.Alice(), process, "small"), s.upload(demo.Alice(), process, "too large for it")
	image := s.uploadAs(demo.Alice(), process, "image/png", "a.png", "png")
	// The type, size and name in a reference are ignored.
	lie := strings.NewReplacer("size=16", "size=1").Replace(large)
	for name, c := range map[string]struct{ member, good, bad string }{
		"principal": {"principal", principal(demo.Bob().ID), principal(demo.OtherWorker().ID)},
		"group":     {"group", kuflowref.Group{ID: demo.Reviewers()}.String(), kuflowref.Group{ID: uuid.New()}.String()},
		"process": {
			"process", kuflowref.Process{ID: s.loan().ID}.String(), kuflowref.Process{ID: foreign}.String(),
		},
		"artifact": {
			"artifact", kuflowref.BusinessArtifact{ID: artifact, DefinitionID: customers()}.String(),
			kuflowref.BusinessArtifact{ID: uuid.New(), DefinitionID: customers()}.String(),
		},
		"file size":   {"file", small, large},
		"file lie":    {"file", small, lie},
		"file type":   {"file", small, image},
		"data source": {"source", kuflowref.DataSource{ID: uuid.New()}.String(), "kuflow-data-source:id=x;"},
	} {
		save := func(text string) oasb.Process {
			return decode[oasb.Process](t, s.call(200, demo.Alice(), "PUT", process+"/metadata",
				`{"metadata":{"value":{"`+c.member+`":"`+text+`"}}}`))
		}
		require.True(t, *save(c.good).Metadata.Valid, name)
		saved := save(c.bad)
		require.False(t, *saved.Metadata.Valid, name)
		require.Equal(t, "/"+c.member, *saved.Metadata.Errors[0].PropertyPath, name)
	}
}

// A patch is held against what the value refers to already.
func TestAPatchKeepsWhatTheValueRefersTo(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	process := processPath(loan, "")
	task := s.item(loan, "LOAN_APPLICATION", ownedBy(demo.Carol()))
	uri := s.upload(demo.Carol(), process, "text")
	s.call(200, demo.Carol(), "PUT", itemPath(task.ID, "/task/data"),
		`{"data":{"value":{"FIRST_NAME":"Carol","ATTACHMENT":"`+uri+`"}}}`)
	patched := decode[oasb.ProcessItem](t, s.call(200, demo.Carol(), http.MethodPatch, itemPath(task.ID, "/task/data"),
		`[{"op":"add","path":"/x","value":1}]`))
	for _, e := range patched.Task.Data.Errors {
		require.NotEqual(t, "/ATTACHMENT", *e.PropertyPath)
	}
	s.requireKept(uri)
	// A patch that fails links nothing and copies nothing.
	other := s.upload(demo.Alice(), processPath(s.loan().ID, ""), "other")
	before := s.snapshot()
	s.refused(409, "PATCH_FAILED", demo.Carol(), http.MethodPatch, itemPath(task.ID, "/task/data"),
		`[{"op":"add","path":"/y","value":"`+other+`"},{"op":"test","path":"/x","value":2}]`)
	require.Equal(t, before, s.snapshot())
}

// When two requests at once link and unlink a document, it is kept exactly if a
// value refers to it afterwards.
func TestLinkingRaces(t *testing.T) {
	t.Parallel()
	s := newService(t)
	loan := s.loan().ID
	process := processPath(loan, "")
	task := s.item(loan, "LOAN_APPLICATION", ownedBy(demo.Carol())).ID
	uri := s.upload(demo.Carol(), process, "text")
	set := func(as demo.Account, path, member, text string) *http.Request {
		return request(t, as, "PUT", path, `{"`+member+`":{"value":{"x":"`+text+`"}}}`)
	}
	conn, err := pgx.Connect(t.Context(), s.url)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.Background()) }()
	for i := range 60 {
		texts := [2]string{"", uri}
		done := make(chan error, 2)
		go func() {
			_, err := s.exchange(set(demo.Alice(), process+"/metadata", "metadata", texts[i%2]))
			done <- err
		}()
		go func() {
			_, err := s.exchange(set(demo.Carol(), itemPath(task, "/task/data"), "data", texts[1-i%2]))
			done <- err
		}()
		require.NoError(t, <-done)
		require.NoError(t, <-done)
		var linked, kept bool
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM document_links), expires_at IS NULL
          FROM documents WHERE id = $1`, documentOf(t, uri)).Scan(&linked, &kept))
		require.True(t, linked)
		require.True(t, kept)
	}
}
