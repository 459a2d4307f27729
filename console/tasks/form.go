package tasks

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/console/finders"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/form"
)

// Forms returns the forms of tasks.
func (s *Screens) Forms() *forms.Screen {
	return &forms.Screen{
		Open: func(v *web.Visit) (forms.Store, error) {
			id, err := v.ID()
			f := s.formOf(v.Call, id, nil)
			f.page = pageQuery(v)
			return f, err
		},
		Show: func(v *web.Visit, shown templ.Component) (*web.Answer, error) {
			id, err := v.ID()
			if err != nil {
				return nil, err
			}
			return s.showTask(v, id, v.URL.Query(), nil, shown)
		},
	}
}

func (s *Screens) formOf(call domain.Call, id uuid.UUID, task *openTask) *taskForm {
	return &taskForm{Finder: finders.Finder{App: s.App, Call: call}, id: id, task: task}
}

// taskForm is the form of a task, for one user.
type taskForm struct {
	finders.Finder

	id uuid.UUID
	// task is set if the page has already read it.
	task *openTask
	// page is the query of the page with the form: the list from which the task was opened.
	page url.Values
	// Help is the help of a model that Load found, nil for none.
	Help *help
	// data is the value of the data that Load found, nil for none.
	data json.RawMessage
	// elements are the elements of the task, values the elements and the data as parts of the form. Both are nil
	// for a task without elements; its form contains the data alone.
	elements forms.Elements
	values   forms.Values
	// isNotice reports that Load found no fields to fill in.
	isNotice bool
	// texts are the texts of the definition for the user.
	texts *translation.Texts
}

// Load implements forms.Store.
func (f *taskForm) Load(ctx context.Context) (*forms.Document, error) {
	task := f.task
	f.task = nil
	if task == nil {
		found, err := f.App.OpenTask(ctx, f.Call, f.id)
		if err != nil {
			return nil, err
		}
		task = &openTask{OpenedTask: found, User: f.Call.PrincipalID, Editing: true}
	}
	definition, texts, err := f.App.TaskForm(ctx, task.OpenedTask, ui.ReaderOf(ctx))
	if err != nil {
		return nil, err
	}
	f.Tenant = task.Item.TenantID
	if of := definition.Spec.Description; of != "" {
		task.Description = texts.Find(of, definition.Code+translation.SuffixDescription)
	}
	task.Context = form.Input{Schema: definition.Spec.ContextDataSchema, Texts: form.TextsOf(texts)}
	path := web.Root + "tasks/" + f.id.String()
	doc := &forms.Document{
		Schema: definition.Spec.DataSchema, UISchema: definition.Spec.UISchema, Version: string(task.Item.Version()),
		Texts:    form.TextsOf(texts),
		ReadOnly: !task.canEdit(), Path: path, ChangedBy: task.EditorName, ChangedByViewer: task.EditorID == task.User,
		Link: func(reference string) string { return path + "/file?" + url.Values{"reference": {reference}}.Encode() },
		Preview: func(reference string) string {
			if file, ok := kuflowref.ParseFile(reference); !ok || web.Previewed(file.Type) == "" {
				return ""
			}
			return path + "/preview?" + url.Values{"reference": {reference}}.Encode()
		},
	}
	if task.State == domain.TaskClaimed && !task.isMine() {
		doc.ReadOnlyCode = domain.CodeTaskNotOwned
	}
	f.data, f.elements, f.texts = nil, definition.Spec.Elements, texts
	if data := task.Item.Task.Data; data != nil {
		f.data, doc.Value = data.Value, data.Value
		if !doc.ReadOnly {
			doc.Errors = data.Errors
		}
	}
	if f.isNotice = len(doc.Schema) == 0 && doc.Value == nil && len(f.elements) == 0; f.isNotice {
		doc.Texts = form.Texts{}
		if doc.Schema, doc.UISchema, err = noteOnly(ui.T(ctx, "There is nothing to fill in.")); err != nil {
			return nil, err
		}
	}
	f.labelCompletion(ctx, task, definition, doc)
	if f.Help, err = f.findHelp(ctx, task, definition, doc); err != nil {
		return nil, err
	}
	if err := f.Help.markSuggestions(ctx, doc); err != nil {
		return nil, err
	}
	return doc, f.addElements(ctx, doc, task.Item.Task.Elements)
}

