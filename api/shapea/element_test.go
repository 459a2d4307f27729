package shapea_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// Values of elements of every type are returned as they were sent, with the
// properties that the definition adds.
func TestValuesOfElements(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := *s.Survey(s.Surveys(), "").ID
	task := *s.Visit(process, "VISIT", "").ID
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
		saved := s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement(c.code, c.given))
		require.Contains(t, saved.Body, `"`+c.code+`":`+c.want, name)
		require.Equal(t, saved.Body, s.Get(200, demo.Alice(), apitest.TaskPathA(task, "")).Body, name)
		// Created with them, the same holds.
		created := s.Post(201, demo.LoanWorker(), apitest.ShapeA+"/tasks", `{"processId":"`+process.String()+
			`","taskDefinition":{"code":"VISIT"},"elementValues":{"`+c.code+`":`+c.given+`}}`)
		require.Contains(t, created.Body, `"elementValues":{"`+c.code+`":`+c.want+`}`, name)
	}
}

func TestSavingReplacesAndDeletes(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := s.Survey(s.Surveys(), `,"elementValues":{"REF":[{"type":"STRING","value":"R"}],`+
		`"SCORES":[{"type":"NUMBER","value":1},{"type":"NUMBER","value":2}]}`)
	task := *s.Visit(*process.ID, "VISIT", `,"elementValues":{"NOTE":[{"type":"STRING","value":"N"}],`+
		`"RATINGS":[{"type":"NUMBER","value":1},{"type":"NUMBER","value":2}]}`).ID
	for path, multiple := range map[string][2]string{
		apitest.ProcessPathA(*process.ID, ""): {"SCORES", "REF"}, apitest.TaskPathA(task, ""): {"RATINGS", "NOTE"},
	} {
		values := func(a apitest.Answer) map[string][]oasa.ElementValue {
			return apitest.Decode[struct {
				ElementValues map[string][]oasa.ElementValue
			}](t, a).ElementValues
		}
		require.Len(t, values(s.Get(200, demo.Alice(), path))[multiple[0]], 2)
		replaced := values(s.Post(200, demo.Alice(), path+apitest.SaveElementAction,
			apitest.SaveElement(multiple[0], `[{"type":"NUMBER","value":3}]`)))
		require.JSONEq(t, "3", string(replaced[multiple[0]][0].Value))
		require.Len(t, replaced[multiple[0]], 1)
		require.Len(t, replaced[multiple[1]], 1, "another element stays as it is")

		for _, body := range []string{
			apitest.SaveElement(multiple[0], "[]"), `{"elementDefinitionCode":"` + multiple[0] + `"}`,
		} {
			require.NotContains(t, values(s.Post(200, demo.Alice(), path+apitest.SaveElementAction, body)), multiple[0])
		}
		require.Empty(t, values(s.Post(200, demo.Alice(), path+apitest.DeleteElementAction,
			`{"elementDefinitionCode":"`+multiple[1]+`"}`)))
		// Deleting again makes no change.
		before := s.Snapshot()
		s.Post(200, demo.Alice(), path+apitest.DeleteElementAction, `{"elementDefinitionCode":"`+multiple[1]+`"}`)
		require.Equal(t, before, s.Snapshot())
	}
}

