package api_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/internal/testkit/contracttest"
)

const saveElementAction, deleteElementAction = "/~actions/save-element", "/~actions/delete-element"

// Values of elements of every type are returned as they were sent, with the
// properties that the definition adds.
func TestValuesOfElements(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := *s.survey(s.surveys(), "").ID
	task := *s.visit(process, "VISIT", "").ID
	bob, worker := demo.Bob().ID.String(), demo.LoanWorker().ID.String()
	for name, c := range map[string]struct{ code, given, want string }{
		"string":               {"NOTE", `[{"type":"STRING","value":"<a> & é"}]`, `[{"valid":true,"type":"STRING","value":"<a> & é"}]`},
		"empty string":         {"NOTE", `[{"type":"STRING","value":""}]`, `[{"valid":true,"type":"STRING","value":""}]`},
		"no value":             {"NOTE", `[{"type":"STRING"}]`, `[{"valid":true,"type":"STRING"}]`},
		"not valid for client": {"NOTE", `[{"valid":false,"type":"STRING","value":"n"}]`, `[{"valid":false,"type":"STRING","value":"n"}]`},
		"number for a string":  {"NOTE", `[{"valid":true,"type":"NUMBER","value":1.50}]`, `[{"valid":false,"type":"NUMBER","value":1.50}]`},
		"object for a string":  {"NOTE", `[{"type":"OBJECT","value":{"A":1}}]`, `[{"valid":false,"type":"OBJECT","value":{"A":1}}]`},
		"numbers": {
			"RATINGS", `[{"type":"NUMBER","value":-0},{"type":"NUMBER","value":1E22},{"type":"NUMBER","value":12345678901234567890}]`,
			`[{"valid":true,"type":"NUMBER","value":-0},{"valid":true,"type":"NUMBER","value":1E22},{"valid":true,"type":"NUMBER","value":12345678901234567890}]`,
		},
		"type after the value": {"RATINGS", `[{"value":1.0,"type":"NUMBER","valid":true}]`, `[{"valid":true,"type":"NUMBER","value":1.0}]`},
		"choice":               {"VERDICT", `[{"type":"STRING","value":"YES"}]`, `[{"valid":true,"type":"STRING","value":"YES"}]`},
		"no choice":            {"VERDICT", `[{"type":"STRING","value":"MAYBE"}]`, `[{"valid":false,"type":"STRING","value":"MAYBE"}]`},
		"forms": {
			"REPORT", `[{"type":"OBJECT","value":{"AGE":7.0,"z":1,"a":2}},{"type":"OBJECT","value":{"AGE":"x"}}]`,
			`[{"valid":true,"type":"OBJECT","value":{"AGE":7.0,"z":1,"a":2}},{"valid":false,"type":"OBJECT","value":{"AGE":"x"}}]`,
		},
		"user": {
			"INSPECTOR", `[{"type":"PRINCIPAL","value":{"id":"` + bob + `","type":"USER","name":"Another"}}]`,
			`[{"valid":true,"type":"PRINCIPAL","value":{"id":"` + bob + `","type":"USER","name":"Bob"}}]`,
		},
		"application as a user": {
			"INSPECTOR", `[{"type":"PRINCIPAL","value":{"id":"` + worker + `","type":"USER"}}]`,
			`[{"valid":false,"type":"PRINCIPAL","value":{"id":"` + worker + `","type":"USER","name":"loan-worker"}}]`,
		},
		"principal of another tenant": {
			"INSPECTOR", `[{"type":"PRINCIPAL","value":{"id":"` + demo.OtherWorker().ID.String() + `","type":"APPLICATION"}}]`,
			`[{"valid":false,"type":"PRINCIPAL","value":{"id":"` + demo.OtherWorker().ID.String() + `","type":"APPLICATION"}}]`,
		},
	} {
		saved := s.post(200, demo.Alice(), taskPathA(task, saveElementAction), saveElement(c.code, c.given))
		require.Contains(t, saved.body, `"`+c.code+`":`+c.want, name)
		require.Equal(t, saved.body, s.get(200, demo.Alice(), taskPathA(task, "")).body, name)
		// Created with them, the same holds.
		created := s.post(201, demo.LoanWorker(), shapeA+"/tasks", `{"processId":"`+process.String()+
			`","taskDefinition":{"code":"VISIT"},"elementValues":{"`+c.code+`":`+c.given+`}}`)
		require.Contains(t, created.body, `"elementValues":{"`+c.code+`":`+c.want+`}`, name)
	}
}

