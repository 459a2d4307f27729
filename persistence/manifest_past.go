package persistence

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// PastDefinition contains a process definition and the people of its tenant at a time.
type PastDefinition struct {
	TenantID uuid.UUID
	Tenant   string
	// Since is the time from which on the history of the tenant is complete.
	Since time.Time
	// ID is the zero id if the definition did not exist.
	ID   uuid.UUID
	Spec *resource.ProcessDefinitionSpec
	// Startable reports whether processes could be started: the last manifest that was no draft was published.
	Startable bool
	// Former is the last manifest with the requested item, nil if Spec has it or none had.
	Former *resource.ProcessDefinitionSpec
	People []PastPerson
	// Disabled are the users that were disabled in all tenants.
	Disabled []uuid.UUID
}

// PastPerson is a user, an application or a group at a time.
type PastPerson struct {
	Kind     resource.Kind
	Code     string
	ID       uuid.UUID
	Name     string
	Email    string
	Role     domain.TenantRole
	Disabled bool
	// Members are the members of a group by its manifest.
	Members []resource.Member
	// ClaimedGroups are the memberships of a user by sign-ins.
	ClaimedGroups []resource.ClaimedGroup
}

const (
	// scopedTenant is the tenant with the code $1 if it is in the scope: everywhere if $2, else one of $3. Without a code it
	// is the only tenant of the scope.
	scopedTenant = `
WITH tenant AS (
    SELECT t.id, t.code, coalesce(s.since, t.created_at) AS since
      FROM tenants t
      LEFT JOIN manifest_history_starts s ON s.tenant_id = t.id
     WHERE (t.code = $1 OR $1 = '' AND NOT $2) AND ($2 OR t.id = ANY($3))
)`

	// manifestsAt are the manifests m of the tenant at the time $4.
	manifestsAt = `
    SELECT r.kind, r.code, r.id, r.spec
      FROM resources r
     WHERE r.tenant_id = t.id AND coalesce(r.manifest_since, r.last_modified_at) <= $4
     UNION ALL
    SELECT h.kind, h.code, h.resource_id, h.spec
      FROM manifest_history h
     WHERE h.tenant_id = t.id AND h.since <= $4 AND h.until > $4`

	// manifestsUntil are the manifests of the definition m from its creation until $4, with the time since which they were current.
	manifestsUntil = `
    SELECT r.spec, coalesce(r.manifest_since, r.last_modified_at) AS since
      FROM resources r
     WHERE r.tenant_id = t.id AND r.kind = 'ProcessDefinition' AND r.id = m.id
       AND coalesce(r.manifest_since, r.last_modified_at) <= $4
     UNION ALL
    SELECT h.spec, h.since
      FROM manifest_history h
     WHERE h.tenant_id = t.id AND h.resource_id = m.id AND h.since <= $4`

	pastPeople = scopedTenant + `
SELECT m.kind, m.code, m.id, coalesce(m.spec->>'name', ''), coalesce(m.spec->>'email', ''), coalesce(m.spec->>'role', ''),
       coalesce((m.spec->>'disabled')::boolean, false),
       CASE WHEN m.kind = 'Group' THEN m.spec->'members' END, CASE WHEN m.kind = 'User' THEN m.spec->'claimedGroups' END
  FROM tenant t
 CROSS JOIN LATERAL (` + manifestsAt + `) m
 WHERE m.kind IN ('User', 'Application', 'Group')
 ORDER BY m.kind, m.code`

	// pastDisabled finds people by the first event after $4, or else by their present state.
	pastDisabled = scopedTenant + `, change AS (
    SELECT DISTINCT ON (e.resource_id) e.resource_id, e.type
      FROM tenant t
      JOIN events e ON e.tenant_id = t.id
     WHERE e.type IN ('PERSON.DISABLED', 'PERSON.ENABLED') AND e.occurred_at > $4
     ORDER BY e.resource_id, e.era, e.xid, e.position
)
SELECT c.resource_id FROM change c WHERE c.type = 'PERSON.ENABLED'
 UNION ALL
SELECT p.id FROM principals p WHERE p.disabled_at <= $4 AND NOT EXISTS (SELECT 1 FROM change c WHERE c.resource_id = p.id)`
)

