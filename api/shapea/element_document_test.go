package shapea_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/test/kit/apitest"
)

func documentsIn(t *testing.T, values []oasa.ElementValue) []apitest.ShownDocument {
	t.Helper()
	var documents []apitest.ShownDocument
	for _, value := range values {
		documents = append(documents, apitest.DocumentIn(t, value))
	}
	return documents
}

// replaced returns a path with the id in the place of %.
func replaced(path string, id uuid.UUID) string { return strings.Replace(path, "%", id.String(), 1) }

func documentsKept(s *apitest.Service) int {
	s.T.Helper()
	return s.Count("SELECT count(*) FROM documents WHERE expires_at IS NULL")
}

func TestDocumentsOfElements(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := *s.Visit(*s.Survey(s.Surveys(), "").ID, "VISIT", "").ID
	id := func(id uuid.UUID) url.Values { return url.Values{"elementValueId": {id.String()}} }

	added := apitest.DocumentIn(t, s.UploadPhoto(demo.Alice(), task, "one", nil).ElementValues["PHOTO"][0])
	require.Equal(t, "note.txt", added.Name)
	require.Equal(t, "text/plain", added.ContentType)
	require.EqualValues(t, 3, added.ContentLength)
	require.Equal(t, "one", s.Photo(task, added.ID))
	require.Equal(t, "one", s.Photo(task, apitest.DocumentOf(t, added.URI)), "its own id does as well")
	require.Equal(t, "one", s.Get(200, demo.Alice(), added.ContentPath).Body)

	// An unknown id adds a value, which bears it from then on; a known one replaces it.
	chosen := uuid.New()
	s.UploadPhoto(demo.Alice(), task, "two", id(chosen))
	both := s.UploadPhoto(demo.Alice(), task, "uno", id(added.ID)).ElementValues["PHOTO"]
	require.Len(t, both, 2)
	documents := documentsIn(t, both)
	require.Equal(t, []uuid.UUID{added.ID, chosen}, []uuid.UUID{documents[0].ID, documents[1].ID})
	require.NotEqual(t, added.URI, documents[0].URI)
	require.Equal(t, "uno", s.Photo(task, added.ID))
	require.Equal(t, "two", s.Photo(task, chosen))
	require.Equal(t, 2, documentsKept(s), "what was replaced is no longer kept")

	// Validity is the client's to take away.
	invalid := s.UploadPhoto(demo.Alice(), task, "dos", url.Values{
		"elementValueId": {chosen.String()}, "elementValueValid": {"false"},
	})
	require.False(t, *invalid.ElementValues["PHOTO"][1].Valid)
	require.True(t, *invalid.ElementValues["PHOTO"][0].Valid)

	// An element with a single value has the latest one.
	plan := url.Values{"elementDefinitionCode": {"PLAN"}}
	s.UploadPhoto(demo.Alice(), task, "first plan", plan)
	plans := s.UploadPhoto(demo.Alice(), task, "second plan", plan).ElementValues["PLAN"]
	require.Len(t, plans, 1)
	require.Equal(t, "second plan", s.Photo(task, apitest.DocumentIn(t, plans[0]).ID))
	require.Equal(t, 3, documentsKept(s))

	remove := apitest.TaskPathA(task, "/~actions/delete-element-value-document")
	one := func(id uuid.UUID) string { return `{"documentId":"` + id.String() + `"}` }
	left := apitest.Decode[oasa.Task](t, s.Post(200, demo.Alice(), remove, one(added.ID))).ElementValues
	require.Len(t, left["PHOTO"], 1)
	require.Len(t, left["PLAN"], 1)
	s.Refused(404, "NOT_FOUND", demo.Alice(), "POST", remove, one(added.ID))
	s.Get(404, demo.Alice(), apitest.TaskPathA(task, "/~actions/download-element-value-document?documentId="+added.ID.String()))
	left = apitest.Decode[oasa.Task](t, s.Post(200, demo.Alice(), remove, one(apitest.DocumentIn(t, plans[0]).ID))).ElementValues
	require.NotContains(t, left, "PLAN")
	s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.DeleteElementAction), `{"elementDefinitionCode":"PHOTO"}`)
	require.Zero(t, documentsKept(s))
	require.Zero(t, s.Count("SELECT count(*) FROM document_links"))
}

