package persistence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// fewMatches is the maximum number of matches that a search reads before it chooses a way to the page.
	fewMatches = 20_000
	// walkedFrom is the number of matches from which reading artifacts in the order of their last change is cheaper than
	// looking up the last change of each match.
	walkedFrom = 1500
	// probedArtifacts is the number of artifacts, in the order of the page, that are probed when there are many matches.
	probedArtifacts = 5000
)

// artifactSearch builds the statement of a page of artifacts that match criteria. For each field with criteria it joins
// the index of values once (x1, x2 and so on) by the artifact. Definitions belong to one tenant, and so do their artifacts.
//
// The statement reads up to fewMatches matches f and counts them (n). Few matches are sorted, or found among the first artifacts
// in the order of the page (w, c). If there are many, the artifacts are probed in the order of the page (p). If that does not
// fill the page, all matches are sorted.
type artifactSearch struct {
	args  listquery.Args
	from  string
	where []string
	ctes  []listquery.CTE
	page  domain.PageRequest
	sort  []domain.SortKey
	// definition is the placeholder of the definition that indexes the fields, empty if there are several.
	definition string
	// bounded totals count only the matches that were read. ordered pages have an index in their order, byChange those in the
	// order of the last change.
	bounded, ordered, byChange bool
	// read, size and offset are placeholders.
	read, size, offset string
}

// boundsTotal reports whether the total of a search counts only the matches that were read, because counting the others
// costs more than the page.
func (f ArtifactFilter) boundsTotal() bool {
	return slices.ContainsFunc(f.Criteria, func(c filter.Criterion) bool {
		return c.Operator == filter.Contains || c.Field != f.Criteria[0].Field
	})
}

// matchesRead returns the maximum number of matches that are read for a page. It is beyond the end of the page, so that
// a client that reads pages up to a bounded total reaches the last match.
func matchesRead(page domain.PageRequest) int64 {
	return max(fewMatches, int64(page.Number+1)*int64(page.Size)) + 1
}

// totalIsLowerBound reports whether more artifacts than the total may match.
func (f ArtifactFilter) totalIsLowerBound(page domain.PageRequest, total int64) bool {
	return f.boundsTotal() && total == matchesRead(page)
}

// searchArtifacts lists artifacts by criteria.
func searchArtifacts(
	caller domain.Caller, columns string, filter ArtifactFilter, page domain.PageRequest, sort []domain.SortKey,
	scan func(pgx.Rows) error, total *int64,
) ([]pg.Query, error) {
	order, err := artifactOrder("a", sort).Resolve()
	if err != nil {
		return nil, err
	}
	s := newArtifactSearch(caller, filter, page, sort)
	s.byChange = slices.ContainsFunc(sort, func(k domain.SortKey) bool { return k.Property == "lastModifiedAt" })
	s.ordered = s.definition != "" && order[0].SQL != "a.id"
	query := pg.Query{SQL: s.searchQuery(columns), Scan: func(rows pgx.Rows) error {
		return scan(&totalledRows{Rows: rows, total: total})
	}}
	query.Args = s.args
	if page.Size == 0 {
		query.Scan = pg.One(total)
	}
	if s.bounded {
		return []pg.Query{planForArguments(), query}, nil
	}
	return []pg.Query{pg.KeepPlans(), query}, nil
}

// planForArguments makes PostgreSQL plan the statements of the batch for their arguments: a generic plan cannot take into
// account which of several criteria has fewer matches, or whether few values contain a text.
func planForArguments() pg.Query {
	return pg.Query{SQL: `SELECT set_config('plan_cache_mode', 'force_custom_plan', true)`, Scan: discard}
}

