package tasks

import (
	"context"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

// Forms are the forms of tasks.
func (s *Screens) Forms() *forms.Screen {
	return &forms.Screen{
		Open: func(v *web.Visit) (forms.Store, error) {
			id, err := v.ID()
			return &taskForm{app: s.App, caller: v.Caller, id: id}, err
		},
		Show: func(v *web.Visit, shown templ.Component) (*web.Answer, error) {
			id, err := v.ID()
			if err != nil {
				return nil, err
			}
			return s.show(v, id, v.URL.Query(), nil, shown)
		},
	}
}

// taskForm is the form of a task, for one user.
type taskForm struct {
	app    *app.Service
	caller domain.Caller
	id     uuid.UUID
	// task is what the page has read already, nil for nothing.
	task *opened
}

// Load implements forms.Store.
func (f *taskForm) Load(ctx context.Context) (*forms.Document, error) {
	task := f.task
	f.task = nil
	if task == nil {
		found, err := f.app.OpenTask(ctx, f.caller, f.id)
		if err != nil {
			return nil, err
		}
		task = &opened{OpenedTask: found, User: f.caller.PrincipalID}
	}
	definition, err := f.app.TaskForm(ctx, task.OpenedTask)
	if err != nil {
		return nil, err
	}
	path := web.Root + "tasks/" + f.id.String()
	doc := &forms.Document{
		Schema: definition.Spec.DataSchema, UISchema: definition.Spec.UISchema, Version: string(task.Item.Version()),
		ReadOnly: !task.assignable(), Path: path,
		Link: func(reference string) string { return path + "/file?" + url.Values{"reference": {reference}}.Encode() },
	}
	if data := task.Item.Task.Data; data != nil {
		doc.Value = data.Value
		if !doc.ReadOnly {
			doc.Errors = data.Errors
		}
	}
	if task.completable() {
		doc.Completes = ui.T(ctx, "Complete")
		if !definition.Spec.RequireValidDataOnComplete {
			doc.Anyway = ui.T(ctx, "Complete anyway")
		}
	}
	return doc, nil
}

// Save implements forms.Store.
func (f *taskForm) Save(ctx context.Context, version string, patch []jsondoc.Operation) (*forms.Document, error) {
	known := &domain.Versions{Listed: []domain.Version{domain.Version(version)}}
	_, err := f.app.PatchProcessItemTaskData(app.WithPrecondition(ctx, domain.Precondition{Match: known}), f.caller, f.id, patch)
	if err != nil {
		return nil, err
	}
	return f.Load(ctx)
}

// Complete implements forms.Store.
func (f *taskForm) Complete(ctx context.Context) (string, error) {
	_, err := f.app.CompleteProcessItemTask(ctx, f.caller, f.id)
	return web.Root + "tasks/" + f.id.String() + "?view=" + string(domain.InboxDone), err
}

// Find implements forms.Store. People are found by words of their names.
func (f *taskForm) Find(ctx context.Context, control *form.Node, words string) ([]forms.Found, error) {
	if control.Kind != form.KindPrincipal {
		return nil, nil
	}
	people, err := f.app.FindPrincipals(ctx, f.caller, app.PrincipalFilter{Search: words},
		domain.PageRequest{Size: peopleShown}, []domain.SortKey{{Property: "name"}})
	found := make([]forms.Found, 0, len(people.Items))
	for _, p := range people.Items {
		found = append(found, forms.Found{
			Name: p.Name, Reference: kuflowref.Principal{ID: p.ID, Type: p.Type, Name: p.Name}.String(),
		})
	}
	return found, err
}

// Upload implements forms.Store.
func (f *taskForm) Upload(ctx context.Context, control *form.Node, file forms.File) (string, error) {
	task, err := f.app.OpenTask(ctx, f.caller, f.id)
	if err != nil {
		return "", err
	}
	stored, err := f.app.UploadProcessDocument(ctx, f.caller, task.ProcessID, storage.Upload{
		Name: file.Name, ContentType: file.ContentType, Body: file.Content, Limit: control.Bounds.MaxSize,
	})
	if err != nil {
		return "", err
	}
	return app.DocumentURI(stored), nil
}

// File sends a file that the data of a task refers to, as an attachment.
func (s *Screens) File(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	file, ok := kuflowref.ParseFile(v.URL.Query().Get("reference"))
	if !ok {
		return nil, domain.NotFound("document")
	}
	found, err := s.App.DownloadTaskDocument(v.Context(), v.Caller, id, file.URI)
	if err != nil {
		return nil, err
	}
	return web.Document(found), nil
}
