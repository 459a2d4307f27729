package processes

import (
	"context"
	"slices"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/finders"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

// partInput is the name of the input of a signal among the values of a form.
const partInput = "input"

// Forms returns the forms of user actions that start a process or send a signal.
func (s *Screens) Forms() *forms.Screen {
	return &forms.Screen{
		Open: s.openForm,
		Show: func(v *web.Visit, body templ.Component) (*web.Answer, error) { return s.showForm(v, body, nil, nil) },
	}
}

func (s *Screens) openForm(v *web.Visit) (forms.Store, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	actions, err := s.App.FindAvailableProcessActions(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(actions, func(a app.AvailableAction) bool { return a.Code == v.Param("code") })
	if at < 0 || !needsInput(actions[at].Type) || actions[at].Type == domain.ProcessActionCreateMessage {
		return nil, domain.NotFound("action")
	}
	return s.actForm(v, id, &actions[at])
}

// actForm is the form with which one user invokes a user action.
type actForm struct {
	finders.Finder
	forms.Values

	screens *Screens
	process uuid.UUID
	action  *app.AvailableAction
}

func (s *Screens) actForm(v *web.Visit, process uuid.UUID, action *app.AvailableAction) (*actForm, error) {
	f := &actForm{Finder: finders.Finder{App: s.App, Call: v.Call}, screens: s, process: process, action: action}
	if action.Related == nil {
		f.Values = forms.Values{{Name: partInput}}
		return f, nil
	}
	definition, err := s.App.RetrieveProcessDefinition(v.Context(), v.Call, *action.Related, nil)
	if err != nil {
		return nil, err
	}
	f.Tenant, f.Values = definition.TenantID, forms.NewProcessValues(v.Context(), definition.ProcessDefinition)
	return f, nil
}

// Load implements forms.Store.
func (f *actForm) Load(ctx context.Context) (*forms.Document, error) {
	doc := &forms.Document{
		Path: pathOf(f.process, "act/"+f.action.Code), CompleteLabel: ui.NameOf(ctx, f.action.Translated), CompleteAnywayLabel: ui.T(ctx, "Start anyway"),
		Link: func(reference string) string {
			file, _ := kuflowref.ParseFile(reference)
			return documentPath(f.process, file.URI)
		},
	}
	return doc, f.Put(doc)
}

// Send implements forms.Draft: it invokes the action.
func (f *actForm) Send(ctx context.Context, sent forms.SentDraft) (string, error) {
	action, _, err := f.App.CreateProcessAction(ctx, f.Call, f.process, app.NewProcessAction{
		ID: &sent.ID, Code: f.action.Code, Metadata: f.Value(sent.Value, forms.PartMetadata),
		Entity: f.Value(sent.Value, forms.PartEntity), SignalInput: f.Value(sent.Value, partInput),
	})
	if err != nil {
		return "", f.RelocateError(err, map[domain.Field]string{
			domain.FieldRelatedMetadata: forms.PartMetadata, domain.FieldRelatedEntity: forms.PartEntity, domain.FieldSignalInput: partInput,
		})
	}
	return f.screens.resultPath(f.process, action), nil
}

// Upload implements forms.Store.
func (f *actForm) Upload(ctx context.Context, control *form.Node, file forms.File) (string, error) {
	return storeUpload(ctx, f.Finder, f.process, control, file)
}
