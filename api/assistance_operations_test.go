package api_test

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// withReports completes a fixture by values of a form element, which as saves.
func (f fixture) withReports(s *apitest.Service, as demo.Account) fixture {
	s.T.Helper()
	s.SaveReports(as, f.task, `{"FINDINGS":"First","DONE":true}`, `{"FINDINGS":"Second","DONE":false}`)
	return f
}

// withAssistance completes a fixture by a run of assistance, which as asks for.
func (f fixture) withAssistance(s *apitest.Service, as demo.Account) fixture {
	s.T.Helper()
	f.assistance = uuid.New()
	require.Equal(s.T, f.assistance, s.Assist(202, as, f.task, f.assistance).RequestID)
	return f
}

// assistanceOperations returns the valid requests about assistance and forms.
func (f fixture) assistanceOperations() map[string]operation {
	of := func(method, rest, body string) operation {
		return operation{method: method, path: apitest.ItemPath(f.task, rest), body: body, byID: true}
	}
	return map[string]operation{
		"B.retrieveProcessItemAiAssistance":               of(http.MethodGet, apitest.AssistanceAction, ""),
		"B.generateProcessItemAiAssistance":               of(http.MethodPost, apitest.AssistanceAction, apitest.AssistanceBody(f.assistance)),
		"B.downloadProcessItemTaskDataWebformsAsDocument": of(http.MethodGet, apitest.FormsAction+"?propertyPath=", ""),
	}
}
