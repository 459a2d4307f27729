package tasks

import (
	"context"
	"net/url"
	"slices"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// nextShown bounds the tasks that the note about a completed task names.
const nextShown = 3

// completed is the parameter with the id of the task that was completed last.
const completed = "completed"

// pageQuery returns the query of the page that a form was sent from, an empty one if that is unknown.
func pageQuery(v *web.Visit) url.Values {
	page, err := url.Parse(v.Referer())
	if err != nil {
		return url.Values{}
	}
	return page.Query()
}

// findNext returns the URL of the task to work on after this one: the next one of the user in the list, or else one to claim,
// or else the list.
func (f *taskForm) findNext(ctx context.Context) (string, error) {
	mine := parseQuery(f.page)
	if mine.Get("view") != string(domain.InboxMine) {
		mine = mine.With("view", string(domain.InboxMine))
	}
	toClaim := mine.With("view", string(domain.InboxToClaim))
	for _, q := range []web.Query{mine, toClaim} {
		found, err := f.App.ReadInbox(ctx, f.Call, parseFilter(ctx, q), q.RequestedPage(pageSize), []domain.SortKey{sortKeys()[q.Get("sort")]})
		if err != nil {
			return "", err
		}
		if id := taskAfter(found.Items, f.id); id != uuid.Nil {
			return q.And(completed, f.id.String()).Path("tasks/" + id.String()), nil
		}
	}
	return toClaim.And(completed, f.id.String()).Path(area), nil
}

// taskAfter returns the task after one in a list, which begins again after its end; the zero id if there is no other.
func taskAfter(list []domain.InboxTask, id uuid.UUID) uuid.UUID {
	at := slices.IndexFunc(list, func(t domain.InboxTask) bool { return t.ID == id })
	others := slices.Concat(list[at+1:], list[:max(at, 0)])
	if len(others) == 0 {
		return uuid.Nil
	}
	return others[0].ID
}

// completion is a completed task with the consequences for its process.
type completion struct {
	*domain.OpenedTask

	// Process is nil if it is not visible to the user. Open are its open tasks.
	Process *app.ProcessView
	Open    domain.Page[domain.ProcessPart]
}

// Next shows the consequences of the completion of a task for its process.
func (s *Screens) Next(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	var c completion
	if c.OpenedTask, err = s.App.OpenTask(v.Context(), v.Call, id); err != nil {
		return nil, err
	}
	if c.SeesProcess {
		open := app.PartFilter{Types: []domain.ItemType{domain.ItemTask}, Open: true}
		c.Process, err = s.App.RetrieveProcessView(v.Context(), v.Call, c.ProcessID,
			s.App.AddParts(open, domain.PageRequest{Size: nextShown}, nil, &c.Open))
	}
	return &web.Answer{Raw: true, Body: completedNote(&c)}, err
}

// expectation describes the next step of the process, "" if that is not visible to the user or if open tasks tell it.
func (c *completion) expectation(ctx context.Context) string {
	switch {
	case c.Process == nil, len(c.Open.Items) > 0:
		return ""
	case c.Process.Whole.State == domain.ProcessCompleted:
		return ui.T(ctx, "The process is completed.")
	case c.Process.Whole.Finished():
		return ui.T(ctx, "The process has ended.")
	case c.Process.OpenTasks > 0:
		return ui.T(ctx, "Others have the next task.")
	case c.Process.Definition.Engine != nil:
		return ui.T(ctx, "The process continues by itself.")
	}
	return ui.T(ctx, "Its managers decide how the process continues.")
}
