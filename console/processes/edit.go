package processes

import (
	"context"
	"maps"
	"slices"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/console/finders"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

// EditForms returns the forms of the values of processes.
func (s *Screens) EditForms() *forms.Screen {
	return &forms.Screen{
		Open: func(v *web.Visit) (forms.Store, error) {
			id, err := v.ID()
			return s.newValuesForm(v.Call, id, nil), err
		},
		Show: func(v *web.Visit, form templ.Component) (*web.Answer, error) {
			return s.tabHandler("", func(of *processView) (templ.Component, error) { return edit(of, form), nil })(v)
		},
	}
}

// Edit shows the form of the values of a process.
func (s *Screens) Edit(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("", func(of *processView) (templ.Component, error) {
		form, err := s.EditForms().View(v.Context(), s.newValuesForm(v.Call, of.Whole.ID, of.ProcessView))
		return edit(of, form), err
	})(v)
}

// formParts returns the values of a process in its form.
func formParts(ctx context.Context, p *app.ProcessView) (forms.Values, error) {
	var values forms.Values
	add := func(part form.Part, value *domain.JSONValue) {
		if value != nil {
			part.Value = value.Value
		}
		if value != nil || len(part.Schema) > 0 {
			values = append(values, part)
		}
	}
	spec, texts := &p.Definition.Spec, p.Definition.Texts(ui.ReaderOf(ctx))
	add(form.Part{
		Name: forms.PartMetadata, Label: ui.T(ctx, "Metadata"), Schema: spec.MetadataSchema, UISchema: spec.MetadataUISchema,
		Texts: texts,
	}, p.Whole.Metadata)
	add(form.Part{
		Name: forms.PartEntity, Label: ui.T(ctx, "Entity"), Schema: spec.EntitySchema, UISchema: spec.EntityUISchema,
		Texts: texts,
	}, p.Whole.Entity)
	if len(spec.Elements) > 0 {
		part, _, err := forms.Elements(spec.Elements).Part(ctx, p.Whole.Elements)
		if err != nil {
			return nil, err
		}
		part.Label, part.Texts = ui.T(ctx, "Elements"), texts
		values = append(values, part)
	}
	if len(values) == 1 {
		values[0].Label = ""
	}
	return values, nil
}

// metadataInput returns the schema and the layout of the metadata with their texts for the viewer.
func (s *processView) metadataInput(ctx context.Context) form.Input {
	spec := &s.Definition.Spec
	return form.Input{Schema: spec.MetadataSchema, UISchema: spec.MetadataUISchema, Texts: s.texts(ctx)}
}

func (s *processView) entityInput(ctx context.Context) form.Input {
	spec := &s.Definition.Spec
	return form.Input{Schema: spec.EntitySchema, UISchema: spec.EntityUISchema, Texts: s.texts(ctx)}
}

func (s *processView) texts(ctx context.Context) form.Texts {
	return form.TextsOf(s.Definition.Texts(ui.ReaderOf(ctx)))
}

// canEdit reports whether the user may change the values of the process.
func (s *processView) canEdit() bool {
	spec := &s.Definition.Spec
	some := s.Whole.Metadata != nil || s.Whole.Entity != nil || len(spec.MetadataSchema)+len(spec.EntitySchema)+len(spec.Elements) > 0
	return s.canWrite() && some
}

// valuesForm is the form of the values of a process, for one user. It is saved by its
// button: a running workflow reads them.
type valuesForm struct {
	finders.Finder
	forms.Values

	id uuid.UUID
	// process is set if the page has already read it.
	process  *app.ProcessView
	elements forms.Elements
}

func (s *Screens) newValuesForm(call domain.Call, id uuid.UUID, process *app.ProcessView) *valuesForm {
	return &valuesForm{Finder: finders.Finder{App: s.App, Call: call}, id: id, process: process}
}

// Load implements forms.Store.
func (f *valuesForm) Load(ctx context.Context) (*forms.Document, error) {
	found := f.process
	f.process = nil
	if found == nil {
		var err error
		if found, err = f.App.RetrieveProcessView(ctx, f.Call, f.id); err != nil {
			return nil, err
		}
	}
	switch {
	case !found.MayManage:
		return nil, domain.Denied("only managers of the process may change its values")
	case found.Whole.Finished():
		return nil, domain.ProcessFinished()
	}
	var err error
	if f.Values, err = formParts(ctx, found); err != nil {
		return nil, err
	}
	f.Tenant, f.elements = found.Whole.TenantID, found.Definition.Spec.Elements
	doc := &forms.Document{
		Version: string(found.Whole.Version()), Path: pathOf(f.id, "edit"),
		CompleteLabel: ui.T(ctx, "Save"), CompleteAnywayLabel: ui.T(ctx, "Save anyway"),
		Link: func(reference string) string {
			file, _ := kuflowref.ParseFile(reference)
			return documentPath(f.id, file.URI)
		},
	}
	return doc, f.Put(doc)
}

// Send implements forms.Draft: it saves the changed values one after the other. If one is refused, the earlier
// ones are saved; the next attempt merges the input with them.
func (f *valuesForm) Send(ctx context.Context, sent forms.SentDraft) (string, error) {
	after, parts, err := f.Split(sent.Patch)
	if err != nil {
		return "", err
	}
	elements, err := f.elements.Changed(f.Value(after, forms.PartElements), parts[forms.PartElements])
	if err != nil {
		return "", err
	}
	version := domain.Version(sent.Version)
	save := func(change func(domain.Call) (*domain.Process, error)) {
		if err != nil {
			return
		}
		var saved *domain.Process
		if saved, err = change(f.Call.AtVersion(version)); err == nil {
			version = saved.Version()
		}
	}
	if patch := parts[forms.PartMetadata]; len(patch) > 0 {
		save(func(call domain.Call) (*domain.Process, error) {
			return f.App.PatchProcessMetadata(ctx, call, f.id, patch)
		})
	}
	if patch := parts[forms.PartEntity]; len(patch) > 0 {
		save(func(call domain.Call) (*domain.Process, error) {
			return f.App.PatchProcessEntity(ctx, call, f.id, patch)
		})
	}
	for _, code := range slices.Sorted(maps.Keys(elements)) {
		save(func(call domain.Call) (*domain.Process, error) {
			return f.App.SaveProcessElement(ctx, call, f.id, code, elements[code])
		})
	}
	return pathOf(f.id, ""), err
}

// Upload implements forms.Store.
func (f *valuesForm) Upload(ctx context.Context, control *form.Node, file forms.File) (string, error) {
	return storeUpload(ctx, f.Finder, f.id, control, file)
}

// storeUpload stores a file for a form of a process.
func storeUpload(ctx context.Context, by finders.Finder, process uuid.UUID, control *form.Node, file forms.File) (string, error) {
	stored, err := by.App.UploadProcessDocument(ctx, by.Call, process, storage.File{
		Name: file.Name, ContentType: file.ContentType, Body: file.Content, Limit: control.Bounds.MaxSize,
	})
	if err != nil {
		return "", err
	}
	return app.DocumentURI(stored), nil
}
