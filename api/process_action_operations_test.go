package api_test

import (
	"net/http"

	"github.com/procession-dev/procession/test/kit/apitest"
)

// processActionOperations returns the valid requests about user actions.
func (f fixture) processActionOperations() map[string]operation {
	of := func(method, path, body string) operation {
		return operation{method: method, path: path, body: body, byID: true}
	}
	report := apitest.InvokeUserAction("REPORT", `"createTask":{},"createProcessItemMessage":{"text":"t"},`+
		`"startRelatedProcess":{"metadata":{"A":1},"entity":{"A":1}},"sendWorkflowSignal":{"input":{"A":1}}`)
	return map[string]operation{
		"B.createProcessAction":         of(http.MethodPost, apitest.ProcessPath(f.process, "/actions"), report),
		"B.findAvailableProcessActions": of(http.MethodGet, apitest.ProcessPath(f.process, "/actions/~available"), ""),
		"B.findProcessEvents":           of(http.MethodGet, apitest.ProcessPath(f.process, "/events"), ""),
		"B.exportProcess":               of(http.MethodGet, apitest.ProcessPath(f.process, "/~actions/export"), ""),
		"B.retrieveProcessAction":       of(http.MethodGet, apitest.UserActionPath(f.process, f.action, ""), ""),
		"B.cancelProcessAction":         of(http.MethodPost, apitest.UserActionPath(f.process, f.action, "/~actions/cancel"), ""),
		"B.uploadProcessActionDocument": of(http.MethodPost,
			apitest.UploadPath(apitest.UserActionPath(f.process, f.action, ""), "text/plain", "report.txt"), "text"),
	}
}