// A body that violates the contract is refused, whatever the definition allows.
func TestElementsThatAreRefused(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	s := apitest.NewService(t)
	process := *s.Survey(s.Surveys(), "").ID
	task := *s.Visit(process, "VISIT", "").ID
	before := s.Snapshot()
	for name, c := range map[string]struct {
		path, values string
		location     string
	}{
		"number that is text":       {apitest.TaskPathA(task, ""), `[{"type":"NUMBER","value":"1"}]`, "/elementValues/0/value"},
		"text that is a number":     {apitest.TaskPathA(task, ""), `[{"type":"STRING","value":1}]`, "/elementValues/0/value"},
		"object that is a list":     {apitest.TaskPathA(task, ""), `[{"type":"OBJECT","value":[]}]`, "/elementValues/0/value"},
		"principal without id":      {apitest.TaskPathA(task, ""), `[{"type":"PRINCIPAL","value":{"type":"USER"}}]`, "/elementValues/0/value/id"},
		"principal of no type":      {apitest.TaskPathA(task, ""), `[{"type":"PRINCIPAL","value":{"id":"` + uuid.NewString() + `","type":"X"}}]`, "/elementValues/0/value/type"},
		"document that is text":     {apitest.TaskPathA(task, ""), `[{"type":"DOCUMENT","value":"ku:x"}]`, "/elementValues/0/value"},
		"no type":                   {apitest.TaskPathA(task, ""), `[{"type":"STRING","value":"a"},{"value":"b"}]`, "/elementValues/1/type"},
		"unknown type":              {apitest.TaskPathA(task, ""), `[{"type":"DATE","value":"b"}]`, "/elementValues/0/type"},
		"type that is a number":     {apitest.TaskPathA(task, ""), `[{"type":5,"value":"b"}]`, "/elementValues/0/type"},
		"valid that is text":        {apitest.TaskPathA(task, ""), `[{"type":"STRING","valid":"yes"}]`, "/elementValues/0/valid"},
		"null element":              {apitest.TaskPathA(task, ""), `[null]`, "/elementValues/0"},
		"document of a process":     {apitest.ProcessPathA(process, ""), `[{"type":"DOCUMENT","value":{"uri":"a"}}]`, "/elementValues/0/type"},
		"object of a process":       {apitest.ProcessPathA(process, ""), `[{"type":"OBJECT","value":{}}]`, "/elementValues/0/type"},
		"number of a process: text": {apitest.ProcessPathA(process, ""), `[{"type":"NUMBER","value":"1"}]`, "/elementValues/0/value"},
	} {
		r := apitest.Request(t, demo.Alice(), "POST", c.path+apitest.SaveElementAction, apitest.SaveElement("NOTE", c.values))
		got := s.Send(contracttest.Invalid(r))
		require.Equal(t, 400, got.Status, "%s: %s", name, got.Body)
		failure := apitest.Decode[contracttest.ErrorBody](t, got)
		require.Equal(t, c.location, failure.Errors[0].Location, "%s: %s", name, got.Body)
	}
	for name, c := range map[string]struct {
		path, body     string
		status         int
		code, location string
	}{
		"two values of one": {
			apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement("NOTE", `[{"type":"STRING"},{"type":"STRING"}]`), 400, "VALIDATION", "/elementValues",
		},
		"two of one of a process": {
			apitest.ProcessPathA(process, apitest.SaveElementAction), apitest.SaveElement("REF", `[{"type":"STRING"},{"type":"STRING"}]`), 400, "VALIDATION", "/elementValues",
		},
		"unknown element": {
			apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement("REF", `[]`), 404, "DEFINITION_NOT_FOUND", "/elementDefinitionCode",
		},
		"unknown element of a process": {
			apitest.ProcessPathA(process, apitest.SaveElementAction), apitest.SaveElement("NOTE", `[]`), 404, "DEFINITION_NOT_FOUND", "/elementDefinitionCode",
		},
		"unknown element to delete": {
			apitest.TaskPathA(task, apitest.DeleteElementAction), `{"elementDefinitionCode":"REF"}`, 404, "DEFINITION_NOT_FOUND", "/elementDefinitionCode",
		},
		"unknown element of a process to delete": {
			apitest.ProcessPathA(process, apitest.DeleteElementAction), `{"elementDefinitionCode":"NOTE"}`, 404, "DEFINITION_NOT_FOUND", "/elementDefinitionCode",
		},
		"unknown element of a new task": {
			apitest.ShapeA + "/tasks", `{"processId":"` + process.String() + `","taskDefinition":{"code":"VISIT"},"elementValues":{"A/B":[]}}`,
			404, "DEFINITION_NOT_FOUND", "/elementValues/A~1B",
		},
		"two values of one of a new task": {
			apitest.ShapeA + "/tasks", `{"processId":"` + process.String() + `","taskDefinition":{"code":"VISIT"},` +
				`"elementValues":{"NOTE":[{"type":"STRING"},{"type":"STRING"}]}}`, 400, "VALIDATION", "/elementValues/NOTE",
		},
	} {
		failure := s.Refused(c.status, c.code, demo.Alice(), "POST", c.path, c.body)
		require.Equal(t, c.location, failure.Errors[0].Location, name)
	}
	require.Equal(t, before, s.Snapshot())
}

