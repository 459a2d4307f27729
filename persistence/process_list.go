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
	// Metadata are expressions as criteria.Parse reads them. All must fit.
	Metadata []string
}

// ListProcesses returns a page of the processes that the caller sees, as
// summaries without metadata and entity. They can be sorted by id, createdAt
// and lastModifiedAt. An expression about metadata that is not well formed, or
// about a member that no process definition of the caller's tenants indexes, is
// a VALIDATION error.
func (r *Reader) ListProcesses(
	ctx context.Context, caller domain.Caller, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Process], error) {
	return r.listProcesses(ctx, caller, filter, page, sort, processSummaryColumns,
		func(p *domain.Process, rows pgx.Rows) error { return rows.Scan(processSummaryFields(p)...) })
}

// ListProcessesWithElements is ListProcesses with the subjects and the values of
// the elements.
func (r *Reader) ListProcessesWithElements(
	ctx context.Context, caller domain.Caller, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Process], error) {
	return r.listProcesses(ctx, caller, filter, page, sort, processSummaryColumns+", p.subject, p.element_values",
		func(p *domain.Process, rows pgx.Rows) error {
			var elements []byte
			err := rows.Scan(append(processSummaryFields(p), &p.Subject, &elements)...)
			if err != nil {
				return err
			}
			p.Elements, err = readElements(elements)
			return err
		})
}

func (r *Reader) listProcesses(
	ctx context.Context, caller domain.Caller, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
	columns string, scanOne func(*domain.Process, pgx.Rows) error,
) (domain.Page[domain.Process], error) {
	result := domain.Page[domain.Process]{PageRequest: page}
	l := newList(caller, columns, "processes p", "p.tenant_id")
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
	metadata := l.filterByMetadata(caller, filter.Metadata)
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
			if err := scanOne(&p, rows); err != nil {
				return err
			}
			result.Items = append(result.Items, p)
		}
		return rows.Err()
	}
	err = r.read(ctx, append(l.page(page, scan, &result.Total), metadata.queries(caller)...)...)
	if err != nil {
		return result, translate("listing processes", err)
	}
	return result, metadata.verify()
}
