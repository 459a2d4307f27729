package artifacts

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/finders"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/form"
)

// Forms returns the forms of the data of artifacts.
func (s *Screens) Forms() *forms.Screen {
	return &forms.Screen{
		Open: func(v *web.Visit) (forms.Store, error) {
			id, err := v.ID()
			return s.dataForm(v.Call, id, nil), err
		},
		Show: func(v *web.Visit, form templ.Component) (*web.Answer, error) {
			return s.tabHandler("", func(of *artifactView) (templ.Component, error) { return data(of, form), nil })(v)
		},
	}
}

// dataForm is the form of the data of an artifact, for one user.
type dataForm struct {
	finders.Finder

	id uuid.UUID
	// artifact is set if the page has already read it.
	artifact *app.ArtifactView
}

func (s *Screens) dataForm(call domain.Call, id uuid.UUID, artifact *app.ArtifactView) *dataForm {
	return &dataForm{Finder: finders.Finder{App: s.App, Call: call}, id: id, artifact: artifact}
}

// Load implements forms.Store.
func (f *dataForm) Load(ctx context.Context) (*forms.Document, error) {
	found := f.artifact
	f.artifact = nil
	if found == nil {
		var err error
		if found, err = f.App.RetrieveArtifactView(ctx, f.Call, f.id); err != nil {
			return nil, err
		}
	}
	f.Tenant = found.TenantID
	of := &artifactView{ArtifactView: found}
	doc := &forms.Document{
		Schema: found.Definition.Spec.DataSchema, UISchema: found.Definition.Spec.UISchema, Version: string(found.Version()),
		ReadOnly: !of.canEdit(), Path: pathOf(f.id, ""), Texts: form.TextsOf(found.Definition.Spec.Texts(ui.ReaderOf(ctx))),
		Link: func(reference string) string {
			return pathOf(f.id, "file?"+url.Values{"reference": {reference}}.Encode())
		},
	}
	if found.Data != nil {
		doc.Value = found.Data.Value
		if !doc.ReadOnly {
			doc.Errors = found.Data.Errors
		}
	}
	return doc, nil
}

// Save implements forms.Saver.
func (f *dataForm) Save(ctx context.Context, version string, patch []jsondoc.Operation) (*forms.Document, error) {
	_, err := f.App.PatchBusinessArtifactData(ctx, f.Call.AtVersion(domain.Version(version)), f.id, patch)
	if err != nil {
		return nil, err
	}
	return f.Load(ctx)
}

// Complete implements forms.Saver. The work on an artifact has no end.
func (f *dataForm) Complete(context.Context) (string, error) { return pathOf(f.id, ""), nil }

// Upload implements forms.Store.
func (f *dataForm) Upload(ctx context.Context, control *form.Node, file forms.File) (string, error) {
	return storeUpload(ctx, f.App, f.Call, f.id, control, file)
}

// NewForms returns the forms of artifacts to be created.
func (s *Screens) NewForms() *forms.Screen {
	return &forms.Screen{
		Open: func(v *web.Visit) (forms.Store, error) { return s.newForm(v) },
		Show: func(v *web.Visit, form templ.Component) (*web.Answer, error) {
			store, err := s.newForm(v)
			if err != nil {
				return nil, err
			}
			return store.formAnswer(v, form), nil
		},
	}
}

// New shows the form of an artifact to be created.
func (s *Screens) New(v *web.Visit) (*web.Answer, error) {
	store, err := s.newForm(v)
	if err != nil {
		return nil, err
	}
	form, err := s.NewForms().View(v.Context(), store)
	if err != nil {
		return nil, err
	}
	return store.formAnswer(v, form), nil
}

// newForm is the form of an artifact to be created, for one user.
type newForm struct {
	finders.Finder

	definition *app.ArtifactDefinitionView
}

func (s *Screens) newForm(v *web.Visit) (*newForm, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	definition, err := s.App.RetrieveBusinessArtifactDefinition(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	if !definition.Creatable {
		return nil, domain.Denied("you may not create artifacts of this type")
	}
	return &newForm{Finder: finders.Finder{App: s.App, Call: v.Call, Tenant: definition.TenantID}, definition: definition}, nil
}

func (f *newForm) formAnswer(v *web.Visit, form templ.Component) *web.Answer {
	return &web.Answer{Title: ui.T(v.Context(), "New: %s", ui.NameOf(v.Context(), f.definition.Name)), Area: "artifacts", Body: newPage(f.definition, form)}
}

// Load implements forms.Store.
func (f *newForm) Load(ctx context.Context) (*forms.Document, error) {
	return &forms.Document{
		Schema: f.definition.Spec.DataSchema, UISchema: f.definition.Spec.UISchema, Value: json.RawMessage("{}"),
		Path: web.Root + "artifacts/new/" + f.definition.ID.String(), CompleteLabel: ui.T(ctx, "Create"),
		CompleteAnywayLabel: ui.T(ctx, "Create anyway"), Texts: form.TextsOf(f.definition.Spec.Texts(ui.ReaderOf(ctx))),
	}, nil
}

// Check implements forms.Draft.
func (f *newForm) Check(ctx context.Context, value json.RawMessage) ([]domain.ValueError, error) {
	return forms.CheckSchema(ctx, f.definition.Spec.DataSchema, value)
}

// Send implements forms.Draft.
func (f *newForm) Send(ctx context.Context, sent forms.SentDraft) (string, error) {
	created, _, err := f.App.CreateBusinessArtifact(ctx, f.Call, app.NewBusinessArtifact{
		ID: &sent.ID, Definition: app.DefinitionKey{ID: &f.definition.ID}, Data: sent.Value,
	})
	if err != nil {
		return "", err
	}
	return pathOf(created.ID, ""), nil
}

// Upload implements forms.Store. It fails because the artifact that files belong to does not exist yet.
func (f *newForm) Upload(context.Context, *form.Node, forms.File) (string, error) {
	return "", domain.Invalid(domain.LocationBody, "", "files can be added once the artifact is created")
}