func TestSavingReplacesAndDeletes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := s.survey(s.surveys(), `,"elementValues":{"REF":[{"type":"STRING","value":"R"}],`+
		`"SCORES":[{"type":"NUMBER","value":1},{"type":"NUMBER","value":2}]}`)
	task := *s.visit(*process.ID, "VISIT", `,"elementValues":{"NOTE":[{"type":"STRING","value":"N"}],`+
		`"RATINGS":[{"type":"NUMBER","value":1},{"type":"NUMBER","value":2}]}`).ID
	for path, multiple := range map[string][2]string{
		processPathA(*process.ID, ""): {"SCORES", "REF"}, taskPathA(task, ""): {"RATINGS", "NOTE"},
	} {
		values := func(a answer) map[string][]oasa.ElementValue {
			return decode[struct {
				ElementValues map[string][]oasa.ElementValue
			}](t, a).ElementValues
		}
		require.Len(t, values(s.get(200, demo.Alice(), path))[multiple[0]], 2)
		replaced := values(s.post(200, demo.Alice(), path+saveElementAction,
			saveElement(multiple[0], `[{"type":"NUMBER","value":3}]`)))
		require.JSONEq(t, "3", string(replaced[multiple[0]][0].Value))
		require.Len(t, replaced[multiple[0]], 1)
		require.Len(t, replaced[multiple[1]], 1, "another element stays as it is")

		for _, body := range []string{
			saveElement(multiple[0], "[]"), `{"elementDefinitionCode":"` + multiple[0] + `"}`,
		} {
			require.NotContains(t, values(s.post(200, demo.Alice(), path+saveElementAction, body)), multiple[0])
		}
		require.Empty(t, values(s.post(200, demo.Alice(), path+deleteElementAction,
			`{"elementDefinitionCode":"`+multiple[1]+`"}`)))
		// Deleting again changes nothing.
		before := s.snapshot()
		s.post(200, demo.Alice(), path+deleteElementAction, `{"elementDefinitionCode":"`+multiple[1]+`"}`)
		require.Equal(t, before, s.snapshot())
	}
}

// A body that violates the contract is refused, whatever the definition allows.
func TestElementsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := *s.survey(s.surveys(), "").ID
	task := *s.visit(process, "VISIT", "").ID
	before := s.snapshot()
	for name, c := range map[string]struct {
		path, values string
		location     string
	}{
		"number that is text":       {taskPathA(task, ""), `[{"type":"NUMBER","value":"1"}]`, "/elementValues/0/value"},
		"text that is a number":     {taskPathA(task, ""), `[{"type":"STRING","value":1}]`, "/elementValues/0/value"},
		"object that is a list":     {taskPathA(task, ""), `[{"type":"OBJECT","value":[]}]`, "/elementValues/0/value"},
		"principal without id":      {taskPathA(task, ""), `[{"type":"PRINCIPAL","value":{"type":"USER"}}]`, "/elementValues/0/value/id"},
		"principal of no type":      {taskPathA(task, ""), `[{"type":"PRINCIPAL","value":{"id":"` + uuid.NewString() + `","type":"X"}}]`, "/elementValues/0/value/type"},
		"document that is text":     {taskPathA(task, ""), `[{"type":"DOCUMENT","value":"ku:x"}]`, "/elementValues/0/value"},
		"no type":                   {taskPathA(task, ""), `[{"type":"STRING","value":"a"},{"value":"b"}]`, "/elementValues/1/type"},
		"unknown type":              {taskPathA(task, ""), `[{"type":"DATE","value":"b"}]`, "/elementValues/0/type"},
		"type that is a number":     {taskPathA(task, ""), `[{"type":5,"value":"b"}]`, "/elementValues/0/type"},
		"valid that is text":        {taskPathA(task, ""), `[{"type":"STRING","valid":"yes"}]`, "/elementValues/0/valid"},
		"null":                      {taskPathA(task, ""), `[{"type":"STRING","value":null}]`, "/elementValues/0/value"},
		"document of a process":     {processPathA(process, ""), `[{"type":"DOCUMENT","value":{"uri":"a"}}]`, "/elementValues/0/type"},
		"object of a process":       {processPathA(process, ""), `[{"type":"OBJECT","value":{}}]`, "/elementValues/0/type"},
		"number of a process: text": {processPathA(process, ""), `[{"type":"NUMBER","value":"1"}]`, "/elementValues/0/value"},
	} {
		r := request(t, demo.Alice(), "POST", c.path+saveElementAction, saveElement("NOTE", c.values))
		got := s.send(contracttest.Invalid(r))
		require.Equal(t, 400, got.status, "%s: %s", name, got.body)
		failure := decode[contracttest.ErrorBody](t, got)
		require.Equal(t, c.location, failure.Errors[0].Location, "%s: %s", name, got.body)
	}
	for name, c := range map[string]struct {
		path, body     string
		status         int
		code, location string
	}{
		"two values of one": {
			taskPathA(task, saveElementAction), saveElement("NOTE", `[{"type":"STRING"},{"type":"STRING"}]`), 400, "VALIDATION", "/elementValues",
		},
		"two of one of a process": {
			processPathA(process, saveElementAction), saveElement("REF", `[{"type":"STRING"},{"type":"STRING"}]`), 400, "VALIDATION", "/elementValues",
		},
		"unknown element": {
			taskPathA(task, saveElementAction), saveElement("REF", `[]`), 404, "DEFINITION_NOT_FOUND", "/elementDefinitionCode",
		},
		"unknown element of a process": {
			processPathA(process, saveElementAction), saveElement("NOTE", `[]`), 404, "DEFINITION_NOT_FOUND", "/elementDefinitionCode",
		},
		"unknown element to delete": {
			taskPathA(task, deleteElementAction), `{"elementDefinitionCode":"REF"}`, 404, "DEFINITION_NOT_FOUND", "/elementDefinitionCode",
		},
		"unknown element of a process to delete": {
			processPathA(process, deleteElementAction), `{"elementDefinitionCode":"NOTE"}`, 404, "DEFINITION_NOT_FOUND", "/elementDefinitionCode",
		},
		"unknown element of a new task": {
			shapeA + "/tasks", `{"processId":"` + process.String() + `","taskDefinition":{"code":"VISIT"},"elementValues":{"A/B":[]}}`,
			404, "DEFINITION_NOT_FOUND", "/elementValues/A~1B",
		},
		"two values of one of a new task": {
			shapeA + "/tasks", `{"processId":"` + process.String() + `","taskDefinition":{"code":"VISIT"},` +
				`"elementValues":{"NOTE":[{"type":"STRING"},{"type":"STRING"}]}}`, 400, "VALIDATION", "/elementValues/NOTE",
		},
	} {
		failure := s.refused(c.status, c.code, demo.Alice(), "POST", c.path, c.body)
		require.Equal(t, c.location, failure.Errors[0].Location, name)
	}
	require.Equal(t, before, s.snapshot())
}

