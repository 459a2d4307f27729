package start

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/api/httpio"
	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// pageSize is how many definitions a page has.
const pageSize = 24

// Screens are those of starting processes.
type Screens struct {
	App *app.Service
}

// List shows the definitions of which the user may start processes.
func (s *Screens) List(v *web.Visit) (*web.Answer, error) {
	query := v.URL.Query()
	search, number := query.Get("q"), web.PageNumber(query)
	found, err := s.App.FindProcessDefinitions(v.Context(), v.Caller, app.DefinitionFilter{Startable: new(true), Search: search},
		domain.PageRequest{Number: number - 1, Size: pageSize}, []domain.SortKey{{Property: "name"}})
	if err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Start"), Area: "start", Body: listPage(search, number, found)}, nil
}

// form is what a process is started with.
type form struct {
	*app.ProcessDefinitionView

	// ID is that of the process to be: a form that is posted twice starts one.
	ID       uuid.UUID
	Subject  string
	Metadata json.RawMessage
	// From is the process that the values are from, nil for none.
	From    *domain.Process
	Problem string
}

// Show shows the form of a definition, with the values of an older process where the URL
// names one.
func (s *Screens) Show(v *web.Visit) (*web.Answer, error) {
	f, err := s.form(v)
	if err != nil {
		return nil, err
	}
	if from, parsed := uuid.Parse(v.URL.Query().Get("from")); parsed == nil {
		if f.From, err = s.App.RetrieveProcess(v.Context(), v.Caller, from); err != nil {
			return nil, err
		}
		if f.From.Metadata != nil {
			f.Metadata = f.From.Metadata.Value
		}
	}
	return page(f, http.StatusOK), nil
}

// form returns the empty form of the definition in the path.
func (s *Screens) form(v *web.Visit) (*form, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	definition, err := s.App.RetrieveProcessDefinition(v.Context(), v.Caller, id, nil)
	if err != nil {
		return nil, err
	}
	if !definition.Startable {
		return nil, domain.Denied("you may not start processes of this kind")
	}
	return &form{ProcessDefinitionView: definition, ID: domain.NewID()}, nil
}

func page(f *form, status int) *web.Answer {
	return &web.Answer{Title: f.Name, Area: "start", Status: status, Body: formPage(f)}
}

// Start starts a process and shows it.
func (s *Screens) Start(v *web.Visit) (*web.Answer, error) {
	f, err := s.form(v)
	if err != nil {
		return nil, err
	}
	posted, err := v.Form()
	if err != nil {
		return nil, err
	}
	if id, parsed := uuid.Parse(posted.Get("id")); parsed == nil {
		f.ID = id
	}
	f.Subject = strings.TrimSpace(posted.Get("subject"))
	started, err := s.start(v, f, posted)
	refused, isRefusal := errors.AsType[*domain.Error](err)
	if isRefusal && refused.Kind == domain.KindInvalid {
		f.Metadata, f.Problem = ui.Entered(posted, f.Spec.MetadataSchema), ui.Problem(v.Context(), refused)
		status, _ := httpio.StatusOf(refused.Kind)
		return page(f, status), nil
	}
	if err != nil {
		return nil, err
	}
	return web.SeeOther(web.Root + "processes/" + started.ID.String()), nil
}

func (s *Screens) start(v *web.Visit, f *form, posted url.Values) (*domain.Process, error) {
	metadata, err := ui.ReadObject(posted, f.Spec.MetadataSchema)
	if err != nil {
		return nil, err
	}
	started, _, err := s.App.CreateProcess(v.Context(), v.Caller, app.NewProcess{
		ID: &f.ID, Definition: app.DefinitionKey{ID: &f.DefinitionRef.ID}, Subject: f.Subject, Metadata: metadata,
	})
	return started, err
}
