package tasks

import (
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// Show shows a task.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	item, err := s.App.RetrieveProcessItem(v.Context(), v.Caller, id)
	switch {
	case err != nil:
		return nil, err
	case item.Task == nil:
		return nil, domain.NotFound("task")
	}
	return &web.Answer{Title: item.DefinitionCode(), Area: "tasks", Body: taskPage(item)}, nil
}

// Claim makes the user the owner of the task.
func (s *Screens) Claim(v *web.Visit) (*web.Answer, error) {
	return s.act(v, func() error {
		id, err := v.ID()
		if err != nil {
			return err
		}
		_, err = s.App.ClaimProcessItemTask(v.Context(), v.Caller, id)
		return err
	})
}

// Complete completes the task.
func (s *Screens) Complete(v *web.Visit) (*web.Answer, error) {
	return s.act(v, func() error {
		id, err := v.ID()
		if err != nil {
			return err
		}
		_, err = s.App.CompleteProcessItemTask(v.Context(), v.Caller, id)
		return err
	})
}

// act does something to the task of the path and shows it afterwards.
func (s *Screens) act(v *web.Visit, do func() error) (*web.Answer, error) {
	if err := do(); err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + "tasks/" + v.Param("id")), nil
}
