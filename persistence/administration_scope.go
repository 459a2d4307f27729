package persistence

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
)

// AdministrationScope selects the configuration that exists for an administrator: of every tenant, or of Tenants and of single
// process definitions of Others.
type AdministrationScope struct {
	Everywhere bool
	Tenants    []uuid.UUID
	// Administrator is the principal with the Administrator permission on process definitions of Others.
	Administrator uuid.UUID
	Others        []uuid.UUID
}

// AdministrationOf selects the configuration that the caller administers.
func AdministrationOf(caller domain.Caller) AdministrationScope {
	return AdministrationScope{
		Everywhere: caller.Operator || caller.PrincipalID == domain.SystemPrincipalID(), Tenants: caller.AdministeredTenants(),
		Administrator: caller.PrincipalID, Others: caller.DefinitionTenants(),
	}
}

// memberScope selects the tenants of the caller.
func memberScope(caller domain.Caller) AdministrationScope {
	return AdministrationScope{Tenants: caller.TenantIDs()}
}

// isEmpty reports whether the scope selects nothing.
func (s AdministrationScope) isEmpty() bool {
	return !s.Everywhere && len(s.Tenants) == 0 && len(s.Others) == 0
}

// SomeTenants returns the tenants with anything in the scope.
func (s AdministrationScope) SomeTenants() []uuid.UUID {
	return append(s.Tenants[:len(s.Tenants):len(s.Tenants)], s.Others...)
}

// args returns the arguments $1 to $4 of statements with a condition such as incidentInScope, followed by more.
func (s AdministrationScope) args(more ...any) []any {
	return append([]any{s.Administrator, s.Tenants, s.Everywhere, s.Others}, more...)
}

// Within keeps the rows of a list that belong to a tenant of the scope, or to one of its process definitions. ofDefinition is the
// condition of the latter, with the principal $1.
func (s AdministrationScope) Within(tenantColumn, ofDefinition string) listquery.Condition {
	whole := listquery.Within(tenantColumn, s.Everywhere, s.Tenants)
	if s.Everywhere || len(s.Others) == 0 {
		return whole
	}
	single := listquery.Match(tenantColumn+" = ANY(%[1]s) AND "+strings.ReplaceAll(ofDefinition, "$1", "%[2]s"), s.Others, s.Administrator)
	if len(s.Tenants) == 0 {
		return single
	}
	return listquery.Match("(%s OR %s)", whole, single)
}

// walks returns the ways to rows of the scope, which is not Everywhere: along its tenants, and along its process definitions.
func (s AdministrationScope) walks(tenantColumn, definitionColumn string) []listquery.Walk {
	var walks []listquery.Walk
	if len(s.Tenants) > 0 {
		walks = append(walks, listquery.Walk{
			Definitions: "SELECT t.id FROM unnest(%s::uuid[]) t (id)", Args: []any{s.Tenants}, Column: tenantColumn,
		})
	}
	if len(s.Others) > 0 {
		walks = append(walks, listquery.Walk{
			Definitions: "SELECT DISTINCT a.id FROM unnest(" + strings.ReplaceAll(access.AdministeredProcessDefinitions, "$1", "%[1]s") + ") a (id)",
			Args:        []any{s.Administrator}, Column: definitionColumn,
		})
	}
	return walks
}

// The conditions of rows that belong to a process definition on which $1 has the Administrator permission.
const (
	incidentOfDefinition = `i.process_definition_id = ANY(` + access.AdministeredProcessDefinitions + `)`
	resourceOfDefinition = `r.kind = 'ProcessDefinition' AND r.id = ANY(` + access.AdministeredProcessDefinitions + `)`
	faultOfDefinition    = `d.id = ANY(` + access.AdministeredProcessDefinitions + `)`
	needOfDefinition     = `n.process_definition_id = ANY(` + access.AdministeredProcessDefinitions + `)`
	queueOfDefinition    = `(w.tenant_id, q.task_queue) IN (SELECT n.tenant_id, n.task_queue FROM version_needs n WHERE ` + needOfDefinition + `)`
	workerOfDefinition   = `EXISTS (SELECT 1 FROM worker_queues q
                 WHERE q.worker_id = w.id AND q.principal_id = w.principal_id AND ` + queueOfDefinition + `)`
)

// The conditions of rows in the scope with the arguments of args.
const (
	incidentInScope = `($3 OR i.tenant_id = ANY($2) OR i.tenant_id = ANY($4) AND ` + incidentOfDefinition + `)`
	needInScope     = `($3 OR n.tenant_id = ANY($2) OR n.tenant_id = ANY($4) AND ` + needOfDefinition + `)`
	queueInScope    = `($3 OR w.tenant_id = ANY($2) OR w.tenant_id = ANY($4) AND ` + queueOfDefinition + `)`
)

// Includes reports whether the tenant is in the scope.
func (s AdministrationScope) Includes(tenant uuid.UUID) bool {
	return s.Everywhere || slices.Contains(s.Tenants, tenant)
}
