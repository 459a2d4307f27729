package api_test

import (
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// withPhoto completes a fixture by a document of an element, which as uploads.
func (f fixture) withPhoto(s *apitest.Service, as demo.Account) fixture {
	s.T.Helper()
	photos := s.UploadPhoto(as, f.task, "a photo", nil).ElementValues["PHOTO"]
	require.Len(s.T, photos, 1)
	f.photo = apitest.DocumentIn(s.T, photos[0]).ID
	return f
}

// processOperationsOfShapeA returns valid requests of the operations on processes and of
// the operations without a resource.
func (f fixture) processOperationsOfShapeA() map[string]operation {
	process := apitest.ShapeA + "/processes/" + f.process.String()
	of := func(method, rest, body string) operation {
		return operation{method: method, path: process + rest, body: body, byID: true}
	}
	upload := func(operation string, more url.Values) string {
		return apitest.UploadPathA("", operation, more)
	}
	const post, get = http.MethodPost, http.MethodGet
	return map[string]operation{
		"A.findProcesses": {method: get, path: apitest.ShapeA + "/processes?sort=createdAt%2Cdesc"},
		"A.createProcess": {method: post, path: apitest.ShapeA + "/processes", body: `{"id":"` + uuid.NewString() +
			`","subject":"A loan","processDefinition":{"id":"` + demo.Loan().String() + `"},"tenantId":"` + f.tenant.String() +
			`","elementValues":{"REF":[{"valid":true,"type":"STRING","value":"R"}],"SCORES":[{"type":"NUMBER","value":1.50}]},` +
			`"entity":{"valid":false,"data":{"A":1}},"initiator":{"user":{"email":"bob@demo.example"}}}`},
		"A.retrieveProcess": of(get, "", ""),
		"A.actionsProcessChangeInitiator": of(post, "/~actions/change-initiator",
			`{"principalId":"`+demo.Bob().ID.String()+`","email":"bob@demo.example"}`),
		"A.actionsProcessSaveElement": of(post, "/~actions/save-element",
			`{"elementDefinitionCode":"REF","elementValues":[{"type":"STRING","value":"R"}]}`),
		"A.actionsProcessDeleteElement": of(post, "/~actions/delete-element", `{"elementDefinitionCode":"REF"}`),
		"A.actionsProcessComplete":      of(post, "/~actions/complete", ""),
		"A.actionsProcessCancel":        of(post, "/~actions/cancel", ""),
		"A.actionsProcessSaveUserActionValueDocument": of(post, upload("save-user-action-value-document",
			url.Values{"userActionValueId": {f.action.String()}}), "text"),
		"A.actionsProcessSaveEntityData": of(post, "/~actions/save-entity-data", `{"data":{"A":1}}`),
		"A.actionsProcessSaveEntityDocument": of(post, upload("save-entity-document",
			url.Values{"schemaPath": {"#/properties/A"}}), "text"),
		"A.actionsProcessDownloadEntityDocument": of(get,
			"/~actions/download-entity-document?"+url.Values{"documentUri": {f.document}}.Encode(), ""),
		"A.createWorker": {method: post, path: apitest.ShapeA + "/workers", body: `{"identity":"w","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"h",` +
			`"ip":"127.0.0.1","workflowTypes":["W"],"activityTypes":["A"],"robotIds":[]}`},
		"A.createAuthentication": {method: post, path: apitest.ShapeA + "/authentications", body: `{"type":"ENGINE"}`},
	}
}

// taskOperationsOfShapeA returns valid requests about tasks.
func (f fixture) taskOperationsOfShapeA() map[string]operation {
	task := apitest.ShapeA + "/tasks/" + f.task.String()
	of := func(method, rest, body string) operation {
		return operation{method: method, path: task + rest, body: body, byID: true}
	}
	const post, get = http.MethodPost, http.MethodGet
	return map[string]operation{
		"A.findTasks": {method: get, path: apitest.ShapeA + "/tasks?state=READY&taskDefinitionCode=LOAN_APPLICATION&sort=claimedAt"},
		"A.createTask": {method: post, path: apitest.ShapeA + "/tasks", body: `{"processId":"` + f.process.String() +
			`","taskDefinition":{"code":"LOAN_APPLICATION"},"elementValues":{"NOTE":[{"type":"STRING","value":"N"}],` +
			`"PHOTO":[]},"jsonFormsValue":{"data":{"ATTACHMENT":"a"}},"owner":{"user":{"email":"bob@demo.example"}}}`},
		"A.retrieveTask":     of(get, "", ""),
		"A.actionsTaskClaim": of(post, "/~actions/claim", ""),
		"A.actionsTaskAssign": of(post, "/~actions/assign",
			`{"principalId":"`+demo.Bob().ID.String()+`","email":"bob@demo.example"}`),
		"A.actionsTaskSaveElement": of(post, "/~actions/save-element",
			`{"elementDefinitionCode":"NOTE","elementValues":[{"type":"STRING","value":"N"}]}`),
		"A.actionsTaskSaveElementValueDocument": of(post, apitest.UploadPathA("", "save-element-value-document",
			url.Values{"elementDefinitionCode": {"PHOTO"}, "elementValueValid": {"false"}}), "text"),
		"A.actionsTaskDeleteElement": of(post, "/~actions/delete-element", `{"elementDefinitionCode":"NOTE"}`),
		"A.actionsTaskDeleteElementValueDocument": of(post, "/~actions/delete-element-value-document",
			`{"documentId":"`+f.photo.String()+`"}`),
		"A.actionsTaskDownloadElementValueDocument": of(get,
			"/~actions/download-element-value-document?documentId="+f.photo.String(), ""),
		"A.actionsTaskDownloadElementValueRendered": of(get,
			"/~actions/download-element-value-form-rendered?elementDefinitionCode=REPORT", ""),
		"A.actionsTaskSaveJsonFormsValueData": of(post, "/~actions/save-json-forms-value-data", `{"data":{"A":1}}`),
		"A.actionsTaskSaveJsonFormsValueDocument": of(post, apitest.UploadPathA("", "save-json-forms-value-document",
			url.Values{"schemaPath": {"#/properties/FILE"}}), "text"),
		"A.actionsTaskDownloadJsonFormsValueDocument": of(get,
			"/~actions/download-json-forms-value-document?"+url.Values{"documentUri": {f.document}}.Encode(), ""),
		"A.actionsTaskComplete":  of(post, "/~actions/complete", ""),
		"A.actionsTaskAppendLog": of(post, "/~actions/append-log", `{"message":"m","level":"INFO"}`),
	}
}
