package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

const groupColumns = `g.id, g.tenant_id, g.code, g.name`

func scanGroup(row pgx.CollectableRow) (domain.Group, error) {
	var g domain.Group
	err := row.Scan(&g.ID, &g.TenantID, &g.Code, &g.Name)
	return g, err
}

// GroupFilter narrows a list of groups. PrincipalID keeps the groups of which this principal is a member, unless
// it is nil.
type GroupFilter struct {
	PrincipalID *uuid.UUID
	IDs         []uuid.UUID
	Codes       []string
	TenantIDs   []uuid.UUID
}

// ListGroups returns a page of the groups of the caller's tenants whose people the caller may list, and of the
// caller's own groups. They can be sorted by id and name.
func (r *Reader) ListGroups(
	ctx context.Context, caller domain.Caller, filter GroupFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Group], error) {
	result := domain.Page[domain.Group]{PageRequest: page}
	l := &list{columns: groupColumns, from: "groups g", where: []string{listedGroup}, args: directory(caller)}
	anyOf(l, "g.tenant_id", filter.TenantIDs)
	anyOf(l, "g.id", filter.IDs)
	anyOf(l, "g.code", filter.Codes)
	if filter.PrincipalID != nil {
		l.filter("g.id IN (SELECT m.group_id FROM group_members m WHERE m.principal_id = %s)", *filter.PrincipalID)
		if *filter.PrincipalID != caller.PrincipalID {
			l.where = append(l.where, "g.tenant_id = ANY("+openDirectories+")")
		}
	}
	if err := l.sortBy(sort, map[string]string{"id": "g.id", "name": "g.name"}, "g.id"); err != nil {
		return result, err
	}
	scan := func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, scanGroup)
		return err
	}
	err := r.read(ctx, l.page(page, scan, &result.Total)...)
	return result, translate("listing groups", err)
}
