package api_test

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// putDataSource gives a tenant the data source GOODS.
func (s *service) putDataSource(tenant uuid.UUID, runner demo.Account, queriers ...uuid.UUID) {
	s.t.Helper()
	require.NoError(s.t, s.db.Write(s.t.Context(), func(tx *persistence.Tx) error {
		tx.PutDataSource(domain.DataSource{
			ID: uuid.NewSHA1(tenant, []byte("GOODS")), TenantID: tenant, Code: "GOODS", TaskQueue: "goods", RunnerID: runner.ID,
		}, queriers)
		return nil
	}))
}

// answeredQuery is a query of an account that has its answer, the same whenever it
// is asked for.
func (s *service) answeredQuery(as demo.Account, tenant uuid.UUID) uuid.UUID {
	s.t.Helper()
	id := uuid.NewSHA1(as.ID, []byte("query"))
	conn := s.connect()
	_, err := conn.Exec(s.t.Context(), `INSERT INTO data_source_runs
		(id, tenant_id, data_source_code, requested_by, state, result, created_at, deadline, finished_at)
		VALUES ($1, $2, 'GOODS', $3, 'COMPLETED', $4, $5, $5, $5) ON CONFLICT DO NOTHING`, id, tenant, as.ID,
		`{"number":0,"size":25,"totalElements":1,"totalPages":1,"items":[{"value":"kuflow-data-source:id=`+id.String()+
			`;","properties":{"id":"`+id.String()+`"}}]}`, s.now())
	require.NoError(s.t, err)
	require.NoError(s.t, conn.Close(s.t.Context()))
	return id
}

// withDataSource completes a fixture by the data source GOODS and a query of it.
func (f fixture) withDataSource(s *service, as demo.Account) fixture {
	s.t.Helper()
	s.putDataSource(f.tenant, as, as.ID)
	f.query = s.answeredQuery(as, f.tenant)
	return f
}

// dataSourceOperations are the valid requests about data sources.
func (f fixture) dataSourceOperations() map[string]operation {
	return map[string]operation{
		"B.createDataSourceQuery": {
			method: http.MethodPost, path: "/data-source-queries", body: `{"tenantId":"` + f.tenant.String() +
				`","dataSourceCode":"GOODS","query":"bolt","filter":"price<10","context":{"CURRENCY":"EUR"},"pageNumber":1,"pageSize":5}`,
		},
		"B.retrieveDataSourceQuery": {
			method: http.MethodGet, path: "/data-source-queries/" + f.query.String(), byID: true,
		},
	}
}
