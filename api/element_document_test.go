package api_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// shownDocument is the value of a document element as clients see it.
type shownDocument struct {
	ID            uuid.UUID
	URI           string
	Name          string
	ContentPath   string
	ContentType   string
	ContentLength int64
}

func documentIn(t *testing.T, value oasa.ElementValue) shownDocument {
	t.Helper()
	require.Equal(t, "DOCUMENT", value.Type)
	var d shownDocument
	require.NoError(t, json.Unmarshal(value.Value, &d))
	return d
}

func documentsIn(t *testing.T, values []oasa.ElementValue) []shownDocument {
	t.Helper()
	var documents []shownDocument
	for _, value := range values {
		documents = append(documents, documentIn(t, value))
	}
	return documents
}

// replaced is a path with the id in the place of %.
func replaced(path string, id uuid.UUID) string { return strings.Replace(path, "%", id.String(), 1) }

// photo is the text of a document of an element.
func (s *service) photo(task, document uuid.UUID) string {
	s.t.Helper()
	return s.get(200, demo.Alice(), taskPathA(task, "/~actions/download-element-value-document?documentId="+document.String())).body
}

func (s *service) documentsKept() int {
	s.t.Helper()
	return s.count("SELECT count(*) FROM documents WHERE expires_at IS NULL")
}

func TestDocumentsOfElements(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := *s.visit(*s.survey(s.surveys(), "").ID, "VISIT", "").ID
	id := func(id uuid.UUID) url.Values { return url.Values{"elementValueId": {id.String()}} }

	added := documentIn(t, s.uploadPhoto(demo.Alice(), task, "one", nil).ElementValues["PHOTO"][0])
	require.Equal(t, "note.txt", added.Name)
	require.Equal(t, "text/plain", added.ContentType)
	require.EqualValues(t, 3, added.ContentLength)
	require.Equal(t, "one", s.photo(task, added.ID))
	require.Equal(t, "one", s.photo(task, documentOf(t, added.URI)), "its own id does as well")
	require.Equal(t, "one", s.get(200, demo.Alice(), added.ContentPath).body)

	// An unknown id adds a value, which bears it from then on; a known one replaces it.
	chosen := uuid.New()
	s.uploadPhoto(demo.Alice(), task, "two", id(chosen))
	both := s.uploadPhoto(demo.Alice(), task, "uno", id(added.ID)).ElementValues["PHOTO"]
	require.Len(t, both, 2)
	documents := documentsIn(t, both)
	require.Equal(t, []uuid.UUID{added.ID, chosen}, []uuid.UUID{documents[0].ID, documents[1].ID})
	require.NotEqual(t, added.URI, documents[0].URI)
	require.Equal(t, "uno", s.photo(task, added.ID))
	require.Equal(t, "two", s.photo(task, chosen))
	require.Equal(t, 2, s.documentsKept(), "what was replaced is no longer kept")

	// Validity is the client's to take away.
	invalid := s.uploadPhoto(demo.Alice(), task, "dos", url.Values{
		"elementValueId": {chosen.String()}, "elementValueValid": {"false"},
	})
	require.False(t, *invalid.ElementValues["PHOTO"][1].Valid)
	require.True(t, *invalid.ElementValues["PHOTO"][0].Valid)

	// An element with a single value has the latest one.
	plan := url.Values{"elementDefinitionCode": {"PLAN"}}
	s.uploadPhoto(demo.Alice(), task, "first plan", plan)
	plans := s.uploadPhoto(demo.Alice(), task, "second plan", plan).ElementValues["PLAN"]
	require.Len(t, plans, 1)
	require.Equal(t, "second plan", s.photo(task, documentIn(t, plans[0]).ID))
	require.Equal(t, 3, s.documentsKept())

	remove := taskPathA(task, "/~actions/delete-element-value-document")
	one := func(id uuid.UUID) string { return `{"documentId":"` + id.String() + `"}` }
	left := decode[oasa.Task](t, s.post(200, demo.Alice(), remove, one(added.ID))).ElementValues
	require.Len(t, left["PHOTO"], 1)
	require.Len(t, left["PLAN"], 1)
	s.refused(404, "NOT_FOUND", demo.Alice(), "POST", remove, one(added.ID))
	s.get(404, demo.Alice(), taskPathA(task, "/~actions/download-element-value-document?documentId="+added.ID.String()))
	left = decode[oasa.Task](t, s.post(200, demo.Alice(), remove, one(documentIn(t, plans[0]).ID))).ElementValues
	require.NotContains(t, left, "PLAN")
	s.post(200, demo.Alice(), taskPathA(task, deleteElementAction), `{"elementDefinitionCode":"PHOTO"}`)
	require.Zero(t, s.documentsKept())
	require.Zero(t, s.count("SELECT count(*) FROM document_links"))
}

