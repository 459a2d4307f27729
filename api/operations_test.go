package api_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// fixture is one of everything in the tenant Demo, to make requests for.
type fixture struct {
	// finished is a process that is completed.
	finished                               uuid.UUID
	process, task, tenant, user, principal uuid.UUID
	// artifact is a CUSTOMER.
	artifact uuid.UUID
	// action is a REPORT that was invoked on the process.
	action uuid.UUID
	// document and artifactDocument are references to documents of the process and
	// of the artifact.
	document, artifactDocument string
	// taskDocument and processDocument are linked to the task and the process.
	taskDocument, processDocument string
	// artifactAction was invoked on the artifact.
	artifactAction uuid.UUID
	// photo is a document of an element of the task.
	photo uuid.UUID
	// robot has a source package and an asset.
	robot uuid.UUID
	// assistance is the request of the latest run of assistance with the task.
	assistance uuid.UUID
	// query is a query of the data source GOODS.
	query uuid.UUID
}

func newFixture(s *apitest.Service) fixture {
	process := s.Loan().ID
	task := s.Item(process, "LOAN_APPLICATION", apitest.OwnedBy(demo.LoanWorker())).ID
	finished := s.Loan().ID
	s.Post(200, demo.LoanWorker(), apitest.ProcessPath(finished, "/~actions/complete"), "")
	users := apitest.Decode[struct {
		Content []struct{ ID uuid.UUID }
	}](s.T, s.Get(200, demo.Alice(), "/tenant-users"))
	return fixture{
		finished: finished, process: process, task: task, tenant: demo.TenantDemo(), user: users.Content[0].ID, principal: demo.Bob().ID,
		artifact: s.Customer(`{"name":"Acme"}`).ID,
	}.withRobot(s).withDocuments(s, demo.LoanWorker()).withArtifactAction(s, demo.LoanWorker()).withPhoto(s, demo.LoanWorker()).withReports(s, demo.LoanWorker()).
		withAssistance(s, demo.LoanWorker()).withDataSource(s, demo.LoanWorker())
}

// operation is how an operation is called for a fixture.
type operation struct {
	method, path, body string
	byID               bool // names a resource in its path
}

