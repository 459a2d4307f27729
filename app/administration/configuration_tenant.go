package administration

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// Names of namespaces in Temporal Cloud without the account have between minCloudName and maxCloudName characters.
const (
	minCloudName = 2
	maxCloudName = 39
)

// listClusters returns the suffixes of namespaces in Temporal Cloud by the names of clusters, "" for others.
func (s *Service) listClusters() map[string]string {
	clusters := map[string]string{}
	for name := range s.engineAddresses {
		clusters[name] = s.cloudAccounts[name]
	}
	return clusters
}

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
		if account := c.clusters[spec.Cluster]; account != "" {
			namespace += "." + account
		}
	}
	tx.PutTenant(domain.Tenant{
		ID: w.id, Code: w.Metadata.Code, Name: spec.Name, Plan: spec.Plan, Namespace: namespace, SharedNamespace: spec.SharedNamespace,
		Cluster: spec.Cluster, TimeZone: spec.TimeZone, UserMetadataSchema: spec.UserMetadataSchema, Audit: w.audit,
	})
	return nil
}

// checkTenant reports changes of immutable fields, and errors that only the database or the system can detect.
func (c *configuration) checkTenant(d *resource.Document, spec *resource.TenantSpec) *resource.Violation {
	tenant := c.tenants[d.Metadata.Code]
	const fixed = "cannot be changed: the tenant's workflows are there"
	switch {
	case tenant == nil:
	case spec.Namespace != "" && spec.Namespace != tenant.Namespace:
		return &resource.Violation{Pointer: "/spec/namespace", Message: fixed}
	case spec.SharedNamespace != tenant.SharedNamespace:
		return &resource.Violation{Pointer: "/spec/sharedNamespace", Message: fixed}
	case spec.Cluster != "" && spec.Cluster != tenant.Cluster:
		return &resource.Violation{Pointer: "/spec/cluster", Message: fixed}
	}
	if _, ok := c.clusters[spec.Cluster]; spec.Cluster != "" && !ok {
		return &resource.Violation{Pointer: "/spec/cluster", Message: "is not among the clusters of the operator (--temporal-clusters)"}
	}
	if tenant == nil && spec.Namespace != "" {
		if violation := c.checkNamespace(d, spec); violation != nil {
			return violation
		}
	}
	if _, err := time.LoadLocation(spec.TimeZone); err != nil {
		return &resource.Violation{Pointer: "/spec/timeZone", Message: "is not a time zone of the IANA database"}
	}
	return nil
}

// tenantSpec returns the manifest of a tenant after the change, nil for none.
func (c *configuration) tenantSpec(code string) *resource.TenantSpec {
	d := c.desired[resource.Key{Tenant: code, Kind: resource.KindTenant, Code: code}]
	if d == nil {
		return nil
	}
	spec, _ := d.Spec.(*resource.TenantSpec)
	return spec
}

// checkNamespace reports why a new tenant cannot use the namespace of its manifest.
func (c *configuration) checkNamespace(d *resource.Document, spec *resource.TenantSpec) *resource.Violation {
	if account := c.clusters[spec.Cluster]; account != "" {
		name, ok := strings.CutSuffix(spec.Namespace, "."+account)
		if !ok || len(name) < minCloudName || len(name) > maxCloudName || strings.HasSuffix(name, "-") {
			return &resource.Violation{Pointer: "/spec/namespace", Message: fmt.Sprintf(
				"must have between %d and %d letters, digits and '-', no '-' at the end, and the account of Temporal Cloud, as in north.%s",
				minCloudName, maxCloudName, account)}
		}
	}
	taken := slices.Clone(c.Namespaces)
	for key, other := range c.desired {
		if of, ok := other.Spec.(*resource.TenantSpec); ok && key != d.Key() && c.tenants[key.Code] == nil && of.Namespace != "" {
			taken = append(taken, persistence.TakenNamespace{Namespace: of.Namespace, Cluster: of.Cluster, SharedNamespace: of.SharedNamespace})
		}
	}
	for _, other := range taken {
		switch {
		case other.Namespace != spec.Namespace:
		case !other.SharedNamespace || !spec.SharedNamespace:
			return &resource.Violation{Pointer: "/spec/namespace", Message: "is in use already, and only tenants with sharedNamespace share one"}
		case other.Cluster != spec.Cluster:
			return &resource.Violation{Pointer: "/spec/cluster", Message: "is not the cluster of the other tenants of the namespace"}
		}
	}
	return nil
}

// foreignQueues reports task queues without the code of the tenant in documents of tenants that share a namespace.
func (c *configuration) foreignQueues(documents []resource.Document) []resource.Violation {
	var violations []resource.Violation
	for i := range documents {
		code := documents[i].TenantCode()
		if spec := c.tenantSpec(code); spec == nil || !spec.SharedNamespace {
			continue
		}
		for _, queue := range documents[i].TaskQueues() {
			if !strings.HasPrefix(queue.Name, code+".") {
				violations = append(violations, resource.Violation{
					Document: documents[i].Place, Pointer: queue.Pointer,
					Message: "must begin with " + strconv.Quote(code+".") + ", because the tenant shares its Temporal namespace with others",
				})
			}
		}
	}
	return violations
}