func TestElementsOfFinishedResources(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	surveys := s.Surveys()
	process := *s.Survey(surveys, "").ID
	done, left := *s.Visit(process, "VISIT", "").ID, *s.Visit(process, "VISIT", "").ID
	note, ref := apitest.SaveElement("NOTE", `[{"type":"STRING","value":"N"}]`), apitest.SaveElement("REF", `[{"type":"STRING","value":"R"}]`)
	s.Post(200, demo.Alice(), apitest.TaskPathA(done, "/~actions/complete"), "")
	s.Refused(409, "INVALID_STATE", demo.Alice(), "POST", apitest.TaskPathA(done, apitest.SaveElementAction), note)
	s.Refused(409, "INVALID_STATE", demo.Alice(), "POST", apitest.TaskPathA(done, apitest.DeleteElementAction), `{"elementDefinitionCode":"NOTE"}`)

	s.Post(200, demo.Alice(), apitest.ProcessPathA(process, "/~actions/complete"), "")
	s.Refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", apitest.ProcessPathA(process, apitest.SaveElementAction), ref)
	s.Refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", apitest.ProcessPathA(process, apitest.DeleteElementAction), `{"elementDefinitionCode":"REF"}`)
	s.Post(200, demo.Alice(), apitest.TaskPathA(left, apitest.SaveElementAction), note)
	s.Post(200, demo.Alice(), apitest.TaskPathA(left, apitest.DeleteElementAction), `{"elementDefinitionCode":"NOTE"}`)
	s.Refused(403, "PROCESS_FINISHED", demo.Alice(), "POST", apitest.ShapeA+"/tasks",
		`{"processId":"`+process.String()+`","taskDefinition":{"code":"VISIT"}}`)
}

// A task is completed with all of its mandatory elements only, and where its
// definition asks for valid data with valid ones; both shapes see to it.
func TestCompletingWithElements(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	process := *s.Survey(s.Surveys(), "").ID
	missing := []contracttest.ErrorInfo{{Code: "TASK_DATA_INVALID", Message: "is mandatory", Location: "/NAME"}}
	wrong := func(element string) []contracttest.ErrorInfo {
		return []contracttest.ErrorInfo{{Code: "TASK_DATA_INVALID", Message: "is not valid", Location: element}}
	}
	for _, complete := range []string{apitest.ShapeA + "/tasks/%/~actions/complete", "/process-items/%/task/~actions/complete"} {
		task := *s.Visit(process, "SIGN", "").ID
		path := replaced(complete, task)
		require.Equal(t, missing, s.Refused(409, "TASK_DATA_INVALID", demo.Alice(), "POST", path, "").Errors)
		s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement("NAME", `[{"type":"STRING"}]`))
		require.Equal(t, wrong("/NAME"), s.Refused(409, "TASK_DATA_INVALID", demo.Alice(), "POST", path, "").Errors)
		s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement("NAME", `[{"type":"STRING","value":"A"}]`))
		s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement("AGE", `[{"type":"STRING","value":"A"}]`))
		require.Equal(t, wrong("/AGE"), s.Refused(409, "TASK_DATA_INVALID", demo.Alice(), "POST", path, "").Errors)
		s.Post(200, demo.Alice(), apitest.TaskPathA(task, apitest.SaveElementAction), apitest.SaveElement("AGE", `[{"type":"NUMBER","value":7}]`))
		s.Post(200, demo.Alice(), path, "")
	}
	// Elsewhere values that are not valid are no obstacle.
	task := *s.Visit(process, "VISIT", `,"elementValues":{"NOTE":[{"type":"NUMBER","value":7}]}`).ID
	s.Post(200, demo.Alice(), apitest.TaskPathA(task, "/~actions/complete"), "")
}
