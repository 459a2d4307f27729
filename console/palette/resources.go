package palette

import (
	"net/url"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// findProcesses returns the processes that a text names or is found in.
func (s *Screens) findProcesses(v *web.Visit, search string) ([]target, error) {
	board, err := s.App.FindBoard(v.Context(), v.Call, app.BoardFilter{Search: search}, domain.PageRequest{Size: othersShown},
		[]domain.SortKey{{Property: "lastModifiedAt", Descending: true}})
	found := make([]target, 0, len(board.Items))
	for i := range board.Items {
		p := &board.Items[i]
		found = append(found, target{
			Path: web.Root + "processes/" + p.ID.String(), Icon: "route", Text: p.Subject, About: ui.NameOf(v.Context(), p.DefinitionName),
			Kind: ui.T(v.Context(), "Process"),
		})
	}
	return found, err
}

// findStarts returns the definitions that the user may start processes of and, for administrators of definitions, the pages of others.
func (s *Screens) findStarts(v *web.Visit, search string) ([]target, error) {
	ctx := v.Context()
	definitions, err := s.App.FindProcessDefinitions(ctx, v.Call, app.DefinitionFilter{Search: search}, domain.PageRequest{Size: othersShown},
		[]domain.SortKey{{Property: "name"}})
	var found []target
	for _, d := range definitions.Items {
		if name := ui.NameOf(ctx, d.Name); d.Startable {
			found = append(found, target{
				Path: web.Root + "start/" + d.ID.String(), Icon: "player-play", Text: ui.T(ctx, "Start: %s", name), Kind: ui.T(ctx, "Definition"),
			})
		} else {
			found = append(found, target{
				Path: web.Root + "processes?" + url.Values{"definition": {d.ID.String()}}.Encode(), Icon: "route",
				Text: ui.T(ctx, "Processes: %s", name), Kind: ui.T(ctx, "Definition"),
			})
		}
	}
	return found, err
}

// findArtifacts returns the artifacts with a text in an indexed member.
func (s *Screens) findArtifacts(v *web.Visit, search string) ([]target, error) {
	board, err := s.App.FindArtifactBoard(v.Context(), v.Call, app.BusinessArtifactFilter{Search: search}, domain.PageRequest{Size: othersShown}, nil)
	found := make([]target, 0, len(board.Items))
	for i := range board.Items {
		a := &board.Items[i]
		choice := board.Choice(a)
		found = append(found, target{
			Path: web.Root + "artifacts/" + a.ID.String(), Icon: "files", Text: choice.Title(a, ui.ReaderOf(v.Context())),
			About: ui.NameOf(v.Context(), choice.Name), Kind: ui.T(v.Context(), "Artifact"),
		})
	}
	return found, err
}

// findPeople returns the people with a text in their names, with the list of their processes or, for administrators, their page in the
// directory.
func (s *Screens) findPeople(v *web.Visit, search string) ([]target, error) {
	people, err := s.App.FindPrincipals(v.Context(), v.Call, app.PrincipalFilter{Type: domain.PrincipalUser, Search: search},
		domain.PageRequest{Size: othersShown}, []domain.SortKey{{Property: "name"}})
	screen := "processes"
	if v.Call.Administers() {
		screen = "people"
	}
	found := make([]target, 0, len(people.Items))
	for _, p := range people.Items {
		found = append(found, target{
			Path: web.Root + screen + "?" + url.Values{"q": {p.Name}}.Encode(), Icon: "user", Text: p.Name, About: p.Email,
			Kind: ui.T(v.Context(), "Person"),
		})
	}
	return found, err
}
