package tasks

import (
	"cmp"
	"context"
	"net/mail"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/locale"
)

// peopleShown bounds how many people a search shows.
const peopleShown = 12

// choice is the choice of an owner for tasks.
type choice struct {
	Tasks  []uuid.UUID
	Search string
	Return string
	People []domain.Principal
	// Email is an address that can be assigned to without being listed, "" for none.
	Email string
	// Note is the note of a delegation.
	Note string
	// Button are additional attributes of the buttons of people.
	Button templ.Attributes
}

// ChooseOwner shows people that the chosen tasks can be assigned to. A page's script
// asks for the list of people alone.
func (s *Screens) ChooseOwner(v *web.Visit) (*web.Answer, error) {
	c, err := s.findPeople(v)
	if err != nil {
		return nil, err
	}
	if v.Partial() {
		return &web.Answer{Raw: true, Body: people(c)}, nil
	}
	return &web.Answer{Title: ui.T(v.Context(), "Assign"), Area: "tasks", Body: assignPage(c)}, nil
}

// findPeople returns the choice of an owner among the people that the user searches for.
func (s *Screens) findPeople(v *web.Visit) (choice, error) {
	query := v.URL.Query()
	c := choice{
		Tasks: parseIDs(query["task"]), Search: strings.TrimSpace(query.Get("q")),
		Return: web.LocalPath(cmp.Or(query.Get("return"), web.Root+"tasks")),
	}
	found, err := s.App.FindPrincipals(v.Context(), v.Call, app.PrincipalFilter{
		Type: domain.PrincipalUser, Search: c.Search,
	}, domain.PageRequest{Size: peopleShown}, []domain.SortKey{{Property: "name"}})
	if err != nil {
		return c, err
	}
	c.People = found.Items
	if address, err := mail.ParseAddress(c.Search); err == nil && len(c.People) == 0 {
		c.Email = address.Address
	}
	return c, nil
}

// Assign makes a person the owner of the chosen tasks.
func (s *Screens) Assign(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, deedAssign, "", func(ctx context.Context, id uuid.UUID, form url.Values) error {
		_, err := s.App.AssignProcessItemTask(ctx, v.Call, id, ownerOf(form))
		return err
	})
}

// ownerOf returns the person that a form names, by id or by e-mail.
func ownerOf(form url.Values) app.PrincipalKey {
	key := app.PrincipalKey{Email: locale.Trim(form.Get("email")), Type: domain.PrincipalUser}
	if id, err := uuid.Parse(form.Get("owner")); err == nil {
		key.ID = &id
	}
	return key
}
