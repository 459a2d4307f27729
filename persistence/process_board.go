package persistence

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// BoardFilter narrows a board of processes. Fields are combined; an empty field keeps everything.
type BoardFilter struct {
	States     []domain.ProcessState
	Conditions []domain.ConditionCode
	Standing   domain.Standing
	// Managed keeps the processes that the caller manages.
	Managed      bool
	DefinitionID *uuid.UUID
	InitiatorID  *uuid.UUID
	// Search is the id of the process, or a part of its subject, of the name of its definition or its initiator, or of an
	// indexed member of its metadata, ignoring case.
	Search string
	// Metadata are expressions as in ProcessFilter.
	Metadata []string
	// Languages are the languages of the reader, for the order by the name of the definition.
	Languages []string
}

const (
	// indexedMembers are the texts of rows x of the index by their fields.
	indexedMembers = `jsonb_object_agg(x.field, CASE WHEN x.text_value IS NOT NULL THEN x.text_value || coalesce(x.text_rest, '')
                                                     ELSE coalesce(x.text_folded, x.number_value::text, to_char(x.date_value, 'YYYY-MM-DD')) END)`

	boardColumns = `p.id, p.subject, p.state, p.process_definition_id, ` + pg.NameOfV + `, coalesce(sname.name, s.name),
       (SELECT count(*) FROM process_items o WHERE o.process_id = p.id AND o.task_state IN ('READY', 'CLAIMED')),
       p.created_at, p.last_modified_at, ` + conditionOfP + `, `

	// memberLabel is the label of the member f.field with the translations i.texts, a translation.Name without a source.
	memberLabel = `jsonb_build_object('source', '', 'default', coalesce(i.texts ->> 'default', CASE WHEN i.texts IS NULL THEN '' ELSE 'en' END),
       'in', coalesce((SELECT jsonb_object_agg(l.key, l.text)
                         FROM (SELECT e.key, coalesce(e.value ->> (f.field || '.name'), e.value ->> (f.field || '.label')) AS text
                                 FROM jsonb_each(i.texts) e WHERE jsonb_typeof(e.value) = 'object') l
                        WHERE l.text IS NOT NULL), '{}'))`

	boardIndexed = `(SELECT ` + indexedMembers + ` FROM process_index x WHERE x.process_id = p.id)`

	boardNames = `
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id`

	// A definition without visible processes does not reveal the names of its members.
	selectIndexedFields = `
WITH i AS MATERIALIZED (
    SELECT (v.spec -> 'i18n')::jsonb AS texts
      FROM process_definitions d JOIN process_definition_versions v ON v.version = d.published_version
     WHERE d.id = $3)
SELECT f.field, f.type, coalesce((SELECT ` + memberLabel + ` FROM i), '""')
  FROM (SELECT x.field, min(x.type) AS type
          FROM process_definition_indexes x
         WHERE x.tenant_id = ANY($2) AND x.process_definition_id = $3
           AND EXISTS (SELECT 1 FROM processes p WHERE p.process_definition_id = x.process_definition_id AND ` + access.VisibleProcess + `)
         GROUP BY x.field) f
 ORDER BY f.field`

	// maxChoices bounds the definitions that a list offers to be narrowed to.
	maxChoices = 200
)

// ListBoard returns a page of the processes visible to the caller, with the values to filter by. They can
// be sorted by createdAt, lastModifiedAt, subject, definition, initiator and condition. It returns the errors of ListProcesses.
func (r *Reader) ListBoard(
	ctx context.Context, caller domain.Caller, filter BoardFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Board, error) {
	board := domain.Board{Page: domain.Page[domain.BoardProcess]{PageRequest: page}}
	metadata := filterByMetadata(caller, filter.Metadata)
	queries, err := boardList(caller, filter, sort, metadata).Page(page, boardRows(func(p *domain.BoardProcess) error {
		board.Items = append(board.Items, *p)
		return nil
	}), &board.Total)
	if err != nil {
		return board, err
	}
	choices, err := definitionChoices(caller, &board.Definitions)
	if err != nil {
		return board, err
	}
	queries = append(queries, choices, countStanding(caller, domain.StandingAttention, &board.Attention),
		countStanding(caller, domain.StandingEngine, &board.Engine))
	if filter.DefinitionID != nil {
		args := []any{caller.PrincipalID, caller.TenantIDs(), *filter.DefinitionID}
		queries = append(queries, pg.Q(selectIndexedFields, args, collectInto(&board.Fields, pgx.RowToStructByPos[domain.NamedMember])))
	}
	if err := r.Read(ctx, append(queries, metadata.queries(caller)...)...); err != nil {
		return board, pg.Translate("listing a board of processes", err)
	}
	return board, metadata.verify()
}

