package api_test

import (
	"net/http"

	"github.com/google/uuid"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
	"github.com/procession-dev/procession/test/kit/apitest"
)

// bulkRequests returns the requests about bulk operations.
func (f adminThings) bulkRequests() map[string]operation {
	get, post, bulk := http.MethodGet, http.MethodPost, apitest.AdminAPI+"/bulk-operations/"
	return map[string]operation{
		"findBulkOperations": {method: get, path: apitest.AdminAPI + "/bulk-operations?state=RUNNING&sort=createdAt&tenant=" + f.tenant},
		"previewBulkOperation": {
			method: post, path: apitest.AdminAPI + "/bulk-operations",
			body: `{"kind":"RETRY_INCIDENTS","filter":{"states":["OPEN"]},"tenantId":"` + f.tenantID.String() + `"}`,
		},
		"retrieveBulkOperation":  {method: get, path: bulk + f.bulk.String()},
		"findBulkOperationItems": {method: get, path: bulk + f.bulk.String() + "/items?state=PENDING"},
		"startBulkOperation":     {method: post, path: bulk + f.preview.String() + "/~actions/start", body: `{"reason":"the bank answers again"}`},
		"stopBulkOperation":      {method: post, path: bulk + f.bulk.String() + "/~actions/stop"},
	}
}

// makeBulk previews a bulk operation as "owner".
func makeBulk(s *apitest.Administered, f adminThings) uuid.UUID {
	s.T.Helper()
	return apitest.Decode[oasadmin.BulkOperation](s.T, s.Post(201, s.Of(f.tenant, "owner"), apitest.AdminAPI+"/bulk-operations",
		`{"kind":"DISMISS_INCIDENTS","filter":{"ids":["`+f.incident.String()+`"]}}`)).ID
}
