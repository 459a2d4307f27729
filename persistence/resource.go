package persistence

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	resourceColumns = `t.code, r.tenant_id, r.kind, r.code, r.id, r.labels, r.spec,
       r.created_by, r.created_at, r.last_modified_by, r.last_modified_at,
       (SELECT d.published_version FROM process_definitions d WHERE d.id = r.id AND r.kind = 'ProcessDefinition'),
       CASE WHEN r.kind = 'Robot' THEN ` + robotState + ` END, r.source, coalesce(r.external_id, ''), r.directory`

	joinsOfResources = ` JOIN tenants t ON t.id = r.tenant_id`

	fromResources = `resources r` + joinsOfResources
)

func scanResource(row pgx.CollectableRow) (resource.Stored, error) {
	var r resource.Stored
	var metadata resource.Metadata
	var kind resource.Kind
	var spec, robot, entry []byte
	err := row.Scan(&metadata.Tenant, &r.TenantID, &kind, &metadata.Code, &r.ID, &metadata.Labels, &spec,
		&r.CreatedBy, &r.CreatedAt, &r.LastModifiedBy, &r.LastModifiedAt, &r.PublishedVersion, &robot,
		&r.Source, &r.ExternalID, &entry)
	if err != nil {
		return r, err
	}
	if entry != nil {
		if err := json.Unmarshal(entry, &r.Entry); err != nil {
			return r, fmt.Errorf("reading the directory's entry of %s %s: %w", kind, metadata.Code, err)
		}
	}
	metadata.ID = &r.ID
	if kind == resource.KindTenant {
		metadata.Tenant = ""
	}
	r.Document, err = resource.FromStored(kind, metadata, spec)
	if err != nil {
		return r, fmt.Errorf("reading %s %s: %w", kind, metadata.Code, err)
	}
	if r.Robot, err = readRobotState(robot); err != nil {
		return r, fmt.Errorf("reading %s %s: %w", kind, metadata.Code, err)
	}
	return r, nil
}

// ResourceFilter narrows a list of resources. Tenants are codes.
type ResourceFilter struct {
	Kinds    []resource.Kind
	Tenants  []string
	Codes    []string
	Selector resource.Selector
	// Search keeps those with a text in their code, their name or, of users, their e-mail.
	Search string
	// Holder keeps the resources that may give rights to a user, an application or a group of a tenant: the groups that mention
	// it, other resources that mention it or one of these groups, and itself. The zero value keeps all.
	Holder resource.Key
	// Sources keeps the resources of these sources.
	Sources []resource.Source
	// Active keeps the users and applications that are not disabled, and resources of other kinds, or if false the disabled ones;
	// nil keeps all.
	Active *bool
	// ClaimedGroup keeps the users who are members of the group with the code by sign-ins, unless it is empty.
	ClaimedGroup string
}

// holding keeps the resources of a tenant that mention the code %[2]s, or a group that mentions it or is claimed by the user with
// it, or everyone. A mention is the code in quotes, anywhere: the caller interprets it.
const holding = `(r.kind = %[1]s AND r.code = %[2]s
    OR r.kind = 'Group' AND r.code IN (` + claimedCodes + `)
    OR r.kind IN ('Group', 'DataSource', 'ProcessDefinition', 'BusinessArtifactDefinition', 'Robot')
       AND (r.spec::text LIKE %[3]s
            OR %[1]s = 'User' AND r.spec::text LIKE '%%"` + resource.RoleEveryone + `"%%'
            OR r.kind <> 'Group' AND r.spec::text LIKE ANY (
                SELECT '%%"' || g.code || '"%%' FROM resources g
                 WHERE g.tenant_id = r.tenant_id AND g.kind = 'Group'
                   AND (g.spec::text LIKE %[3]s OR g.code IN (` + claimedCodes + `)))))`

// claimedCodes are the codes of the groups that the resource r of the kind %[1]s with the code %[2]s claims.
const claimedCodes = `SELECT c ->> 'group' FROM resources h, json_array_elements(h.spec -> 'claimedGroups') c
              WHERE h.tenant_id = r.tenant_id AND h.kind = %[1]s AND h.code = %[2]s`