// operations returns valid requests, for every operation of both shapes, of the
// loan worker.
func (f fixture) operations() map[string]operation { //nolint:funlen // most of it is a table
	get, post, put, patch := http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch
	of := func(method, collection string, id uuid.UUID, rest, body string) operation {
		return operation{method: method, path: collection + id.String() + rest, body: body, byID: true}
	}
	const (
		processes, items = "/processes/", "/process-items/"
		artifacts        = "/business-artifacts/"
		value            = `{"valid":true,"value":{"A":1},"errors":[]}`
		aPatch           = `[{"op":"add","path":"/A","value":1}]`
	)
	requests := map[string]operation{
		"A.findPrincipals":     {method: get, path: apitest.ShapeA + "/principals?type=USER&sort=name%2Cdesc"},
		"A.retrievePrincipal":  of(get, apitest.ShapeA+"/principals/", f.principal, "", ""),
		"A.findTenantUsers":    {method: get, path: apitest.ShapeA + "/tenant-users?email=bob@demo.example"},
		"A.retrieveTenantUser": of(get, apitest.ShapeA+"/tenant-users/", f.user, "", ""),

		"B.findPrincipals":     {method: get, path: "/principals?type=USER&sort=name%2Cdesc"},
		"B.retrievePrincipal":  of(get, "/principals/", f.principal, "", ""),
		"B.findTenants":        {method: get, path: "/tenants"},
		"B.retrieveTenant":     of(get, "/tenants/", f.tenant, "", ""),
		"B.findTenantUsers":    {method: get, path: "/tenant-users?email=bob@demo.example"},
		"B.retrieveTenantUser": of(get, "/tenant-users/", f.user, "", ""),
		"B.findGroups":         {method: get, path: "/groups?groupCode=REVIEWERS&sort=name"},
		"B.streamEvents":       {method: get, path: "/events?follow=false&after=0.0.0"},

		"B.findProcessDefinitions": {
			method: get, path: "/process-definitions?processDefinitionCode=LOAN&startable=true&sort=name",
		},
		"B.retrieveProcessDefinition": of(get, "/process-definitions/", demo.Loan(), "", ""),
		"B.findBusinessArtifactDefinitions": {
			method: get, path: "/business-artifact-definitions?businessArtifactDefinitionCode=CUSTOMER&creatable=true&sort=name",
		},
		"B.retrieveBusinessArtifactDefinition": of(get, "/business-artifact-definitions/", apitest.Customers(), "", ""),

		"B.findNotifications": {method: get, path: "/notifications?kind=ASSIGNED&unread=true&size=10"},
		"B.readNotifications": {method: post, path: "/notifications/~actions/read", body: `{"ids":["5f0c1c9e-7d0a-4c5e-9a7e-2f6f0f5f9a01"],"until":"2026-01-02T03:04:05Z"}`},

		"B.findProcesses": {method: get, path: "/processes?state=RUNNING&metadata=LAST_NAME+eq+A"},
		"B.createProcess": {method: post, path: "/processes", body: `{"processDefinitionId":"` + demo.Loan().String() +
			`","tenantId":"` + f.tenant.String() + `","processDefinitionCode":"LOAN","metadata":` + value + `,"entity":` + value + `,"relatedProcessId":"` +
			f.process.String() + `","dueAt":"2030-01-02T03:04:05Z"}`},
		"B.retrieveProcess":           of(get, processes, f.process, "", ""),
		"B.deleteProcess":             of(http.MethodDelete, processes, f.finished, "", ""),
		"B.completeProcess":           of(post, processes, f.process, "/~actions/complete", ""),
		"B.cancelProcess":             of(post, processes, f.process, "/~actions/cancel", ""),
		"B.cancelProcessProcessItems": of(post, processes, f.process, "/~actions/cancel-process-items", ""),
		"B.changeProcessInitiator": of(post, processes, f.process, "/~actions/change-initiator",
			`{"initiatorId":"`+demo.Bob().ID.String()+`","initiatorEmail":"bob@demo.example"}`),
		"B.updateProcessMetadata": of(put, processes, f.process, "/metadata", `{"metadata":`+value+`}`),
		"B.patchProcessMetadata":  of(patch, processes, f.process, "/metadata", aPatch),
		"B.updateProcessEntity":   of(put, processes, f.process, "/entity", `{"entity":`+value+`}`),
		"B.patchProcessEntity":    of(patch, processes, f.process, "/entity", aPatch),
		"B.findProcessItems":      {method: get, path: "/process-items?type=TASK&taskState=READY&taskPriority=HIGH&taskDueBefore=2030-01-01T00:00:00Z&taskDueAfter=2020-01-01T00:00:00Z&taskOverdue=true&sort=dueAt"},
		"B.createProcessItem": {method: post, path: "/process-items", body: `{"type":"TASK","processId":"` +
			f.process.String() + `","processItemDefinitionCode":"LOAN_APPLICATION","ownerEmail":"bob@demo.example",` +
			`"task":{"data":` + value + `,"contextData":` + value + `,"dueAt":"2030-01-02T03:04:05Z","priority":"LOW"}}`},
		"B.retrieveProcessItem":   of(get, items, f.task, "", ""),
		"B.claimProcessItemTask":  of(post, items, f.task, "/task/~actions/claim", ""),
		"B.assignProcessItemTask": of(post, items, f.task, "/task/~actions/assign", `{"ownerEmail":"bob@demo.example"}`),
		"B.delegateProcessItemTask": of(post, items, f.task, "/task/~actions/delegate",
			`{"ownerId":"`+demo.Bob().ID.String()+`","ownerEmail":"bob@demo.example","note":"n"}`),
		"B.releaseProcessItemTask":    of(post, items, f.task, "/task/~actions/release", ""),
		"B.completeProcessItemTask":   of(post, items, f.task, "/task/~actions/complete", ""),
		"B.appendProcessItemTaskLog":  of(post, items, f.task, "/task/~actions/append-log", `{"message":"m","level":"INFO"}`),
		"B.updateProcessItemTaskData": of(put, items, f.task, "/task/data", `{"data":`+value+`}`),
		"B.patchProcessItemTaskData":  of(patch, items, f.task, "/task/data", aPatch),
		"B.updateProcessItemTaskPlanning": of(put, items, f.task, "/task/planning",
			`{"dueAt":"2030-01-02T03:04:05Z","followUpAt":"2030-01-01T00:00:00Z","priority":"HIGH"}`),
		"B.updateProcessItemTaskContextData": of(put, items, f.task, "/task/context-data",
			`{"data":`+value+`}`),
		"B.findBusinessArtifacts": {
			method: get, path: "/business-artifacts?businessArtifactDefinitionCode=CUSTOMER&value=name%20eq%20Acme",
		},
		"B.createBusinessArtifact": {method: post, path: "/business-artifacts", body: `{"businessArtifactDefinitionId":"` +
			apitest.Customers().String() + `","tenantId":"` + f.tenant.String() + `","businessArtifactDefinitionCode":"CUSTOMER","data":` +
			value + `}`},
		"B.retrieveBusinessArtifact":   of(get, artifacts, f.artifact, "", ""),
		"B.restoreBusinessArtifact":    of(post, artifacts, f.artifact, "/~actions/restore", ""),
		"B.deleteBusinessArtifact":     of(http.MethodDelete, artifacts, f.artifact, "", ""),
		"B.updateBusinessArtifactData": of(put, artifacts, f.artifact, "/data", `{"data":`+value+`}`),
		"B.patchBusinessArtifactData":  of(patch, artifacts, f.artifact, "/data", aPatch),
		"B.createWorker": {method: post, path: "/workers", body: `{"identity":"w","taskQueue":"QUEUE_SAMPLE_LOAN","hostname":"h",` +
			`"ip":"127.0.0.1","workflowTypes":["W"],"activityTypes":["A"],"robotIds":[]}`},
		"B.createAuthentication": {method: post, path: "/authentications", body: `{"type":"ENGINE_TOKEN"}`},
		"B.retrieveKmsKey":       {method: get, path: "/kms/keys/demo-key", byID: true},
	}
	maps.Copy(requests, f.processOperationsOfShapeA())
	maps.Copy(requests, f.taskOperationsOfShapeA())
	maps.Copy(requests, f.documentOperations())
	maps.Copy(requests, f.artifactActionOperations())
	maps.Copy(requests, f.robotOperations())
	maps.Copy(requests, f.assistanceOperations())
	maps.Copy(requests, f.dataSourceOperations())
	maps.Copy(requests, f.processActionOperations())
	return requests
}

