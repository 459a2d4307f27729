package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// ProcessFilter narrows a list of processes. Values of one field are
// alternatives; fields are combined. An empty field keeps everything.
type ProcessFilter struct {
	TenantIDs       []uuid.UUID
	DefinitionIDs   []uuid.UUID
	DefinitionCodes []string
	States          []domain.ProcessState
	InitiatorIDs    []uuid.UUID
	InitiatorEmails []string
}

// ListProcesses returns a page of the processes that the caller sees, as
// summaries without metadata and entity. They can be sorted by id, createdAt
// and lastModifiedAt.
func (r *Reader) ListProcesses(
	ctx context.Context, caller domain.Caller, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Process], error) {
	result := domain.Page[domain.Process]{PageRequest: page}
	l := newList(caller, processSummaryColumns, "processes p", "p.tenant_id")
	l.where = append(l.where, visibleProcess)
	anyOf(l, "p.tenant_id", filter.TenantIDs)
	anyOf(l, "p.process_definition_id", filter.DefinitionIDs)
	anyOf(l, "p.process_definition_code", filter.DefinitionCodes)
	anyOf(l, "p.state", filter.States)
	anyOf(l, "p.initiator_id", filter.InitiatorIDs)
	if len(filter.InitiatorEmails) > 0 {
		l.filter(`p.initiator_id IN (SELECT u.id FROM principals u
          WHERE lower(u.email) = ANY(SELECT lower(e) FROM unnest(%s::text[]) e))`, filter.InitiatorEmails)
	}
	err := l.sortBy(sort, map[string]string{
		"id": "p.id", "createdAt": "p.created_at", "lastModifiedAt": "p.last_modified_at",
	}, "p.created_at")
	if err != nil {
		return result, err
	}
	scan := func(rows pgx.Rows) error {
		defer rows.Close()
		for rows.Next() {
			var p domain.Process
			if err := rows.Scan(processSummaryFields(&p)...); err != nil {
				return err
			}
			result.Items = append(result.Items, p)
		}
		return rows.Err()
	}
	err = r.read(ctx, l.page(page, scan, &result.Total)...)
	return result, translate("listing processes", err)
}
