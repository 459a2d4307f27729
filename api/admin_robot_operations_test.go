package api_test

import (
	"net/http"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// addResources creates a robot with a source package, an asset and an environment
// variable TOKEN.
func addResources(s *apitest.Administered, as demo.Account, tenant, code string) {
	s.T.Helper()
	s.Apply(as, apitest.Document(tenant, "Robot", code, `{"name":"Robot"}`))
	s.Call(200, as, http.MethodPut, apitest.AdminRobotPath(tenant, code, "/source", apitest.FileQuery("application/zip", "a.zip")), "bytes")
	s.Call(200, as, http.MethodPut,
		apitest.AdminRobotPath(tenant, code, "/asset", apitest.AssetQuery(demo.RobotAsset()), apitest.FileQuery("application/zip", "n.zip")), "node")
	s.Call(204, as, http.MethodPut, apitest.AdminRobotPath(tenant, code, "/environment/TOKEN"), `{"value":"v"}`)
}

// robotOperations returns the valid requests about files and variables of robots.
func (f adminThings) robotOperations() map[string]operation {
	put, del := http.MethodPut, http.MethodDelete
	file := apitest.FileQuery("application/zip", "b.zip")
	python := apitest.AssetQuery(domain.RobotAssetKey{Type: "PYTHON", Version: "3.12", Platform: "WINDOWS", Architecture: "X86_32"})
	at := func(rest string, more ...string) string {
		return apitest.AdminRobotPath(f.tenant, f.robot, rest, more...)
	}
	return map[string]operation{
		"uploadRobotSource":   {method: put, path: at("/source", file), body: "other bytes"},
		"deleteRobotSource":   {method: del, path: at("/source")},
		"uploadRobotAsset":    {method: put, path: at("/asset", python, file), body: "python"},
		"deleteRobotAsset":    {method: del, path: at("/asset", apitest.AssetQuery(demo.RobotAsset()))},
		"setRobotVariable":    {method: put, path: at("/environment/OTHER"), body: `{"value":"v"}`},
		"deleteRobotVariable": {method: del, path: at("/environment/TOKEN")},
	}
}
