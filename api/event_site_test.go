package api_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// sites are the services that the operations of the shapes and of administrators
// are called at, one after the other.
type sites struct {
	shapes                  *apitest.Service
	admin                   *apitest.Administered
	ofTheShapes, ofTheAdmin sync.Mutex
	// requests are the requests of the operations that only read. They share a fixture.
	requests map[string]siteRequest
}

func newSites(t *testing.T) *sites {
	t.Helper()
	all := &sites{shapes: apitest.NewService(t), admin: apitest.NewAdministered(t), requests: map[string]siteRequest{}}
	add := func(name string, op operation, as demo.Account) {
		if op.method == http.MethodGet {
			all.requests[name] = siteRequest{operation: op, as: as}
		}
	}
	for name, op := range newFixture(all.shapes).operations() {
		add(name, op, demo.LoanWorker())
	}
	for id, op := range makeThings(all.admin, "north", "one").operations() {
		add("admin."+id, op, all.who(id))
	}
	return all
}

// who calls an operation of the administration API.
func (all *sites) who(id string) demo.Account {
	switch id {
	case "examineHealth", "issueOperatorAccess":
		return all.admin.Operator
	case "retrieveEngineHistory", "findRepairs", "repairProcess", "findRepairPoints", "previewRepair":
		return all.admin.As("manager")
	}
	return all.admin.As("owner")
}

// askFor returns the request of a row, and the service that it is for, which is the
// test's until it ends.
func askFor(t *testing.T, name string, all *sites) (*apitest.Service, siteRequest) {
	t.Helper()
	a, reads := all.requests[name]
	if id, ok := strings.CutPrefix(name, "admin."); ok {
		all.ofTheAdmin.Lock()
		t.Cleanup(all.ofTheAdmin.Unlock)
		s := all.admin.In(t)
		if !reads {
			a = askForAdmin(s, id, all.who(id))
		}
		return s.Service, a
	}
	all.ofTheShapes.Lock()
	t.Cleanup(all.ofTheShapes.Unlock)
	s := all.shapes.In(t)
	if !reads {
		a = askForShape(s, name)
	}
	return s, a
}

func askForAdmin(s *apitest.Administered, id string, as demo.Account) siteRequest {
	s.T.Helper()
	a := siteRequest{operation: makeThings(s, "north", id).operations()[id], as: as}
	switch id {
	case "releaseProcessItemTask":
		a.as = s.As("candidate")
	case "applyResources":
		a.body = apitest.Applying("", apitest.Document("north", "Group", "NEW", `{"name":"New"}`))
	case "enableWebhookEndpoint":
		execute(s.Service, `UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'GONE'`)
	}
	return a
}

func askForShape(s *apitest.Service, name string) siteRequest {
	s.T.Helper()
	f := newFixture(s)
	a := siteRequest{operation: f.operations()[name], as: demo.LoanWorker()}
	switch name {
	case "A.actionsTaskClaim", "B.claimProcessItemTask":
		f.task = s.Item(f.process, "APPROVE_LOAN", "").ID
		a.operation, a.as = f.operations()[name], demo.Bob()
	case "A.createWorker", "B.createWorker":
		execute(s, "DELETE FROM workers")
	case "B.generateProcessItemAiAssistance":
		execute(s, "DELETE FROM item_assistance")
	case "B.restoreBusinessArtifact":
		s.Call(204, a.as, http.MethodDelete, apitest.ArtifactPath(f.artifact, ""), "")
	case "A.actionsProcessDeleteElement":
		s.Post(200, a.as, apitest.ProcessPathA(f.process, apitest.SaveElementAction), apitest.SaveElement("REF", `[{"type":"STRING","value":"R"}]`))
	case "A.actionsTaskDeleteElement":
		s.Post(200, a.as, apitest.TaskPathA(f.task, apitest.SaveElementAction), apitest.SaveElement("NOTE", `[{"type":"STRING","value":"N"}]`))
	}
	return a
}
