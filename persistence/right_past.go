package persistence

import (
	"context"
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

// PastTenant contains the rights in a tenant, and its people, at a time.
type PastTenant struct {
	ID   uuid.UUID
	Code string
	Name string
	// Since is the time from which on the history of the tenant is complete.
	Since     time.Time
	Resources []PastResource
	People    []PastPerson
	// Disabled are the users that were disabled in all tenants.
	Disabled []uuid.UUID
}

// PastResource contains the rights that a resource gave at a time.
type PastResource struct {
	Kind resource.Kind
	Code string
	ID   uuid.UUID
	Name string
	// Startable reports whether processes of a process definition could be started.
	Startable bool
	Rights    []resource.Right
}

// The statements take the arguments of scopedTenant and the time $4.
const (
	pastTenant = scopedTenant + `
SELECT t.id, t.code, n.name, t.since FROM tenant t JOIN tenants n ON n.id = t.id WHERE $4::timestamptz IS NOT NULL`

	pastResources = scopedTenant + `
SELECT m.kind, m.code, m.id, m.spec,
       CASE m.spec->>'state'
            WHEN 'PUBLISHED' THEN true
            WHEN 'DRAFT' THEN coalesce((SELECT u.spec->>'state' FROM (` + manifestsUntil + `) u
                                         WHERE u.spec->>'state' <> 'DRAFT' ORDER BY u.since DESC LIMIT 1) = 'PUBLISHED', false)
            ELSE false END
  FROM tenant t
 CROSS JOIN LATERAL (` + manifestsAt + `) m
 WHERE m.kind = ANY($5)
   AND ($2 OR t.id = ANY($6) OR m.kind = 'ProcessDefinition' AND m.id = ANY(%s))
 ORDER BY array_position($5::text[], m.kind), m.code`
)

// ListPastRights reads the rights that the resources of a tenant gave at a time, and the people of the tenant. An empty code stands for
// the only tenant of the scope. Errors: NOT_FOUND for a tenant out of the scope.
func (r *Reader) ListPastRights(ctx context.Context, scope AdministrationScope, tenant string, at time.Time) (*PastTenant, error) {
	found := &PastTenant{}
	args := []any{tenant, scope.Everywhere, scope.SomeTenants(), at}
	kinds := []string{
		string(resource.KindProcessDefinition), string(resource.KindBusinessArtifactDefinition), string(resource.KindDataSource),
		string(resource.KindRobot),
	}
	resources := fmt.Sprintf(pastResources, strings.ReplaceAll(access.AdministeredProcessDefinitions, "$1", "$7"))
	err := r.Read(ctx,
		pg.Q(pastTenant, args, pg.One(&found.ID, &found.Code, &found.Name, &found.Since)),
		pg.Q(resources, append(args[:4:4], kinds, scope.Tenants, scope.Administrator), collectInto(&found.Resources, scanPastResource)),
		pg.Q(pastPeople, args, collectInto(&found.People, scanPastPerson)),
		pg.Q(pastDisabled, args, collectInto(&found.Disabled, pgx.RowTo[uuid.UUID])))
	if pg.IgnoreNoRows(err) == nil && err != nil {
		return nil, domain.NotFound("tenant")
	}
	return found, pg.Translate("reading past rights", err)
}

func scanPastResource(row pgx.CollectableRow) (PastResource, error) {
	var p PastResource
	var spec []byte
	if err := row.Scan(&p.Kind, &p.Code, &p.ID, &spec, &p.Startable); err != nil {
		return p, err
	}
	d, err := resource.FromStored(p.Kind, resource.Metadata{Code: p.Code}, spec)
	if err != nil {
		return p, fmt.Errorf("reading %s %s: %w", p.Kind, p.Code, err)
	}
	p.Name, p.Rights = resource.NameOf(d.Spec), resource.ExplainRights(d.Spec)
	return p, nil
}
