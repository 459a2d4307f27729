package people

import (
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// parseKey returns the key in the path of a visit, of one of kinds or else of any here, and
// the values of the form.
func parseKey(v *web.Visit, of ...resource.Kind) (resource.Key, url.Values, error) {
	if len(of) == 0 {
		of = resources.People()
	}
	key, err := resources.KeyOf(v, of)
	if err != nil {
		return key, nil, err
	}
	form, err := v.Form()
	return key, form, err
}

// Issue issues a secret and shows it, this once.
func (s *Screens) Issue(v *web.Visit) (*web.Answer, error) {
	key, form, err := parseKey(v)
	if err != nil {
		return nil, err
	}
	in := administration.NewSecret{Name: strings.TrimSpace(form.Get("name"))}
	if day, err := time.Parse(time.DateOnly, form.Get("expires")); err == nil {
		in.ExpiresAt = &day
	}
	issued, err := s.Administration.IssueSecret(v.Context(), v.Call, key, in)
	if err != nil {
		return s.showResult(v, key, err)
	}
	return s.showPerson(v, key, issued, nil)
}

// Revoke revokes a secret.
func (s *Screens) Revoke(v *web.Visit) (*web.Answer, error) {
	key, err := resources.KeyOf(v, resources.People())
	if err != nil {
		return nil, err
	}
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	return s.showResult(v, key, s.Administration.RevokeSecret(v.Context(), v.Call, key, id))
}

// EndSessions ends a session of a user, or all of them where the form names none.
func (s *Screens) EndSessions(v *web.Visit) (*web.Answer, error) {
	key, form, err := parseKey(v, resource.KindUser)
	if err != nil {
		return nil, err
	}
	var id uuid.UUID
	if text := form.Get("session"); text != "" {
		if id, err = uuid.Parse(text); err != nil {
			return nil, domain.NotFound("session")
		}
	}
	return s.showResult(v, key, s.Administration.EndUserSessions(v.Context(), v.Call, key, id))
}

// RevokeAccess revokes a token or a certificate for the engine, or all of a principal.
func (s *Screens) RevokeAccess(v *web.Visit) (*web.Answer, error) {
	key, form, err := parseKey(v)
	if err != nil {
		return nil, err
	}
	found, err := s.Administration.RetrieveResource(v.Context(), v.Call, key)
	if err != nil {
		return nil, err
	}
	selection := administration.EngineAccessSelection{PrincipalID: &found.ID, TenantID: &found.TenantID}
	if id, err := uuid.Parse(form.Get("id")); err == nil {
		selection.ID = &id
	}
	_, err = s.Administration.RevokeEngineAccess(v.Context(), v.Call, selection)
	return s.showResult(v, key, err)
}

// SetVariable sets an environment variable of a robot, or deletes it.
func (s *Screens) SetVariable(v *web.Visit) (*web.Answer, error) {
	key, form, err := parseKey(v, resource.KindRobot)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSpace(form.Get("name"))
	if form.Get("do") == "delete" {
		return s.showResult(v, key, s.Administration.DeleteRobotVariable(v.Context(), v.Call, key, name))
	}
	return s.showResult(v, key, s.Administration.SetRobotVariable(v.Context(), v.Call, key, name, domain.NewSecret(form.Get("value"))))
}
