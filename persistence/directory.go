package persistence

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
)

// These fragments decide who may list people. The directory of a tenant is open to all its members or, where the
// tenant's manifest says STAFF, to members with a role in it and to principals that manage processes, which
// includes the applications that run workflows. The fragments read the arguments of directory from $1 on.
const (
	openDirectories = `ARRAY(SELECT t.id
      FROM unnest($2::uuid[]) t (id)
     WHERE t.id = ANY($3)
        OR NOT EXISTS (SELECT 1 FROM resources r
                        WHERE r.tenant_id = t.id AND r.kind = 'Tenant' AND r.spec ->> 'directory' = 'STAFF')
        OR EXISTS (SELECT 1 FROM process_definition_grants g JOIN process_definitions d ON d.id = g.process_definition_id
                    WHERE d.tenant_id = t.id AND g.permission = 'MANAGER' AND ` + access.CallerIsGrantee + `)
        OR EXISTS (SELECT 1 FROM process_definition_versions v JOIN process_definitions d ON d.id = v.process_definition_id
                    WHERE d.tenant_id = t.id AND v.runner_id = $1))`

	// listedPrincipal is true of a principal p that is shown in lists: one of an open directory, the caller, or
	// the service's own. Other authors of the type SYSTEM are only read by id.
	listedPrincipal = `(p.type = 'SYSTEM' AND p.id = '01970000-0000-7000-8000-000000000001'
    OR p.id = $1
    OR p.tenant_id = ANY(` + openDirectories + `)
    OR EXISTS (SELECT 1 FROM tenant_users u WHERE u.principal_id = p.id AND u.tenant_id = ANY(` + openDirectories + `)))`

	// metPrincipal is true when a process, an item, an artifact or an action that is visible to the caller names
	// the principal $4, even if that has left the tenant.
	metPrincipal = `(EXISTS (SELECT 1 FROM processes p
                  WHERE p.tenant_id = ANY($2) AND ` + access.VisibleProcess + `
                    AND ($4 IN (p.initiator_id, p.created_by, p.last_modified_by)
                         OR EXISTS (SELECT 1 FROM process_actions x
                                     WHERE x.process_id = p.id AND $4 IN (x.created_by, x.last_modified_by))))
      OR EXISTS (SELECT 1 FROM process_items i
                  WHERE i.tenant_id = ANY($2) AND $4 IN (i.owner_id, i.created_by, i.last_modified_by, i.delegator_id, i.substitute_id)
                    AND ` + access.VisibleItem + `)
      OR EXISTS (SELECT 1 FROM business_artifacts a
                  WHERE a.tenant_id = ANY($2) AND ` + access.VisibleArtifact + `
                    AND ($4 IN (a.created_by, a.last_modified_by)
                         OR EXISTS (SELECT 1 FROM business_artifact_actions x
                                     WHERE x.business_artifact_id = a.id AND $4 IN (x.created_by, x.last_modified_by)))))`

	// presentPrincipal is true of a principal p that belongs to a tenant of the caller.
	presentPrincipal = `(p.id = $1
    OR p.tenant_id = ANY($2)
    OR EXISTS (SELECT 1 FROM tenant_users u WHERE u.principal_id = p.id AND u.tenant_id = ANY($2)))`

	// listedUser is true of a tenant user u of an open directory, and of the caller.
	listedUser = `u.tenant_id = ANY($2) AND (u.principal_id = $1 OR u.tenant_id = ANY(` + openDirectories + `))`

	// listedGroup is true of a group g of an open directory, and of the caller's groups.
	listedGroup = `g.tenant_id = ANY($2)
    AND (g.tenant_id = ANY(` + openDirectories + `)
      OR EXISTS (SELECT 1 FROM group_members o WHERE o.group_id = g.id AND o.principal_id = $1))`
)

// directoryArgs returns the arguments of the fragments: the caller, its tenants, and the tenants where it has a
// role.
func directoryArgs(caller domain.Caller) []any {
	roles := caller.AdministeredTenants()
	if caller.Operator {
		roles = caller.TenantIDs()
	}
	return []any{caller.PrincipalID, caller.TenantIDs(), roles}
}

// directoryWith returns directory followed by the id of the requested resource.
func directoryWith(caller domain.Caller, id uuid.UUID) []any {
	return append(directoryArgs(caller), id)
}

// inGroups keeps the rows with a principal in one of the groups, given by id or by code. among is the condition that a group g
// must meet to count.
func inGroups(principal, among string, ids []uuid.UUID, codes []string) []listquery.Condition {
	member := `EXISTS (SELECT 1 FROM group_members m JOIN groups g ON g.id = m.group_id
                WHERE m.principal_id = ` + principal + ` AND ` + among + ` AND `
	return []listquery.Condition{
		listquery.MatchAny(member+"g.id = ANY(%s))", ids),
		listquery.MatchAny(member+"g.code = ANY(%s))", codes),
	}
}
