package processes

import (
	"slices"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/history"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
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
		moments := history.Moments(events)
		if err := s.addReasons(v, of.Whole.ID, moments); err != nil {
			return nil, err
		}
		return timeline(of, moments, history.Older(of.tabPath("timeline"), events)), nil
	})(v)
}

// addReasons adds the reasons of repairs, which the event log does not contain.
func (s *Screens) addReasons(v *web.Visit, process uuid.UUID, moments []history.Moment) error {
	isRepair := func(m history.Moment) bool { return m.Type == domain.EventProcessRepaired }
	if !slices.ContainsFunc(moments, isRepair) {
		return nil
	}
	repairs, err := s.App.ListRepairs(v.Context(), v.Call, process)
	if err != nil {
		return err
	}
	reasons := make(map[string]string, len(repairs))
	for i := range repairs {
		reasons[repairs[i].ID.String()] = repairs[i].Reason
	}
	for i := range moments {
		moments[i].Reason = reasons[moments[i].Details["repairId"]]
	}
	return nil
}
