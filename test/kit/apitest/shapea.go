package apitest

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// ShownDocument is the value of a document element as clients see it.
type ShownDocument struct {
	ID            uuid.UUID
	URI           string
	Name          string
	ContentPath   string
	ContentType   string
	ContentLength int64
}

// DocumentIn returns the document of a value of an element.
func DocumentIn(t *testing.T, value oasa.ElementValue) ShownDocument {
	t.Helper()
	require.Equal(t, "DOCUMENT", value.Type)
	var d ShownDocument
	require.NoError(t, json.Unmarshal(value.Value, &d))
	return d
}

// Photo returns the text of a document of an element.
func (s *Service) Photo(task, document uuid.UUID) string {
	s.T.Helper()
	return s.Get(200, demo.Alice(), TaskPathA(task, "/~actions/download-element-value-document?documentId="+document.String())).Body
}

// Paths below those of Shape A.
const (
	SaveElementAction   = "/~actions/save-element"
	DeleteElementAction = "/~actions/delete-element"
)

// ProcessPathA returns the path of a process in Shape A; rest is appended.
func ProcessPathA(id uuid.UUID, rest string) string {
	return ShapeA + "/processes/" + id.String() + rest
}

// TaskPathA returns the path of a task in Shape A; rest is appended.
func TaskPathA(id uuid.UUID, rest string) string { return ShapeA + "/tasks/" + id.String() + rest }

// UploadPathA returns the path of an operation of Shape A that takes a document.
func UploadPathA(resource, operation string, more url.Values) string {
	query := url.Values{"fileContentType": {"text/plain"}, "fileName": {"note.txt"}}
	for name, values := range more {
		query[name] = values
	}
	return resource + "/~actions/" + operation + "?" + query.Encode()
}

// UploadPhoto uploads a document into the element PHOTO of a task.
func (s *Service) UploadPhoto(as demo.Account, task uuid.UUID, text string, more url.Values) oasa.Task {
	s.T.Helper()
	query := url.Values{"elementDefinitionCode": {"PHOTO"}}
	for name, values := range more {
		query[name] = values
	}
	path := UploadPathA(TaskPathA(task, ""), "save-element-value-document", query)
	return Decode[oasa.Task](s.T, s.Post(200, as, path, text))
}

// Pair is a survey and a task of it that Alice owns, made through one shape.
type Pair struct{ Process, Task uuid.UUID }

// PairThroughA creates a pair through Shape A.
func (s *Service) PairThroughA(surveys uuid.UUID) Pair {
	s.T.Helper()
	process := *s.Survey(surveys, "").ID
	return Pair{process, *s.Visit(process, "VISIT", "").ID}
}

// Surveys returns a process definition with elements of every type, and with places
// for documents of some types and sizes. Alice and the loan worker manage its
// processes.
func (s *Service) Surveys() uuid.UUID {
	s.T.Helper()
	id := uuid.New()
	s.Define(Identified("demo", "ProcessDefinition", "SURVEY", id, `{"name":"Survey",`+
		`"subjectTemplate":"Survey of {{ CITY }} ({{ SITE.NUMBER }}{{ NONE }})",`+
		`"metadataSchema":{"type":"object"},`+
		`"entitySchema":{"type":"object","required":["NAME"],"properties":{"NAME":{"type":"string"},`+
		`"PLAN":{"type":"string","format":"kuflow-file","accept":"application/pdf,.dwg","maxSize":16},`+
		`"OTHER":{"$ref":"#/$defs/small"}},"$defs":{"small":{"type":"string","format":"kuflow-file","maxSize":4}}},`+
		`"elements":[{"code":"REF","name":"Reference","type":"FIELD","fieldType":"STRING"},`+
		`{"code":"SCORES","name":"Scores","type":"FIELD","fieldType":"NUMBER","multiple":true}],`+
		`"engine":{"workflowType":"SurveyWorkflow","taskQueue":"SURVEYS","runner":"loan-worker","signalShape":"A"},`+
		`"items":[{"code":"VISIT","type":"TASK","name":"Visit",`+
		`"dataSchema":{"type":"object","properties":{"PHOTO":{"type":"string","format":"kuflow-file","accept":["image/*"]}}},`+
		`"elements":[{"code":"NOTE","name":"Note","type":"FIELD"},`+
		`{"code":"RATINGS","name":"Ratings","type":"FIELD","fieldType":"NUMBER","multiple":true},`+
		`{"code":"VERDICT","name":"Verdict","type":"DECISION","options":[{"code":"YES","name":"Yes"},{"code":"NO","name":"No"}]},`+
		`{"code":"PHOTO","name":"Photo","type":"DOCUMENT","multiple":true},`+
		`{"code":"PLAN","name":"Plan","type":"DOCUMENT"},`+
		`{"code":"INSPECTOR","name":"Inspector","type":"PRINCIPAL"},`+
		`{"code":"REPORT","name":"Report","type":"FORM","multiple":true,`+
		`"schema":{"type":"object","properties":{"AGE":{"type":"integer"}},"required":["AGE"]}}],`+
		`"candidates":[{"application":"loan-worker"},{"user":"alice"}]},`+
		`{"code":"SIGN","type":"TASK","name":"Sign","requireValidDataOnComplete":true,`+
		`"elements":[{"code":"NAME","name":"Name","type":"FIELD","mandatory":true},{"code":"AGE","name":"Age","type":"FIELD","fieldType":"NUMBER"}],`+
		`"candidates":[{"application":"loan-worker"}]},`+
		`{"code":"NOTE","type":"MESSAGE","name":"Note"},{"code":"TALK","type":"THREAD","name":"Talk"}],`+
		`"permissions":{"initiators":[{"user":"alice"},{"application":"loan-worker"}],"managers":[{"user":"alice"}]}}`))
	return id
}

// Survey starts a survey through Shape A as Alice; more are members of the body.
func (s *Service) Survey(definition uuid.UUID, more string) oasa.Process {
	s.T.Helper()
	return Decode[oasa.Process](s.T, s.Post(201, demo.Alice(), ShapeA+"/processes",
		`{"processDefinition":{"id":"`+definition.String()+`"}`+more+`}`))
}

// Visit creates a task of a survey through Shape A that Alice owns; more are
// members of the body.
func (s *Service) Visit(process uuid.UUID, code, more string) oasa.Task {
	s.T.Helper()
	return Decode[oasa.Task](s.T, s.Post(201, demo.LoanWorker(), ShapeA+"/tasks",
		`{"processId":"`+process.String()+`","taskDefinition":{"code":"`+code+`"},"owner":{"id":"`+
			demo.Alice().ID.String()+`"}`+more+`}`))
}

// SaveElement returns the body that saves values of an element.
func SaveElement(code, values string) string {
	return `{"elementDefinitionCode":"` + code + `","elementValues":` + values + `}`
}
