package start

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/a-h/templ"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/finders"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/form"
)

// partSubject is the name of the subject among the values of a form.
const partSubject = "subject"

// Forms returns the forms that processes are started with.
func (s *Screens) Forms() *forms.Screen {
	return &forms.Screen{
		Open: func(v *web.Visit) (forms.Store, error) { return s.openForm(v) },
		Show: func(v *web.Visit, body templ.Component) (*web.Answer, error) {
			f, err := s.openForm(v)
			if err != nil {
				return nil, err
			}
			return formAnswer(v.Context(), f, nil, body), nil
		},
	}
}

// startForm is the form with which one user starts a process.
type startForm struct {
	finders.Finder
	forms.Values

	definition *app.ProcessDefinitionView
}

// openForm returns the empty form of the definition in the path.
func (s *Screens) openForm(v *web.Visit) (*startForm, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	definition, err := s.App.RetrieveProcessDefinition(v.Context(), v.Call, id, nil)
	if err != nil {
		return nil, err
	}
	if !definition.Startable {
		return nil, domain.Denied("you may not start processes of this kind")
	}
	schema, err := json.Marshal(map[string]any{
		"type": "string", "maxLength": maxSubject, "title": ui.T(v.Context(), "Subject"),
		"description": ui.T(v.Context(), "Identifies the process in lists. The default is the name of its kind."),
	})
	if err != nil {
		return nil, err
	}
	f := &startForm{Finder: finders.Finder{App: s.App, Call: v.Call, Tenant: definition.TenantID}, definition: definition}
	f.Values = append(forms.Values{{Name: partSubject, Schema: schema}}, forms.NewProcessValues(v.Context(), definition.ProcessDefinition)...)
	return f, nil
}

// maxSubject bounds the subject of a process, in characters.
const maxSubject = 255

// copyValues fills the form in with the values of an older process.
func (f *startForm) copyValues(from *domain.Process) {
	for i := range f.Values {
		switch part := &f.Values[i]; {
		case part.Name == forms.PartMetadata && from.Metadata != nil:
			part.Value = from.Metadata.Value
		case part.Name == forms.PartEntity && from.Entity != nil:
			part.Value = from.Entity.Value
		}
	}
}

// Load implements forms.Store.
func (f *startForm) Load(ctx context.Context) (*forms.Document, error) {
	doc := &forms.Document{
		Path:          web.Root + "start/" + f.definition.ID.String(),
		CompleteLabel: ui.T(ctx, "Start"), CompleteAnywayLabel: ui.T(ctx, "Start anyway"),
		NoFilesReason: ui.T(ctx, "You can add files after the start."),
	}
	return doc, f.Put(doc)
}

// Send implements forms.Draft: it starts the process.
func (f *startForm) Send(ctx context.Context, sent forms.SentDraft) (string, error) {
	in := app.NewProcess{
		ID: &sent.ID, Definition: app.DefinitionKey{ID: &f.definition.ID},
		Metadata: f.Value(sent.Value, forms.PartMetadata), Entity: f.Value(sent.Value, forms.PartEntity),
	}
	// A subject that is no text is one that Check has refused.
	_ = json.Unmarshal(f.Value(sent.Value, partSubject), &in.Subject)
	in.Subject = strings.TrimSpace(in.Subject)
	started, _, err := f.App.CreateProcess(ctx, f.Call, in)
	if err != nil {
		return "", f.RelocateError(err, map[domain.Field]string{
			domain.FieldProcessMetadata: forms.PartMetadata, domain.FieldProcessEntity: forms.PartEntity,
		})
	}
	return web.Root + "processes/" + started.ID.String(), nil
}

// Upload implements forms.Store. It fails because the process does not exist yet.
func (f *startForm) Upload(context.Context, *form.Node, forms.File) (string, error) {
	return "", domain.Conflict(domain.CodeInvalidState, "files can be added once the process has started")
}
