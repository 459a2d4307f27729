package definitions

import (
	"errors"

	"github.com/procession-dev/procession/console/resources"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// conflict contains the changes that were applied to a manifest after the editor opened it.
type conflict struct {
	// Own reports whether the user applied them, as in another window.
	Own bool
	// Theirs are the changes since the editor opened, Ours those of the text in the editor.
	Theirs, Ours []resources.Part
	// Mine, Merged and Current continue the editor from the current manifest: with the text as it is, with both changes,
	// and without the text. Merged is nil if both change the same lines.
	Mine, Merged, Current *editorForm
}

// findConflict compares the manifest that the editor opened with the current one and the text.
func (s *Screens) findConflict(v *web.Visit, e *editorForm) error {
	found, err := s.Administration.RetrieveResource(v.Context(), v.Call, *e.Of)
	if rejection, isRejection := errors.AsType[*domain.Error](err); isRejection && rejection.Kind == domain.KindNotFound {
		e.Problems = []problem{{Message: ui.T(v.Context(), "This definition was deleted.")}}
		return nil
	}
	if err != nil {
		return err
	}
	current, err := resources.Text(found.Document)
	if err != nil {
		return err
	}
	c := &conflict{Own: found.LastModifiedBy == v.Call.PrincipalID}
	if c.Theirs, err = resources.Compare(e.Base, current); err != nil {
		return err
	}
	if c.Ours, err = resources.Compare(e.Base, e.Text); err != nil {
		return err
	}
	continued := func(text string) *editorForm {
		return &editorForm{Text: text, Base: current, ID: e.ID, Version: string(found.Version()), Of: e.Of, Reason: e.Reason}
	}
	c.Mine, c.Current = continued(e.Text), continued(current)
	merged, ok, err := resources.Merge(e.Base, e.Text, current)
	if err != nil {
		return err
	}
	if ok {
		c.Merged = continued(merged)
	}
	e.Conflict = c
	return nil
}