// EachOfBoard calls each with the first limit processes of a board, as they come from the database, and returns its
// error, or an error of ListBoard.
func (r *Reader) EachOfBoard(
	ctx context.Context, caller domain.Caller, filter BoardFilter, limit int, sort []domain.SortKey,
	each func(*domain.BoardProcess) error,
) error {
	metadata := filterByMetadata(caller, filter.Metadata)
	rows, err := boardList(caller, filter, sort, metadata).Rows(domain.PageRequest{Size: limit}, boardRows(each))
	if err != nil {
		return err
	}
	if expressions := metadata.queries(caller); len(expressions) > 0 {
		if err := r.Read(ctx, expressions...); err != nil {
			return pg.Translate("reading the indexes of metadata", err)
		}
	}
	if err := metadata.verify(); err != nil {
		return err
	}
	return pg.Translate("exporting a board of processes", r.Read(ctx, rows))
}

func boardList(caller domain.Caller, filter BoardFilter, sort []domain.SortKey, metadata *metadataFilter) *listquery.List {
	// A board of all definitions has no columns for members.
	indexed := "NULL::jsonb"
	if filter.DefinitionID != nil {
		indexed = boardIndexed
	}
	return listquery.OfCaller(caller, "p.tenant_id", listquery.List{
		Columns: boardColumns + indexed, Table: "processes p", Names: boardNames, Fixed: true,
		Deletion: listquery.DeletedAt("p.deleted_at", domain.ExcludeDeleted),
		Visible:  listquery.Match(access.VisibleProcess),
		Where: append([]listquery.Condition{
			listquery.AnyOf("p.state", filter.States),
			inConditions(caller, filter.Conditions),
			ofStanding(caller, filter.Standing),
			listquery.MatchIf(filter.Managed, access.ManagesProcess).OnRows(),
			listquery.MatchGiven("p.process_definition_id = %s", filter.DefinitionID),
			listquery.MatchGiven("p.initiator_id = %s", filter.InitiatorID).OnRows(),
			searchBoard(strings.TrimSpace(filter.Search)),
		}, metadata.conditions...),
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "p.created_at", Descending: true}},
			Columns: listquery.Columns{
				"id": {SQL: "p.id"}, "createdAt": {SQL: "p.created_at"}, "lastModifiedAt": {SQL: "p.last_modified_at"},
				"subject": {SQL: "p.subject"}, "definition": listquery.ShownName("v", filter.Languages),
				"initiator": {SQL: "coalesce(sname.name, s.name)", Named: true},
				"condition": {SQL: standingRank(caller)},
			},
		},
		Counts: processCounts(),
	})
}

func searchBoard(search string) listquery.Condition {
	if id, err := uuid.Parse(search); err == nil {
		return listquery.Match("p.id = %s", id).OnRows()
	}
	return listquery.MatchIf(search != "", "("+listquery.ContainsAny("p.subject", "v.name", pg.TranslationsOf("v"), "coalesce(sname.name, s.name)")+`
    OR EXISTS (SELECT 1 FROM process_index x WHERE x.process_id = p.id AND `+indexedText("x")+` LIKE search_key(%[1]s)))`,
		listquery.Pattern(search)).OnNames()
}

func boardRows(each func(*domain.BoardProcess) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			var p domain.BoardProcess
			var condition *storedCondition
			if err := rows.Scan(&p.ID, &p.Subject, &p.State, &p.DefinitionID, &p.DefinitionName, &p.InitiatorName,
				&p.OpenTasks, &p.CreatedAt, &p.LastModifiedAt, &condition, &p.Indexed); err != nil {
				return err
			}
			p.Condition = condition.of(p.State, p.CreatedAt, p.LastModifiedAt)
			if err := each(&p); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

// definitionChoices reads the definitions with any part visible to the caller, by name.
func definitionChoices(caller domain.Caller, choices *[]domain.Choice) (pg.Query, error) {
	l := definitionList(caller, listquery.List{Columns: "d.id, " + pg.NameOfV, Fixed: true}, []domain.SortKey{{Property: "name"}})
	return l.Rows(domain.PageRequest{Size: maxChoices}, collectInto(choices, pgx.RowToStructByPos[domain.Choice]))
}
