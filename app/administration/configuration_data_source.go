package administration

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

func dataSourceHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putDataSource),
		remove: func(_ *configuration, tx *persistence.Tx, a AppliedResource, _ uuid.UUID, _ time.Time) {
			tx.RemoveDataSource(a.ID)
		},
	}
}

// putDataSource writes the data source that a document describes.
func (c *configuration) putDataSource(tx *persistence.Tx, w written, spec *resource.DataSourceSpec) error {
	queriers := make([]uuid.UUID, len(spec.Permissions.Queriers))
	for i, g := range spec.Permissions.Queriers {
		queriers[i] = c.resolveGrantee(w.Metadata.Tenant, g).ID
	}
	tx.PutDataSource(domain.DataSource{
		ID: w.id, TenantID: w.tenant, Code: w.Metadata.Code, TaskQueue: spec.TaskQueue,
		RunnerID: c.ids[identityKey(w.Metadata.Tenant, "", spec.Runner, "")], EncryptionKey: spec.EncryptionKey,
	}, queriers)
	return nil
}
