package persistence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// inboxDefinitionLimit bounds the process definitions that an inbox offers to be
// narrowed to.
const inboxDefinitionLimit = 100

// inboxCount is the number of tasks of a process definition in a view. Name names the definition, "" for a view that
// is not shown.
type inboxCount struct {
	View  domain.InboxView
	ID    uuid.UUID
	Name  string
	Tasks int64
}

// countInbox returns the query of how many tasks each view has by process definition: kept counts, and the rows of own
// tasks, up to domain.InboxCountLimit in a view that is not shown. It does not take longer where there are more tasks, but
// for the own ones of the view that is shown.
func countInbox(caller domain.Caller, shown domain.InboxView, dest *[]inboxCount) pg.Query {
	var args []any
	views := make([]string, 0, len(domain.InboxViews()))
	for _, view := range domain.InboxViews() {
		l := inboxList(caller, view)
		args = l.Args
		var counted string
		if l.Counts != nil {
			l.Counts.From = "kept i"
			counted = l.CountBy("i.process_definition_id")
		} else {
			limit := ""
			if view != shown {
				limit = fmt.Sprintf(" LIMIT %d", domain.InboxCountLimit)
			}
			counted = "SELECT o.process_definition_id, count(*) AS n FROM (SELECT i.process_definition_id FROM process_items i\n WHERE " +
				strings.Join(l.Where, "\n   AND ") + limit + ") o GROUP BY o.process_definition_id"
		}
		views = append(views, fmt.Sprintf("SELECT '%s' AS view, v.process_definition_id AS id, v.n FROM (%s) v", view, counted))
	}
	return pg.Q(`
WITH kept AS MATERIALIZED (
    SELECT i.* FROM item_counts_now(`+tenantArray(caller)+`) i WHERE i.type = 'TASK'
)
SELECT c.view, c.id, sum(c.n)::bigint AS tasks,
       CASE WHEN c.view = '`+string(shown)+`'
            THEN (SELECT v.name FROM process_definition_versions v
                   WHERE v.process_definition_id = c.id ORDER BY v.number DESC LIMIT 1)
            ELSE '' END AS name
  FROM (`+strings.Join(views, "\n UNION ALL\n")+`) c
 GROUP BY c.view, c.id
HAVING sum(c.n) <> 0
 ORDER BY name, c.id`, args, pg.Into(dest))
}

// readInbox returns the queries of ReadInbox, and a function that builds the result from their rows.
func readInbox(
	caller domain.Caller, filter InboxFilter, page domain.PageRequest, sort []domain.SortKey, result *domain.Inbox,
) (queries []pg.Query, read func(), err error) {
	l := filter.taskList(caller)
	err = l.SortBy(sort, map[string]string{
		"id": "i.id", "createdAt": "i.created_at", "lastModifiedAt": "i.last_modified_at", "name": "t.name", "subject": "p.subject",
	}, "i.created_at")
	if err != nil {
		return nil, nil, err
	}
	if slices.ContainsFunc(sort, func(k domain.SortKey) bool { return k.Property == "name" || k.Property == "subject" }) {
		l.From, l.Names = inboxTables, ""
	}
	var counts []inboxCount
	queries = l.Page(page, pg.Into(&result.Items), &result.Total)
	searches := filter.searchText() != ""
	if !searches {
		queries = queries[:1]
	}
	queries = slices.Concat([]pg.Query{pg.KeepPlans()}, queries, []pg.Query{countInbox(caller, filter.View, &counts)})
	return queries, func() {
		result.Counts = map[domain.InboxView]int64{}
		for _, c := range counts {
			result.Counts[c.View] += c.Tasks
			if c.View != filter.View {
				continue
			}
			if len(result.Definitions) < inboxDefinitionLimit {
				result.Definitions = append(result.Definitions, domain.InboxDefinition{ID: c.ID, Name: c.Name, Tasks: c.Tasks})
			}
			if !searches && (len(filter.ProcessDefinitionIDs) == 0 || slices.Contains(filter.ProcessDefinitionIDs, c.ID)) {
				result.Total += c.Tasks
			}
		}
	}, nil
}
