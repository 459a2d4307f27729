package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ProcessFilter narrows a list of processes. Values of one field are
// alternatives; fields are combined. An empty field keeps everything.
type ProcessFilter struct {
	TenantIDs       []uuid.UUID
	DefinitionIDs   []uuid.UUID
	DefinitionCodes []string
	States          []domain.ProcessState
	Conditions      []domain.ConditionCode
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
	metadata := filterByMetadata(caller, filter.Metadata)
	l := processList(caller, filter, sort, processSummaryColumns+", "+conditionColumns, metadata)
	result, err := ReadPage(ctx, r, "listing processes", l, page, func(row pgx.CollectableRow) (p domain.Process, err error) {
		var condition readCondition
		err = row.Scan(append(processSummaryFields(&p), condition.fields()...)...)
		condition.show(caller, &p)
		return p, err
	}, metadata.queries(caller)...)
	if err != nil {
		return result, err
	}
	return result, metadata.verify()
}

// ShowProcessesWithElements is ListProcesses with the subjects and the values of
// the elements. It calls show with the page, and returns its error.
func (r *Reader) ShowProcessesWithElements(
	ctx context.Context, caller domain.Caller, filter ProcessFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.Process]) error,
) error {
	metadata := filterByMetadata(caller, filter.Metadata)
	err := showValues(ctx, r, valueList[domain.Process]{
		List:  processList(caller, filter, sort, processSummaryColumns+", p.subject, p.element_values", metadata),
		alias: "p", values: []string{"p.element_values"},
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
	caller domain.Caller, filter ProcessFilter, sort []domain.SortKey, columns string, metadata *metadataFilter,
) *listquery.List {
	return listquery.OfCaller(caller, "p.tenant_id", listquery.List{
		Columns: columns, Table: "processes p",
		Deletion: listquery.DeletedAt("p.deleted_at", filter.Deleted),
		Visible:  listquery.Match(access.VisibleProcess),
		Where: append([]listquery.Condition{
			listquery.AnyOf("p.tenant_id", filter.TenantIDs),
			listquery.AnyOf("p.process_definition_id", filter.DefinitionIDs),
			listquery.AnyOf("p.process_definition_code", filter.DefinitionCodes),
			listquery.AnyOf("p.state", filter.States),
			inConditions(caller, filter.Conditions),
			listquery.AnyOf("p.initiator_id", filter.InitiatorIDs).OnRows(),
			listquery.MatchAny(`p.initiator_id IN (SELECT u.id FROM principals u
          WHERE email_key(u.email) = ANY(SELECT email_key(e) FROM unnest(%s::text[]) e))`, filter.InitiatorEmails).OnRows(),
		}, metadata.conditions...),
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "p.created_at", Index: listquery.WalkAndTenantIndex}},
			Columns: listquery.Columns{
				"id":             {SQL: "p.id"},
				"createdAt":      {SQL: "p.created_at", Index: listquery.WalkAndTenantIndex},
				"lastModifiedAt": {SQL: "p.last_modified_at", Index: listquery.WalkIndex},
			},
		},
		Counts: processCounts(),
	})
}
