package api_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/administer"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// operatorCaller is who sets tests up.
func operatorCaller() domain.Caller {
	return domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem, Operator: true}
}

// applyRobot applies a robot of a tenant and returns its id.
func (s *service) applyRobot(tenant, code, spec string) uuid.UUID {
	s.t.Helper()
	applied, err := s.administration.ApplyResources(s.t.Context(), operatorCaller(), administer.ApplyRequest{
		Documents: []json.RawMessage{json.RawMessage(
			`{"apiVersion":"procession/v1","kind":"Robot","metadata":{"code":"` + code + `","tenant":"` + tenant + `"},"spec":` + spec + `}`,
		)},
	})
	require.NoError(s.t, err)
	return applied[0].ID
}

// uploadRobot uploads a file of a robot.
func (s *service) uploadRobot(tenant, code string, key domain.RobotAssetKey, name, contentType, text string) *domain.RobotFile {
	s.t.Helper()
	stored, err := s.administration.UploadRobotFile(s.t.Context(), operatorCaller(), robotKey(tenant, code), key,
		storage.Upload{Name: name, ContentType: contentType, Body: strings.NewReader(text)})
	require.NoError(s.t, err)
	return stored
}

func robotKey(tenant, code string) administer.ResourceKey {
	return administer.ResourceKey{Tenant: tenant, Kind: resource.KindRobot, Code: code}
}

// withRobot completes a fixture by the robot of the tenant Demo and its files.
func (f fixture) withRobot(s *service) fixture {
	s.t.Helper()
	s.loadFiles()
	f.robot = demo.Robot()
	return f
}

// loadFiles loads the files of the demonstration data, which are those of its
// robot.
func (s *service) loadFiles() {
	s.t.Helper()
	require.NoError(s.t, demo.LoadFiles(s.t.Context(), s.db, s.documents, s.now()))
}

// otherRobot makes a robot of the tenant Other with the same files.
func (s *service) otherRobot() uuid.UUID {
	s.t.Helper()
	id := s.applyRobot("other", "KYC_BOT", `{"name":"KYC bot","runner":"other-worker"}`)
	for _, key := range []domain.RobotAssetKey{{}, demo.RobotAsset()} {
		s.uploadRobot("other", "KYC_BOT", key, "a.zip", "application/zip", "bytes")
	}
	return id
}

func robotPath(id uuid.UUID, rest string) string { return "/robots/" + id.String() + rest }

// assetQuery names an asset to downloads and uploads.
func assetQuery(key domain.RobotAssetKey) string {
	return url.Values{
		"type": {string(key.Type)}, "version": {key.Version},
		"platform": {string(key.Platform)}, "architecture": {string(key.Architecture)},
	}.Encode()
}

// robotOperations are the valid requests about robots.
func (f fixture) robotOperations() map[string]operation {
	requests := map[string]operation{}
	for shape, c := range map[string]struct{ base, source, asset string }{
		"A": {shapeA, "actionsRobotDownloadSourceCode", "actionsRobotDownloadAsset"},
		"B": {shapeB, "downloadRobotSourceCode", "downloadRobotAsset"},
	} {
		of := func(rest string) operation {
			return operation{method: http.MethodGet, path: c.base + robotPath(f.robot, rest), byID: true}
		}
		requests[shape+".findRobots"] = operation{
			method: http.MethodGet, path: c.base + "/robots?filterContext=READY&sort=createdAt%2Cdesc",
		}
		requests[shape+".retrieveRobot"] = of("")
		requests[shape+"."+c.source] = of("/~actions/download-source-code")
		requests[shape+"."+c.asset] = of("/~actions/download-asset?" + assetQuery(demo.RobotAsset()))
	}
	return requests
}
