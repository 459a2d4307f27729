package persistence

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const groupColumns = `g.id, g.tenant_id, g.code, g.name`

func scanGroup(row pgx.CollectableRow) (domain.Group, error) {
	var g domain.Group
	err := row.Scan(&g.ID, &g.TenantID, &g.Code, &g.Name)
	return g, err
}

// GroupFilter narrows a list of groups. PrincipalID keeps the groups of this member, unless
// it is nil.
type GroupFilter struct {
	PrincipalID *uuid.UUID
	IDs         []uuid.UUID
	Codes       []string
	TenantIDs   []uuid.UUID
	// Search is a part of the name or the code, ignoring case.
	Search string
}

// ListGroups returns a page of the groups of the tenants that let the caller list people, and of the
// caller's own groups. They can be sorted by id and name.
func (r *Reader) ListGroups(
	ctx context.Context, caller domain.Caller, filter GroupFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Group], error) {
	result := domain.Page[domain.Group]{PageRequest: page}
	l := &pg.List{Columns: groupColumns, From: "groups g", Where: []string{listedGroup}, Args: directoryArgs(caller)}
	pg.AnyOf(l, "g.tenant_id", filter.TenantIDs)
	pg.AnyOf(l, "g.id", filter.IDs)
	pg.AnyOf(l, "g.code", filter.Codes)
	if search := strings.TrimSpace(filter.Search); search != "" {
		l.Filter("(g.name ILIKE %[1]s OR g.code ILIKE %[1]s)", likePattern(search))
	}
	if filter.PrincipalID != nil {
		l.Filter("g.id IN (SELECT m.group_id FROM group_members m WHERE m.principal_id = %s)", *filter.PrincipalID)
		if *filter.PrincipalID != caller.PrincipalID {
			l.Where = append(l.Where, "g.tenant_id = ANY("+openDirectories+")")
		}
	}
	if err := l.SortBy(sort, map[string]string{"id": "g.id", "name": "g.name"}, "g.id"); err != nil {
		return result, err
	}
	scan := func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, scanGroup)
		return err
	}
	err := r.Read(ctx, l.Page(page, scan, &result.Total)...)
	return result, pg.Translate("listing groups", err)
}
