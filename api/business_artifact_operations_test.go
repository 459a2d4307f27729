package api_test

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/devstack/demo"
)

// withArtifactAction completes a fixture by an action, which as invokes.
func (f fixture) withArtifactAction(s *service, as demo.Account) fixture {
	s.t.Helper()
	f.artifactAction = decode[struct{ ID uuid.UUID }](s.t,
		s.post(201, as, artifactPath(f.artifact, "/actions"), invokeStatement)).ID
	return f
}

// artifactActionOperations are the valid requests about actions on artifacts.
func (f fixture) artifactActionOperations() map[string]operation {
	of := func(method, path, body string) operation {
		return operation{method: method, path: path, body: body, byID: true}
	}
	return map[string]operation{
		"B.createBusinessArtifactAction":   of(http.MethodPost, artifactPath(f.artifact, "/actions"), invokeStatement),
		"B.retrieveBusinessArtifactAction": of(http.MethodGet, actionPath(f.artifact, f.artifactAction, ""), ""),
		"B.cancelBusinessArtifactAction": of(http.MethodPost,
			actionPath(f.artifact, f.artifactAction, "/~actions/cancel"), ""),
		"B.prepareBusinessArtifactCreateArtifact": of(http.MethodPost,
			artifactPath(f.artifact, "/~actions/prepare-create-artifact"), invokeAction("CLONE")),
		"B.prepareBusinessArtifactStartProcess": of(http.MethodPost,
			artifactPath(f.artifact, "/~actions/prepare-start-process"), invokeAction("OPEN_LOAN")),
	}
}
