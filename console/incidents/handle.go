package incidents

import (
	"cmp"
	"errors"
	"net/url"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// inputTime is the format of the time of a mute.
const inputTime = "2006-01-02T15:04"

// assignment is a value of the field "assignee".
const (
	assignMe     = "me"
	assignNobody = "nobody"
)

// muteHours returns the offered durations of a mute.
func muteHours() []int { return []int{1, 8, 24, 7 * 24, 30 * 24} }

// Acknowledge records that the user has taken notice of an incident.
func (s *Screens) Acknowledge(v *web.Visit) (*web.Answer, error) {
	return s.handle(v, func(id uuid.UUID, form url.Values) error {
		_, err := s.Administration.AcknowledgeIncident(v.Context(), v.Call, id, form.Has("all"))
		return err
	})
}

// Mute suppresses the notifications of an incident for some hours or until a time.
func (s *Screens) Mute(v *web.Visit) (*web.Answer, error) {
	return s.handle(v, func(id uuid.UUID, form url.Values) error {
		until, err := time.ParseInLocation(inputTime, form.Get("until"), ui.ViewerOf(v.Context()).Zone)
		if form.Get("until") == "" {
			var duration time.Duration
			duration, err = time.ParseDuration(form.Get("hours") + "h")
			until = time.Now().Add(duration).Truncate(time.Microsecond) //nolint:forbidigo // the service checks it by its clock
		}
		if err != nil {
			return domain.Invalid(domain.LocationBody, "until", ui.T(v.Context(), "The time is not valid."))
		}
		_, err = s.Administration.MuteIncident(v.Context(), v.Call, id, until, form.Has("all"))
		return err
	})
}

// Unmute ends the mute of an incident.
func (s *Screens) Unmute(v *web.Visit) (*web.Answer, error) {
	return s.handle(v, func(id uuid.UUID, form url.Values) error {
		_, err := s.Administration.UnmuteIncident(v.Context(), v.Call, id, form.Has("all"))
		return err
	})
}

// Assign assigns an incident to the user or to the person with an e-mail, or removes the assignment.
func (s *Screens) Assign(v *web.Visit) (*web.Answer, error) {
	return s.handle(v, func(id uuid.UUID, form url.Values) error {
		to := administration.IncidentAssignee{}
		switch assignee := form.Get("assignee"); assignee {
		case assignMe:
			to.ID = &v.Call.PrincipalID
		case assignNobody:
		default:
			if to.Email = form.Get("email"); to.Email == "" {
				return domain.Invalid(domain.LocationBody, "email", ui.T(v.Context(), "Enter the e-mail of a person."))
			}
		}
		_, err := s.Administration.AssignIncident(v.Context(), v.Call, id, to, form.Has("all"))
		return err
	})
}

// Comment adds a comment to an incident.
func (s *Screens) Comment(v *web.Visit) (*web.Answer, error) {
	return s.handle(v, func(id uuid.UUID, form url.Values) error {
		_, err := s.Administration.CommentIncident(v.Context(), v.Call, id, form.Get("text"))
		return err
	})
}

// handle changes the incident of a form and, with the field "all", the others of its cause. A refusal is shown on its page.
func (s *Screens) handle(v *web.Visit, do func(id uuid.UUID, form url.Values) error) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	id, err := uuid.Parse(form.Get("incident"))
	if err != nil {
		return nil, domain.NotFound("incident")
	}
	err = do(id, form)
	if rejection, ok := errors.AsType[*domain.Error](err); ok && rejection.Kind != domain.KindNotFound {
		return s.showIncident(v, id, rejection)
	}
	if err != nil {
		return nil, err
	}
	return web.SeeOther(web.LocalPath(cmp.Or(form.Get("return"), web.Root+area+"/"+id.String()))), nil
}
