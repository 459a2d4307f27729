package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
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
	TaskPriorities         []domain.TaskPriority
	// TaskDueAfter and TaskDueBefore keep tasks with a due date in the period, which does not include its end.
	TaskDueAfter, TaskDueBefore *time.Time
	// TaskOverdue keeps tasks that are overdue at Now, or the other tasks.
	TaskOverdue *bool
	Now         time.Time
	Deleted     domain.DeletedFilter
}

// ListProcessItems returns a page of the items visible to the caller, as summaries without data and logs. They
// can be sorted by id, createdAt, lastModifiedAt, claimedAt, completedAt, cancelledAt, dueAt, followUpAt and
// priority. Items without one of these times are last, in the order in which they were created.
func (r *Reader) ListProcessItems(
	ctx context.Context, caller domain.Caller, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
) (domain.Page[domain.ProcessItem], error) {
	result := domain.Page[domain.ProcessItem]{PageRequest: page}
	queries, err := itemList(caller, filter, sort, itemSummaryColumns).Page(page, eachItemSummary(func(item *domain.ProcessItem) {
		result.Items = append(result.Items, *item)
	}), &result.Total)
	if err != nil {
		return result, err
	}
	err = r.Read(ctx, queries...)
	return result, pg.Translate("listing process items", err)
}

// ShowTasks is ListProcessItems for tasks alone, with their data and elements but
// without logs. It calls show with the page, and returns its error.
func (r *Reader) ShowTasks(
	ctx context.Context, caller domain.Caller, filter ItemFilter, page domain.PageRequest, sort []domain.SortKey,
	show func(*domain.Listing[domain.ProcessItem]) error,
) error {
	filter.Types = []domain.ItemType{domain.ItemTask}
	err := showValues(ctx, r, valueList[domain.ProcessItem]{
		List: itemList(caller, filter, sort, itemColumns), alias: "i",
		values: []string{"i.task_data", "i.task_data_errors", "i.context_data", "i.context_data_errors", "i.element_values"},
		scan:   scanItem,
	}, page, show)
	return pg.Translate("listing tasks", err)
}

func itemList(caller domain.Caller, filter ItemFilter, sort []domain.SortKey, columns string) *listquery.List {
	return listquery.OfCaller(caller, "i.tenant_id", listquery.List{
		Columns: columns, Table: "process_items i",
		Deletion: listquery.DeletedAt("i.deleted_at", filter.Deleted),
		Visible:  listquery.Match(access.VisibleItem),
		Where: []listquery.Condition{
			listquery.AnyOf("i.tenant_id", filter.TenantIDs),
			listquery.AnyOf("i.process_id", filter.ProcessIDs).OnRows(),
			listquery.AnyOf("i.type", filter.Types),
			listquery.AnyOf("i.task_state", filter.TaskStates),
			listquery.AnyOf("i.item_definition_code", filter.DefinitionCodes),
			listquery.AnyOf("i.thread_id", filter.ThreadIDs).OnRows(),
			listquery.AnyOf("i.process_definition_id", filter.ProcessDefinitionIDs),
			listquery.MatchAny(`i.process_definition_id IN (SELECT d.id FROM process_definitions d WHERE d.code = ANY(%s))`,
				filter.ProcessDefinitionCodes),
			withPriorities(filter.TaskPriorities),
			dueBetween(filter.TaskDueAfter, filter.TaskDueBefore),
			isOverdue(filter.TaskOverdue, filter.Now),
		},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "i.created_at", Index: listquery.WalkAndTenantIndex}},
			Columns: listquery.Columns{
				"id":             {SQL: "i.id"},
				"createdAt":      {SQL: "i.created_at", Index: listquery.WalkAndTenantIndex},
				"lastModifiedAt": {SQL: "i.last_modified_at", Index: listquery.WalkIndex},
				"claimedAt":      taskTime("i.claimed_at"),
				"completedAt":    taskTime("i.completed_at"),
				"cancelledAt":    taskTime("i.cancelled_at"),
				"dueAt":          plannedTime("due_at"),
				"followUpAt":     plannedTime("follow_up_at"),
				"priority":       {SQL: taskPriority},
			},
		},
		Counts: itemCounts(),
	})
}

// taskTime returns the column of an order by a time that only some tasks have.
func taskTime(sql string) listquery.Column {
	return listquery.Column{SQL: sql, Nullable: true, Rest: "i.created_at", Index: listquery.WalkIndex}
}
