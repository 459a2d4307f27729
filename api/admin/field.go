package admin

import (
	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/domain"
)

// fieldLocations maps the fields of operations to their locations in requests of
// administrators.
func fieldLocations() httpio.Fields {
	return httpio.Fields{
		domain.FieldTenant:      httpio.Body("/tenantId"),
		domain.FieldSort:        httpio.Query("sort"),
		domain.FieldPrincipal:   httpio.Query("principalId"),
		domain.FieldAssignee:    httpio.Body(""),
		domain.FieldContentType: httpio.Query("fileContentType"),
	}
}
