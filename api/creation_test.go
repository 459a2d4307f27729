package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// A creation is a request that creates something under an id of the caller's choice. {id} stands for the id.
type creation struct {
	operation  string
	as         demo.Account
	path, body string
	// changes are requests with the same id that name another parent, type, definition or code.
	changes map[string]creation
}

// creations returns a request for each operation that takes an id, and for each type that it creates.
func (f fixture) creations(s *apitest.Service) []creation { //nolint:funlen // most of it is a table
	worker, other := demo.LoanWorker(), demo.OtherWorker()
	loan, foreign := s.Loan().ID.String(), s.Process(other, demo.OtherLoan()).ID.String()
	artifact := s.Customer(`{}`).ID
	const processes, items, artifacts = "/processes", "/process-items", "/business-artifacts"
	const processesA, tasksA = apitest.ShapeA + "/processes", apitest.ShapeA + "/tasks"
	process := func(rest string) string { return `{"id":"{id}",` + rest + `}` }
	in := func(process, rest string) string { return `{"id":"{id}","processId":"` + process + `",` + rest + `}` }
	task := func(code string) string { return `"type":"TASK","processItemDefinitionCode":"` + code + `"` }
	taskA := func(code string) string { return `"taskDefinition":{"code":"` + code + `"}` }
	invoke := func(code string) string { return apitest.InvokeUserAction(code, `"id":"{id}"`) }
	act := func(code string) string { return apitest.InvokeAction(code, `"id":"{id}"`) }
	own := f.process.String()
	return []creation{
		{"B.createProcess", demo.Alice(), processes, process(`"processDefinitionCode":"LOAN"`), map[string]creation{
			"definition by id":   {body: process(`"processDefinitionId":"` + demo.Onboarding().String() + `"`)},
			"definition by code": {body: process(`"processDefinitionCode":"ONBOARDING"`)},
			"unknown definition": {body: process(`"processDefinitionId":"` + uuid.NewString() + `"`)},
			"tenant":             {body: process(`"processDefinitionCode":"LOAN","tenantId":"` + demo.TenantOther().String() + `"`)},
			"invisible":          {as: other, body: process(`"processDefinitionId":"` + demo.OtherLoan().String() + `"`)},
		}},
		{"A.createProcess", demo.Alice(), processesA, process(`"processDefinition":{"id":"` + demo.Loan().String() + `"}`), map[string]creation{
			"definition": {body: process(`"processDefinition":{"id":"` + demo.Onboarding().String() + `"}`)},
		}},
		{"B.createProcessItem", worker, items, in(own, task("LOAN_APPLICATION")), map[string]creation{
			"code":      {body: in(own, task("APPROVE_LOAN"))},
			"process":   {body: in(loan, task("LOAN_APPLICATION"))},
			"message":   {body: in(own, `"type":"MESSAGE","message":{"text":"t"}`)},
			"thread":    {body: in(own, `"type":"THREAD","processItemDefinitionCode":"DISCUSSION"`)},
			"invisible": {as: other, body: in(foreign, task("LOAN_APPLICATION"))},
		}},
		{"B.createProcessItem", worker, items, in(own, `"type":"MESSAGE","message":{"text":"t"}`), map[string]creation{
			"code": {body: in(own, `"type":"MESSAGE","processItemDefinitionCode":"NOTE","message":{"text":"t"}`)},
			"task": {body: in(own, task("LOAN_APPLICATION"))},
		}},
		{"B.createProcessItem", worker, items, in(own, `"type":"MESSAGE","processItemDefinitionCode":"NOTE","message":{"text":"t"}`), map[string]creation{
			"no code": {body: in(own, `"type":"MESSAGE","message":{"text":"t"}`)},
		}},
		{"B.createProcessItem", worker, items, in(own, `"type":"THREAD","processItemDefinitionCode":"DISCUSSION"`), map[string]creation{
			"process": {body: in(loan, `"type":"THREAD","processItemDefinitionCode":"DISCUSSION"`)},
		}},
		{"A.createTask", worker, tasksA, in(own, taskA("LOAN_APPLICATION")), map[string]creation{
			"code":    {body: in(own, taskA("APPROVE_LOAN"))},
			"process": {body: in(loan, taskA("LOAN_APPLICATION"))},
			"id":      {body: in(own, `"taskDefinition":{"id":"`+uuid.NewString()+`"}`)},
		}},
		{"B.createBusinessArtifact", worker, artifacts, process(`"businessArtifactDefinitionCode":"CUSTOMER"`), map[string]creation{
			"code":   {body: process(`"businessArtifactDefinitionCode":"PRODUCT"`)},
			"id":     {body: process(`"businessArtifactDefinitionId":"` + uuid.NewString() + `"`)},
			"tenant": {body: process(`"businessArtifactDefinitionCode":"CUSTOMER","tenantId":"` + demo.TenantOther().String() + `"`)},
		}},
		{"B.createBusinessArtifactAction", worker, apitest.ArtifactPath(f.artifact, "/actions"), act("STATEMENT"), map[string]creation{
			"code":         {body: act("CLONE")},
			"unknown code": {body: act("NONE")},
			"artifact":     {path: apitest.ArtifactPath(artifact, "/actions"), body: act("STATEMENT")},
		}},
		{"B.createProcessAction", demo.Alice(), apitest.ProcessPath(f.process, "/actions"), invoke("REPORT"), map[string]creation{
			"code":         {body: invoke("NUDGE")},
			"unknown code": {body: invoke("NONE")},
			"process":      {path: "/processes/" + loan + "/actions", body: invoke("REPORT")},
			"invisible":    {as: other, path: "/processes/" + foreign + "/actions", body: invoke("REPORT")},
		}},
		// The ids of log entries belong to one task.
		{"A.actionsTaskAppendLog", worker, apitest.TaskPathA(f.task, "/~actions/append-log"), `{"id":"{id}","message":"m","level":"INFO"}`, nil},
	}
}

