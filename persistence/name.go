package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	selectPrincipalsByID = `
SELECT w.tenant_id, p.id, p.type, coalesce(n.name, p.name), coalesce(p.email, '')
  FROM (SELECT DISTINCT u.id, u.tenant_id FROM unnest($1::uuid[], $2::uuid[]) u (id, tenant_id)) w
  JOIN principals p ON p.id = w.id
  LEFT JOIN person_names n ON n.tenant_id = w.tenant_id AND n.principal_id = w.id`

	selectProcessVersionNames = `
SELECT v.version, v.name
  FROM process_definition_versions v
 WHERE v.version = ANY($1)`

	selectItemVersionNames = `
SELECT v.version, v.name
  FROM item_definition_versions v
 WHERE v.version = ANY($1)`
)

// NamesOfProcesses returns the names of the initiators and the definitions of processes, including deleted or
// disabled ones.
func (r *Reader) NamesOfProcesses(ctx context.Context, processes ...domain.Process) (domain.Names, error) {
	names, queries := namesOfProcesses(processes)
	return names, pg.Translate("reading names", r.Read(ctx, queries...))
}

// NamesOfItems returns the names of the owners and the definitions of items, including deleted or disabled ones.
func (r *Reader) NamesOfItems(ctx context.Context, items ...domain.ProcessItem) (domain.Names, error) {
	names, queries := namesOfItems(items)
	return names, pg.Translate("reading names", r.Read(ctx, queries...))
}

// queueNames adds names to the returned process or item. They are read with the commit.
func (tx *Tx) queueNames() {
	var names domain.Names
	var queries []pg.Query
	switch {
	case tx.item != nil:
		names, queries = namesOfItems([]domain.ProcessItem{*tx.item})
		tx.item.Names = &names
	case tx.process != nil:
		names, queries = namesOfProcesses([]domain.Process{*tx.process})
		tx.process.Names = &names
	}
	for _, q := range queries {
		tx.queued.Queue(q.SQL, q.Args...).Query(q.Scan)
	}
}

func namesOfProcesses(processes []domain.Process) (domain.Names, []pg.Query) {
	var principals, tenants, versions []uuid.UUID
	for i := range processes {
		principals, tenants = append(principals, processes[i].InitiatorID), append(tenants, processes[i].TenantID)
		versions = append(versions, processes[i].Definition.Version)
	}
	return namesOf(principals, tenants, selectProcessVersionNames, versions)
}

func namesOfItems(items []domain.ProcessItem) (domain.Names, []pg.Query) {
	var principals, tenants, versions []uuid.UUID
	for i := range items {
		if owner := items[i].OwnerID; owner != nil {
			principals, tenants = append(principals, *owner), append(tenants, items[i].TenantID)
		}
		if definition := items[i].Definition; definition != nil {
			versions = append(versions, definition.Version)
		}
	}
	return namesOf(principals, tenants, selectItemVersionNames, versions)
}

// namesOf returns names and the queries that fill them. Each principal is named as in the tenant at its index.
func namesOf(principals, tenants []uuid.UUID, selectVersions string, versions []uuid.UUID) (domain.Names, []pg.Query) {
	names := domain.Names{Principals: map[domain.PrincipalInTenant]domain.Principal{}, Versions: map[uuid.UUID]string{}}
	var queries []pg.Query
	if len(principals) > 0 {
		queries = append(queries, pg.Q(selectPrincipalsByID, []any{principals, tenants}, func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, scanTenantPrincipal)
			for _, p := range found {
				names.Principals[domain.PrincipalInTenant{TenantID: p.TenantID, ID: p.ID}] = p.Principal
			}
			return err
		}))
	}
	if len(versions) > 0 {
		queries = append(queries, pg.Q(selectVersions, []any{versions}, func(rows pgx.Rows) error {
			var version uuid.UUID
			var name string
			_, err := pgx.ForEachRow(rows, []any{&version, &name}, func() error {
				names.Versions[version] = name
				return nil
			})
			return err
		}))
	}
	return names, queries
}
