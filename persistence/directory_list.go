package persistence

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// directoryActive is the statement of the directory about a user, of other users whether they are not disabled.
	directoryActive = `coalesce((r.directory ->> 'active')::boolean, NOT coalesce((r.spec ->> 'disabled')::boolean, false))`

	directoryResources = `
SELECT ` + resourceColumns + `
  FROM ` + fromResources + `
 WHERE r.tenant_id = $1 AND r.kind = $2 AND r.source <> 'DEPARTED'`

	countDirectoryResources = `
SELECT count(*)
  FROM resources r
 WHERE r.tenant_id = $1 AND r.kind = $2 AND r.source <> 'DEPARTED'`

	membersOfGroups = `
SELECT m.group_id AS "of", m.principal_id AS id, n.name
  FROM group_members m
  JOIN tenant_users u ON u.principal_id = m.principal_id AND u.tenant_id = $1
  JOIN person_names n ON n.principal_id = m.principal_id AND n.tenant_id = $1
 WHERE m.group_id = ANY($2) AND NOT m.claimed
 ORDER BY m.group_id, m.principal_id
 LIMIT $3`

	groupsOfMembers = `
SELECT m.principal_id AS "of", g.id, g.name
  FROM group_members m
  JOIN groups g ON g.id = m.group_id AND g.tenant_id = $1
 WHERE m.principal_id = ANY($2) AND NOT m.claimed
 ORDER BY m.principal_id, g.id
 LIMIT $3`
)

// directoryColumn returns the SQL of an attribute of users or groups, and whether its texts are compared with regard to case.
func directoryColumn(attribute domain.DirectoryAttribute) (sql string, exact bool) {
	switch attribute {
	case domain.DirectoryID:
		return "r.id::text", true
	case domain.DirectoryExternalID:
		return "r.external_id", true
	case domain.DirectoryUserName:
		return "coalesce(r.directory ->> 'userName', r.spec ->> 'email')", false
	case domain.DirectoryDisplayName:
		return "r.spec ->> 'name'", false
	case domain.DirectoryFormatted:
		return "r.directory ->> 'formatted'", false
	case domain.DirectoryGivenName:
		return "r.directory ->> 'givenName'", false
	case domain.DirectoryFamilyName:
		return "r.directory ->> 'familyName'", false
	case domain.DirectoryEmail:
		return "r.spec ->> 'email'", false
	case domain.DirectoryActive:
		return directoryActive, true
	case domain.DirectoryCreated:
		return "r.created_at", true
	case domain.DirectoryLastModified:
		return "r.last_modified_at", true
	case domain.DirectoryMember:
	}
	return "", false
}

// directoryQuery collects the condition of a filter and its arguments.
type directoryQuery struct{ args []any }

func (q *directoryQuery) bind(value any) string {
	q.args = append(q.args, value)
	return fmt.Sprintf("$%d", len(q.args))
}

// condition returns a filter as SQL. A comparison with an attribute without a value is false.
func (q *directoryQuery) condition(f domain.DirectoryFilter) string {
	switch f.Operator { //nolint:exhaustive // the others compare
	case domain.DirectoryAnd, domain.DirectoryOr:
		parts := make([]string, len(f.Operands))
		for i := range f.Operands {
			parts[i] = q.condition(f.Operands[i])
		}
		return "(" + strings.Join(parts, " "+strings.ToUpper(string(f.Operator))+" ") + ")"
	case domain.DirectoryNot:
		return "NOT " + q.condition(f.Operands[0])
	}
	if f.Attribute == domain.DirectoryMember {
		return q.memberCondition(f)
	}
	column, exact := directoryColumn(f.Attribute)
	if f.Operator == domain.DirectoryPresent {
		return "(" + column + " IS NOT NULL)"
	}
	text, isText := f.Value.(string)
	if !isText {
		return "coalesce(" + column + " " + comparison(f.Operator) + " " + q.bind(f.Value) + ", false)"
	}
	argument := q.bind(text) + "::text"
	if !exact {
		column, argument = "lower("+column+")", "lower("+argument+")"
	}
	switch f.Operator { //nolint:exhaustive // the others are operators of SQL
	case domain.DirectoryContains:
		return "coalesce(strpos(" + column + ", " + argument + ") > 0, false)"
	case domain.DirectoryStartsWith:
		return "coalesce(starts_with(" + column + ", " + argument + "), false)"
	case domain.DirectoryEndsWith:
		return "coalesce(right(" + column + ", length(" + argument + ")) = " + argument + ", false)"
	}
	return "coalesce(" + column + " " + comparison(f.Operator) + " " + argument + ", " + fmt.Sprint(f.Operator == domain.DirectoryNotEqual) + ")"
}

func (q *directoryQuery) memberCondition(f domain.DirectoryFilter) string {
	const member = "EXISTS (SELECT 1 FROM group_members m WHERE m.group_id = r.id"
	switch f.Operator { //nolint:exhaustive // others are not offered
	case domain.DirectoryPresent:
		return member + ")"
	case domain.DirectoryNotEqual:
		return "NOT " + member + " AND m.principal_id::text = " + q.bind(f.Value) + ")"
	}
	return member + " AND m.principal_id::text = " + q.bind(f.Value) + ")"
}

// comparison returns the operator in SQL.
func comparison(operator domain.DirectoryOperator) string {
	return map[domain.DirectoryOperator]string{
		domain.DirectoryEqual: "=", domain.DirectoryNotEqual: "<>", domain.DirectoryGreater: ">", domain.DirectoryGreaterOrEqual: ">=",
		domain.DirectoryLess: "<", domain.DirectoryLessOrEqual: "<=",
	}[operator]
}

// ListDirectory returns the users or groups of a tenant that a directory can read, in the order of their ids, and their number. filter
// is nil for all.
func (r *Reader) ListDirectory(
	ctx context.Context, tenant uuid.UUID, kind resource.Kind, filter *domain.DirectoryFilter, skip, limit int,
) (found []resource.Stored, total int64, err error) {
	q := &directoryQuery{args: []any{tenant, kind}}
	where := ""
	if filter != nil {
		where = " AND " + q.condition(*filter)
	}
	counted := q.args[:len(q.args):len(q.args)]
	statement := directoryResources + where + " ORDER BY r.id LIMIT " + q.bind(limit) + " OFFSET " + q.bind(skip)
	err = r.Read(ctx, pg.Q(countDirectoryResources+where, counted, pg.One(&total)),
		pg.Q(statement, q.args, collectInto(&found, scanResource)))
	return found, total, pg.Translate("listing a directory", err)
}

// DirectoryLink is a member of a group, or a group of a member.
type DirectoryLink struct {
	Of   uuid.UUID
	ID   uuid.UUID
	Name string
}

// ListDirectoryLinks returns the members of groups, or the groups of users, up to limit.
func (r *Reader) ListDirectoryLinks(
	ctx context.Context, tenant uuid.UUID, kind resource.Kind, ids []uuid.UUID, limit int,
) ([]DirectoryLink, error) {
	statement := groupsOfMembers
	if kind == resource.KindGroup {
		statement = membersOfGroups
	}
	var links []DirectoryLink
	err := r.Read(ctx, pg.Q(statement, []any{tenant, ids, limit}, func(rows pgx.Rows) (err error) {
		links, err = pgx.CollectRows(rows, pgx.RowToStructByPos[DirectoryLink])
		return err
	}))
	return links, pg.Translate("listing members of a directory", err)
}
