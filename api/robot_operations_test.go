package api_test

import (
	"net/http"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// withRobot completes a fixture by the robot of the tenant Demo and its files.
func (f fixture) withRobot(s *apitest.Service) fixture {
	s.T.Helper()
	s.LoadFiles()
	f.robot = demo.Robot()
	return f
}

// robotOperations returns the valid requests about robots.
func (f fixture) robotOperations() map[string]operation {
	requests := map[string]operation{}
	for shape, c := range map[string]struct{ base, source, asset string }{
		"A": {apitest.ShapeA, "actionsRobotDownloadSourceCode", "actionsRobotDownloadAsset"},
		"B": {apitest.ShapeB, "downloadRobotSourceCode", "downloadRobotAsset"},
	} {
		of := func(rest string) operation {
			return operation{method: http.MethodGet, path: c.base + apitest.RobotPath(f.robot, rest), byID: true}
		}
		requests[shape+".findRobots"] = operation{
			method: http.MethodGet, path: c.base + "/robots?filterContext=READY&sort=createdAt%2Cdesc",
		}
		requests[shape+".retrieveRobot"] = of("")
		requests[shape+"."+c.source] = of("/~actions/download-source-code")
		requests[shape+"."+c.asset] = of("/~actions/download-asset?" + apitest.AssetQuery(demo.RobotAsset()))
	}
	return requests
}
