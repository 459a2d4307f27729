package api_test

import (
	"net/http"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/devstack/demo"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// answeredQuery returns a query of an account that has its answer, the same whenever it
// is asked for.
func answeredQuery(s *apitest.Service, as demo.Account, tenant uuid.UUID) uuid.UUID {
	s.T.Helper()
	id := uuid.NewSHA1(as.ID, []byte("query"))
	conn := s.Connect()
	_, err := conn.Exec(s.T.Context(), `INSERT INTO data_source_runs
		(id, tenant_id, data_source_code, requested_by, state, result, created_at, deadline, finished_at)
		VALUES ($1, $2, 'GOODS', $3, 'COMPLETED', $4, $5, $5, $5) ON CONFLICT DO NOTHING`, id, tenant, as.ID,
		`{"number":0,"size":25,"totalElements":1,"totalPages":1,"items":[{"value":"kuflow-data-source:id=`+id.String()+
			`;","properties":{"id":"`+id.String()+`"}}]}`, s.Now())
	require.NoError(s.T, err)
	require.NoError(s.T, conn.Close(s.T.Context()))
	return id
}

// withDataSource completes a fixture by the data source GOODS and a query of it.
func (f fixture) withDataSource(s *apitest.Service, as demo.Account) fixture {
	s.T.Helper()
	s.PutDataSource(f.tenant, as, as.ID)
	f.query = answeredQuery(s, as, f.tenant)
	return f
}

// dataSourceOperations returns the valid requests about data sources.
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