// Every valid request succeeds. Tests of refusals change one part of it, which is then
// the reason of the refusal.
func TestEveryOperationSucceeds(t *testing.T) {
	t.Parallel()
	names, s := operationNames(), apitest.NewService(t)
	operations := newFixture(s).operations()
	require.ElementsMatch(t, names, slices.Collect(maps.Keys(operations)))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, op := s.In(t), operations[name]
			if op.method != http.MethodGet {
				op = newFixture(s).operations()[name]
			}
			as := demo.LoanWorker()
			r := apitest.Request(t, as, op.method, op.path, op.body)
			path := subject(op)
			if path != "" && op.method != http.MethodGet {
				r.Header.Set("If-Match", s.Get(200, as, path).Header.Get("ETag"))
			}
			got := s.Send(r)
			require.Contains(t, []int{200, 201, 202, 204}, got.Status, got.Body)
			contract, id := contractOf(name)
			if op.method == http.MethodGet || !contract.Describe(t, id).Tagged || path == "" ||
				strings.HasSuffix(op.path, "/actions") || strings.HasSuffix(op.path, "/ai-assistance") {
				return
			}
			require.Equal(t, s.Get(200, as, path).Header.Get("ETag"), got.Header.Get("ETag"))
		})
	}
}

// Validation precedes all changes.
func TestBadInputChangesNothing(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	operations := newFixture(s).operations()
	before := s.Snapshot()
	for _, name := range operationNames() {
		op := operations[name]
		contract, id := contractOf(name)
		contract.RunBadInputs(t, s.Client, id, func() *http.Request {
			return apitest.Request(t, demo.LoanWorker(), op.method, op.path, op.body)
		})
	}
	require.Equal(t, before, s.Snapshot())
}

