package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// ItemFilter narrows a list of process items. Values of one field are
// alternatives; fields are combined. An empty field keeps everything.
type ItemFilter struct {
	TenantIDs              []uuid.UUID
	ProcessIDs             []uuid.UUID
	Types                  []domain.ItemType
	TaskStates             []domain.TaskState
	DefinitionCodes        []string
	ProcessDefinitionIDs   []uuid.UUID
	ProcessDefinitionCodes []string
}

// ListProcessItems returns a page of the items that the caller sees, as
// summaries without data and logs. They can be sorted by id, createdAt,
// lastModifiedAt, claimedAt, completedAt and cancelledAt.
func (r *Reader) ListProcessItems(
	ctx context.Context, caller domain.Caller, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.ProcessItem], error) {
	return r.listItems(ctx, caller, filter, page, sort, itemSummaryColumns, eachItemSummary)
}

// ListTasks is ListProcessItems for tasks alone, with their data and elements but
// without logs.
func (r *Reader) ListTasks(
	ctx context.Context, caller domain.Caller, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.ProcessItem], error) {
	filter.Types = []domain.ItemType{domain.ItemTask}
	return r.listItems(ctx, caller, filter, page, sort, itemColumns, eachItem)
}

func (r *Reader) listItems(
	ctx context.Context, caller domain.Caller, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
	columns string, each func(func(*domain.ProcessItem)) func(pgx.Rows) error,
) (domain.Page[domain.ProcessItem], error) {
	result := domain.Page[domain.ProcessItem]{PageRequest: page}
	l := newList(caller, columns, "process_items i", "i.tenant_id")
	l.where = append(l.where, visibleItem)
	anyOf(l, "i.tenant_id", filter.TenantIDs)
	anyOf(l, "i.process_id", filter.ProcessIDs)
	anyOf(l, "i.type", filter.Types)
	anyOf(l, "i.task_state", filter.TaskStates)
	anyOf(l, "i.item_definition_code", filter.DefinitionCodes)
	anyOf(l, "i.process_definition_id", filter.ProcessDefinitionIDs)
	if len(filter.ProcessDefinitionCodes) > 0 {
		l.filter(`i.process_definition_id IN (SELECT d.id FROM process_definitions d WHERE d.code = ANY(%s))`,
			filter.ProcessDefinitionCodes)
	}
	err := l.sortBy(sort, map[string]string{
		"id": "i.id", "createdAt": "i.created_at", "lastModifiedAt": "i.last_modified_at",
		"claimedAt": "i.claimed_at NULLS LAST", "completedAt": "i.completed_at NULLS LAST",
		"cancelledAt": "i.cancelled_at NULLS LAST",
	}, "i.created_at")
	if err != nil {
		return result, err
	}
	scan := each(func(item *domain.ProcessItem) {
		result.Items = append(result.Items, *item)
	})
	err = r.read(ctx, l.page(page, scan, &result.Total)...)
	return result, translate("listing process items", err)
}
