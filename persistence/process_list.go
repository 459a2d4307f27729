package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
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
	// Metadata are expressions in the syntax of criteria.Parse. All must match.
	Metadata []string
	Deleted  domain.DeletedFilter
}

// ListProcesses returns a page of the processes visible to the caller, as summaries without metadata and entity.
// They can be sorted by id, createdAt and lastModifiedAt. An expression about metadata that is malformed, or
// about a member that no process definition of the caller's tenants indexes, is a VALIDATION error.
func (r *Reader) ListProcesses(
	ctx context.Context, caller domain.Caller, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.Process], error) {
	result := domain.Page[domain.Process]{PageRequest: page}
	l, metadata, err := processList(caller, filter, sort, processSummaryColumns)
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
	err = r.Read(ctx, append(l.Kept(l.Page(page, scan, &result.Total)), metadata.queries(caller)...)...)
	if err != nil {
		return result, pg.Translate("listing processes", err)
	}
	return result, metadata.verify()
}

// ShowProcessesWithElements is ListProcesses with the subjects and the values of
// the elements. It calls show with the page, and returns its error.
func (r *Reader) ShowProcessesWithElements(
	ctx context.Context, caller domain.Caller, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.Process]) error,
) error {
	l, metadata, err := processList(caller, filter, sort, processSummaryColumns+", p.subject, p.element_values")
	if err != nil {
		return err
	}
	err = showValues(ctx, r, valueList[domain.Process]{
		List: l, alias: "p", values: []string{"p.element_values"},
		more: metadata.queries(caller), check: metadata.verify,
		scan: func(rows pgx.Rows) (p domain.Process, err error) {
			var elements []byte
			if err := rows.Scan(append(processSummaryFields(&p), &p.Subject, &elements)...); err != nil {
				return p, err
			}
			p.Elements, err = readElements(elements)
			return p, err
		},
	}, page, show)
	return pg.Translate("listing processes", err)
}

func processList(
	caller domain.Caller, filter ProcessFilter, sort []domain.SortKey, columns string,
) (*pg.List, *metadataFilter, error) {
	l := pg.NewList(caller, columns, "processes p", "p.tenant_id")
	l.Where = append(l.Where, access.VisibleProcess)
	l.FilterDeleted("p.deleted_at", filter.Deleted)
	if filter.Deleted != domain.OnlyDeleted && len(filter.InitiatorIDs) == 0 && len(filter.InitiatorEmails) == 0 &&
		len(filter.Metadata) == 0 {
		countProcesses(l, caller)
		if filter.Deleted == domain.IncludeDeleted {
			l.Counts.Deleted = "p.deleted_at"
		}
	}
	pg.AnyOf(l, "p.tenant_id", filter.TenantIDs)
	pg.AnyOf(l, "p.process_definition_id", filter.DefinitionIDs)
	pg.AnyOf(l, "p.process_definition_code", filter.DefinitionCodes)
	pg.AnyOf(l, "p.state", filter.States)
	pg.AnyOf(l, "p.initiator_id", filter.InitiatorIDs)
	if len(filter.InitiatorEmails) > 0 {
		l.Filter(`p.initiator_id IN (SELECT u.id FROM principals u
          WHERE lower(u.email) = ANY(SELECT lower(e) FROM unnest(%s::text[]) e))`, filter.InitiatorEmails)
	}
	metadata := filterByMetadata(l, caller, filter.Metadata)
	err := l.SortBy(sort, map[string]string{
		"id": "p.id", "createdAt": "p.created_at", "lastModifiedAt": "p.last_modified_at",
	}, "p.created_at")
	if err == nil {
		walkProcesses(l)
	}
	return l, metadata, err
}
