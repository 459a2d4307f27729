package listquery_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/listquery"
)

func ids(column string) listquery.Columns { return listquery.Columns{"id": {SQL: column}} }

// statementsOf returns the statements of a page and its total.
func statementsOf(t *testing.T, l *listquery.List, page domain.PageRequest) (rows, total string, args []any) {
	t.Helper()
	query, err := l.Rows(page, nil)
	require.NoError(t, err)
	return query.SQL, l.Total(nil).SQL, query.Args
}

func TestConditionsNumberTheirArguments(t *testing.T) {
	t.Parallel()
	value := 7
	l := &listquery.List{
		Columns: "t.id", Table: "things t", Args: []any{"caller"}, Visible: listquery.Match("t.owner = $1"),
		Where: []listquery.Condition{
			listquery.AnyOf("t.kind", []string{}),
			listquery.AnyOf("t.kind", []string{"A"}),
			listquery.AnyOf("t.state", []string{"B", "C"}),
			listquery.MatchGiven[int]("t.size = %s", nil),
			listquery.MatchGiven("t.size = %s", &value),
			listquery.MatchText("(t.name ILIKE %[1]s OR t.code ILIKE %[1]s)", " 5% "),
			listquery.MatchText("t.name ILIKE %s", " "),
			listquery.Match("(%s) AND t.at < %s", listquery.Join("OR", listquery.Match("t.a = %s", 1), listquery.Match("t.b")), 2),
			listquery.Within("t.tenant_id", true, nil),
		},
		Order: listquery.Order{Columns: ids("t.id")},
	}
	rows, total, args := statementsOf(t, l, domain.PageRequest{Size: 5, Number: 2})
	where := ` WHERE t.owner = $1
   AND t.kind = $2
   AND t.state = ANY($3)
   AND t.size = $4
   AND (t.name ILIKE $5 OR t.code ILIKE $5)
   AND (t.a = $6 OR t.b) AND t.at < $7`
	require.Equal(t, "SELECT t.id\n  FROM things t\n"+where+"\n ORDER BY t.id\n LIMIT $8::bigint OFFSET $9::bigint", rows)
	require.Equal(t, "SELECT count(*)\n  FROM things t\n"+where, total)
	require.Equal(t, []any{"caller", "A", []string{"B", "C"}, 7, `%5\%%`, 1, 2, 5, int64(10)}, args)
	require.Len(t, l.Total(nil).Args, 7)
}

func TestOrders(t *testing.T) {
	t.Parallel()
	order := func(keys ...domain.SortKey) listquery.Order {
		return listquery.Order{
			By: keys, Default: []listquery.Column{{SQL: "t.at", Descending: true}},
			Columns: listquery.Columns{"id": {SQL: "t.id"}, "due": {SQL: "t.due", Nullable: true, Rest: "t.at"}, "name": {SQL: "t.name"}},
		}
	}
	for want, o := range map[string]listquery.Order{
		"t.at DESC, t.id":                     order(),
		"t.name DESC, t.id":                   order(domain.SortKey{Property: "name", Descending: true}),
		"t.id DESC":                           order(domain.SortKey{Property: "id", Descending: true}),
		"t.due NULLS LAST, t.at, t.id":        order(domain.SortKey{Property: "due"}),
		"t.due DESC NULLS LAST, t.name, t.id": order(domain.SortKey{Property: "due", Descending: true}, domain.SortKey{Property: "name"}),
	} {
		columns, err := o.Resolve()
		require.NoError(t, err)
		require.Equal(t, want, listquery.OrderBy(columns))
	}
	_, err := (&listquery.List{Columns: "t.id", Table: "things t", Order: order(domain.SortKey{Property: "size"})}).
		Page(domain.PageRequest{Size: 1}, nil, nil)
	require.ErrorContains(t, err, "VALIDATION")
}

// A page in the order of a column of a narrow table joins it for the order, and walks along its indexes.
func TestOrderOfASideTable(t *testing.T) {
	t.Parallel()
	times := &listquery.Side{Table: "thing_times m", On: "m.thing_id = t.id"}
	list := func(names string, counts *listquery.Counts, column listquery.Column) *listquery.List {
		column.SQL, column.Side = "m.changed_at", times
		caller := domain.Caller{Memberships: []domain.Membership{{TenantID: uuid.Nil}}}
		return listquery.OfCaller(caller, "t.tenant_id", listquery.List{
			Columns: "t.id, m.changed_at", Table: "things t", Names: names, Visible: listquery.Match("t.owner = $1"), Counts: counts,
			Fixed: true, Order: listquery.Order{Columns: ids("t.id"), Default: []listquery.Column{column}},
		})
	}
	page := domain.PageRequest{Size: 5}

	rows, total, _ := statementsOf(t, list("", nil, listquery.Column{}), page)
	require.Equal(t, `SELECT t.id, m.changed_at
  FROM things t
  JOIN thing_times m ON m.thing_id = t.id
 WHERE t.tenant_id = $2
   AND t.owner = $1
 ORDER BY m.changed_at, t.id
 LIMIT 5`, rows)
	require.Equal(t, "SELECT count(*)\n  FROM things t\n WHERE t.tenant_id = $2\n   AND t.owner = $1", total)

	rows, _, _ = statementsOf(t, list("\n  JOIN names n ON n.id = t.id", nil, listquery.Column{}), page)
	require.Equal(t, `SELECT t.id, m.changed_at
  FROM (SELECT t.*
  FROM things t
  JOIN thing_times m ON m.thing_id = t.id
 WHERE t.tenant_id = $2
   AND t.owner = $1
 ORDER BY m.changed_at, t.id
 LIMIT 5) t
  JOIN names n ON n.id = t.id
  JOIN thing_times m ON m.thing_id = t.id
 ORDER BY m.changed_at, t.id`, rows)

	counts := &listquery.Counts{
		Current: "counts_now", Stored: "counts", Covers: "covered", CoversRow: "covered", Others: "SELECT o.id FROM owned o",
		Walks: []listquery.Walk{{Definitions: "SELECT d.id FROM definitions d", Column: "definition_id"}},
	}
	rows, _, _ = statementsOf(t, list("", counts, listquery.Column{Index: listquery.WalkIndex}), page)
	require.Contains(t, rows, `CROSS JOIN LATERAL (SELECT t.id
  FROM things t
  JOIN thing_times m ON m.thing_id = t.id
 WHERE m.definition_id = d.id
   AND t.tenant_id = $2
   AND t.owner = $1
 ORDER BY m.changed_at, t.id
 LIMIT 5) w`)

	rows, _, _ = statementsOf(t, list("", counts, listquery.Column{Index: listquery.WalkIndex, Nullable: true, Rest: "t.made_at"}), page)
	require.Contains(t, rows, `LEFT JOIN thing_times m ON m.thing_id = t.id
 WHERE m.definition_id = d.id
   AND m.changed_at IS NOT NULL`)
	require.Contains(t, rows, `LEFT JOIN thing_times m ON m.thing_id = t.id
 WHERE t.definition_id = d.id
   AND m.changed_at IS NULL`)
}
