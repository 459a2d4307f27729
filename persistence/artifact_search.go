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
// The statement reads up to fewMatches matches f and counts them (n). Few matches are sorted. If there are many, the
// artifacts a are probed in the order of the page. If that does not fill the page, all matches are sorted.
type artifactSearch struct {
	*pg.List
	aliases []string
	// definition is the placeholder of the definition that indexes the fields, empty if there are several.
	definition string
	bounded    bool
	byChange   bool
	page       domain.PageRequest
	// read, size and offset are placeholders.
	read, size, offset string
	ctes               string
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
	s := newArtifactSearch(caller, filter, page)
	if err := s.SortBy(sort, artifactSortColumns("a.id", "a.created_at"), "a.created_at"); err != nil {
		return nil, err
	}
	s.byChange = slices.ContainsFunc(sort, func(k domain.SortKey) bool { return k.Property == "lastModifiedAt" })
	query := pg.Query{SQL: s.searchQuery(columns), Args: s.Args, Scan: func(rows pgx.Rows) error {
		return scan(&totalledRows{Rows: rows, total: total})
	}}
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

func newArtifactSearch(caller domain.Caller, filter ArtifactFilter, page domain.PageRequest) *artifactSearch {
	s := &artifactSearch{List: &pg.List{Args: []any{caller.PrincipalID}}, bounded: filter.boundsTotal(), page: page}
	indexed := s.indexedBy(filter)
	aliasOf := map[string]string{}
	for _, c := range filter.Criteria {
		x, known := aliasOf[c.Field]
		if !known {
			x = fmt.Sprintf("x%d", len(s.aliases)+1)
			aliasOf[c.Field] = x
			s.aliases = append(s.aliases, x)
			s.Where = append(s.Where, x+".definition_id "+indexed, x+".field = "+s.Arg(c.Field), indexedAs(x, c.Type)+" IS NOT NULL")
			if len(s.aliases) > 1 {
				s.Where = append(s.Where, x+".business_artifact_id = x1.business_artifact_id")
			}
		}
		s.Where = append(s.Where, criterionConditions(s.List, x, c)...)
	}
	s.Where = append(s.Where, "x1.definition_id = ANY("+access.ReadableArtifactDefinitions+")")
	s.Where = append(s.Where, deletedArtifacts("x1.business_artifact_id", filter.Deleted)...)
	searchForArtifacts(s.List, "x1.business_artifact_id", filter.Search)
	s.From = "business_artifact_index " + strings.Join(s.aliases, ", business_artifact_index ")
	s.read = s.Arg(matchesRead(page))
	return s
}

func (s *artifactSearch) indexedBy(filter ArtifactFilter) string {
	if len(filter.Indexed) != 1 {
		return "= ANY(" + s.Arg(filter.Indexed) + ")"
	}
	s.definition = s.Arg(filter.Indexed[0])
	return "= " + s.definition
}

// matchQuery returns the query for the rows of the index that match, with further conditions.
func (s *artifactSearch) matchQuery(columns string, more ...string) string {
	return "SELECT " + columns + "\n    FROM " + s.From + "\n   WHERE " + strings.Join(append(s.Where[:len(s.Where):len(s.Where)], more...), "\n     AND ")
}

// searchQuery returns the statement. Each of its rows is the total and a row of the page; for an empty page it returns one
// row, which has NULL after the total.
func (s *artifactSearch) searchQuery(columns string) string {
	s.addCTE("f", s.matchQuery("x1.business_artifact_id AS id, x1.created_at")+"\n LIMIT "+s.read)
	s.addCTE("n", "SELECT count(*) AS n FROM f")
	total := "n"
	if !s.bounded {
		total = "CASE WHEN n < " + s.read + " THEN n ELSE (" + s.matchQuery("count(*)") + ") END"
	}
	s.addCTE("t", "SELECT "+total+" AS total FROM n")
	if s.page.Size == 0 {
		return s.ctes + "\nSELECT total FROM t"
	}
	s.size, s.offset = s.Arg(int64(s.page.Size)), s.Arg(int64(s.page.Number)*int64(s.page.Size))
	s.addCTE("m", strings.Join(append(s.ofFew(), s.ofMany()...), "\n UNION ALL\n"))
	return s.ctes + "\nSELECT t.total, " + columns +
		"\n  FROM t LEFT JOIN (m JOIN business_artifacts a ON a.id = m.id) ON true\n ORDER BY " + s.orderColumns("a")
}

// ofFew returns the queries that find the page if all matches were read.
func (s *artifactSearch) ofFew() []string {
	few := number + " < " + s.read
	if !s.byChange {
		return []string{s.pageOf("SELECT f.id FROM f WHERE "+few, "f")}
	}
	all := "SELECT a.id FROM f" + looked + " WHERE " + few
	if !s.hasOrderedIndex() {
		return []string{s.pageOf(all, "a")}
	}
	// If one of fifty artifacts matches, the first fifty times its size contain the page. The estimate assumes two million
	// artifacts; if there are fewer, the page is found sooner.
	s.addCTE("w", s.walkQuery(number+fmt.Sprintf(" >= %d AND ", walkedFrom)+few,
		fmt.Sprintf("(SELECT least(%d, 2000000 * %s / greatest(n, 1)) FROM n)", fewMatches, s.size)))
	s.addCTE("c", s.pageOf("SELECT a.id FROM w a JOIN f ON f.id = a.id", "a"))
	whole := fmt.Sprintf("(SELECT count(*) FROM c) = greatest(0, least(%s, %s - %s))", s.size, number, s.offset)
	return []string{"SELECT c.id FROM c WHERE " + whole, s.pageOf(all+" AND NOT "+whole, "a")}
}

// ofMany returns the queries that find the page if there are more matches than were read.
func (s *artifactSearch) ofMany() []string {
	many := number + " >= " + s.read
	all := "SELECT f.id FROM (" + s.matchQuery("x1.business_artifact_id AS id, x1.created_at") + ") f"
	of := "f"
	if s.byChange {
		all, of = strings.Replace(all, "SELECT f.id", "SELECT a.id", 1)+looked, "a"
	}
	if !s.hasOrderedIndex() {
		return []string{s.pageOf(all+" WHERE "+many, of)}
	}
	s.addCTE("p", s.pageOf("SELECT a.id FROM ("+s.walkQuery(many, strconv.Itoa(probedArtifacts))+") a\n CROSS JOIN LATERAL ("+
		s.matchQuery("1", "x1.business_artifact_id = a.id")+" LIMIT 1) x", "a"))
	whole := "(SELECT count(*) FROM p) = " + s.size
	return []string{"SELECT p.id FROM p WHERE " + whole, s.pageOf(all+" WHERE "+many+" AND NOT "+whole, of)}
}

const (
	// number is the number of matches that were read.
	number = "(SELECT n FROM n)"

	// looked joins the artifact of each match, for its last change.
	looked = " JOIN business_artifacts a ON a.id = f.id"
)

func (s *artifactSearch) addCTE(name, query string) {
	begin := ",\n"
	if s.ctes == "" {
		begin = "WITH "
	}
	s.ctes += begin + name + " AS MATERIALIZED (\n" + query + ")"
}

// hasOrderedIndex reports whether an index provides the order of the page.
func (s *artifactSearch) hasOrderedIndex() bool {
	return s.definition != "" && !strings.HasPrefix(s.Order[0], "a.id")
}

// walkQuery returns the query for the first artifacts a in the order of the page if the condition holds. It selects only
// columns of the index.
func (s *artifactSearch) walkQuery(condition, limit string) string {
	columns := "a.id"
	for _, column := range []string{"a.created_at", "a.last_modified_at"} {
		if strings.Contains(s.orderColumns("a"), column) {
			columns += ", " + column
		}
	}
	return "SELECT " + columns + "\n    FROM business_artifacts a\n   WHERE " + condition +
		" AND a.tenant_id = (SELECT r.tenant_id FROM resources r WHERE r.id = " + s.definition + ") AND a.definition_id = " + s.definition +
		"\n   ORDER BY " + s.orderColumns("a") + " LIMIT " + limit
}

func (s *artifactSearch) pageOf(query, of string) string {
	return "(" + query + "\n ORDER BY " + s.orderColumns(of) + " LIMIT " + s.size + " OFFSET " + s.offset + ")"
}

// orderColumns returns the order of the page in columns of the table.
func (s *artifactSearch) orderColumns(of string) string {
	return strings.ReplaceAll(strings.Join(s.Order, ", "), "a.", of+".")
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