// labelCompletion names the buttons that complete a task, if the user may complete it.
func (f *taskForm) labelCompletion(ctx context.Context, task *openTask, definition *domain.ItemDefinition, doc *forms.Document) {
	if !task.canComplete() {
		return
	}
	doc.CompleteLabel = ui.T(ctx, "Complete")
	if f.isNotice {
		doc.CompleteLabel = ui.T(ctx, "Seen")
	}
	if !definition.Spec.RequireValidDataOnComplete && task.Item.Task.Elements.Complete(f.elements) {
		doc.CompleteAnywayLabel = ui.T(ctx, "Complete anyway")
	}
}

// noteOnly returns schemas that show a note instead of controls. A task without a schema has no input; its form
// would be a control for any JSON.
func noteOnly(note string) (schema, uiSchema json.RawMessage, err error) {
	uiSchema, err = json.Marshal(map[string]string{"type": "Label", "text": note})
	return json.RawMessage(`{"type":"object","properties":{"-":true}}`), uiSchema, err
}

// Save implements forms.Store.
func (f *taskForm) Save(ctx context.Context, version string, patch []jsondoc.Operation) (*forms.Document, error) {
	save := f.saveData
	if f.values != nil {
		save = f.saveParts
	}
	if _, err := save(ctx, domain.Version(version), patch); err != nil {
		return nil, err
	}
	return f.Load(ctx)
}

func (f *taskForm) saveData(ctx context.Context, version domain.Version, patch []jsondoc.Operation) (*domain.ProcessItem, error) {
	return f.App.PatchProcessItemTaskData(ctx, f.Call.AtVersion(version), f.id, patch)
}

// Complete implements forms.Store.
func (f *taskForm) Complete(ctx context.Context) (string, error) {
	next, err := f.findNext(ctx)
	if err == nil {
		_, err = f.App.CompleteProcessItemTask(ctx, f.Call, f.id)
	}
	return next, err
}

// Upload implements forms.Store.
func (f *taskForm) Upload(ctx context.Context, control *form.Node, file forms.File) (string, error) {
	in := storage.File{Name: file.Name, ContentType: file.ContentType, Body: file.Content, Limit: control.Bounds.MaxSize}
	if code := f.documentElement(control.Pointer); code != "" {
		return f.uploadElement(ctx, code, in)
	}
	task, err := f.App.OpenTask(ctx, f.Call, f.id)
	if err != nil {
		return "", err
	}
	stored, err := f.App.UploadProcessDocument(ctx, f.Call, task.ProcessID, in)
	if err != nil {
		return "", err
	}
	return app.DocumentURI(stored), nil
}

// File sends a file that the data of a task refers to, as an attachment.
func (s *Screens) File(v *web.Visit) (*web.Answer, error) {
	found, err := s.findFile(v)
	if err != nil {
		return nil, err
	}
	return web.Document(found), nil
}

// Preview shows a file that the data of a task refers to, in a frame of the task.
func (s *Screens) Preview(v *web.Visit) (*web.Answer, error) {
	found, err := s.findFile(v)
	if err != nil {
		return nil, err
	}
	return web.Preview(found)
}

func (s *Screens) findFile(v *web.Visit) (*app.Download, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	file, ok := kuflowref.ParseFile(v.URL.Query().Get("reference"))
	if !ok {
		return nil, domain.NotFound("document")
	}
	return s.App.DownloadTaskDocument(v.Context(), v.Call, id, file.URI)
}
