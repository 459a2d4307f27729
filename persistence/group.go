package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
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
	l := &listquery.List{
		Columns: groupColumns, Table: "groups g", Args: directoryArgs(caller), Visible: listquery.Match(listedGroup),
		Where: []listquery.Condition{
			listquery.AnyOf("g.tenant_id", filter.TenantIDs),
			listquery.AnyOf("g.id", filter.IDs),
			listquery.AnyOf("g.code", filter.Codes),
			listquery.MatchSearch(filter.Search, "g.name", "g.code"),
			listquery.MatchGiven("g.id IN (SELECT m.group_id FROM group_members m WHERE m.principal_id = %s)", filter.PrincipalID),
			listquery.MatchIf(filter.PrincipalID != nil && *filter.PrincipalID != caller.PrincipalID,
				"g.tenant_id = ANY("+openDirectories+")"),
		},
		Order: listquery.Order{By: sort, Columns: listquery.Columns{"id": {SQL: "g.id"}, "name": {SQL: "g.name"}}},
	}
	return ReadPage(ctx, r, "listing groups", l, page, scanGroup)
}