// pastDefinition finds the definition with the code $5, and the last manifest with the item $6. In tenants other than $7 it is
// one that the principal $8 administers.
//
//nolint:gochecknoglobals // a constant text
var pastDefinition = scopedTenant + `
SELECT t.id, t.code, t.since, m.id, m.spec,
       coalesce((SELECT u.spec->>'state' FROM (` + manifestsUntil + `) u
                  WHERE u.spec->>'state' <> 'DRAFT' ORDER BY u.since DESC LIMIT 1) = 'PUBLISHED', false),
       (SELECT u.spec FROM (` + manifestsUntil + `) u
         WHERE $6 <> '' AND EXISTS (SELECT 1 FROM json_array_elements(u.spec->'items') i WHERE i->>'code' = $6)
         ORDER BY u.since DESC LIMIT 1)
  FROM tenant t
  LEFT JOIN LATERAL (` + manifestsAt + `) m ON m.kind = 'ProcessDefinition' AND m.code = $5
   AND ($2 OR t.id = ANY($7) OR m.id = ANY(` + strings.ReplaceAll(access.AdministeredProcessDefinitions, "$1", "$8") + `))`

// GetPastDefinition reads a process definition of the scope, and the people of its tenant, as they were at a time. It reads the
// names and memberships of the whole tenant, and one index entry for each manifest that was replaced since. With an item, it reads
// the earlier manifests of the definition until one has the item. Errors: NOT_FOUND for a tenant out of the scope.
func (r *Reader) GetPastDefinition(
	ctx context.Context, scope AdministrationScope, key resource.Key, item string, at time.Time,
) (*PastDefinition, error) {
	found := &PastDefinition{}
	var id *uuid.UUID
	var spec, former []byte
	args := []any{key.Tenant, scope.Everywhere, scope.SomeTenants(), at}
	err := r.Read(ctx,
		pg.Q(pastDefinition, append(args[:4:4], key.Code, item, scope.Tenants, scope.Administrator),
			pg.One(&found.TenantID, &found.Tenant, &found.Since, &id, &spec, &found.Startable, &former)),
		pg.Q(pastPeople, args, collectInto(&found.People, scanPastPerson)),
		pg.Q(pastDisabled, args, collectInto(&found.Disabled, pgx.RowTo[uuid.UUID])))
	if pg.IgnoreNoRows(err) == nil && err != nil {
		return nil, domain.NotFound("tenant")
	}
	if err != nil {
		return nil, pg.Translate("reading a past definition", err)
	}
	if id == nil {
		return found, nil
	}
	found.ID = *id
	if found.Spec, err = readDefinitionSpec(spec); err == nil && len(former) > 0 && !found.Spec.HasItem(item) {
		found.Former, err = readDefinitionSpec(former)
	}
	return found, err
}

func scanPastPerson(row pgx.CollectableRow) (PastPerson, error) {
	var p PastPerson
	var members, claimed []byte
	err := row.Scan(&p.Kind, &p.Code, &p.ID, &p.Name, &p.Email, &p.Role, &p.Disabled, &members, &claimed)
	if err == nil && len(members) > 0 {
		err = json.Unmarshal(members, &p.Members)
	}
	if err == nil && len(claimed) > 0 {
		err = json.Unmarshal(claimed, &p.ClaimedGroups)
	}
	return p, err
}

func readDefinitionSpec(text []byte) (*resource.ProcessDefinitionSpec, error) {
	d, err := resource.FromStored(resource.KindProcessDefinition, resource.Metadata{}, text)
	if err != nil {
		return nil, err
	}
	spec, ok := d.Spec.(*resource.ProcessDefinitionSpec)
	if !ok {
		return nil, fmt.Errorf("a stored process definition has a spec of type %T", d.Spec)
	}
	return spec, nil
}
