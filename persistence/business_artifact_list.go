package persistence

import (
	"context"
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
	// Search is the id of the artifact, or a part of an indexed member of its data, ignoring case.
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
	result.TotalIsLowerBound = filter.totalIsLowerBound(page, result.Total)
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
		" AND "+indexedText("x")+" LIKE %s)", likePattern(foldCase(search)))
}

func artifactSortColumns(id, createdAt string) map[string]string {
	return map[string]string{"id": id, "createdAt": createdAt, "lastModifiedAt": "a.last_modified_at"}
}
