package api_test

import (
	"net/http"
	"strings"

	"github.com/google/uuid"

	oasb "github.com/procession-dev/procession/api/shapeb/oas"
	"github.com/procession-dev/procession/devstack/demo"
)

const invokeReport = `{"processActionDefinitionCode":"REPORT"}`

// invokeUserAction returns a body that invokes a user action; more are further
// members of it.
func invokeUserAction(code string, more ...string) string {
	members := append([]string{`"processActionDefinitionCode":"` + code + `"`}, more...)
	return "{" + strings.Join(members, ",") + "}"
}

func userActionPath(process, action uuid.UUID, rest string) string {
	return processPath(process, "/actions/"+action.String()+rest)
}

// invoke invokes a user action.
func (s *service) invoke(as demo.Account, process uuid.UUID, body string) oasb.ProcessAction {
	s.t.Helper()
	return decode[oasb.ProcessAction](s.t, s.post(201, as, processPath(process, "/actions"), body))
}

// processActionOperations are the valid requests about user actions.
func (f fixture) processActionOperations() map[string]operation {
	of := func(method, path, body string) operation {
		return operation{method: method, path: path, body: body, byID: true}
	}
	report := invokeUserAction("REPORT", `"createTask":{},"createProcessItemMessage":{"text":"t"},`+
		`"startRelatedProcess":{"metadata":{"A":1},"entity":{"A":1}},"sendWorkflowSignal":{"input":{"A":1}}`)
	return map[string]operation{
		"B.createProcessAction":         of(http.MethodPost, processPath(f.process, "/actions"), report),
		"B.findAvailableProcessActions": of(http.MethodGet, processPath(f.process, "/actions/~available"), ""),
		"B.retrieveProcessAction":       of(http.MethodGet, userActionPath(f.process, f.action, ""), ""),
		"B.cancelProcessAction":         of(http.MethodPost, userActionPath(f.process, f.action, "/~actions/cancel"), ""),
		"B.uploadProcessActionDocument": of(http.MethodPost,
			uploadPath(userActionPath(f.process, f.action, ""), "text/plain", "report.txt"), "text"),
	}
}