func newArtifactSearch(caller domain.Caller, filter ArtifactFilter, page domain.PageRequest, sort []domain.SortKey) *artifactSearch {
	s := &artifactSearch{args: listquery.Args{caller.PrincipalID}, bounded: filter.boundsTotal(), page: page, sort: sort}
	indexed := s.indexedBy(filter)
	aliasOf := map[string]string{}
	for _, c := range filter.Criteria {
		x, ok := aliasOf[c.Field]
		if !ok {
			x = fmt.Sprintf("x%d", len(aliasOf)+1)
			aliasOf[c.Field] = x
			s.where = append(s.where, x+".definition_id "+indexed, x+".field = "+s.args.Add(c.Field), indexedAs(x, c.Type)+" IS NOT NULL")
			if x != "x1" {
				s.from += ", "
				s.where = append(s.where, x+".business_artifact_id = x1.business_artifact_id")
			}
			s.from += "business_artifact_index " + x
		}
		s.where = append(s.where, s.args.Render(matchCriterion(x, c)))
	}
	s.where = append(s.where, "x1.definition_id = ANY("+access.ReadableArtifactDefinitions+")")
	for _, c := range []listquery.Condition{
		deletionOfArtifact("x1.business_artifact_id", filter.Deleted).Condition(),
		matchArtifactText("x1.business_artifact_id", filter.Search),
	} {
		if c.SQL != "" {
			s.where = append(s.where, s.args.Render(c))
		}
	}
	s.read = s.args.Add(matchesRead(page))
	return s
}

func (s *artifactSearch) indexedBy(filter ArtifactFilter) string {
	if len(filter.Indexed) != 1 {
		return "= ANY(" + s.args.Add(filter.Indexed) + ")"
	}
	s.definition = s.args.Add(filter.Indexed[0])
	return "= " + s.definition
}

// matches returns the query for the rows of the index that match, with further conditions.
func (s *artifactSearch) matches(columns string, more ...string) listquery.Select {
	return listquery.Select{Columns: columns, From: s.from, Where: slices.Concat(s.where, more)}
}

// matchColumns are the columns of matches f by which pages are sorted.
const matchColumns = "x1.business_artifact_id AS id, x1.created_at"

// searchQuery returns the statement. Each of its rows is the total and a row of the page; for an empty page it returns one
// row, which has NULL after the total.
func (s *artifactSearch) searchQuery(columns string) string {
	few := s.matches(matchColumns)
	few.Limit = s.read
	s.addCTE("f", few)
	s.addCTE("n", listquery.Select{Columns: "count(*) AS n", From: "f"})
	total := "n"
	if !s.bounded {
		total = "CASE WHEN n < " + s.read + " THEN n ELSE (" + s.matches("count(*)").String() + ") END"
	}
	s.addCTE("t", listquery.Select{Columns: total + " AS total", From: "n"})
	if s.page.Size == 0 {
		return listquery.Select{With: s.ctes, Columns: "total", From: "t"}.String()
	}
	s.size, s.offset = s.args.Add(int64(s.page.Size)), s.args.Add(int64(s.page.Number)*int64(s.page.Size))
	pages := listquery.UnionAll(append(s.sortFew(), s.walkMany()...)...)
	return listquery.Select{
		With: append(s.ctes, listquery.CTE{Name: "m", SQL: pages}), Columns: "t.total, " + columns,
		From: "t LEFT JOIN (m JOIN business_artifacts a ON a.id = m.id) ON true", Order: s.orderOf("a"),
	}.String()
}

// number is the number of matches that were read.
const number = "(SELECT n FROM n)"

// artifactsOf returns the FROM clause of the matches f of a query, under the alias by which the page is sorted: of the artifact
// for its last change.
func (s *artifactSearch) artifactsOf(query string) (from, alias string) {
	if s.byChange {
		return query + " JOIN business_artifacts a ON a.id = f.id", "a"
	}
	return query, "f"
}