func TestDocumentsOfElementsByReference(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	surveys := s.Surveys()
	process := *s.Survey(surveys, "").ID
	source := *s.Visit(process, "VISIT", "").ID
	original := apitest.DocumentIn(t, s.UploadPhoto(demo.Alice(), source, "one", nil).ElementValues["PHOTO"][0])
	byURI := func(uri string) string { return `{"type":"DOCUMENT","value":{"uri":"` + uri + `"}}` }
	file, ok := kuflowref.ParseFile(original.URI)
	require.True(t, ok)

	// A new task gets a copy, in this process as in another one, by either form.
	for _, target := range []uuid.UUID{process, *s.Survey(surveys, "").ID} {
		for _, uri := range []string{original.URI, file.URI} {
			made := s.Visit(target, "VISIT", `,"elementValues":{"PHOTO":[`+byURI(uri)+`],"NOTE":[`+byURI(uri)+`]}`)
			copied := apitest.DocumentIn(t, made.ElementValues["PHOTO"][0])
			require.NotEqual(t, original.ID, copied.ID)
			require.NotEqual(t, original.URI, copied.URI)
			require.Equal(t, "one", s.Photo(*made.ID, copied.ID))
			require.False(t, *made.ElementValues["NOTE"][0].Valid, "it is of another type than the element")
		}
	}
	require.Equal(t, 9, documentsKept(s))

	// Saving values of the element itself keeps them, in the new order.
	task := *s.Visit(process, "VISIT", "").ID
	saved := apitest.Decode[oasa.Task](t, s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction),
		apitest.SaveElement("PHOTO", "["+byURI(original.URI)+","+byURI(original.URI)+"]")))
	copies := documentsIn(t, saved.ElementValues["PHOTO"])
	require.NotEqual(t, copies[0].ID, copies[1].ID)
	again := apitest.Decode[oasa.Task](t, s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement("PHOTO",
		`[`+byURI(copies[1].URI)+`,{"type":"DOCUMENT","value":{"id":"`+copies[0].ID.String()+`"}},`+byURI(original.URI)+`]`)))
	require.Equal(t, []apitest.ShownDocument{copies[1], copies[0]}, documentsIn(t, again.ElementValues["PHOTO"])[:2])
	require.Equal(t, 12, documentsKept(s))
	s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement("PHOTO", "["+byURI(copies[1].URI)+"]"))
	require.Equal(t, 10, documentsKept(s), "what is absent is deleted")

	// The copies do not need the original.
	s.Post(200, demo.Alice(), apitest.TaskPathA(source, apitest.DeleteElementAction), `{"elementDefinitionCode":"PHOTO"}`)
	require.Equal(t, "one", s.Photo(task, copies[1].ID))
}

func TestDocumentsOfElementsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	task := *s.Visit(*s.Survey(s.Surveys(), "").ID, "VISIT", "").ID
	foreign := s.Process(demo.OtherWorker(), demo.OtherLoan()).ID
	secret := s.Upload(demo.OtherWorker(), apitest.ProcessPath(foreign, ""), "secret")
	absent := kuflowref.URI{Owner: kuflowref.OwnerProcess, OwnerID: uuid.New(), DocumentID: uuid.New()}.String()
	before := s.Snapshot()
	for value, location := range map[string]string{
		`{"uri":"` + secret + `"}`: "/value/uri", `{"uri":"` + absent + `"}`: "/value/uri", `{"uri":"http://a.example/b"}`: "/value/uri",
		`{}`: "/value/uri", `{"id":"` + uuid.NewString() + `"}`: "/value/uri",
	} {
		failure := s.Refused(400, "VALIDATION", demo.Alice(), "POST", apitest.TaskPathA(task, apitest.SaveElementAction),
			apitest.SaveElement("PHOTO", `[{"type":"DOCUMENT","value":`+value+`}]`))
		require.Equal(t, "/elementValues/0"+location, failure.Errors[0].Location, value)
	}
	failure := s.Refused(400, "VALIDATION", demo.Alice(), "POST", apitest.TaskPathA(task, apitest.SaveElementAction),
		apitest.SaveElement("PHOTO", `[{"type":"DOCUMENT"}]`))
	require.Equal(t, "/elementValues/0/value", failure.Errors[0].Location)
	for code, want := range map[string]struct {
		status int
		code   string
	}{"NOTE": {400, "VALIDATION"}, "REF": {404, "DEFINITION_NOT_FOUND"}} {
		path := apitest.UploadPathA(apitest.TaskPathA(task, ""), "save-element-value-document", url.Values{"elementDefinitionCode": {code}})
		failure := s.Refused(want.status, want.code, demo.Alice(), "POST", path, "text")
		require.Equal(t, "elementDefinitionCode", failure.Errors[0].Location)
	}
	path := apitest.UploadPathA(apitest.TaskPathA(task, ""), "save-element-value-document", url.Values{"elementDefinitionCode": {"PHOTO"}})
	s.Post(413, demo.Alice(), path, strings.Repeat("x", apitest.DocumentLimit+1))
	require.Equal(t, before, s.Snapshot())
}

// Every download of Shape A can be had in parts.
func TestPartsOfADocumentThroughShapeA(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	p := s.PairThroughA(s.Surveys())
	const text = "0123456789"
	photo := apitest.DocumentIn(t, s.UploadPhoto(demo.Alice(), p.Task, text, nil).ElementValues["PHOTO"][0])
	byURI := "?" + url.Values{"documentUri": {s.Upload(demo.Alice(), apitest.ProcessPath(p.Process, ""), text)}}.Encode()
	for _, path := range []string{
		apitest.TaskPathA(p.Task, "/~actions/download-element-value-document?documentId="+photo.ID.String()),
		apitest.TaskPathA(p.Task, "/~actions/download-json-forms-value-document"+byURI),
		apitest.ProcessPathA(p.Process, "/~actions/download-entity-document"+byURI),
	} {
		s.RequireParts(path)
	}
}

// A caller who may read a task but not its process may read the documents of
// the task only.
func TestDocumentsForViewersOfATask(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	p := s.PairThroughA(s.Surveys())
	uri := func(document string) string {
		return apitest.TaskPathA(p.Task, "/~actions/download-json-forms-value-document?") + url.Values{"documentUri": {document}}.Encode()
	}
	elsewhere := s.Upload(demo.Alice(), apitest.ProcessPath(p.Process, ""), "of the process")
	linked := s.Upload(demo.Alice(), apitest.ProcessPath(p.Process, ""), "of the task")
	s.Post(200, demo.Alice(), apitest.TaskPathA(p.Task, "/~actions/save-json-forms-value-data"), `{"data":{"OTHER":"`+linked+`"}}`)
	photo := apitest.DocumentIn(t, s.UploadPhoto(demo.Alice(), p.Task, "a photo", nil).ElementValues["PHOTO"][0])
	conn := s.Connect()
	defer func() { _ = conn.Close(t.Context()) }()
	_, err := conn.Exec(t.Context(), `INSERT INTO item_definition_grants (item_definition_id, permission, grantee_id)
SELECT item_definition_id, 'VIEWER', $2 FROM process_items WHERE id = $1`, p.Task, demo.Carol().ID)
	require.NoError(t, err)

	s.Get(404, demo.Carol(), apitest.ProcessPathA(p.Process, ""))
	s.Get(200, demo.Carol(), apitest.TaskPathA(p.Task, ""))
	require.Equal(t, "of the task", s.Get(200, demo.Carol(), uri(linked)).Body)
	require.Equal(t, "a photo", s.Get(200, demo.Carol(),
		apitest.TaskPathA(p.Task, "/~actions/download-element-value-document?documentId="+photo.ID.String())).Body)
	s.Get(404, demo.Carol(), uri(elsewhere))
	require.Equal(t, "of the process", s.Get(200, demo.Alice(), uri(elsewhere)).Body)
	s.Get(404, demo.Bob(), uri(linked))
}
