package api_test

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// withArtifactAction completes a fixture by an action, which as invokes.
func (f fixture) withArtifactAction(s *apitest.Service, as demo.Account) fixture {
	s.T.Helper()
	f.artifactAction = apitest.Decode[struct{ ID uuid.UUID }](s.T,
		s.Post(201, as, apitest.ArtifactPath(f.artifact, "/actions"), apitest.InvokeStatement)).ID
	return f
}

// artifactActionOperations returns the valid requests about actions on artifacts.
func (f fixture) artifactActionOperations() map[string]operation {
	of := func(method, path, body string) operation {
		return operation{method: method, path: path, body: body, byID: true}
	}
	return map[string]operation{
		"B.createBusinessArtifactAction":   of(http.MethodPost, apitest.ArtifactPath(f.artifact, "/actions"), apitest.InvokeStatement),
		"B.retrieveBusinessArtifactAction": of(http.MethodGet, apitest.ActionPath(f.artifact, f.artifactAction, ""), ""),
		"B.cancelBusinessArtifactAction": of(http.MethodPost,
			apitest.ActionPath(f.artifact, f.artifactAction, "/~actions/cancel"), ""),
		"B.prepareBusinessArtifactCreateArtifact": of(http.MethodPost,
			apitest.ArtifactPath(f.artifact, "/~actions/prepare-create-artifact"), apitest.InvokeAction("CLONE")),
		"B.prepareBusinessArtifactStartProcess": of(http.MethodPost,
			apitest.ArtifactPath(f.artifact, "/~actions/prepare-start-process"), apitest.InvokeAction("OPEN_LOAN")),
	}
}
