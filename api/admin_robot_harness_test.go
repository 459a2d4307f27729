package api_test

import (
	"net/http"
	"net/url"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
)

// adminRobotPath returns a path below a robot; rest is appended to its code and
// more are queries.
func adminRobotPath(tenant, code, rest string, more ...string) string {
	path := adminAPI + "/robots/" + code + rest + "?tenant=" + tenant
	for _, query := range more {
		path += "&" + query
	}
	return path
}

// fileQuery describes an upload.
func fileQuery(contentType, name string) string {
	return url.Values{"fileContentType": {contentType}, "fileName": {name}}.Encode()
}

// furnish makes a robot with a source package, an asset and an environment
// variable TOKEN.
func (s *administered) furnish(as demo.Account, tenant, code string) {
	s.t.Helper()
	s.apply(as, document(tenant, "Robot", code, `{"name":"Robot"}`))
	s.call(200, as, http.MethodPut, adminRobotPath(tenant, code, "/source", fileQuery("application/zip", "a.zip")), "bytes")
	s.call(200, as, http.MethodPut,
		adminRobotPath(tenant, code, "/asset", assetQuery(demo.RobotAsset()), fileQuery("application/zip", "n.zip")), "node")
	s.call(204, as, http.MethodPut, adminRobotPath(tenant, code, "/environment/TOKEN"), `{"value":"v"}`)
}

// robotOperations are the valid requests about what belongs to robots.
func (f adminThings) robotOperations() map[string]operation {
	put, del := http.MethodPut, http.MethodDelete
	file := fileQuery("application/zip", "b.zip")
	python := assetQuery(domain.RobotAssetKey{Type: "PYTHON", Version: "3.12", Platform: "WINDOWS", Architecture: "X86_32"})
	at := func(rest string, more ...string) string { return adminRobotPath(f.tenant, f.robot, rest, more...) }
	return map[string]operation{
		"uploadRobotSource":   {method: put, path: at("/source", file), body: "other bytes"},
		"deleteRobotSource":   {method: del, path: at("/source")},
		"uploadRobotAsset":    {method: put, path: at("/asset", python, file), body: "python"},
		"deleteRobotAsset":    {method: del, path: at("/asset", assetQuery(demo.RobotAsset()))},
		"setRobotVariable":    {method: put, path: at("/environment/OTHER"), body: `{"value":"v"}`},
		"deleteRobotVariable": {method: del, path: at("/environment/TOKEN")},
	}
}
