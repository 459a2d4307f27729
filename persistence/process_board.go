package persistence

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// BoardFilter narrows a board of processes. Fields are combined; an empty field keeps everything.
type BoardFilter struct {
	States       []domain.ProcessState
	DefinitionID *uuid.UUID
	InitiatorID  *uuid.UUID
	// Search is the id of the process, or a part of its subject, of the name of its definition or its initiator, or of an
	// indexed member of its metadata, ignoring case.
	Search string
	// Metadata are expressions as in ProcessFilter.
	Metadata []string
}

const (
	// indexedMembers are the texts of rows x of the index by their fields.
	indexedMembers = `jsonb_object_agg(x.field, CASE WHEN x.text_value IS NOT NULL THEN x.text_value || coalesce(x.text_rest, '')
                                                     ELSE coalesce(x.text_folded, x.number_value::text, to_char(x.date_value, 'YYYY-MM-DD')) END)`

	boardColumns = `p.id, p.subject, p.state, p.process_definition_id, v.name, coalesce(sname.name, s.name),
       (SELECT count(*) FROM process_items o WHERE o.process_id = p.id AND o.task_state IN ('READY', 'CLAIMED')),
       p.created_at, p.last_modified_at, `

	boardIndexed = `(SELECT ` + indexedMembers + ` FROM process_index x WHERE x.process_id = p.id)`

	boardNames = `
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN person_names sname ON sname.tenant_id = p.tenant_id AND sname.principal_id = p.initiator_id`

	// A definition without visible processes does not reveal the names of its members.
	selectIndexedFields = `
SELECT f.field, min(f.type)
  FROM process_definition_indexes f
 WHERE f.tenant_id = ANY($2) AND f.process_definition_id = $3
   AND EXISTS (SELECT 1 FROM processes p WHERE p.process_definition_id = f.process_definition_id AND ` + access.VisibleProcess + `)
 GROUP BY f.field
 ORDER BY f.field`

	// maxChoices bounds the definitions that a list offers to be narrowed to.
	maxChoices = 200
)

// ListBoard returns a page of the processes visible to the caller, with the values to filter by. They can
// be sorted by createdAt, lastModifiedAt, subject, definition and initiator. It returns the errors of ListProcesses.
func (r *Reader) ListBoard(
	ctx context.Context, caller domain.Caller, filter BoardFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Board, error) {
	board := domain.Board{Page: domain.Page[domain.BoardProcess]{PageRequest: page}}
	l, metadata, err := boardList(caller, filter, sort)
	if err != nil {
		return board, err
	}
	choices, err := definitionChoices(caller, &board.Definitions)
	if err != nil {
		return board, err
	}
	queries := slices.Concat([]pg.Query{pg.KeepPlans()}, l.Page(page, boardRows(func(p *domain.BoardProcess) error {
		board.Items = append(board.Items, *p)
		return nil
	}), &board.Total), []pg.Query{choices})
	if filter.DefinitionID != nil {
		args := []any{caller.PrincipalID, caller.TenantIDs(), *filter.DefinitionID}
		queries = append(queries, pg.Q(selectIndexedFields, args, func(rows pgx.Rows) (err error) {
			board.Fields, err = pgx.CollectRows(rows, pgx.RowToStructByPos[domain.IndexedMember])
			return err
		}))
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
	l, metadata, err := boardList(caller, filter, sort)
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
	var total int64
	rows := l.Page(domain.PageRequest{Size: limit}, boardRows(each), &total)[0]
	return pg.Translate("exporting a board of processes", r.Read(ctx, rows))
}

func boardList(caller domain.Caller, filter BoardFilter, sort []domain.SortKey) (*pg.List, *metadataFilter, error) {
	// A board of all definitions has no columns for members.
	indexed := "NULL::jsonb"
	if filter.DefinitionID != nil {
		indexed = boardIndexed
	}
	l := pg.NewList(caller, boardColumns+indexed, "processes p", "p.tenant_id")
	l.Names, l.Fixed = boardNames, true
	l.Where = append(l.Where, "p.deleted_at IS NULL", access.VisibleProcess)
	search := strings.TrimSpace(filter.Search)
	if filter.InitiatorID == nil && search == "" && len(filter.Metadata) == 0 {
		countProcesses(l, caller)
	}
	pg.AnyOf(l, "p.state", filter.States)
	if filter.DefinitionID != nil {
		l.Filter("p.process_definition_id = %s", *filter.DefinitionID)
	}
	if filter.InitiatorID != nil {
		l.Filter("p.initiator_id = %s", *filter.InitiatorID)
	}
	byName := slices.ContainsFunc(sort, func(k domain.SortKey) bool { return k.Property == "definition" || k.Property == "initiator" })
	if search != "" || byName {
		l.From, l.Names = l.From+boardNames, ""
	}
	if search != "" {
		searchBoard(l, search)
	}
	metadata := filterByMetadata(l, caller, filter.Metadata)
	err := l.SortBy(sort, map[string]string{
		"id": "p.id", "createdAt": "p.created_at", "lastModifiedAt": "p.last_modified_at", "subject": "p.subject",
		"definition": "v.name", "initiator": "coalesce(sname.name, s.name)",
	}, "p.created_at DESC")
	return l, metadata, err
}

func searchBoard(l *pg.List, search string) {
	if id, err := uuid.Parse(search); err == nil {
		l.Filter("p.id = %s", id)
		return
	}
	text, folded := l.Arg(likePattern(search)), l.Arg(likePattern(foldCase(search)))
	l.Where = append(l.Where, fmt.Sprintf(`(p.subject ILIKE %[1]s OR v.name ILIKE %[1]s OR coalesce(sname.name, s.name) ILIKE %[1]s
    OR EXISTS (SELECT 1 FROM process_index x WHERE x.process_id = p.id AND `+indexedText("x")+` LIKE %[2]s))`, text, folded))
}

func boardRows(each func(*domain.BoardProcess) error) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			var p domain.BoardProcess
			if err := rows.Scan(&p.ID, &p.Subject, &p.State, &p.DefinitionID, &p.DefinitionName, &p.InitiatorName,
				&p.OpenTasks, &p.CreatedAt, &p.LastModifiedAt, &p.Indexed); err != nil {
				return err
			}
			if err := each(&p); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

// definitionChoices reads the definitions with any part visible to the caller, by name.
func definitionChoices(caller domain.Caller, choices *[]domain.Choice) (pg.Query, error) {
	l := definitionList(caller, "d.id, v.name")
	l.Fixed = true
	if err := l.SortBy([]domain.SortKey{{Property: "name"}}, map[string]string{"id": "d.id", "name": "v.name"}); err != nil {
		return pg.Query{}, err
	}
	var total int64
	return l.Page(domain.PageRequest{Size: maxChoices}, func(rows pgx.Rows) (err error) {
		*choices, err = pgx.CollectRows(rows, pgx.RowToStructByPos[domain.Choice])
		return err
	}, &total)[0], nil
}
