package artifacts

import (
	"context"
	"encoding/json"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/storage"
	"github.com/procession-dev/procession/console/actions"
	"github.com/procession-dev/procession/console/finders"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/form"
)

// needsInput reports whether an action is invoked with input.
func needsInput(a app.ArtifactActionView) bool {
	return len(a.InputSchema) > 0 || a.Type == domain.ArtifactActionStartProcess || a.Type == domain.ArtifactActionCreateArtifact
}

func (s *artifactView) actionMenu(ctx context.Context) []actions.Entry {
	if s.Deleted() {
		return nil
	}
	entries := make([]actions.Entry, 0, len(s.Definition.Actions))
	for _, a := range s.Definition.Actions {
		entries = append(entries, actions.Entry{
			Name: ui.NameOf(ctx, s.Definition.Spec.ActionName(a.ArtifactActionSpec)), Badge: ui.BadgeOf(a.Type), Path: s.tabPath("act/" + a.Code), Asks: needsInput(a),
		})
	}
	return entries
}

// runOf returns an action that was invoked, without its name.
func runOf(ctx context.Context, a *domain.BusinessArtifactAction) actions.Run {
	run := actions.Run{
		Icon: ui.BadgeOf(a.Type).Icon, Path: pathOf(a.ArtifactID, "runs/"+a.ID.String()), Status: a.Status, CreatedAt: a.CreatedAt,
		MakesFile: a.Type == domain.ArtifactActionDownloadable, FileExpired: a.DocumentExpired, Errors: a.Errors,
	}
	if a.DocumentURI != "" {
		run.File = documentPath(a.ArtifactID, a.DocumentURI)
	}
	switch {
	case a.Started != nil:
		run.Made, run.MadeText = web.Root+"processes/"+a.Started.ID.String(), ui.T(ctx, "Open the process that it started")
	case a.CreatedID != nil:
		run.Made, run.MadeText = pathOf(*a.CreatedID, ""), ui.T(ctx, "Open the artifact that it created")
	}
	return run
}

// resultPath returns the path of the result of an action.
func resultPath(a *domain.BusinessArtifactAction) string {
	switch {
	case a.Status != domain.ActionCompleted:
	case a.Started != nil:
		return web.Root + "processes/" + a.Started.ID.String()
	case a.CreatedID != nil:
		return pathOf(*a.CreatedID, "")
	}
	return pathOf(a.ArtifactID, "runs/"+a.ID.String())
}

// Act invokes an action without input and shows its result.
func (s *Screens) Act(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	action, _, err := s.App.CreateBusinessArtifactAction(v.Context(), v.Call, id, app.NewBusinessArtifactAction{Code: v.Param("code")})
	if err != nil {
		return s.showResult(v, id, "", err)
	}
	return web.SeeOther(resultPath(action)), nil
}

// Ask shows the form of an action.
func (s *Screens) Ask(v *web.Visit) (*web.Answer, error) {
	store, err := s.actForm(v)
	if err != nil {
		return nil, err
	}
	form, err := s.ActForms().View(v.Context(), store)
	if err != nil {
		return nil, err
	}
	return s.actionAnswer(v, store, form)
}

func (s *Screens) actionAnswer(v *web.Visit, f *actForm, form templ.Component) (*web.Answer, error) {
	return s.showTab(v, f.artifact, "act", nil, func(of *artifactView) (templ.Component, error) { return actionForm(of, f.action, form), nil })
}

// Run shows an action that was invoked, and the document that it delivers as soon as it
// is there.
func (s *Screens) Run(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	action, err := v.IDIn("run")
	if err != nil {
		return nil, err
	}
	found, err := s.App.RetrieveBusinessArtifactAction(v.Context(), v.Call, id, action)
	if err != nil {
		return nil, err
	}
	if v.Partial() {
		return &web.Answer{Raw: true, Body: actions.Result(runOf(v.Context(), found))}, nil
	}
	return s.showTab(v, id, "runs", nil, func(of *artifactView) (templ.Component, error) {
		return actions.Card(of.namedRun(v.Context(), found)), nil
	})
}

// CancelRun cancels an action that is not finished.
func (s *Screens) CancelRun(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	action, err := v.IDIn("run")
	if err != nil {
		return nil, err
	}
	_, err = s.App.CancelBusinessArtifactAction(v.Context(), v.Call, id, action)
	return s.showResult(v, id, "runs/"+action.String(), err)
}

// ActForms returns the forms of actions.
func (s *Screens) ActForms() *forms.Screen {
	return &forms.Screen{
		Open: func(v *web.Visit) (forms.Store, error) { return s.actForm(v) },
		Show: func(v *web.Visit, shown templ.Component) (*web.Answer, error) {
			store, err := s.actForm(v)
			if err != nil {
				return nil, err
			}
			return s.actionAnswer(v, store, shown)
		},
	}
}

// actForm is the form with which one user invokes an action.
type actForm struct {
	finders.Finder

	artifact uuid.UUID
	action   app.ArtifactActionView
	// spec is the definition with the action.
	spec *resource.BusinessArtifactDefinitionSpec
	// started are the values that a process is started with.
	started forms.Values
}

