package persistence

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/filter"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
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
		return artifactList(caller, columns, filter, sort).Page(page, scan, total)
	}
	queries, err := searchArtifacts(caller, columns, filter, page, sort, scan, total)
	return append(queries, pg.Q(
		visibleArtifactDefinitionStates, []any{caller.PrincipalID, caller.TenantIDs()}, collectInto(states, scanArtifactDefinitionState),
	)), err
}

func artifactList(caller domain.Caller, columns string, filter ArtifactFilter, sort []domain.SortKey) *listquery.List {
	return listquery.OfCaller(caller, "a.tenant_id", listquery.List{
		Columns: columns, Table: "business_artifacts a",
		Deletion: deletionOfArtifact("a.id", filter.Deleted),
		Visible:  listquery.Match(access.VisibleArtifact),
		Where: []listquery.Condition{
			listquery.AnyOf("a.tenant_id", filter.TenantIDs),
			listquery.AnyOf("a.definition_id", filter.DefinitionIDs),
			listquery.AnyOf("a.definition_code", filter.DefinitionCodes),
			matchArtifactText("a.id", filter.Search).OnRows(),
		},
		Order:  artifactOrder("a", sort),
		Counts: artifactCounts(),
	})
}

// deletionOfArtifact returns the conditions on the id of an artifact. Deleted artifacts are few and have an index of their
// own, so the statistics of the indexes over all artifacts remain valid for the others.
func deletionOfArtifact(id string, show domain.DeletedFilter) listquery.Deletion {
	deleted := "EXISTS (SELECT 1 FROM business_artifacts y WHERE y.id = " + id + " AND y.deleted_at IS NOT NULL)"
	return listquery.Deletion{Show: show, Kept: "NOT " + deleted, Deleted: deleted}
}

// matchArtifactText returns the condition of ArtifactFilter.Search on the id of an artifact.
func matchArtifactText(id, search string) listquery.Condition {
	search = strings.TrimSpace(search)
	if named, err := uuid.Parse(search); err == nil {
		return listquery.Match(id+" = %s", named)
	}
	return listquery.MatchText("EXISTS (SELECT 1 FROM business_artifact_index x WHERE x.business_artifact_id = "+id+
		" AND "+indexedText("x")+" LIKE search_key(%s))", search)
}

// artifactOrder returns an order by columns of a table.
func artifactOrder(table string, sort []domain.SortKey) listquery.Order {
	return listquery.Order{
		By: sort, Default: []listquery.Column{{SQL: table + ".created_at"}},
		Columns: listquery.Columns{
			"id": {SQL: table + ".id"}, "createdAt": {SQL: table + ".created_at"}, "lastModifiedAt": {SQL: table + ".last_modified_at"},
		},
	}
}
