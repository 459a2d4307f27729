package persistence

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ArtifactFilter narrows a list of business artifacts. Values of one field are
// alternatives; fields are combined. An empty field keeps everything.
type ArtifactFilter struct {
	TenantIDs       []uuid.UUID
	DefinitionIDs   []uuid.UUID
	DefinitionCodes []string
	// Criteria must all be fulfilled. If there are any, Indexed are the definitions that match the other filters
	// and index the fields, with the type as which they are compared: artifacts of other definitions cannot
	// match.
	Criteria []filter.Criterion
	Indexed  []uuid.UUID
	Deleted  domain.DeletedFilter
	// Search is the id of the artifact, or what an indexed member of its data contains, whatever the case.
	Search string
}

// ListBusinessArtifacts returns a page of the artifacts visible to the caller, as summaries without data. They
// can be sorted by id, createdAt and lastModifiedAt. If there are criteria, it also returns the definitions on
// which the caller has a permission, by id, so that the caller of ListBusinessArtifacts can check that the
// criteria still match them.
func (r *Reader) ListBusinessArtifacts(
	ctx context.Context, caller domain.Caller, filter ArtifactFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.BusinessArtifact], []ArtifactDefinitionState, error) {
	result := domain.Page[domain.BusinessArtifact]{PageRequest: page}
	scan := func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			var a domain.BusinessArtifact
			if err := rows.Scan(artifactSummaryFields(&a)...); err != nil {
				return err
			}
			result.Items = append(result.Items, a)
		}
		return rows.Err()
	}
	var states []ArtifactDefinitionState
	queries, err := artifactPage(caller, artifactSummaryColumns, filter, page, sort, scan, &result.Total, &states)
	if err != nil {
		return result, nil, err
	}
	err = r.Read(ctx, queries...)
	return result, states, pg.Translate("listing business artifacts", err)
}

// artifactPage returns the queries of a page of artifacts a and, where there are criteria, of the states of the
// definitions.
func artifactPage(
	caller domain.Caller, columns string, filter ArtifactFilter, page domain.PageRequest, sort []domain.SortKey,
	scan func(pgx.Rows) error, total *int64, states *[]ArtifactDefinitionState,
) ([]pg.Query, error) {
	if len(filter.Criteria) == 0 {
		return listArtifacts(caller, columns, filter, page, sort, scan, total)
	}
	queries, err := searchArtifacts(caller, columns, filter, page, sort, scan, total)
	return append(queries, pg.Q(
		visibleArtifactDefinitionStates,
		[]any{caller.PrincipalID, caller.TenantIDs()},
		func(rows pgx.Rows) (err error) {
			*states, err = pgx.CollectRows(rows, scanArtifactDefinitionState)
			return err
		},
	)), err
}

func listArtifacts(
	caller domain.Caller, columns string, filter ArtifactFilter, page domain.PageRequest, sort []domain.SortKey,
	scan func(pgx.Rows) error, total *int64,
) ([]pg.Query, error) {
	l := pg.NewList(caller, columns, "business_artifacts a", "a.tenant_id")
	l.Where = append(l.Where, access.VisibleArtifact)
	l.Where = append(l.Where, deletedArtifacts("a.id", filter.Deleted)...)
	if filter.Deleted.Excludes() && strings.TrimSpace(filter.Search) == "" {
		countArtifacts(l, caller)
	}
	pg.AnyOf(l, "a.tenant_id", filter.TenantIDs)
	if len(filter.DefinitionIDs) == 1 {
		// By equality, so that an index can give the order too.
		l.Filter("a.definition_id = %s", filter.DefinitionIDs[0])
	} else {
		pg.AnyOf(l, "a.definition_id", filter.DefinitionIDs)
	}
	pg.AnyOf(l, "a.definition_code", filter.DefinitionCodes)
	searchForArtifacts(l, "a.id", filter.Search)
	if err := l.SortBy(sort, artifactSortColumns("a.id", "a.created_at"), "a.created_at"); err != nil {
		return nil, err
	}
	return l.Page(page, scan, total), nil
}

// deletedArtifacts returns the condition on the id of an artifact for a filter. Deleted artifacts are few and
// have an index of their own, so the statistics of the indexes over all artifacts remain valid for the others.
func deletedArtifacts(id string, which domain.DeletedFilter) []string {
	deleted := "EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = " + id + " AND y.deleted_at IS NOT NULL)"
	switch which {
	case domain.IncludeDeleted:
		return nil
	case domain.OnlyDeleted:
		return []string{deleted}
	case domain.ExcludeDeleted:
	}
	return []string{"NOT " + deleted}
}