func (s *Screens) actForm(v *web.Visit) (*actForm, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.App.RetrieveArtifactView(v.Context(), v.Call, id)
	if err != nil {
		return nil, err
	}
	for _, a := range found.Definition.Actions {
		if a.Code == v.Param("code") && needsInput(a) && !found.Deleted() {
			return &actForm{
				Finder: finders.Finder{App: s.App, Call: v.Call, Tenant: found.TenantID}, artifact: id, action: a,
				spec: found.Definition.Spec,
			}, nil
		}
	}
	return nil, domain.NotFound("action")
}

// Load implements forms.Store. The initial value of a process or an artifact comes from the current artifact.
func (f *actForm) Load(ctx context.Context) (*forms.Document, error) {
	doc := &forms.Document{
		Schema: f.action.InputSchema, Value: json.RawMessage("{}"), Path: pathOf(f.artifact, "act/"+f.action.Code),
		CompleteLabel: ui.NameOf(ctx, f.spec.ActionName(f.action.ArtifactActionSpec)),
		Texts:         form.TextsOf(f.spec.ActionTexts(f.action.ArtifactActionSpec, ui.ReaderOf(ctx))),
	}
	switch f.action.Type {
	case domain.ArtifactActionStartProcess:
		return doc, f.loadStarted(ctx, doc)
	case domain.ArtifactActionCreateArtifact:
		prepared, err := f.App.PrepareBusinessArtifactCreateArtifact(ctx, f.Call, f.artifact, f.action.Code)
		if err != nil {
			return nil, err
		}
		created, err := f.App.RetrieveBusinessArtifactDefinition(ctx, f.Call, prepared.Definition.ID)
		if err != nil {
			return nil, err
		}
		doc.Schema, doc.UISchema, doc.Value = created.Spec.DataSchema, created.Spec.UISchema, prepared.Value
		doc.Texts = form.TextsOf(created.Spec.Texts(ui.ReaderOf(ctx)))
		doc.CompleteAnywayLabel = ui.T(ctx, "Create anyway")
	case domain.ArtifactActionStartWorkflow, domain.ArtifactActionDownloadable:
	}
	return doc, nil
}

func (f *actForm) loadStarted(ctx context.Context, doc *forms.Document) error {
	prepared, err := f.App.PrepareBusinessArtifactStartProcess(ctx, f.Call, f.artifact, f.action.Code)
	if err != nil {
		return err
	}
	started, err := f.App.RetrieveProcessDefinition(ctx, f.Call, prepared.DefinitionID, nil)
	if err != nil {
		return err
	}
	f.started = forms.NewProcessValues(ctx, started.ProcessDefinition)
	for i := range f.started {
		if f.started[i].Name == forms.PartMetadata {
			f.started[i].Value = prepared.Metadata
		}
	}
	return f.started.Put(doc)
}

// Check implements forms.Draft.
func (f *actForm) Check(ctx context.Context, value json.RawMessage) ([]domain.ValueError, error) {
	doc, err := f.Load(ctx)
	if err != nil {
		return nil, err
	}
	if f.action.Type == domain.ArtifactActionStartProcess {
		return f.started.Check(ctx, value)
	}
	return forms.CheckSchema(ctx, doc.Schema, value)
}

// Send implements forms.Draft.
func (f *actForm) Send(ctx context.Context, sent forms.SentDraft) (string, error) {
	in := app.NewBusinessArtifactAction{ID: &sent.ID, Code: f.action.Code}
	switch f.action.Type {
	case domain.ArtifactActionStartWorkflow:
		in.WorkflowInput = sent.Value
	case domain.ArtifactActionDownloadable:
		in.DownloadInput = sent.Value
	case domain.ArtifactActionStartProcess:
		in.Metadata, in.Entity = f.started.Value(sent.Value, forms.PartMetadata), f.started.Value(sent.Value, forms.PartEntity)
	case domain.ArtifactActionCreateArtifact:
		in.Value = sent.Value
	}
	action, _, err := f.App.CreateBusinessArtifactAction(ctx, f.Call, f.artifact, in)
	if err != nil {
		return "", err
	}
	return resultPath(action), nil
}

// Upload implements forms.Store. Files belong to the artifact until the created object refers to them.
func (f *actForm) Upload(ctx context.Context, control *form.Node, file forms.File) (string, error) {
	return storeUpload(ctx, f.App, f.Call, f.artifact, control, file)
}

func storeUpload(
	ctx context.Context, service *app.Service, call domain.Call, artifact uuid.UUID, control *form.Node, file forms.File,
) (string, error) {
	stored, err := service.UploadBusinessArtifactDocument(ctx, call, artifact, storage.File{
		Name: file.Name, ContentType: file.ContentType, Body: file.Content, Limit: control.Bounds.MaxSize,
	})
	if err != nil {
		return "", err
	}
	return app.DocumentURI(stored), nil
}