// kindOrder returns the position of a kind in the order in which kinds are applied, as SQL.
func kindOrder() string {
	var kinds []string
	for _, kind := range resource.Kinds() {
		kinds = append(kinds, "'"+string(kind)+"'")
	}
	return "array_position(ARRAY[" + strings.Join(kinds, ", ") + "], r.kind)"
}

// ShowResources calls show with a page of the resources in scope, and returns its
// error. They can be sorted by kind, code, createdAt and lastModifiedAt.
func (r *Reader) ShowResources(
	ctx context.Context, scope AdministrationScope, filter ResourceFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[resource.Stored]) error,
) error {
	err := showValues(ctx, r, valueList[resource.Stored]{
		List: filteredResources(scope, filter, sort), alias: "r", values: []string{"r.spec", "r.labels"},
		scan: func(rows pgx.Rows) (resource.Stored, error) { return scanResource(rows) },
	}, page, show)
	return pg.Translate("listing resources", err)
}

func filteredResources(scope AdministrationScope, filter ResourceFilter, sort []domain.SortKey) *listquery.List {
	conditions := []listquery.Condition{
		listquery.AnyOf("r.kind", filter.Kinds),
		listquery.AnyOf("t.code", filter.Tenants),
		listquery.AnyOf("r.code", filter.Codes),
		listquery.MatchIf(len(filter.Selector) > 0, "r.labels @> %s::jsonb", map[string]string(filter.Selector)),
		listquery.MatchSearch(filter.Search, "r.words"),
		listquery.AnyOf("r.source", filter.Sources),
		listquery.MatchGiven(`(NOT coalesce((r.spec ->> 'disabled')::boolean, false)
    AND NOT EXISTS (SELECT 1 FROM principals p WHERE p.id = r.id AND p.disabled_at IS NOT NULL)) = %s`, filter.Active),
		listquery.MatchIf(filter.ClaimedGroup != "", "(r.kind = 'User' AND EXISTS (SELECT 1 FROM json_array_elements(r.spec -> 'claimedGroups') c WHERE c ->> 'group' = %s))",
			filter.ClaimedGroup),
	}
	if holder := filter.Holder; holder != (resource.Key{}) {
		conditions = append(conditions, listquery.Match(holding, holder.Kind, holder.Code, "%\""+holder.Code+"\"%"),
			listquery.Match("t.code = %s", holder.Tenant))
	}
	l := resourceList(scope, conditions...)
	l.Order = listquery.Order{
		By: sort, Default: []listquery.Column{{SQL: "t.code"}, {SQL: kindOrder()}, {SQL: "r.code"}},
		Columns: listquery.Columns{
			"id": {SQL: "r.id"}, "kind": {SQL: kindOrder()}, "code": {SQL: "r.code"}, "createdAt": {SQL: "r.created_at"},
			"lastModifiedAt": {SQL: "r.last_modified_at"},
		},
	}
	return l
}

func resourceList(scope AdministrationScope, conditions ...listquery.Condition) *listquery.List {
	return &listquery.List{
		Columns: resourceColumns, Table: "resources r", Joins: joinsOfResources, Where: conditions,
		Tenants: scope.Within("r.tenant_id", resourceOfDefinition),
	}
}

// resourcesAt lists the resources in scope with a key. An empty tenant matches any.
func resourcesAt(scope AdministrationScope, key resource.Key) *listquery.List {
	return resourceList(scope,
		listquery.Match("r.kind = %s", key.Kind),
		listquery.Match("r.code = %s", key.Code),
		listquery.MatchIf(key.Tenant != "", "t.code = %s", key.Tenant))
}

// GetResource returns the resource in scope, or NOT_FOUND. An empty tenant matches any; a key that then matches
// resources of several tenants is a VALIDATION error.
func (r *Reader) GetResource(ctx context.Context, scope AdministrationScope, key resource.Key) (*resource.Stored, error) {
	l := resourcesAt(scope, key)
	l.Order.Default = []listquery.Column{{SQL: "t.code"}}
	var found []resource.Stored
	rows, err := l.Rows(domain.PageRequest{Size: 2}, collectInto(&found, scanResource))
	if err == nil {
		err = r.Read(ctx, rows)
	}
	if err != nil {
		return nil, pg.Translate("reading a resource", err)
	}
	return onlyResource(found)
}

