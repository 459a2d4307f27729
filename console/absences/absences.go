// Package absences shows people their absences and substitutions.
package absences

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/locale"
)

const area = "absences"

// Screens are the screens of absences.
type Screens struct{ Administration *administration.Service }

// view contains the absences, and the form as entered.
type view struct {
	administration.OwnAbsences

	Form    url.Values
	Problem string
}

// ListAbsences shows the absences of the user, and the ones in which the user is the substitute.
func (s *Screens) ListAbsences(v *web.Visit) (*web.Answer, error) {
	return s.show(v, url.Values{}, nil)
}

func (s *Screens) show(v *web.Visit, form url.Values, rejection *domain.Error) (*web.Answer, error) {
	found, err := s.Administration.FindOwnAbsences(v.Context(), v.Call)
	if err != nil {
		return nil, err
	}
	shown := view{OwnAbsences: found, Form: form}
	answer := &web.Answer{Title: ui.T(v.Context(), "Absences")}
	if rejection != nil {
		shown.Problem, answer.Status = explainRefusal(v.Context(), rejection), http.StatusUnprocessableEntity
	}
	answer.Body = page(shown)
	return answer, nil
}

// explainRefusal returns the reason why an absence is refused.
func explainRefusal(ctx context.Context, rejection *domain.Error) string {
	for _, d := range rejection.Details {
		switch d.Location {
		case "substitute":
			return ui.T(ctx, "The substitute must be another active user with this e-mail address.")
		case "until":
			return ui.T(ctx, "The last day must not be before the first one, and not in the past.")
		case "/documents/0/spec/from":
			return ui.T(ctx, "You have another absence at this time.")
		}
	}
	if rejection.Kind == domain.KindConflict {
		return ui.T(ctx, "You have planned as many absences as possible. Delete one first.")
	}
	return ui.Reason(ctx, rejection)
}

// CreateAbsence records an absence from the beginning of the first day to the end of the last one, in the time zone of the user.
func (s *Screens) CreateAbsence(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	zone := ui.ViewerOf(v.Context()).Zone
	from, fromErr := time.ParseInLocation(time.DateOnly, form.Get("from"), zone)
	last, lastErr := time.ParseInLocation(time.DateOnly, form.Get("last"), zone)
	if fromErr != nil || lastErr != nil {
		return s.show(v, form, domain.InvalidBody("until", "is no day"))
	}
	err = s.Administration.CreateOwnAbsence(v.Context(), v.Call, administration.NewAbsence{
		Tenant: form.Get("tenant"), SubstituteEmail: locale.Trim(form.Get("substitute")), From: from.UTC(), Until: last.AddDate(0, 0, 1).UTC(),
	})
	if rejection, ok := errors.AsType[*domain.Error](err); ok && (rejection.Kind == domain.KindInvalid || rejection.Kind == domain.KindConflict) {
		return s.show(v, form, rejection)
	}
	if err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + area), nil
}

// EndAbsence deletes an absence of the user.
func (s *Screens) EndAbsence(v *web.Visit) (*web.Answer, error) {
	if err := s.Administration.EndOwnAbsence(v.Context(), v.Call, v.Param("tenant"), v.Param("code")); err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + area), nil
}

// describeTime returns the first and the last day of an absence of whole days, and otherwise its times.
func describeTime(ctx context.Context, a domain.OwnAbsence) string {
	zone := ui.ViewerOf(ctx).Zone
	from, until := a.StartsAt.In(zone), a.EndsAt.In(zone)
	if isMidnight(from) && isMidnight(until) {
		return ui.StoredDate(ctx, from) + " – " + ui.StoredDate(ctx, until.AddDate(0, 0, -1))
	}
	return ui.Moment(ctx, from) + " – " + ui.Moment(ctx, until)
}

func isMidnight(at time.Time) bool { return at.Format(time.TimeOnly) == "00:00:00" }

func endPath(a domain.OwnAbsence) string {
	return web.Root + area + "/" + url.PathEscape(a.TenantCode) + "/" + url.PathEscape(a.Code) + "/end"
}
