package incidents

import (
	"cmp"
	"context"
	"errors"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
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
		problem = rejection.Message
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
	if cause := form.Get("cause"); cause != "" {
		return s.updateCause(v, cause, web.LocalPath(cmp.Or(form.Get("return"), web.Root+area)), do)
	}
	var ids []uuid.UUID
	for _, text := range form["incident"] {
		if id, err := uuid.Parse(text); err == nil && len(ids) < pageSize {
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
			r.Problem = rejection.Message
		}
		results = append(results, r)
	}
	back := web.LocalPath(cmp.Or(form.Get("return"), web.Root+area))
	return &web.Answer{Title: ui.T(v.Context(), "Results"), Area: area, Body: resultsPage(results, back, nil)}, nil
}

// maxBulk bounds the incidents of one request.
const maxBulk = 100

// rest is the part of a cause that is yet to be changed.
type rest struct {
	Cause, Path string
	Count       int64
}

// updateCause runs an action on the open incidents of a cause, the oldest first, and shows the results. More than maxBulk
// incidents take several requests; a repetition continues, because changed incidents are not open.
func (s *Screens) updateCause(
	v *web.Visit, cause, back string, do func(context.Context, domain.Call, uuid.UUID) (*domain.Incident, error),
) (*web.Answer, error) {
	found, err := s.Administration.FindIncidentReports(v.Context(), v.Call, administration.IncidentFilter{
		States: []domain.IncidentState{domain.IncidentOpen}, Fingerprint: cause,
	}, domain.PageRequest{Size: maxBulk}, []domain.SortKey{{Property: "createdAt"}, {Property: "id"}})
	if err != nil {
		return nil, err
	}
	results, done := make([]result, 0, len(found.Items)), int64(0)
	for i := range found.Items {
		r := result{IncidentReport: &found.Items[i]}
		changed, err := do(v.Context(), v.Call, r.ID)
		rejection, isRefusal := errors.AsType[*domain.Error](err)
		switch {
		case err == nil:
			r.State, done = changed.State, done+1
		case isRefusal:
			v.Refuse(rejection)
			r.Problem = rejection.Message
		default:
			return nil, err
		}
		results = append(results, r)
	}
	var more *rest
	if remaining := found.Total - int64(len(results)); remaining > 0 && done > 0 {
		more = &rest{Cause: cause, Path: v.URL.Path, Count: remaining}
	}
	return &web.Answer{Title: ui.T(v.Context(), "Results"), Area: area, Body: resultsPage(results, back, more)}, nil
}