func TestElementsOfWhatIsFinished(t *testing.T) {
	t.Parallel()
	s := newService(t)
	surveys := s.surveys()
	process := *s.survey(surveys, "").ID
	done, left := *s.visit(process, "VISIT", "").ID, *s.visit(process, "VISIT", "").ID
	note, ref := saveElement("NOTE", `[{"type":"STRING","value":"N"}]`), saveElement("REF", `[{"type":"STRING","value":"R"}]`)
	s.post(200, demo.Alice(), taskPathA(done, "/~actions/complete"), "")
	s.refused(409, "INVALID_STATE", demo.Alice(), "POST", taskPathA(done, saveElementAction), note)
	s.refused(409, "INVALID_STATE", demo.Alice(), "POST", taskPathA(done, deleteElementAction), `{"elementDefinitionCode":"NOTE"}`)

	s.post(200, demo.Alice(), processPathA(process, "/~actions/complete"), "")
	s.refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", processPathA(process, saveElementAction), ref)
	s.refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", processPathA(process, deleteElementAction), `{"elementDefinitionCode":"REF"}`)
	s.post(200, demo.Alice(), taskPathA(left, saveElementAction), note)
	s.post(200, demo.Alice(), taskPathA(left, deleteElementAction), `{"elementDefinitionCode":"NOTE"}`)
	s.refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", shapeA+"/tasks",
		`{"processId":"`+process.String()+`","taskDefinition":{"code":"VISIT"}}`)
}

// A task is completed with all of its mandatory elements only, and where its
// definition asks for valid data with valid ones; both shapes see to it.
func TestCompletingWithElements(t *testing.T) {
	t.Parallel()
	s := newService(t)
	process := *s.survey(s.surveys(), "").ID
	for _, complete := range []string{shapeA + "/tasks/%/~actions/complete", "/process-items/%/task/~actions/complete"} {
		task := *s.visit(process, "SIGN", "").ID
		path := replaced(complete, task)
		s.refused(409, "TASK_DATA_INVALID", demo.Alice(), "POST", path, "")
		s.post(200, demo.Alice(), taskPathA(task, saveElementAction), saveElement("NAME", `[{"type":"STRING"}]`))
		s.refused(409, "TASK_DATA_INVALID", demo.Alice(), "POST", path, "")
		s.post(200, demo.Alice(), taskPathA(task, saveElementAction), saveElement("NAME", `[{"type":"STRING","value":"A"}]`))
		s.post(200, demo.Alice(), taskPathA(task, saveElementAction), saveElement("AGE", `[{"type":"STRING","value":"A"}]`))
		s.refused(409, "TASK_DATA_INVALID", demo.Alice(), "POST", path, "")
		s.post(200, demo.Alice(), taskPathA(task, saveElementAction), saveElement("AGE", `[{"type":"NUMBER","value":7}]`))
		s.post(200, demo.Alice(), path, "")
	}
	// Elsewhere values that are not valid are no obstacle.
	task := *s.visit(process, "VISIT", `,"elementValues":{"NOTE":[{"type":"NUMBER","value":7}]}`).ID
	s.post(200, demo.Alice(), taskPathA(task, "/~actions/complete"), "")
}