// searchForArtifacts adds the condition of ArtifactFilter.Search on the id of an artifact.
func searchForArtifacts(l *pg.List, id, search string) {
	if search = strings.TrimSpace(search); search == "" {
		return
	}
	if named, err := uuid.Parse(search); err == nil {
		l.Filter(id+" = %s", named)
		return
	}
	l.Filter("EXISTS (SELECT 1 FROM business_artifact_index x WHERE x.business_artifact_id = "+id+
		" AND strpos("+indexedText+", %s) > 0)", foldCase(search))
}

func artifactSortColumns(id, createdAt string) map[string]string {
	return map[string]string{"id": id, "createdAt": createdAt, "lastModifiedAt": "a.last_modified_at"}
}

// search is a list built from the index of artifacts. Each field with criteria is a row of the index, x1, x2 and
// so on, all of the same artifact. Definitions belong to one tenant, and so do their artifacts.
type search struct {
	*pg.List
	aliases []string
}

// searchArtifacts lists artifacts by criteria. Queries always start from the matches in the index, however many
// there are: scanning all artifacts in order until enough match is only faster when many do, which the planner
// cannot know.
func searchArtifacts(
	caller domain.Caller, columns string, filter ArtifactFilter, page domain.PageRequest, sort []domain.SortKey,
	scan func(pgx.Rows) error, total *int64,
) ([]pg.Query, error) {
	s := newSearch(caller, filter)
	found := "x1.business_artifact_id AS id, x1.created_at"
	where := strings.Join(s.Where, "\n   AND ")
	count := pg.Query{
		SQL:  "SELECT count(*)\n  FROM " + s.From + "\n WHERE " + where,
		Args: s.Args, Scan: pg.One(total),
	}
	if err := s.SortBy(sort, artifactSortColumns("m.id", "m.created_at"), "m.created_at"); err != nil {
		return nil, err
	}
	if page.Size == 0 {
		return []pg.Query{count}, nil
	}
	order := strings.Join(s.Order, ", ")
	limit := fmt.Sprintf("LIMIT %s OFFSET %s", s.Arg(page.Size), s.Arg(int64(page.Number)*int64(page.Size)))
	byIndex := !slices.ContainsFunc(sort, func(k domain.SortKey) bool { return k.Property == "lastModifiedAt" })
	var sql string
	switch {
	case byIndex && len(s.aliases) == 1:
		// The index provides the order if the criterion names one value, and otherwise all columns that the
		// order depends on.
		inner := strings.NewReplacer("m.id", "x1.business_artifact_id", "m.created_at", "x1.created_at").Replace(order)
		sql = fmt.Sprintf("WITH m AS MATERIALIZED (\n  SELECT %s\n    FROM %s\n   WHERE %s\n   ORDER BY %s\n   %s)\n"+
			"SELECT %s\n  FROM m\n  JOIN business_artifacts a ON a.id = m.id\n ORDER BY %s",
			found, s.From, where, inner, limit, columns, order)
	case byIndex:
		sql = fmt.Sprintf("WITH f AS MATERIALIZED (\n  SELECT %s\n    FROM %s\n   WHERE %s),\n"+
			"m AS MATERIALIZED (\n  SELECT m.id, m.created_at FROM f m ORDER BY %s %s)\n"+
			"SELECT %s\n  FROM m\n  JOIN business_artifacts a ON a.id = m.id\n ORDER BY %s",
			found, s.From, where, order, limit, columns, order)
	default:
		sql = fmt.Sprintf("WITH m AS MATERIALIZED (\n  SELECT %s\n    FROM %s\n   WHERE %s)\n"+
			"SELECT %s\n  FROM m\n  JOIN business_artifacts a ON a.id = m.id\n ORDER BY %s\n %s",
			found, s.From, where, columns, order, limit)
	}
	return []pg.Query{planAnew(), {SQL: sql, Args: s.Args, Scan: scan}, count}, nil
}

// planAnew has the statements of the batch planned for their arguments: the number of matches varies too much
// for one generic plan.
func planAnew() pg.Query {
	return pg.Query{SQL: `SELECT set_config('plan_cache_mode', 'force_custom_plan', true)`, Scan: discard}
}

func newSearch(caller domain.Caller, filter ArtifactFilter) *search {
	s := &search{List: &pg.List{Args: []any{caller.PrincipalID}}}
	aliasOf := map[string]string{}
	var indexed string
	if len(filter.Indexed) == 1 {
		indexed = "= " + s.Arg(filter.Indexed[0])
	} else {
		indexed = "= ANY(" + s.Arg(filter.Indexed) + ")"
	}
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
		s.Where = append(s.Where, fulfils(s.List, x, c)...)
	}
	s.Where = append(s.Where, "x1.definition_id = ANY("+access.ReadableArtifactDefinitions+")")
	s.Where = append(s.Where, deletedArtifacts("x1.business_artifact_id", filter.Deleted)...)
	searchForArtifacts(s.List, "x1.business_artifact_id", filter.Search)
	s.From = "business_artifact_index " + strings.Join(s.aliases, ", business_artifact_index ")
	return s
}
