package tasks

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form/locale"
)

// canTakeBack reports whether the user delegated the task to its owner.
func (o *openTask) canTakeBack() bool {
	d := o.Item.Task.Delegation
	return o.isOpen() && d != nil && d.By == o.User
}

// ChooseDelegate shows people that a task can be delegated to, with a note. A page's script asks for the list of people
// alone.
func (s *Screens) ChooseDelegate(v *web.Visit) (*web.Answer, error) {
	c, err := s.findPeople(v)
	if err != nil {
		return nil, err
	}
	c.People = slices.DeleteFunc(c.People, func(p domain.Principal) bool { return p.ID == v.Call.PrincipalID })
	c.Note = v.URL.Query().Get("note")
	c.Button = templ.Attributes{"formmethod": "post", "formaction": web.Root + "tasks/delegate"}
	if v.Partial() {
		return &web.Answer{Raw: true, Body: personList(c)}, nil
	}
	return &web.Answer{Title: ui.T(v.Context(), "Delegate"), Area: "tasks", Body: delegatePage(c)}, nil
}

// Delegate makes a person the owner of a task on behalf of the user.
func (s *Screens) Delegate(v *web.Visit) (*web.Answer, error) {
	return s.updateChosen(v, deedDelegate, "", func(ctx context.Context, id uuid.UUID, form url.Values) error {
		// Browsers send lines with CR and LF, and count one character.
		note := strings.ReplaceAll(form.Get("note"), "\r\n", "\n")
		_, err := s.App.DelegateProcessItemTask(ctx, v.Call, id, ownerOf(form), locale.Trim(note))
		return err
	})
}
