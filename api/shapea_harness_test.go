package api_test

import (
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	oasa "github.com/procession-dev/procession/api/shapea/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

// processElements and taskElements are what giveElements gives to loans and their
// tasks.
const (
	processElements = `[{"code":"REF","name":"Reference","type":"FIELD","fieldType":"STRING"},
{"code":"SCORES","name":"Scores","type":"FIELD","fieldType":"NUMBER","multiple":true}]`
	taskElements = `[{"code":"NOTE","name":"Note","type":"FIELD","fieldType":"STRING"},
{"code":"PHOTO","name":"Photo","type":"DOCUMENT","multiple":true},
{"code":"REPORT","name":"Report","type":"FORM","multiple":true,"schema":{"type":"object","properties":{
"FINDINGS":{"type":"string","title":"What was found"},"DONE":{"type":"boolean"}}}}]`
	// taskFile is a place for a document in the data of tasks.
	taskFile = `{"type":"string","format":"kuflow-file"}`
	// taskAssistance is the assistance of tasks that have none of their own.
	taskAssistance = `{"prompt":"Say something about {{ data.LAST_NAME }}.","answer":"SUGGESTION"}`
)

// giveElements gives the loans of both tenants elements and a place for a file,
// so that one fixture serves both shapes. It must be called before processes
// are started.
func (s *service) giveElements() {
	s.t.Helper()
	conn := s.connect()
	defer func() { _ = conn.Close(s.t.Context()) }()
	for sql, elements := range map[string]string{
		`UPDATE process_definition_versions v SET spec = (v.spec::jsonb || jsonb_build_object('elements', $1::jsonb))::json
		  FROM process_definitions d WHERE d.id = v.process_definition_id AND d.code = 'LOAN'`: processElements,
		`UPDATE item_definition_versions v SET spec = (v.spec::jsonb || jsonb_build_object('elements', $1::jsonb))::json
		  FROM item_definitions i JOIN process_definitions d ON d.id = i.process_definition_id
		 WHERE i.id = v.item_definition_id AND v.type = 'TASK' AND d.code = 'LOAN'`: taskElements,
		`UPDATE item_definition_versions v SET spec = (jsonb_build_object('assistance', $1::jsonb) || v.spec::jsonb)::json
		  FROM item_definitions i JOIN process_definitions d ON d.id = i.process_definition_id
		 WHERE i.id = v.item_definition_id AND v.type = 'TASK' AND d.code = 'LOAN'`: taskAssistance,
		`UPDATE item_definition_versions v SET spec = jsonb_set(v.spec::jsonb, '{dataSchema,properties,FILE}', $1::jsonb)::json
		  FROM item_definitions i JOIN process_definitions d ON d.id = i.process_definition_id
		 WHERE i.id = v.item_definition_id AND v.spec::jsonb @? '$.dataSchema.properties' AND d.code = 'LOAN'`: taskFile,
	} {
		_, err := conn.Exec(s.t.Context(), sql, elements)
		require.NoError(s.t, err)
	}
}

func processPathA(id uuid.UUID, rest string) string {
	return shapeA + "/processes/" + id.String() + rest
}

func taskPathA(id uuid.UUID, rest string) string { return shapeA + "/tasks/" + id.String() + rest }

// uploadPathA is the path of an operation of Shape A that takes a document.
func uploadPathA(resource, operation string, more url.Values) string {
	query := url.Values{"fileContentType": {"text/plain"}, "fileName": {"note.txt"}}
	for name, values := range more {
		query[name] = values
	}
	return resource + "/~actions/" + operation + "?" + query.Encode()
}

// uploadPhoto uploads a document into the element PHOTO of a task.
func (s *service) uploadPhoto(as demo.Account, task uuid.UUID, text string, more url.Values) oasa.Task {
	s.t.Helper()
	query := url.Values{"elementDefinitionCode": {"PHOTO"}}
	for name, values := range more {
		query[name] = values
	}
	path := uploadPathA(taskPathA(task, ""), "save-element-value-document", query)
	return decode[oasa.Task](s.t, s.post(200, as, path, text))
}

// withPhoto completes a fixture by a document of an element, which as uploads.
func (f fixture) withPhoto(s *service, as demo.Account) fixture {
	s.t.Helper()
	photos := s.uploadPhoto(as, f.task, "a photo", nil).ElementValues["PHOTO"]
	require.Len(s.t, photos, 1)
	f.photo = documentIn(s.t, photos[0]).ID
	return f
}

// processOperationsOfShapeA returns valid requests of the operations on
// processes and of those that need no resource.
func (f fixture) processOperationsOfShapeA() map[string]operation {
	process := shapeA + "/processes/" + f.process.String()
	of := func(method, rest, body string) operation {
		return operation{method: method, path: process + rest, body: body, byID: true}
	}
	upload := func(operation string, more url.Values) string {
		return uploadPathA("", operation, more)
	}
	const post, get = http.MethodPost, http.MethodGet
	return map[string]operation{
		"A.findProcesses": {method: get, path: shapeA + "/processes?sort=createdAt%2Cdesc"},
		"A.createProcess": {method: post, path: shapeA + "/processes", body: `{"id":"` + uuid.NewString() +
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
		"A.createWorker": {method: post, path: shapeA + "/workers", body: `{"identity":"w","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"h",` +
			`"ip":"127.0.0.1","workflowTypes":["W"],"activityTypes":["A"],"robotIds":[]}`},
		"A.createAuthentication": {method: post, path: shapeA + "/authentications", body: `{"type":"ENGINE"}`},
	}
}

// taskOperationsOfShapeA are valid requests about tasks.
func (f fixture) taskOperationsOfShapeA() map[string]operation {
	task := shapeA + "/tasks/" + f.task.String()
	of := func(method, rest, body string) operation {
		return operation{method: method, path: task + rest, body: body, byID: true}
	}
	const post, get = http.MethodPost, http.MethodGet
	return map[string]operation{
		"A.findTasks": {method: get, path: shapeA + "/tasks?state=READY&taskDefinitionCode=LOAN_APPLICATION&sort=claimedAt"},
		"A.createTask": {method: post, path: shapeA + "/tasks", body: `{"processId":"` + f.process.String() +
			`","taskDefinition":{"code":"LOAN_APPLICATION"},"elementValues":{"NOTE":[{"type":"STRING","value":"N"}],` +
			`"PHOTO":[]},"jsonFormsValue":{"data":{"ATTACHMENT":"a"}},"owner":{"user":{"email":"bob@demo.example"}}}`},
		"A.retrieveTask":     of(get, "", ""),
		"A.actionsTaskClaim": of(post, "/~actions/claim", ""),
		"A.actionsTaskAssign": of(post, "/~actions/assign",
			`{"principalId":"`+demo.Bob().ID.String()+`","email":"bob@demo.example"}`),
		"A.actionsTaskSaveElement": of(post, "/~actions/save-element",
			`{"elementDefinitionCode":"NOTE","elementValues":[{"type":"STRING","value":"N"}]}`),
		"A.actionsTaskSaveElementValueDocument": of(post, uploadPathA("", "save-element-value-document",
			url.Values{"elementDefinitionCode": {"PHOTO"}, "elementValueValid": {"false"}}), "text"),
		"A.actionsTaskDeleteElement": of(post, "/~actions/delete-element", `{"elementDefinitionCode":"NOTE"}`),
		"A.actionsTaskDeleteElementValueDocument": of(post, "/~actions/delete-element-value-document",
			`{"documentId":"`+f.photo.String()+`"}`),
		"A.actionsTaskDownloadElementValueDocument": of(get,
			"/~actions/download-element-value-document?documentId="+f.photo.String(), ""),
		"A.actionsTaskDownloadElementValueRendered": of(get,
			"/~actions/download-element-value-form-rendered?elementDefinitionCode=REPORT", ""),
		"A.actionsTaskSaveJsonFormsValueData": of(post, "/~actions/save-json-forms-value-data", `{"data":{"A":1}}`),
		"A.actionsTaskSaveJsonFormsValueDocument": of(post, uploadPathA("", "save-json-forms-value-document",
			url.Values{"schemaPath": {"#/properties/FILE"}}), "text"),
		"A.actionsTaskDownloadJsonFormsValueDocument": of(get,
			"/~actions/download-json-forms-value-document?"+url.Values{"documentUri": {f.document}}.Encode(), ""),
		"A.actionsTaskComplete":  of(post, "/~actions/complete", ""),
		"A.actionsTaskAppendLog": of(post, "/~actions/append-log", `{"message":"m","level":"INFO"}`),
	}
}