// Rules that a schema cannot express are in descriptions.
func TestRefusalsAreInTheContract(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	operations := newFixture(s).operations()
	for _, name := range operationNames() {
		op := operations[name]
		contract, id := contractOf(name)
		contract.RunDocumented(t, s.Client, id, func() *http.Request {
			return apitest.Request(t, demo.LoanWorker(), op.method, op.path, op.body)
		}, "query documentUri", "query schemaPath", "query value", "query metadata", "query activityToken")
	}
}

// Bodies refused by the operation make no change.
func TestRefusedBodiesChangeNothing(t *testing.T) { //nolint:funlen // most of it is a table
	t.Parallel()
	s := apitest.NewService(t)
	f := newFixture(s)
	absent := uuid.NewString()
	newItem := func(members string) string { return `{"processId":"` + f.process.String() + `",` + members + `}` }
	const valueA = `{"value":{"A":1}}`
	before := s.Snapshot()
	for name, c := range map[string]struct {
		method, path, body string
		status             int
		code, location     string
	}{
		"task without definition": {
			"POST", "/process-items", newItem(`"type":"TASK"`), 400, "VALIDATION", "/processItemDefinitionCode",
		},
		"definition of another type": {
			"POST", "/process-items", newItem(`"type":"TASK","processItemDefinitionCode":"NOTE"`),
			404, "DEFINITION_NOT_FOUND", "/processItemDefinitionCode",
		},
		"unknown item definition": {
			"POST", "/process-items", newItem(`"type":"TASK","processItemDefinitionCode":"NONE"`),
			404, "DEFINITION_NOT_FOUND", "/processItemDefinitionCode",
		},
		"empty message": {"POST", "/process-items", newItem(`"type":"MESSAGE"`), 400, "VALIDATION", "/message"},
		"message data without its structure": {
			"POST", "/process-items", newItem(`"type":"MESSAGE","message":{"data":` + valueA + `}`),
			400, "VALIDATION", "/message/dataStructureDataDefinitionCode",
		},
		"message with a task block": {
			"POST", "/process-items", newItem(`"type":"MESSAGE","message":{"text":"t"},"task":{"data":` + valueA + `}`),
			400, "VALIDATION", "/task",
		},
		"task with a message block": {
			"POST", "/process-items", newItem(`"type":"TASK","processItemDefinitionCode":"LOAN_APPLICATION","message":{"text":"t"}`),
			400, "VALIDATION", "/message",
		},
		"unknown owner": {
			"POST", "/process-items",
			newItem(`"type":"TASK","processItemDefinitionCode":"LOAN_APPLICATION","ownerId":"` + absent + `"`),
			400, "VALIDATION", "/ownerId",
		},
		"owner with an unknown e-mail": {
			"POST", "/process-items",
			newItem(`"type":"TASK","processItemDefinitionCode":"LOAN_APPLICATION","ownerEmail":"no@demo.example"`),
			400, "VALIDATION", "/ownerEmail",
		},
		"unknown initiator": {
			"POST", "/processes", `{"processDefinitionId":"` + demo.Loan().String() + `","initiatorId":"` + absent + `"}`,
			400, "VALIDATION", "/initiatorId",
		},
		"unknown definition": {
			"POST", "/processes", `{"processDefinitionId":"` + absent + `"}`, 404, "DEFINITION_NOT_FOUND", "",
		},
		"assigned without an owner": {"POST", apitest.ItemPath(f.task, "/task/~actions/assign"), `{}`, 400, "VALIDATION", "/ownerId"},
		"worker of a foreign tenant": {
			"POST", "/workers", `{"identity":"w","taskQueue":"q","hostname":"h","ip":"127.0.0.1","tenantId":"` +
				demo.TenantOther().String() + `"}`, 400, "VALIDATION", "/tenantId",
		},
	} {
		failure := s.Refused(c.status, c.code, demo.LoanWorker(), c.method, c.path, c.body)
		require.Equal(t, c.location, failure.Errors[0].Location, name)
	}
	require.Equal(t, before, s.Snapshot())
}
