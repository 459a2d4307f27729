package tasks

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
)

// deed is an action on several tasks.
type deed string

const (
	deedClaim    deed = "claim"
	deedRelease  deed = "release"
	deedComplete deed = "complete"
	deedAssign   deed = "assign"
	deedDelegate deed = "delegate"
)

// The parameters of the results of an action on several tasks: the action, the number of changed tasks, and the refused ones with
// their reasons.
const (
	paramDeed    = "did"
	paramChanged = "changed"
	paramRefused = "refused"
)

// outcome contains the results of an action on several tasks.
type outcome struct {
	Deed deed
	// Done is the number of changed tasks.
	Done    int
	Refused []result
}

// result is a task that was not changed, with the reason.
type result struct {
	domain.InboxTask

	Problem string
}

// withOutcome returns a path with the results of an action.
func withOutcome(path string, of deed, done int, refused map[uuid.UUID]domain.Code) string {
	u, err := url.Parse(path)
	if err != nil {
		return web.Root + area
	}
	query := u.Query()
	query.Set(paramDeed, string(of))
	query.Set(paramChanged, strconv.Itoa(done))
	query.Del(paramRefused)
	for id, code := range refused {
		query.Add(paramRefused, id.String()+"."+string(code))
	}
	slices.Sort(query[paramRefused])
	u.RawQuery = query.Encode()
	return u.String()
}

// findOutcome returns the results in the query of a list, nil for none. Refused tasks that are not visible have no name.
func (s *Screens) findOutcome(v *web.Visit) (*outcome, error) {
	query := v.URL.Query()
	o := &outcome{Deed: deed(query.Get(paramDeed))}
	if !slices.Contains([]deed{deedClaim, deedRelease, deedComplete, deedAssign, deedDelegate}, o.Deed) {
		return nil, nil
	}
	o.Done, _ = strconv.Atoi(query.Get(paramChanged))
	var ids []uuid.UUID
	for _, text := range query[paramRefused][:min(len(query[paramRefused]), ui.MaxPageSize)] {
		name, code, _ := strings.Cut(text, ".")
		if id, err := uuid.Parse(name); err == nil {
			ids = append(ids, id)
			o.Refused = append(o.Refused, result{
				InboxTask: domain.InboxTask{ID: id, Name: translation.Name{Source: ui.T(v.Context(), "Task")}}, Problem: ui.ReasonOf(v.Context(), domain.Code(code)),
			})
		}
	}
	if len(ids) == 0 {
		return o, nil
	}
	found, err := s.App.FindInboxTasks(v.Context(), v.Call, ids)
	for i, id := range ids {
		if at := slices.IndexFunc(found, func(t domain.InboxTask) bool { return t.ID == id }); at >= 0 {
			o.Refused[i].InboxTask = found[at]
		}
	}
	return o, err
}

// doneText describes the changed tasks.
func (o *outcome) doneText(ctx context.Context) string {
	switch o.Deed {
	case deedClaim:
		return ui.T(ctx, "%d tasks are yours now.", o.Done)
	case deedRelease:
		return ui.T(ctx, "%d tasks were released.", o.Done)
	case deedComplete:
		return ui.T(ctx, "%d tasks were completed.", o.Done)
	case deedDelegate:
		return ui.T(ctx, "%d tasks were delegated.", o.Done)
	case deedAssign:
	}
	return ui.T(ctx, "%d tasks were assigned.", o.Done)
}
