package api_test

import (
	"github.com/google/uuid"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// surveys is a process definition with elements of every type, and with places
// for documents of some types and sizes. Alice and the loan worker manage its
// processes.
func (s *service) surveys() uuid.UUID {
	s.t.Helper()
	id := uuid.New()
	s.define(identified("demo", "ProcessDefinition", "SURVEY", id, `{"name":"Survey",`+
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

// survey starts a survey through Shape A as Alice; more are members of the body.
func (s *service) survey(definition uuid.UUID, more string) oasa.Process {
	s.t.Helper()
	return decode[oasa.Process](s.t, s.post(201, demo.Alice(), shapeA+"/processes",
		`{"processDefinition":{"id":"`+definition.String()+`"}`+more+`}`))
}

// visit creates a task of a survey through Shape A that Alice owns; more are
// members of the body.
func (s *service) visit(process uuid.UUID, code, more string) oasa.Task {
	s.t.Helper()
	return decode[oasa.Task](s.t, s.post(201, demo.LoanWorker(), shapeA+"/tasks",
		`{"processId":"`+process.String()+`","taskDefinition":{"code":"`+code+`"},"owner":{"id":"`+
			demo.Alice().ID.String()+`"}`+more+`}`))
}

// saveElement is the body that saves values of an element.
func saveElement(code, values string) string {
	return `{"elementDefinitionCode":"` + code + `","elementValues":` + values + `}`
}
