package home

import (
	"context"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

const (
	// entriesShown bounds the entries of each list.
	entriesShown = 5
	// eventsShown bounds the recent events.
	eventsShown = 8
)

// Screens are the screens of home.
type Screens struct {
	App *app.Service
}

// Show shows the lists of the start page. Its script reloads it after events.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	found, err := s.App.RetrieveHome(v.Context(), v.Call, entriesShown, eventsShown)
	if err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Home"), Area: "home", Body: page(found), Raw: v.Partial()}, nil
}

// step is one of the first steps.
type step struct {
	Text, About string
	Done        bool
	// Path is the screen of the step, "" outside of the console.
	Path string
}

// listSteps returns the first steps of a user, none once all of them are done.
func listSteps(ctx context.Context, f domain.FirstSteps) []step {
	var all []step
	if f.Administers {
		all = append(all, step{
			Text: ui.T(ctx, "Publish a process definition"), Done: f.Published, Path: web.Root + "definitions/new",
			About: ui.T(ctx, "It defines the parts of a process and its permissions. Write it here, or apply it on the command line."),
		}, step{
			Text: ui.T(ctx, "Connect a worker"), Done: f.Connected, Path: web.Root + "queues",
			About: ui.T(ctx, "It is the program that runs the workflows of your processes, and registers itself when it starts."),
		})
	}
	if f.MayStart || f.Started || f.Administers {
		start := step{
			Text: ui.T(ctx, "Start a process"), Done: f.Started,
			About: ui.T(ctx, "Choose its kind and enter a subject."),
		}
		if f.MayStart {
			start.Path = web.Root + "start"
		}
		all = append(all, start)
	}
	all = append(all, step{
		Text: ui.T(ctx, "Complete a task"), Done: f.Completed, Path: web.Root + "tasks",
		About: ui.T(ctx, "Claim one, fill in its form and complete it. The process then continues."),
	})
	for _, s := range all {
		if !s.Done {
			return all
		}
	}
	return nil
}

func countDone(steps []step) (n int) {
	for _, s := range steps {
		if s.Done {
			n++
		}
	}
	return n
}
