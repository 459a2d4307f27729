package processes

import (
	"github.com/a-h/templ"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/history"
	"github.com/procession-dev/procession/console/web"
)

// Timeline shows the history of a process, newest events first.
func (s *Screens) Timeline(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("timeline", func(of *processView) (templ.Component, error) {
		of.followChanges(v)
		part := app.EventRange{NewestFirst: true, Limit: history.Shown, After: history.Before(v.URL)}
		events, err := s.App.FindProcessEvents(v.Context(), v.Call, of.Whole.ID, part)
		if err != nil {
			return nil, err
		}
		return timeline(of, history.Moments(events), history.Older(of.tabPath("timeline"), events)), nil
	})(v)
}
