package definitions

import (
	"errors"
	"net/http"
	"time"

	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/domain/shell"
)

// inputTime and inputSeconds are the formats of time inputs.
const (
	inputTime    = "2006-01-02T15:04"
	inputSeconds = "2006-01-02T15:04:05"
)

// pastRightsView contains the rights on a process definition at a time.
type pastRightsView struct {
	web.Query

	Key resource.Key
	// Past is nil if the rights are not known; Problem says why.
	Past    *administration.PastRights
	Problem string
}

// PastRights shows the people who may use a process definition, now or at a time.
func (s *Screens) PastRights(v *web.Visit) (*web.Answer, error) {
	key, err := resources.KeyOf(v, []resource.Kind{resource.KindProcessDefinition})
	if err != nil {
		return nil, err
	}
	p := &pastRightsView{Query: v.Query("at", "item"), Key: key}
	var at *time.Time
	if text := p.Get("at"); text != "" {
		zone := ui.ViewerOf(v.Context()).Zone
		parsed, err := time.ParseInLocation(inputTime, text, zone)
		if err != nil {
			parsed, err = time.ParseInLocation(inputSeconds, text, zone)
		}
		if err != nil {
			return nil, domain.Invalid(domain.LocationQuery, "at", "is not a time such as 2027-01-31T08:00")
		}
		at = &parsed
	}
	status := http.StatusOK
	p.Past, err = s.Administration.FindPastRights(v.Context(), v.Call, key, p.Get("item"), at)
	refusal, isRefusal := errors.AsType[*domain.Error](err)
	switch {
	case isRefusal && refusal.Code == domain.CodeValidation:
		p.Problem, status = ui.Problem(v.Context(), refusal), http.StatusBadRequest
	case isRefusal && p.Has("at", "item") && refusal.Code == domain.CodeNotFound:
		p.Problem, status = ui.T(v.Context(), "The definition or the item did not exist then."), http.StatusNotFound
	case err != nil:
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Who could do what"), Status: status, Area: area, Body: pastRightsPage(p)}, nil
}

// pastCommand returns the command that lists the same rights.
func (p *pastRightsView) pastCommand() shell.Line {
	about := p.Key.Code
	if item := p.Get("item"); item != "" {
		about += "/" + item
	}
	words := []string{"procession", "rights", about, "--tenant", p.Key.Tenant}
	if p.Past != nil && p.Get("at") != "" {
		words = append(words, "--at", p.Past.At.UTC().Format(time.RFC3339))
	}
	return shell.Command(words...)
}
