package administration

import (
	"encoding/hex"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

func tenantHandler() kindHandler {
	return kindHandler{
		put: putSpec((*configuration).putTenant), check: checkSpec((*configuration).checkTenant),
		identify: func(c *configuration, d *resource.Document) (uuid.UUID, bool) {
			if tenant := c.tenants[d.TenantCode()]; tenant != nil {
				return tenant.ID, true
			}
			return uuid.Nil, false
		},
	}
}

func (c *configuration) putTenant(tx *persistence.Tx, w written, spec *resource.TenantSpec) error {
	namespace := spec.Namespace
	if namespace == "" {
		namespace = "t-" + hex.EncodeToString(w.id[:])
	}
	tx.PutTenant(domain.Tenant{
		ID: w.id, Code: w.Metadata.Code, Name: spec.Name, Plan: spec.Plan, Namespace: namespace, Cluster: spec.Cluster, TimeZone: spec.TimeZone,
		UserMetadataSchema: spec.UserMetadataSchema, Audit: w.audit,
	})
	return nil
}

// checkTenant reports changes of immutable fields, and errors that only the database or the system can detect.
func (c *configuration) checkTenant(d *resource.Document, spec *resource.TenantSpec) *resource.Violation {
	tenant := c.tenants[d.Metadata.Code]
	if tenant != nil && spec.Namespace != "" && spec.Namespace != tenant.Namespace {
		return &resource.Violation{Pointer: "/spec/namespace", Message: "cannot be changed: the tenant's workflows are there"}
	}
	if tenant != nil && spec.Cluster != "" && spec.Cluster != tenant.Cluster {
		return &resource.Violation{Pointer: "/spec/cluster", Message: "cannot be changed: the tenant's workflows are there"}
	}
	if spec.Cluster != "" && !slices.Contains(c.clusters, spec.Cluster) {
		return &resource.Violation{Pointer: "/spec/cluster", Message: "is not among the clusters of the operator (--temporal-clusters)"}
	}
	if tenant == nil && slices.Contains(c.TakenNamespaces, spec.Namespace) {
		return &resource.Violation{Pointer: "/spec/namespace", Message: "is in use already"}
	}
	if _, err := time.LoadLocation(spec.TimeZone); err != nil {
		return &resource.Violation{Pointer: "/spec/timeZone", Message: "is not a time zone of the IANA database"}
	}
	return nil
}