func TestDocumentsOfElementsByReference(t *testing.T) {
	t.Parallel()
	s := newService(t)
	surveys := s.surveys()
	process := *s.survey(surveys, "").ID
	source := *s.visit(process, "VISIT", "").ID
	original := documentIn(t, s.uploadPhoto(demo.Alice(), source, "one", nil).ElementValues["PHOTO"][0])
	byURI := func(uri string) string { return `{"type":"DOCUMENT","value":{"uri":"` + uri + `"}}` }
	file, ok := kuflowref.ParseFile(original.URI)
	require.True(t, ok)

	// A new task gets a copy, in this process as in another one, by either form.
	for _, target := range []uuid.UUID{process, *s.survey(surveys, "").ID} {
		for _, uri := range []string{original.URI, file.URI} {
			made := s.visit(target, "VISIT", `,"elementValues":{"PHOTO":[`+byURI(uri)+`],"NOTE":[`+byURI(uri)+`]}`)
			copied := documentIn(t, made.ElementValues["PHOTO"][0])
			require.NotEqual(t, original.ID, copied.ID)
			require.NotEqual(t, original.URI, copied.URI)
			require.Equal(t, "one", s.photo(*made.ID, copied.ID))
			require.False(t, *made.ElementValues["NOTE"][0].Valid, "it is of another type than the element")
		}
	}
	require.Equal(t, 9, s.documentsKept())

	// Saved, values of the element itself stay what they are, in the new order.
	task := *s.visit(process, "VISIT", "").ID
	saved := decode[oasa.Task](t, s.post(200, demo.Alice(), taskPathA(task, saveElementAction),
		saveElement("PHOTO", "["+byURI(original.URI)+","+byURI(original.URI)+"]")))
	copies := documentsIn(t, saved.ElementValues["PHOTO"])
	require.NotEqual(t, copies[0].ID, copies[1].ID)
	again := decode[oasa.Task](t, s.post(200, demo.Alice(), taskPathA(task, saveElementAction), saveElement("PHOTO",
		`[`+byURI(copies[1].URI)+`,{"type":"DOCUMENT","value":{"id":"`+copies[0].ID.String()+`"}},`+byURI(original.URI)+`]`)))
	require.Equal(t, []shownDocument{copies[1], copies[0]}, documentsIn(t, again.ElementValues["PHOTO"])[:2])
	require.Equal(t, 12, s.documentsKept())
	s.post(200, demo.Alice(), taskPathA(task, saveElementAction), saveElement("PHOTO", "["+byURI(copies[1].URI)+"]"))
	require.Equal(t, 10, s.documentsKept(), "what is absent is deleted")

	// The copies do not need the original.
	s.post(200, demo.Alice(), taskPathA(source, deleteElementAction), `{"elementDefinitionCode":"PHOTO"}`)
	require.Equal(t, "one", s.photo(task, copies[1].ID))
}

func TestDocumentsOfElementsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	task := *s.visit(*s.survey(s.surveys(), "").ID, "VISIT", "").ID
	foreign := s.process(demo.OtherWorker(), demo.OtherLoan()).ID
	secret := s.upload(demo.OtherWorker(), processPath(foreign, ""), "secret")
	absent := kuflowref.URI{Owner: kuflowref.OwnerProcess, OwnerID: uuid.New(), DocumentID: uuid.New()}.String()
	before := s.snapshot()
	for value, location := range map[string]string{
		`{"uri":"` + secret + `"}`: "/value/uri", `{"uri":"` + absent + `"}`: "/value/uri", `{"uri":"http://a.example/b"}`: "/value/uri",
		`{}`: "/value/uri", `{"id":"` + uuid.NewString() + `"}`: "/value/uri",
	} {
		failure := s.refused(400, "VALIDATION", demo.Alice(), "POST", taskPathA(task, saveElementAction),
			saveElement("PHOTO", `[{"type":"DOCUMENT","value":`+value+`}]`))
		require.Equal(t, "/elementValues/0"+location, failure.Errors[0].Location, value)
	}
	failure := s.refused(400, "VALIDATION", demo.Alice(), "POST", taskPathA(task, saveElementAction),
		saveElement("PHOTO", `[{"type":"DOCUMENT"}]`))
	require.Equal(t, "/elementValues/0/value", failure.Errors[0].Location)
	for code, want := range map[string]struct {
		status int
		code   string
	}{"NOTE": {400, "VALIDATION"}, "REF": {404, "DEFINITION_NOT_FOUND"}} {
		path := uploadPathA(taskPathA(task, ""), "save-element-value-document", url.Values{"elementDefinitionCode": {code}})
		failure := s.refused(want.status, want.code, demo.Alice(), "POST", path, "text")
		require.Equal(t, "elementDefinitionCode", failure.Errors[0].Location)
	}
	path := uploadPathA(taskPathA(task, ""), "save-element-value-document", url.Values{"elementDefinitionCode": {"PHOTO"}})
	s.post(413, demo.Alice(), path, strings.Repeat("x", documentLimit+1))
	require.Equal(t, before, s.snapshot())
}

// Every download of Shape A can be had in parts.
func TestPartsOfADocumentThroughShapeA(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := s.pairThroughA(s.surveys())
	const text = "0123456789"
	photo := documentIn(t, s.uploadPhoto(demo.Alice(), p.task, text, nil).ElementValues["PHOTO"][0])
	byURI := "?" + url.Values{"documentUri": {s.upload(demo.Alice(), processPath(p.process, ""), text)}}.Encode()
	for _, path := range []string{
		taskPathA(p.task, "/~actions/download-element-value-document?documentId="+photo.ID.String()),
		taskPathA(p.task, "/~actions/download-json-forms-value-document"+byURI),
		processPathA(p.process, "/~actions/download-entity-document"+byURI),
	} {
		s.requireParts(path)
	}
}

// A caller who may read a task but not its process may read the documents of
// the task only.
func TestDocumentsForViewersOfATask(t *testing.T) {
	t.Parallel()
	s := newService(t)
	p := s.pairThroughA(s.surveys())
	uri := func(document string) string {
		return taskPathA(p.task, "/~actions/download-json-forms-value-document?") + url.Values{"documentUri": {document}}.Encode()
	}
	elsewhere := s.upload(demo.Alice(), processPath(p.process, ""), "of the process")
	linked := s.upload(demo.Alice(), processPath(p.process, ""), "of the task")
	s.post(200, demo.Alice(), taskPathA(p.task, "/~actions/save-json-forms-value-data"), `{"data":{"OTHER":"`+linked+`"}}`)
	photo := documentIn(t, s.uploadPhoto(demo.Alice(), p.task, "a photo", nil).ElementValues["PHOTO"][0])
	conn := s.connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `INSERT INTO item_definition_grants (item_definition_id, permission, grantee_id)
SELECT item_definition_id, 'VIEWER', $2 FROM process_items WHERE id = $1`, p.task, demo.Carol().ID)
	require.NoError(t, err)

	s.get(404, demo.Carol(), processPathA(p.process, ""))
	s.get(200, demo.Carol(), taskPathA(p.task, ""))
	require.Equal(t, "of the task", s.get(200, demo.Carol(), uri(linked)).body)
	require.Equal(t, "a photo", s.get(200, demo.Carol(),
		taskPathA(p.task, "/~actions/download-element-value-document?documentId="+photo.ID.String())).body)
	s.get(404, demo.Carol(), uri(elsewhere))
	require.Equal(t, "of the process", s.get(200, demo.Alice(), uri(elsewhere)).body)
	s.get(404, demo.Bob(), uri(linked))
}
