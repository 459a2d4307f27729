package processes

import (
	"net/url"

	"github.com/a-h/templ"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/history"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// eventsShown is how many events of the timeline are read for a page.
const eventsShown = 100

// Timeline shows who did what to a process, the newest first.
func (s *Screens) Timeline(v *web.Visit) (*web.Answer, error) {
	return s.show("timeline", func(of *shown) (templ.Component, error) {
		part := app.EventRange{NewestFirst: true, Limit: eventsShown, After: before(v)}
		events, err := s.App.FindProcessEvents(v.Context(), v.Caller, of.Whole.ID, part)
		if err != nil {
			return nil, err
		}
		older := ""
		if len(events) == eventsShown {
			older = of.path("timeline") + "?before=" + url.QueryEscape(events[len(events)-1].Cursor.String())
		}
		return timeline(of, history.Moments(events), older), nil
	})(v)
}

// before reads the cursor of a URL, nil where there is none.
func before(v *web.Visit) *domain.EventCursor {
	cursor, err := domain.ParseEventCursor(v.URL.Query().Get("before"))
	if err != nil {
		return nil
	}
	return &cursor
}
