// Package palette is how people go to screens, tasks, processes, definitions, artifacts and people by typing.
package palette

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

const (
	// tasksShown bounds how many tasks are found, othersShown how many results of each other kind.
	tasksShown  = 6
	othersShown = 4
)

// Screens are the screens of the palette.
type Screens struct {
	App *app.Service
}

// target is a result. Kind is the word for its type.
type target struct{ Path, Icon, Text, About, Kind string }

// Show shows the screens and resources that match a text. A page's script asks for the
// matches alone.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	search := strings.TrimSpace(v.URL.Query().Get("q"))
	found := findScreens(v, search)
	if search != "" {
		for _, find := range []func(*web.Visit, string) ([]target, error){
			s.findTasks, s.findProcesses, s.findStarts, s.findArtifacts, s.findPeople,
		} {
			more, err := find(v, search)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
	}
	if v.Partial() {
		return &web.Answer{Raw: true, Body: targets(found)}, nil
	}
	return &web.Answer{Title: ui.T(v.Context(), "Go to"), Body: palettePage(search, found)}, nil
}

// findScreens returns the screens with a text in their names.
func findScreens(v *web.Visit, search string) []target {
	var found []target
	entries := slices.Concat(ui.Entries(), ui.MenuEntries(), ui.ViewerOf(v.Context()).AdministrationEntries())
	for _, e := range entries {
		if name := ui.T(v.Context(), e.Text); strings.Contains(strings.ToLower(name), strings.ToLower(search)) {
			found = append(found, target{Path: web.Root + e.Path, Icon: e.Icon, Text: name})
		}
	}
	return found
}

// findTasks returns the tasks that a text names or is found in.
func (s *Screens) findTasks(v *web.Visit, search string) ([]target, error) {
	if id, err := uuid.Parse(search); err == nil {
		task, err := s.App.OpenTask(v.Context(), v.Call, id)
		if domain.HasCode(err, domain.CodeNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []target{taskTarget(v.Context(), task.InboxTask)}, nil
	}
	inbox, err := s.App.ReadInbox(v.Context(), v.Call, app.InboxFilter{View: domain.InboxAll, Search: search},
		domain.PageRequest{Size: tasksShown}, []domain.SortKey{{Property: "lastModifiedAt", Descending: true}})
	if err != nil {
		return nil, err
	}
	found := make([]target, 0, len(inbox.Items))
	for _, task := range inbox.Items {
		found = append(found, taskTarget(v.Context(), task))
	}
	return found, nil
}

func taskTarget(ctx context.Context, task domain.InboxTask) target {
	return target{Path: web.Root + "tasks/" + task.ID.String(), Icon: "checklist", Text: ui.NameOf(ctx, task.Name), About: task.Subject, Kind: ui.T(ctx, "Task")}
}