// onlyResource returns the single resource found for a key.
func onlyResource(found []resource.Stored) (*resource.Stored, error) {
	switch len(found) {
	case 0:
		return nil, domain.NotFound("resource")
	case 1:
		return &found[0], nil
	default:
		return nil, domain.Invalid(domain.LocationQuery, "tenant", "is required: several of your tenants have this resource")
	}
}

// onlyResource returns the single resource found for a key, which the transaction has locked, and keeps its version.
func (tx *Tx) onlyResource(found []resource.Stored) (*resource.Stored, error) {
	only, err := onlyResource(found)
	if err == nil {
		tx.Found(only.ID, only.Version())
	}
	return only, err
}

const (
	putResource = `
INSERT INTO resources (tenant_id, kind, code, id, labels, spec, created_by, created_at, last_modified_by, last_modified_at,
                       manifest_event, manifest_since, source, external_id, directory)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $10, $12, nullif($13, ''), $14)
ON CONFLICT (tenant_id, kind, code) DO UPDATE
   SET labels = excluded.labels, spec = excluded.spec, manifest_event = excluded.manifest_event, source = excluded.source,
       external_id = excluded.external_id, directory = excluded.directory,
       last_modified_by = excluded.last_modified_by, last_modified_at = excluded.last_modified_at`

	deleteResource = `
WITH gone AS (
    DELETE FROM resources
     WHERE tenant_id = $1 AND kind = $2 AND code = $3
    RETURNING *
)
INSERT INTO manifest_history (tenant_id, event_id, resource_id, kind, code, labels, spec, recorded_by, since, until)
SELECT g.tenant_id, $4, g.id, g.kind, g.code, g.labels, g.spec, g.manifest_event,
       coalesce(g.manifest_since, g.last_modified_at), greatest($5, g.last_modified_at + interval '1 microsecond')
  FROM gone g`
)

// PutResource stores an applied resource. The id of a resource never changes. A trigger adds the manifest that it replaces to
// the history.
func (tx *Tx) PutResource(r resource.Stored) error {
	spec, err := r.SpecJSON()
	if err != nil {
		return fmt.Errorf("writing %s %s: %w", r.Kind, r.Metadata.Code, err)
	}
	labels := r.Metadata.Labels
	if labels == nil {
		labels = map[string]string{}
	}
	var entry []byte
	if r.Entry != nil {
		if entry, err = json.Marshal(r.Entry); err != nil {
			return fmt.Errorf("writing %s %s: %w", r.Kind, r.Metadata.Code, err)
		}
	}
	tx.queue(putResource, r.TenantID, r.Kind, r.Metadata.Code, r.ID, labels, []byte(spec),
		r.CreatedBy, r.CreatedAt, r.LastModifiedBy, r.LastModifiedAt, pg.Optional(r.EventID),
		cmp.Or(r.Source, resource.SourceManifest), r.ExternalID, entry)
	return nil
}

// DeleteResource deletes a stored resource, and adds its manifest to the history as of the event.
func (tx *Tx) DeleteResource(tenant uuid.UUID, kind resource.Kind, code string, event uuid.UUID, now time.Time) {
	tx.queue(deleteResource, tenant, kind, code, event, now)
}

const listDefinitionVersions = `
SELECT v.version, v.number, v.name, v.version IS NOT DISTINCT FROM d.published_version AS published,
       v.created_by, v.created_at,
       (SELECT count(*) FROM processes p
         WHERE p.process_definition_id = d.id AND p.process_version = v.version) AS processes,
       (SELECT count(*) FROM processes p
         WHERE p.process_version = v.version AND p.state = 'RUNNING') AS running
  FROM process_definition_versions v
  JOIN process_definitions d ON d.id = v.process_definition_id
 WHERE d.id = $1
 ORDER BY v.number DESC`

// ListDefinitionVersions returns the versions of a process definition, the
// newest first.
func (r *Reader) ListDefinitionVersions(ctx context.Context, definition uuid.UUID) ([]domain.PublishedVersion, error) {
	var versions []domain.PublishedVersion
	err := r.Read(ctx, pg.Q(listDefinitionVersions, []any{definition}, pg.Into(&versions)))
	return versions, pg.Translate("listing the versions of a definition", err)
}
