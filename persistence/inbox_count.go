package persistence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence/internal/listquery"
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
	Name  translation.Name
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
		var counted string
		if counted, args = l.CountBy("i.process_definition_id", "kept"); counted == "" {
			limit := ""
			if view != shown {
				limit = fmt.Sprintf(" LIMIT %d", domain.InboxCountLimit)
			}
			l.Columns = "i.process_definition_id"
			l.Names = ""
			own, _ := l.All()
			counted = "SELECT o.process_definition_id, count(*) AS n FROM (" + own + limit + ") o GROUP BY o.process_definition_id"
		}
		views = append(views, fmt.Sprintf("SELECT '%s' AS view, v.process_definition_id AS id, v.n FROM (%s) v", view, counted))
	}
	return pg.Q(`
WITH kept AS MATERIALIZED (
    SELECT i.* FROM item_counts_now(`+listquery.TenantArray(caller)+`) i WHERE i.type = 'TASK'
)
SELECT q.*
  FROM (
SELECT c.view, c.id, sum(c.n)::bigint AS tasks,
       CASE WHEN c.view = '`+string(shown)+`'
            THEN (SELECT `+pg.NameOfV+` FROM process_definition_versions v
                   WHERE v.process_definition_id = c.id ORDER BY v.number DESC LIMIT 1)
            ELSE '""' END AS name
  FROM (`+strings.Join(views, "\n UNION ALL\n")+`) c
 GROUP BY c.view, c.id
HAVING sum(c.n) <> 0
) q
 ORDER BY coalesce(q.name ->> 'source', q.name #>> '{}'), q.id`, args, pg.Into(dest))
}

// readInbox returns the queries of ReadInbox, and a function that builds the result from their rows.
func readInbox(
	caller domain.Caller, filter InboxFilter, page domain.PageRequest, sort []domain.SortKey, result *domain.Inbox,
) (queries []pg.Query, read func(), err error) {
	l := filter.taskList(caller)
	l.Order.By = sort
	rows, err := l.Rows(page, pg.Into(&result.Items))
	if err != nil {
		return nil, nil, err
	}
	var counts []inboxCount
	queries = []pg.Query{pg.KeepPlans(), rows, countInbox(caller, filter.View, &counts)}
	if !filter.isCounted() {
		queries = append(queries, l.Total(&result.Total))
	}
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
			if filter.isCounted() && (len(filter.ProcessDefinitionIDs) == 0 || slices.Contains(filter.ProcessDefinitionIDs, c.ID)) {
				result.Total += c.Tasks
			}
		}
	}, nil
}
