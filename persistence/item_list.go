package persistence

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ItemFilter narrows a list of process items. Values of one field are
// alternatives; fields are combined. An empty field keeps everything.
type ItemFilter struct {
	TenantIDs              []uuid.UUID
	ProcessIDs             []uuid.UUID
	Types                  []domain.ItemType
	TaskStates             []domain.TaskState
	DefinitionCodes        []string
	ThreadIDs              []uuid.UUID
	ProcessDefinitionIDs   []uuid.UUID
	ProcessDefinitionCodes []string
	Deleted                domain.DeletedFilter
}

// ListProcessItems returns a page of the items visible to the caller, as summaries without data and logs. They
// can be sorted by id, createdAt, lastModifiedAt, claimedAt, completedAt and cancelledAt. Items
// without one of these times are last, in the order in which they were created.
func (r *Reader) ListProcessItems(
	ctx context.Context, caller domain.Caller, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.ProcessItem], error) {
	result := domain.Page[domain.ProcessItem]{PageRequest: page}
	l, err := itemList(caller, filter, sort, itemSummaryColumns)
	if err != nil {
		return result, err
	}
	scan := eachItemSummary(func(item *domain.ProcessItem) {
		result.Items = append(result.Items, *item)
	})
	err = r.Read(ctx, l.Kept(l.Page(page, scan, &result.Total))...)
	return result, pg.Translate("listing process items", err)
}

// ShowTasks is ListProcessItems for tasks alone, with their data and elements but
// without logs. It calls show with the page, and returns its error.
func (r *Reader) ShowTasks(
	ctx context.Context, caller domain.Caller, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.ProcessItem]) error,
) error {
	filter.Types = []domain.ItemType{domain.ItemTask}
	l, err := itemList(caller, filter, sort, itemColumns)
	if err != nil {
		return err
	}
	err = showValues(ctx, r, valueList[domain.ProcessItem]{
		List: l, alias: "i",
		values: []string{"i.task_data", "i.task_data_errors", "i.context_data", "i.context_data_errors", "i.element_values"},
		scan:   scanItem,
	}, page, show)
	return pg.Translate("listing tasks", err)
}

func itemList(caller domain.Caller, filter ItemFilter, sort []domain.SortKey, columns string) (*pg.List, error) {
	l := pg.NewList(caller, columns, "process_items i", "i.tenant_id")
	l.Where = append(l.Where, access.VisibleItem)
	l.FilterDeleted("i.deleted_at", filter.Deleted)
	if filter.Deleted != domain.OnlyDeleted && len(filter.ProcessIDs) == 0 && len(filter.ThreadIDs) == 0 {
		countItems(l, caller)
		if filter.Deleted == domain.IncludeDeleted {
			l.Counts.Deleted = "i.deleted_at"
		}
	}
	pg.AnyOf(l, "i.tenant_id", filter.TenantIDs)
	pg.AnyOf(l, "i.process_id", filter.ProcessIDs)
	pg.AnyOf(l, "i.type", filter.Types)
	pg.AnyOf(l, "i.task_state", filter.TaskStates)
	pg.AnyOf(l, "i.item_definition_code", filter.DefinitionCodes)
	pg.AnyOf(l, "i.thread_id", filter.ThreadIDs)
	pg.AnyOf(l, "i.process_definition_id", filter.ProcessDefinitionIDs)
	if len(filter.ProcessDefinitionCodes) > 0 {
		l.Filter(`i.process_definition_id IN (SELECT d.id FROM process_definitions d WHERE d.code = ANY(%s))`,
			filter.ProcessDefinitionCodes)
	}
	err := l.SortBy(sort, map[string]string{
		"id": "i.id", "createdAt": "i.created_at", "lastModifiedAt": "i.last_modified_at",
		"claimedAt": "i.claimed_at" + pg.NullsLast, "completedAt": "i.completed_at" + pg.NullsLast,
		"cancelledAt": "i.cancelled_at" + pg.NullsLast,
	}, "i.created_at")
	if err != nil {
		return nil, err
	}
	if at := slices.Index(l.Order, "i.id"); strings.HasSuffix(l.Order[0], pg.NullsLast) && at == len(l.Order)-1 {
		// Items without the time are in the order of an index.
		l.Order = slices.Insert(l.Order, at, "i.created_at")
	}
	walkItems(l)
	return l, nil
}
