package administer

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// projectDataSource writes the data source that a document describes.
func (c *configuration) projectDataSource(
	tx *persistence.Tx, d *resource.Document, spec *resource.DataSourceSpec, id, tenant uuid.UUID,
) {
	queriers := make([]uuid.UUID, len(spec.Permissions.Queriers))
	for i, g := range spec.Permissions.Queriers {
		queriers[i] = c.grantee(d.Metadata.Tenant, g).ID
	}
	tx.PutDataSource(domain.DataSource{
		ID: id, TenantID: tenant, Code: d.Metadata.Code, TaskQueue: spec.TaskQueue,
		RunnerID: c.ids[key(d.Metadata.Tenant, "", spec.Runner, "")], EncryptionKey: spec.EncryptionKey,
	}, queriers)
}
