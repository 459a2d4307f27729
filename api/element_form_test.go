package api_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// report is the body that saves a form that refers to something.
func report(reference string) string {
	return saveElement("REPORT", `[{"type":"OBJECT","value":{"AGE":1,"AT":["`+reference+`"]}}]`)
}

// referenceIn is the reference in the first form of a task, and whether the form is
// valid.
func referenceIn(t *testing.T, task oasa.Task) (string, bool) {
	t.Helper()
	value := task.ElementValues["REPORT"][0]
	return decode[struct{ AT []string }](t, answer{body: string(value.Value)}).AT[0], *value.Valid
}

func TestReferencesInForms(t *testing.T) {
	t.Parallel()
	s := newService(t)
	surveys := s.surveys()
	process, other := *s.survey(surveys, "").ID, *s.survey(surveys, "").ID
	task := *s.visit(process, "VISIT", "").ID
	save := func(reference string) (string, bool) {
		return referenceIn(t, decode[oasa.Task](t, s.post(200, demo.Alice(), taskPathA(task, saveElementAction), report(reference))))
	}
	text := func(uri string) string {
		return s.get(200, demo.Alice(), taskPathA(task, "/~actions/download-json-forms-value-document?"+
			url.Values{"documentUri": {uri}}.Encode())).body
	}
	own := s.upload(demo.Alice(), processPath(process, ""), "own")
	stored, valid := save(own)
	require.Equal(t, own, stored)
	require.True(t, valid)
	s.post(200, demo.Alice(), taskPathA(task, saveElementAction), saveElement("NOTE", `[{"type":"STRING","value":"n"}]`))
	s.later(48 * time.Hour)
	require.Equal(t, "own", text(own), "the form keeps it")

	foreign := s.upload(demo.Alice(), processPath(other, ""), "foreign")
	stored, valid = save(foreign)
	require.True(t, valid)
	require.NotEqual(t, foreign, stored)
	require.Equal(t, "foreign", text(stored), "a copy of its own")
	s.requireExpiring(own, 24*time.Hour)
	s.requireKept(stored)

	absent := "kuflow-file:uri=ku:process/" + process.String() + "/document/" + uuid.NewString() + ";type=text/plain;size=1;name=a;"
	kept, valid := save(absent)
	require.Equal(t, absent, kept)
	require.False(t, valid)
	s.requireExpiring(stored, 24*time.Hour)

	made := s.visit(process, "VISIT", `,"elementValues":{"REPORT":[{"type":"OBJECT","value":{"AGE":1,"AT":["`+
		s.upload(demo.LoanWorker(), processPath(process, ""), "new")+`"]}}]}`)
	stored, valid = referenceIn(t, made)
	require.True(t, valid)
	s.requireKept(stored)
	s.post(200, demo.Alice(), taskPathA(*made.ID, deleteElementAction), `{"elementDefinitionCode":"REPORT"}`)
	s.requireExpiring(stored, 24*time.Hour)
}

// A form is held against its schema with what it refers to, and the keyword of
// updates counts when it is saved again.
func TestFormsAgainstTheirSchema(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := uuid.New()
	s.define(identified("demo", "ProcessDefinition", "FORMS", id, `{"name":"Forms","items":[{"code":"FILL","type":"TASK","name":"Fill",`+
		`"elements":[{"code":"REPORT","name":"Report","type":"FORM","schema":{"type":"object","requiredOnUpdate":["WHY"],`+
		`"properties":{"BOSS":{"type":"string","format":"kuflow-principal"}}}}],"candidates":[{"user":"alice"}]}],`+
		`"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	process := s.process(demo.Alice(), id).ID
	task := decode[oasa.Task](t, s.post(201, demo.Alice(), shapeA+"/tasks", `{"processId":"`+process.String()+
		`","taskDefinition":{"code":"FILL"},"elementValues":{"REPORT":[{"type":"OBJECT","value":{}}]}}`))
	require.True(t, *task.ElementValues["REPORT"][0].Valid)
	for value, valid := range map[string]bool{
		`{}`: false, `{"WHY":1}`: true,
		`{"WHY":1,"BOSS":"kuflow-principal:id=` + demo.Bob().ID.String() + `;type=USER;name=Bob;"}`: true,
		`{"WHY":1,"BOSS":"kuflow-principal:id=` + uuid.NewString() + `;type=USER;name=Bob;"}`:       false,
	} {
		saved := decode[oasa.Task](t, s.post(200, demo.Alice(), taskPathA(*task.ID, saveElementAction),
			saveElement("REPORT", `[{"type":"OBJECT","value":`+value+`}]`)))
		require.Equal(t, valid, *saved.ElementValues["REPORT"][0].Valid, value)
	}
}