// exceptions are the operations with an id in their body that creations leaves out.
func exceptions() []string {
	return []string{
		// Workers are known by their identity, and credentials issued under an id are not stored.
		"A.createWorker", "B.createWorker", "A.createAuthentication", "B.createAuthentication",
	}
}

func (c creation) with(change creation, id uuid.UUID) (as demo.Account, path, body string) {
	if change.as.ID != uuid.Nil {
		c.as = change.as
	}
	if change.path != "" {
		c.path = change.path
	}
	if change.body != "" {
		c.body = change.body
	}
	return c.as, c.path, strings.ReplaceAll(c.body, "{id}", id.String())
}

// Every operation with an id in its body is among the creations.
func TestEveryCreationIsTried(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	tried := exceptions()
	for _, c := range newFixture(s).creations(s) {
		tried = append(tried, c.operation)
	}
	for _, name := range operationNames() {
		contract, id := contractOf(name)
		if slices.Contains(contract.BodyMembers(id), "id") {
			require.Contains(t, tried, name)
		}
	}
}

// The same id with another parent, type, definition or code is a conflict, which says no more than that.
func TestCreatingWithAnIDInUse(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for _, c := range newFixture(s).creations(s) {
		id := uuid.New()
		as, path, body := c.with(creation{}, id)
		first := s.Send(apitest.Request(t, as, http.MethodPost, path, body))
		require.Contains(t, []int{200, 201}, first.Status, first.Body)
		before := s.Snapshot()
		require.Equal(t, first.Body, s.Post(200, as, path, body).Body, body)
		for name, change := range c.changes {
			as, path, body := c.with(change, id)
			failure := s.Refused(409, "CONFLICT", as, http.MethodPost, path, body)
			require.Equal(t, "the id is already in use", failure.Message, name)
		}
		require.Equal(t, before, s.Snapshot(), c.operation)
	}
}

// Who may not create is refused for that, also with an id that is in use.
func TestCreatingWithAnIDInUseTakesTheRight(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	c := newCast(s)
	mine, others := c.things(s, "owner", false), c.things(s, "other", false)
	ids := map[string]uuid.UUID{
		"A.createProcess": others.process, "B.createProcess": others.process, "A.createTask": others.task, "B.createProcessItem": others.task,
		"B.createBusinessArtifact": others.artifact, "B.createBusinessArtifactAction": others.artifactAction, "B.createProcessAction": others.action,
	}
	rejections := 0
	eachCell(t, matrix, func(row, caller, cell string) {
		id, creates := ids[row]
		if !creates || caller == "foreign" || cell != "403" && cell != "201" || caller == "other" {
			return
		}
		op := mine.matrixRequest(row)
		got := s.Send(apitest.Request(t, c.accounts[caller], op.method, op.path, `{"id":"`+id.String()+`",`+op.body[1:]))
		if cell == "201" {
			require.Equal(t, 409, got.Status, "%s by %s: %s", row, caller, got.Body)
			return
		}
		requireCell(t, cell, got)
		rejections++
	})
	require.Greater(t, rejections, 10)
}

// A repeated creation returns the resource as it is, also after its parent has ended or was deleted.
func TestCreatingAgainAfterTheParentHasEnded(t *testing.T) {
	t.Parallel()
	s := apitest.NewService(t)
	for _, end := range []struct {
		name    string
		deleted bool
		paths   func(fixture) []string
	}{
		{"completed", false, func(f fixture) []string {
			return []string{apitest.ItemPath(f.task, apitest.Complete), apitest.ProcessPath(f.process, apitest.Finish)}
		}},
		{"cancelled", false, func(f fixture) []string { return []string{apitest.ProcessPath(f.process, apitest.Cancel)} }},
		{"deleted", true, func(f fixture) []string { return []string{apitest.ProcessPath(f.process, apitest.Cancel)} }},
	} {
		f := newFixture(s)
		creations := f.creations(s)
		ids, paths := make([]uuid.UUID, len(creations)), end.paths(f)
		for i, c := range creations {
			ids[i] = uuid.New()
			as, path, body := c.with(creation{}, ids[i])
			got := s.Send(apitest.Request(t, as, http.MethodPost, path, body))
			require.Contains(t, []int{200, 201}, got.Status, got.Body)
			if c.operation == "B.createProcessAction" && end.deleted {
				paths = append(paths, apitest.UserActionPath(f.process, ids[i], "/~actions/cancel"))
			}
		}
		if end.deleted {
			paths = append(paths, apitest.UserActionPath(f.process, f.action, "/~actions/cancel"))
		}
		for _, path := range paths {
			s.Post(200, demo.LoanWorker(), path, "")
		}
		if end.deleted {
			s.Call(204, demo.LoanWorker(), http.MethodDelete, apitest.ProcessPath(f.process, ""), "")
			s.Call(204, demo.LoanWorker(), http.MethodDelete, apitest.ArtifactPath(f.artifact, ""), "")
		}
		before := s.Snapshot()
		for i, c := range creations {
			as, path, body := c.with(creation{}, ids[i])
			got := s.Post(200, as, path, body)
			require.Contains(t, got.Body, ids[i].String(), "%s, %s", c.operation, end.name)
		}
		require.Equal(t, before, s.Snapshot())
	}
}
