package administration

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

func groupHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putGroup), check: checkSpec((*configuration).checkManagedGroup),
		remove: func(_ *configuration, tx *persistence.Tx, a AppliedResource, tenant uuid.UUID, _ time.Time) {
			tx.RemoveGroup(tenant, a.ID)
		},
		identify: func(c *configuration, d *resource.Document) (uuid.UUID, bool) {
			tenant := c.tenants[d.TenantCode()]
			for _, g := range c.Groups {
				if tenant != nil && g.TenantID == tenant.ID && g.Code == d.Metadata.Code {
					return g.ID, true
				}
			}
			return uuid.Nil, false
		},
	}
}

func (c *configuration) putGroup(tx *persistence.Tx, w written, spec *resource.GroupSpec) error {
	members := make([]uuid.UUID, len(spec.Members))
	for i, m := range spec.Members {
		members[i] = c.ids[identityKey(w.Metadata.Tenant, m.User, m.Application, "")]
	}
	var claimants []uuid.UUID
	for _, code := range c.claimants[w.Key()] {
		if id := c.ids[identityKey(w.Metadata.Tenant, code, "", "")]; !slices.Contains(members, id) {
			claimants = append(claimants, id)
		}
	}
	tx.PutGroup(domain.Group{ID: w.id, TenantID: w.tenant, Code: w.Metadata.Code, Name: spec.Name}, members, claimants...)
	return nil
}
