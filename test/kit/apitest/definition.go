package apitest

import (
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// PutDataSource gives a tenant the data source GOODS.
func (s *Service) PutDataSource(tenant uuid.UUID, runner demo.Account, queriers ...uuid.UUID) {
	s.T.Helper()
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		tx.PutDataSource(domain.DataSource{
			ID: uuid.NewSHA1(tenant, []byte("GOODS")), TenantID: tenant, Code: "GOODS", TaskQueue: "goods", RunnerID: runner.ID,
		}, queriers)
		return nil
	}))
}

// DefinitionPath returns the path of a process definition; rest is appended.
func DefinitionPath(id uuid.UUID, rest string) string {
	return "/process-definitions/" + id.String() + rest
}

// KeyPath returns the path of an encryption key; rest is appended to its code.
func KeyPath(tenant, code, rest string) string {
	return AdminAPI + "/encryption-keys/" + code + rest + "?tenant=" + tenant
}

// AddGroup creates a group of a tenant.
func (s *Service) AddGroup(tenant uuid.UUID, code, name string, members ...uuid.UUID) uuid.UUID {
	s.T.Helper()
	group := domain.Group{ID: uuid.New(), TenantID: tenant, Code: code, Name: name}
	require.NoError(s.T, s.DB.Write(s.T.Context(), func(tx *persistence.Tx) error {
		tx.PutGroup(group, members)
		return nil
	}))
	return group.ID
}

// Define applies documents to the tenant of the demonstration data.
func (s *Service) Define(documents ...string) {
	s.T.Helper()
	s.Post(200, demo.Alice(), ApplyPath, Applying("", documents...))
}
