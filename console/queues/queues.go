package queues

import (
	"context"
	"slices"
	"time"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/internal/codegen"
)

// pageSize is the number of task queues on a page of the list.
const pageSize = 25

// problemsListed bounds the problems of a queue in the list.
const problemsListed = 2

const area = "queues"

// Screens are the screens of task queues.
type Screens struct {
	Administration *administration.Service
}

// listView contains a page of the list.
type listView struct {
	web.Query
	domain.Page[administration.TaskQueue]

	// SeveralTenants reports whether the user administers several tenants.
	SeveralTenants bool
}

// List shows the task queues of the tenants that the user administers.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	query, page := v.Query("tenant"), v.Page(pageSize)
	filter := administration.TaskQueueFilter{TenantCodes: web.TenantCodes(query.Get("tenant"))}
	found, err := s.Administration.FindTaskQueues(v.Context(), v.Call, filter, page)
	if err != nil {
		return nil, err
	}
	if len(found.Items) == 0 && page.Number > 0 {
		return web.SeeOther(query.OnPage(found.TotalPages()).Path(area)), nil
	}
	return &web.Answer{
		Title: ui.T(v.Context(), "Workers and queues"), Area: area,
		Body: listPage(listView{query, found, web.SeveralTenants(v.Call.Caller)}),
	}, nil
}

// Show shows a task queue with a program that would serve it.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	query := v.URL.Query()
	filter := administration.TaskQueueFilter{TenantCodes: []string{query.Get("tenant")}, Names: []string{query.Get("name")}}
	found, err := s.Administration.FindTaskQueues(v.Context(), v.Call, filter, domain.PageRequest{Size: 1})
	if err != nil {
		return nil, err
	}
	if len(found.Items) == 0 {
		return nil, domain.NotFound("task queue")
	}
	queue := &found.Items[0]
	chosen, err := s.starterOf(v, queue, codegen.Language(query.Get("language")))
	if err != nil {
		return nil, err
	}
	return &web.Answer{Title: queue.Name, Area: area, Body: queuePage(queue, chosen)}, nil
}

func pathOf(q *administration.TaskQueue, language codegen.Language) string {
	return web.NewQuery("tenant", q.TenantCode, "name", q.Name, "language", string(language)).Path(area + "/queue")
}

// countOnline counts the workers that are live.
func countOnline(q *administration.TaskQueue) int {
	n := 0
	for _, state := range q.WorkerStates {
		if state == domain.WorkerOnline {
			n++
		}
	}
	return n
}

// pollerIdentities returns the identities that polled lately, each once.
func pollerIdentities(q *administration.TaskQueue) []string {
	var identities []string
	if q.Observed != nil {
		for _, p := range q.Observed.Pollers {
			if !slices.Contains(identities, p.Identity) {
				identities = append(identities, p.Identity)
			}
		}
	}
	return identities
}

// sumBacklogs returns how many tasks of all kinds wait, and how long the oldest has.
func sumBacklogs(q *administration.TaskQueue) (count int64, oldest time.Duration) {
	if q.Observed != nil {
		for _, b := range q.Observed.Backlogs {
			count, oldest = count+b.Count, max(oldest, b.Age)
		}
	}
	return count, oldest
}

// definitionNames names the definitions and robots, each once.
func definitionNames(q *administration.TaskQueue) []string {
	var names []string
	for _, n := range q.Needs {
		if !slices.Contains(names, n.Definition) {
			names = append(names, n.Definition)
		}
	}
	return names
}

// adviceText returns a remedy for the problems of a queue.
func adviceText(ctx context.Context, q *administration.TaskQueue) string {
	count, _ := sumBacklogs(q)
	switch {
	case q.Unknown || q.Observed != nil && q.Observed.Failure != "":
		return ui.T(ctx, "Check with procession doctor whether Temporal responds.")
	case countOnline(q) == 0 && len(q.Needs) > 0:
		return ui.T(ctx, "Start a worker for this queue; its page has an example.")
	case len(pollerIdentities(q)) == 0:
		return ui.T(ctx, "Check the log of the worker for errors of the connection to Temporal.")
	case count > 0:
		return ui.T(ctx, "Start more workers, or check their logs for slow activities.")
	case len(q.Needs) > 0:
		return ui.T(ctx, "Register the workflows that are missing in a worker, or correct the definition.")
	}
	return ui.T(ctx, "Stop the worker, or name the queue in a definition.")
}
