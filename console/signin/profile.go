package signin

import (
	"context"
	"net/http"
	"slices"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/locale"
)

// profileView contains the profile as stored or, if it has a problem, as entered.
type profileView struct {
	domain.Profile

	Problem string
	Saved   bool
}

// ShowProfile shows the user's choices for dates and numbers.
func (s *Screens) ShowProfile(v *web.Visit) (*web.Answer, error) {
	return profileAnswer(v, profileView{Profile: v.Session.Profile, Saved: v.URL.Query().Has("saved")}, http.StatusOK), nil
}

func profileAnswer(v *web.Visit, view profileView, status int) *web.Answer {
	return &web.Answer{Title: ui.T(v.Context(), "Profile"), Body: profilePage(view), Status: status}
}

// SaveProfile stores the user's choices for dates and numbers. Unknown languages and zones change nothing.
func (s *Screens) SaveProfile(v *web.Visit) (*web.Answer, error) {
	form, err := v.Form()
	if err != nil {
		return nil, err
	}
	profile := domain.Profile{Locale: form.Get("locale"), TimeZone: locale.Trim(form.Get("zone"))}
	if problem := checkProfile(v.Context(), profile); problem != "" {
		return profileAnswer(v, profileView{Profile: profile, Problem: problem}, http.StatusUnprocessableEntity), nil
	}
	if err := s.Sessions.StoreProfile(v.Context(), v.Session, profile); err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + "profile?saved"), nil
}

// checkProfile returns the problem of a profile, "" for a valid one.
func checkProfile(ctx context.Context, p domain.Profile) string {
	isSupported := func(tag language.Tag) bool { return tag.String() == p.Locale }
	if p.Locale != "" && !slices.ContainsFunc(locale.Languages(), isSupported) {
		return ui.T(ctx, "“%s” is not a language of the list.", p.Locale)
	}
	if _, ok := ui.LoadZone(p.TimeZone); p.TimeZone != "" && !ok {
		return ui.T(ctx, "“%s” is not a time zone. Choose one of the list, for example Europe/Amsterdam.", p.TimeZone)
	}
	return ""
}

// nameLanguage returns the name of a language in that language.
func nameLanguage(tag language.Tag) string { return display.Self.Name(tag) }
