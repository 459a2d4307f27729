package apitest

import (
	"encoding/json"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// OperatorCall returns the caller that sets tests up.
func OperatorCall() domain.Call {
	return domain.Call{Caller: domain.Caller{PrincipalID: domain.SystemPrincipalID(), Type: domain.PrincipalSystem, Operator: true}}
}

// ApplyRobot applies a robot of a tenant and returns its id.
func (s *Service) ApplyRobot(tenant, code, spec string) uuid.UUID {
	s.T.Helper()
	applied, err := s.Administration.ApplyResources(s.T.Context(), OperatorCall(), administration.ApplyRequest{
		Documents: []json.RawMessage{json.RawMessage(
			`{"apiVersion":"procession/v1","kind":"Robot","metadata":{"code":"` + code + `","tenant":"` + tenant + `"},"spec":` + spec + `}`,
		)},
	})
	require.NoError(s.T, err)
	return applied[0].ID
}

// UploadRobot uploads a file of a robot.
func (s *Service) UploadRobot(tenant, code string, key domain.RobotAssetKey, name, contentType, text string) *domain.RobotFile {
	s.T.Helper()
	stored, err := s.Administration.UploadRobotFile(s.T.Context(), OperatorCall(), RobotKey(tenant, code), key,
		storage.File{Name: name, ContentType: contentType, Body: strings.NewReader(text)})
	require.NoError(s.T, err)
	return stored
}

// RobotKey names a robot.
func RobotKey(tenant, code string) administration.ResourceKey {
	return administration.ResourceKey{Tenant: tenant, Kind: resource.KindRobot, Code: code}
}

// LoadFiles loads the files of the demonstration data's robot.
func (s *Service) LoadFiles() {
	s.T.Helper()
	require.NoError(s.T, demo.LoadFiles(s.T.Context(), s.DB, s.Documents, s.Now()))
}

// OtherRobot creates a robot of the tenant Other with the same files.
func (s *Service) OtherRobot() uuid.UUID {
	s.T.Helper()
	id := s.ApplyRobot("other", "KYC_BOT", `{"name":"KYC bot","runner":"other-worker"}`)
	for _, key := range []domain.RobotAssetKey{{}, demo.RobotAsset()} {
		s.UploadRobot("other", "KYC_BOT", key, "a.zip", "application/zip", "bytes")
	}
	return id
}

// RobotPath returns the path of a robot; rest is appended.
func RobotPath(id uuid.UUID, rest string) string { return "/robots/" + id.String() + rest }

// AssetQuery names an asset to downloads and uploads.
func AssetQuery(key domain.RobotAssetKey) string {
	return url.Values{
		"type": {string(key.Type)}, "version": {key.Version},
		"platform": {string(key.Platform)}, "architecture": {string(key.Architecture)},
	}.Encode()
}
