package persistence

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	artifactBoardColumns = artifactSummaryColumns + `,
       (SELECT ` + indexedMembers + ` FROM business_artifact_index x WHERE x.business_artifact_id = a.id),
       coalesce((SELECT n.name FROM person_names n WHERE n.tenant_id = a.tenant_id AND n.principal_id = a.last_modified_by),
                (SELECT s.name FROM principals s WHERE s.id = a.last_modified_by), '')`

	// artifactName is the name of the definition r with its translations, a translation.Name.
	artifactName = `CASE WHEN r.spec -> 'i18n' IS NULL THEN to_jsonb(r.spec ->> 'name')
            ELSE jsonb_build_object('source', r.spec ->> 'name', 'default', coalesce(r.spec -> 'i18n' ->> 'default', 'en'), 'in',
                                    coalesce((SELECT jsonb_object_agg(l.key, l.value ->> (r.code || '.name'))
                                                FROM json_each(r.spec -> 'i18n') l
                                               WHERE l.key <> 'default' AND l.value ->> (r.code || '.name') IS NOT NULL), '{}'))
       END`

	// artifactIndexes are the indexed members of the definition r, each a domain.NamedMember.
	artifactIndexes = `(SELECT jsonb_agg(jsonb_build_object('field', f.field, 'type', f.type, 'Label', ` + memberLabel + `) ORDER BY f.number)
          FROM (SELECT (r.spec -> 'i18n')::jsonb AS texts) i,
               (SELECT x.value ->> 'field' AS field, x.value ->> 'type' AS type, x.number
                  FROM json_array_elements(CASE WHEN r.spec -> 'indexes' IS NOT NULL THEN r.spec -> 'indexes' END)
                       WITH ORDINALITY x (value, number)) f)`

	// The definitions by name; there are few. Specs are json, so that members keep their order.
	artifactDefinitionChoices = `
SELECT r.id, ` + artifactName + `, ` + artifactIndexes + `, r.id = ANY(` + access.EditableArtifactDefinitions + `)` +
		fromVisibleArtifactDefinitions + `
 ORDER BY r.spec ->> 'name', r.id
 LIMIT 200`
)

// ListArtifactBoard returns a page of the artifacts visible to the caller, with the definitions by which the list can
// be narrowed. Filters, orders and errors are the same as in ListBusinessArtifacts.
func (r *Reader) ListArtifactBoard(
	ctx context.Context, caller domain.Caller, filter ArtifactFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.ArtifactBoard, []ArtifactDefinitionState, error) {
	board := domain.ArtifactBoard{Page: domain.Page[domain.BoardArtifact]{PageRequest: page}}
	var states []ArtifactDefinitionState
	queries, err := artifactPage(caller, artifactBoardColumns, filter, page, sort, artifactBoardRows(func(a *domain.BoardArtifact) error {
		board.Items = append(board.Items, *a)
		return nil
	}), &board.Total, &states)
	if err != nil {
		return board, nil, err
	}
	args := []any{caller.PrincipalID, caller.TenantIDs()}
	err = r.Read(ctx, append(queries, pg.Q(artifactDefinitionChoices, args, func(rows pgx.Rows) (err error) {
		board.Definitions, err = pgx.CollectRows(rows, pgx.RowToStructByPos[domain.ArtifactChoice])
		return err
	}))...)
	board.TotalIsLowerBound = filter.totalIsLowerBound(page, board.Total)
	return board, states, pg.Translate("listing a board of business artifacts", err)
}

// EachOfArtifactBoard calls each with the first limit artifacts of a board, as they come from the database, and returns
// its error.
func (r *Reader) EachOfArtifactBoard(
	ctx context.Context, caller domain.Caller, filter ArtifactFilter, limit int, sort []domain.SortKey,
	each func(*domain.BoardArtifact) error,
) error {
	var total int64
	var states []ArtifactDefinitionState
	queries, err := artifactPage(caller, artifactBoardColumns, filter, domain.PageRequest{Size: limit}, sort,
		artifactBoardRows(each), &total, &states)
	if err != nil {
		return err
	}
	return pg.Translate("exporting a board of business artifacts", r.Read(ctx, queries...))
}

func artifactBoardRows(each func(*domain.BoardArtifact) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			var a domain.BoardArtifact
			if err := rows.Scan(append(artifactSummaryFields(&a.BusinessArtifact), &a.Indexed, &a.EditorName)...); err != nil {
				return err
			}
			if err := each(&a); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}
