package shapea_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// report returns the body that saves a form that refers to something.
func report(reference string) string {
	return apitest.SaveElement("REPORT", `[{"type":"OBJECT","value":{"AGE":1,"AT":["`+reference+`"]}}]`)
}

// referenceIn returns the reference in the first form of a task, and whether the form is
// valid.
func referenceIn(t *testing.T, task oasa.Task) (string, bool) {
	t.Helper()
	value := task.ElementValues["REPORT"][0]
	return apitest.Decode[struct{ AT []string }](t, apitest.Answer{Body: string(value.Value)}).AT[0], *value.Valid
}

func TestReferencesInForms(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	surveys := s.Surveys()
	process, other := *s.Survey(surveys, "").ID, *s.Survey(surveys, "").ID
	task := *s.Visit(process, "VISIT", "").ID
	save := func(reference string) (string, bool) {
		return referenceIn(t, apitest.Decode[oasa.Task](t, s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), report(reference))))
	}
	text := func(uri string) string {
		return s.Get(200, demo.Alice(), apitest.TaskPathA(task, "/~actions/download-json-forms-value-document?"+
			url.Values{"documentUri": {uri}}.Encode())).Body
	}
	own := s.Upload(demo.Alice(), apitest.ProcessPath(process, ""), "own")
	stored, valid := save(own)
	require.Equal(t, own, stored)
	require.True(t, valid)
	s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement("NOTE", `[{"type":"STRING","value":"n"}]`))
	s.Later(48 * time.Hour)
	require.Equal(t, "own", text(own), "the form keeps it")

	foreign := s.Upload(demo.Alice(), apitest.ProcessPath(other, ""), "foreign")
	stored, valid = save(foreign)
	require.True(t, valid)
	require.NotEqual(t, foreign, stored)
	require.Equal(t, "foreign", text(stored), "a copy of its own")
	s.RequireExpiring(own, 24*time.Hour)
	s.RequireKept(stored)

	absent := "kuflow-file:uri=ku:process/" + process.String() + "/document/" + uuid.NewString() + ";type=text/plain;size=1;name=a;"
	kept, valid := save(absent)
	require.Equal(t, absent, kept)
	require.False(t, valid)
	s.RequireExpiring(stored, 24*time.Hour)

	made := s.Visit(process, "VISIT", `,"elementValues":{"REPORT":[{"type":"OBJECT","value":{"AGE":1,"AT":["`+
		s.Upload(demo.LoanWorker(), apitest.ProcessPath(process, ""), "new")+`"]}}]}`)
	stored, valid = referenceIn(t, made)
	require.True(t, valid)
	s.RequireKept(stored)
	s.Post(200, demo.Alice(), apitest.TaskPathA(*made.ID, apitest.DeleteElementAction), `{"elementDefinitionCode":"REPORT"}`)
	s.RequireExpiring(stored, 24*time.Hour)
}

// A form is validated against its schema with references, and the keyword for updates
// applies when it is saved again.
func TestFormsAreValidatedAgainstTheirSchema(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	id := uuid.New()
	s.Define(apitest.Identified("demo", "ProcessDefinition", "FORMS", id, `{"name":"Forms","items":[{"code":"FILL","type":"TASK","name":"Fill",`+
		`"elements":[{"code":"REPORT","name":"Report","type":"FORM","schema":{"type":"object","requiredOnUpdate":["WHY"],`+
		`"properties":{"BOSS":{"type":"string","format":"kuflow-principal"}}}}],"candidates":[{"user":"alice"}]}],`+
		`"permissions":{"initiators":[{"user":"alice"}],"managers":[{"user":"alice"}]}}`))
	process := s.Process(demo.Alice(), id).ID
	task := apitest.Decode[oasa.Task](t, s.Post(201, demo.Alice(), apitest.ShapeA+"/tasks", `{"processId":"`+process.String()+
		`","taskDefinition":{"code":"FILL"},"elementValues":{"REPORT":[{"type":"OBJECT","value":{}}]}}`))
	require.True(t, *task.ElementValues["REPORT"][0].Valid)
	for value, valid := range map[string]bool{
		`{}`: false, `{"WHY":1}`: true,
		`{"WHY":1,"BOSS":"kuflow-principal:id=` + demo.Bob().ID.String() + `;type=USER;name=Bob;"}`: true,
		`{"WHY":1,"BOSS":"kuflow-principal:id=` + uuid.NewString() + `;type=USER;name=Bob;"}`:       false,
	} {
		saved := apitest.Decode[oasa.Task](t, s.Post(200, demo.Alice(), apitest.TaskPathA(*task.ID, apitest.SaveElementAction),
			apitest.SaveElement("REPORT", `[{"type":"OBJECT","value":`+value+`}]`)))
		require.Equal(t, valid, *saved.ElementValues["REPORT"][0].Valid, value)
	}
}
