package persistence

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// InboxFilter narrows a list of tasks. Values of one field are alternatives; fields
// are combined. An empty field keeps everything.
type InboxFilter struct {
	View domain.InboxView
	// Search is what the name of the task, of its process or of the initiator, or the
	// subject of the process contains, whatever the case.
	Search               string
	ProcessDefinitionIDs []uuid.UUID
}

const (
	inboxColumns = `i.id, t.name, i.task_state AS state, i.process_id, v.name AS process_name, p.subject,
       s.name AS initiator_name, coalesce(o.name, '') AS owner_name, i.created_at, i.last_modified_at`

	inboxTables = `process_items i
  JOIN processes p ON p.id = i.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
  JOIN item_definition_versions t ON t.version = i.item_version
  JOIN principals s ON s.id = p.initiator_id
  LEFT JOIN principals o ON o.id = i.owner_id`
)

// inboxCondition returns what a view selects, over an item i of process p.
func inboxCondition(view domain.InboxView) string {
	switch view {
	case domain.InboxToClaim:
		return `i.task_state = 'READY' AND ` + candidateOfItem
	case domain.InboxMine:
		return `i.task_state = 'CLAIMED' AND i.owner_id = $1`
	case domain.InboxDone:
		return `i.task_state = 'COMPLETED' AND i.owner_id = $1`
	case domain.InboxAll:
	}
	return `i.type = 'TASK' AND ` + visibleItem
}

// ListInbox returns a page of the tasks of a view. They can be sorted by createdAt,
// lastModifiedAt, name and subject.
func (r *Reader) ListInbox(
	ctx context.Context, caller domain.Caller, filter InboxFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.InboxTask], error) {
	result := domain.Page[domain.InboxTask]{PageRequest: page}
	l := newList(caller, inboxColumns, inboxTables, "i.tenant_id")
	l.where = append(l.where, "i.deleted_at IS NULL", inboxCondition(filter.View))
	anyOf(l, "i.process_definition_id", filter.ProcessDefinitionIDs)
	if search := strings.TrimSpace(filter.Search); search != "" {
		l.filter(`(p.subject ILIKE %[1]s OR t.name ILIKE %[1]s OR v.name ILIKE %[1]s OR s.name ILIKE %[1]s)`, containing(search))
	}
	err := l.sortBy(sort, map[string]string{
		"id": "i.id", "createdAt": "i.created_at", "lastModifiedAt": "i.last_modified_at", "name": "t.name", "subject": "p.subject",
	}, "i.created_at")
	if err != nil {
		return result, err
	}
	err = r.read(ctx, l.page(page, into(&result.Items), &result.Total)...)
	return result, translate("listing an inbox", err)
}

// CountInbox returns how many tasks each view has.
func (r *Reader) CountInbox(ctx context.Context, caller domain.Caller) (map[domain.InboxView]int64, error) {
	counts := map[domain.InboxView]int64{}
	var queries []query
	for _, view := range domain.InboxViews() {
		l := newList(caller, "", "process_items i JOIN processes p ON p.id = i.process_id", "i.tenant_id")
		l.where = append(l.where, "i.deleted_at IS NULL", inboxCondition(view))
		var total int64
		counted := l.page(domain.PageRequest{}, nil, &total)[0]
		scan := counted.scan
		counted.scan = func(rows pgx.Rows) error {
			err := scan(rows)
			counts[view] = total
			return err
		}
		queries = append(queries, counted)
	}
	return counts, translate("counting an inbox", r.read(ctx, queries...))
}

// containing returns the pattern of LIKE for texts that contain a text.
func containing(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}
