package incidents

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// Show shows an incident.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	return s.showIncident(v, id, nil)
}

// showIncident shows an incident. rejection explains a failed action, nil for none.
func (s *Screens) showIncident(v *web.Visit, id uuid.UUID, rejection *domain.Error) (*web.Answer, error) {
	found, err := s.Administration.RetrieveIncidentReport(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	answer := &web.Answer{Title: messageText(v.Context(), found), Area: area}
	problem := ""
	if rejection != nil {
		problem = ui.Problem(v.Context(), rejection)
	}
	answer.Body = incidentPage(found, problem)
	return answer.Refused(rejection), nil
}

// Retry starts the workflows of the chosen incidents again.
func (s *Screens) Retry(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, s.Administration.RetryIncident)
}

// Dismiss marks the chosen incidents as dealt with.
func (s *Screens) Dismiss(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, s.Administration.DismissIncident)
}

// result is the result for one of several incidents.
type result struct {
	*domain.IncidentReport

	// Problem is the reason why the action was refused, "" if it was not.
	Problem string
}

// updateChosen runs an action on each selected incident. It shows a single incident afterwards, and a list of
// results for several.
func (s *Screens) updateChosen(
	v *web.Visit, do func(context.Context, domain.Call, uuid.UUID) (*domain.Incident, error),
) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	var ids []uuid.UUID
	for _, text := range form["incident"] {
		if id, err := uuid.Parse(text); err == nil && len(ids) < ui.MaxPageSize {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil, domain.Invalid(domain.LocationBody, "incident", "choose at least one incident")
	}
	results := make([]result, 0, len(ids))
	for _, id := range ids {
		_, err := do(v.Context(), v.Call, id)
		rejection, isRefusal := errors.AsType[*domain.Error](err)
		switch {
		case err != nil && !isRefusal, len(ids) == 1 && isRefusal && rejection.Kind == domain.KindNotFound:
			return nil, err
		case len(ids) == 1 && isRefusal:
			return s.showIncident(v, id, rejection)
		case len(ids) == 1:
			return web.SeeOther(web.LocalPath(cmp.Or(form.Get("return"), web.Root+area+"/"+id.String()))), nil
		}
		found, err := s.Administration.RetrieveIncidentReport(v.Context(), v.Call, id)
		if err != nil {
			found = &domain.IncidentReport{Incident: domain.Incident{ID: id}}
		}
		r := result{IncidentReport: found}
		if rejection != nil {
			v.Refuse(rejection)
			r.Problem = ui.Problem(v.Context(), rejection)
		}
		results = append(results, r)
	}
	back := web.LocalPath(cmp.Or(form.Get("return"), web.Root+area))
	return &web.Answer{Title: ui.T(v.Context(), "Results"), Area: area, Body: resultsPage(results, back)}, nil
}