// sortFew returns the queries that find the page if all matches were read.
func (s *artifactSearch) sortFew() []string {
	few := number + " < " + s.read
	from, of := s.artifactsOf("f")
	if !s.byChange || !s.ordered {
		return []string{s.pageOf(of, from, few)}
	}
	// If one of fifty artifacts matches, the first fifty times its size contain the page. The estimate assumes two million
	// artifacts; if there are fewer, the page is found sooner.
	s.addCTE("w", s.walk(number+fmt.Sprintf(" >= %d AND ", walkedFrom)+few,
		fmt.Sprintf("(SELECT least(%d, 2000000 * %s / greatest(n, 1)) FROM n)", fewMatches, s.size)))
	s.ctes = append(s.ctes, listquery.CTE{Name: "c", SQL: s.pageOf("a", "w a JOIN f ON f.id = a.id")})
	whole := fmt.Sprintf("(SELECT count(*) FROM c) = greatest(0, least(%s, %s - %s))", s.size, number, s.offset)
	return []string{"SELECT c.id FROM c WHERE " + whole, s.pageOf(of, from, few, "NOT "+whole)}
}

// walkMany returns the queries that find the page if there are more matches than were read.
func (s *artifactSearch) walkMany() []string {
	many := number + " >= " + s.read
	from, of := s.artifactsOf("(" + s.matches(matchColumns).String() + ") f")
	if !s.ordered {
		return []string{s.pageOf(of, from, many)}
	}
	probe := s.matches("1", "x1.business_artifact_id = a.id")
	probe.Limit = "1"
	s.ctes = append(s.ctes, listquery.CTE{Name: "p", SQL: s.pageOf("a",
		"("+s.walk(many, strconv.Itoa(probedArtifacts)).String()+") a\n CROSS JOIN LATERAL ("+probe.String()+") x")})
	whole := "(SELECT count(*) FROM p) = " + s.size
	return []string{"SELECT p.id FROM p WHERE " + whole, s.pageOf(of, from, many, "NOT "+whole)}
}

func (s *artifactSearch) addCTE(name string, query listquery.Select) {
	s.ctes = append(s.ctes, listquery.CTE{Name: name, SQL: query.String()})
}

// walk returns the query for the first artifacts a in the order of the page if the condition holds. It selects only columns of
// the index.
func (s *artifactSearch) walk(condition, limit string) listquery.Select {
	columns, order := "a.id", s.orderOf("a")
	for _, column := range []string{"a.created_at", "a.last_modified_at"} {
		if strings.Contains(order, column) {
			columns += ", " + column
		}
	}
	return listquery.Select{
		Columns: columns, From: "business_artifacts a",
		Where: []string{
			condition, "a.tenant_id = (SELECT r.tenant_id FROM resources r WHERE r.id = " + s.definition + ")", "a.definition_id = " + s.definition,
		},
		Order: order, Limit: limit,
	}
}

// pageOf returns the query for the ids of the page among the rows of a FROM clause that meet conditions, sorted by columns of an
// alias.
func (s *artifactSearch) pageOf(alias, from string, conditions ...string) string {
	return "(" + listquery.Select{
		Columns: alias + ".id", From: from, Where: conditions, Order: s.orderOf(alias), Limit: s.size + " OFFSET " + s.offset,
	}.String() + ")"
}

// orderOf returns the order of the page in columns of an alias.
func (s *artifactSearch) orderOf(alias string) string {
	order, _ := artifactOrder(alias, s.sort).Resolve() // searchArtifacts resolves the order first
	return listquery.OrderBy(order)
}

// totalledRows are the rows of the statement without their first column, the total, which Scan stores.
type totalledRows struct {
	pgx.Rows
	total *int64
}

// Next skips the row that an empty page has.
func (r *totalledRows) Next() bool {
	for r.Rows.Next() {
		values := r.RawValues()
		if values[1] != nil {
			return true
		}
		into := make([]any, len(values))
		into[0] = r.total
		if r.Rows.Scan(into...) != nil {
			return false
		}
	}
	return false
}

// Scan scans a row of the page, and its total into total.
func (r *totalledRows) Scan(into ...any) error {
	return r.Rows.Scan(append([]any{r.total}, into...)...)
}
