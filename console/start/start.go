package start

import (
	"context"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
)

const (
	// pageSize is the number of definitions on a page.
	pageSize = 24
	// maxSorted is the maximum number of definitions in the order of their shown names. More follow in the order of the names
	// in the definitions.
	maxSorted = 40 * pageSize
)

// Screens are the screens of starting processes.
type Screens struct {
	App *app.Service
}

// List shows the definitions that the user may start processes of.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	query, page := v.Query("q"), v.Page(pageSize)
	requested := page
	if page.Number*page.Size < maxSorted {
		requested = domain.PageRequest{Size: maxSorted}
	}
	found, err := s.App.FindProcessDefinitions(v.Context(), v.Call, app.DefinitionFilter{Startable: new(true), Search: query.Get("q")},
		requested, []domain.SortKey{{Property: "name"}})
	if err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Start"), Area: "start", Body: listPage(query, pageOf(v.Context(), found, page))}, nil
}

// pageOf returns one page of the definitions in the order of the shown names.
func pageOf(ctx context.Context, found domain.Page[domain.DefinitionSummary], page domain.PageRequest) domain.Page[domain.DefinitionSummary] {
	sorted := ui.SortedByName(ctx, found.Items, func(d domain.DefinitionSummary) translation.Name { return d.Name })
	from := min((page.Number-found.Number)*page.Size, len(sorted))
	found.PageRequest, found.Items = page, sorted[from:min(from+page.Size, len(sorted))]
	return found
}

// Show shows the form of a definition, with the values of an older process where the URL
// names one.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	f, err := s.openForm(v)
	if err != nil {
		return nil, err
	}
	var from *domain.Process
	if id, parsed := uuid.Parse(v.URL.Query().Get("from")); parsed == nil {
		if from, err = s.App.RetrieveProcess(v.Context(), v.Call, id); err != nil {
			return nil, err
		}
		f.copyValues(from)
	}
	body, err := s.Forms().View(v.Context(), f)
	if err != nil {
		return nil, err
	}
	return formAnswer(v.Context(), f, from, body), nil
}

func formAnswer(ctx context.Context, f *startForm, from *domain.Process, body templ.Component) *web.Answer {
	name := f.definition.TranslatedName()
	description := translation.ParseCached(f.definition.Spec.I18n).Description(f.definition.Spec.Description, f.definition.Code)
	return &web.Answer{Title: ui.NameOf(ctx, name), Area: "start", Body: formPage(name, description, from, body)} //nolint:contextcheck // a component gets its context when it is rendered
}
