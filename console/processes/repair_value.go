package processes

import (
	"context"
	"encoding/json"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/finders"
	"github.com/procession-dev/procession/console/forms"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/form"
)

// partRepair is the name of the reason and the choices among the values of a form.
const partRepair = "repair"

// valuePath returns the URL of the form that changes a value: "metadata", "entity", or the id of a task.
func valuePath(process uuid.UUID, value string) string { return pathOf(process, "repair-value/"+value) }

// ValueForms returns the forms that change a value of a process, or the data of a task, as a repair.
func (s *Screens) ValueForms() *forms.Screen {
	return &forms.Screen{
		Open: func(v *web.Visit) (forms.Store, error) {
			id, err := v.ID()
			if err != nil {
				return nil, err
			}
			return s.newValueRepair(v, id, nil), nil
		},
		Show: func(v *web.Visit, form templ.Component) (*web.Answer, error) {
			return s.tabHandler("repair", func(of *processView) (templ.Component, error) {
				r, err := s.newValueRepair(v, of.Whole.ID, of).load(v.Context())
				return repairValue(r, form), err
			})(v)
		},
	}
}

// RepairValue shows the form that changes a value.
func (s *Screens) RepairValue(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("repair", func(of *processView) (templ.Component, error) {
		f := s.newValueRepair(v, of.Whole.ID, of)
		form, err := s.ValueForms().View(v.Context(), f)
		return repairValue(f.input, form), err
	})(v)
}

// valueRepair is the form of a repair that changes a value, for one user.
type valueRepair struct {
	finders.Finder
	forms.Values

	screens *Screens
	visit   *web.Visit
	process uuid.UUID
	// view is set if the page has already read it.
	view  *processView
	input *repairInput
}

func (s *Screens) newValueRepair(v *web.Visit, process uuid.UUID, view *processView) *valueRepair {
	return &valueRepair{Finder: finders.Finder{App: s.App, Call: v.Call}, screens: s, visit: v, process: process, view: view}
}

// load reads the process and the value.
func (f *valueRepair) load(ctx context.Context) (*repairInput, error) {
	view := f.view
	f.view = nil
	if view == nil {
		found, err := f.App.RetrieveProcessView(ctx, f.Call, f.process)
		if err != nil {
			return nil, err
		}
		view = &processView{ProcessView: found}
	}
	switch {
	case !view.MayRepair:
		return nil, domain.Denied("the right to repair the process is required")
	case view.Whole.Finished():
		return nil, domain.ProcessFinished()
	}
	r, item := &repairInput{processView: view}, ""
	switch value := f.visit.Param("value"); value {
	case "metadata":
		r.Kind = domain.RepairMetadata
	case "entity":
		r.Kind = domain.RepairEntity
	default:
		r.Kind, item = domain.RepairTaskData, value
	}
	f.input = r
	return r, f.screens.loadRepaired(f.visit, r, item) //nolint:contextcheck // it reads with the context of the visit
}

// Load implements forms.Store.
func (f *valueRepair) Load(ctx context.Context) (*forms.Document, error) {
	r, err := f.load(ctx)
	if err != nil {
		return nil, err
	}
	f.Tenant = r.Whole.TenantID
	choices, err := repairChoices(ctx, r)
	if err != nil {
		return nil, err
	}
	f.Values = forms.Values{r.valuePart(ctx), choices}
	doc := &forms.Document{
		Path: valuePath(f.process, f.visit.Param("value")), Version: string(r.Whole.Version()),
		CompleteLabel: ui.T(ctx, "Carry out the repair"), CompleteAnywayLabel: ui.T(ctx, "Carry out anyway"),
		Link: func(reference string) string {
			file, _ := kuflowref.ParseFile(reference)
			return documentPath(f.process, file.URI)
		},
	}
	if r.Item != nil {
		doc.Version = string(r.Item.Version())
	}
	return doc, f.Put(doc)
}

// valuePart returns the value with the schema and the layout of its own form.
func (r *repairInput) valuePart(ctx context.Context) form.Part {
	spec := &r.Definition.Spec
	part := form.Part{Name: string(r.Kind), Value: json.RawMessage(r.Text), Texts: r.Definition.Texts(ui.ReaderOf(ctx))}
	switch r.Kind { //nolint:exhaustive // other repairs change data of a task
	case domain.RepairMetadata:
		part.Label, part.Schema, part.UISchema = ui.T(ctx, "Metadata"), spec.MetadataSchema, spec.MetadataUISchema
	case domain.RepairEntity:
		part.Label, part.Schema, part.UISchema = ui.T(ctx, "Entity"), spec.EntitySchema, spec.EntityUISchema
	default:
		part.Label = ui.T(ctx, "Data")
		if d, ok := r.Definition.Item(r.Item.DefinitionCode()); ok {
			part.Schema, part.UISchema, part.Texts = d.Spec.DataSchema, d.Spec.UISchema, r.Definition.ItemTexts(d, ui.ReaderOf(ctx))
		}
	}
	return part
}

// repairChoices returns the part with the reason of a repair, and the choice to continue from before the task.
func repairChoices(ctx context.Context, r *repairInput) (form.Part, error) {
	properties := map[string]any{}
	if r.canReset() {
		properties["reset"] = map[string]any{"type": "boolean", "title": ui.T(ctx, "Continue the workflow from before the end of the task")}
	}
	properties["reason"] = map[string]any{
		"type": "string", "minLength": 1, "maxLength": domain.MaxRepairReason, "title": ui.T(ctx, "Reason"),
		"description": ui.T(ctx, "It is recorded and shown to everyone who sees the process."),
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": []string{"reason"}})
	part := form.Part{Name: partRepair, Label: ui.T(ctx, "Repair"), Schema: schema}
	if r.canReset() {
		part.Value = json.RawMessage(`{"reset":true}`)
	}
	return part, err
}

// Send implements forms.Draft: it carries out the repair.
func (f *valueRepair) Send(ctx context.Context, sent forms.SentDraft) (string, error) {
	var choices struct {
		Reason string `json:"reason"`
		Reset  bool   `json:"reset"`
	}
	if value := f.Value(sent.Value, partRepair); value != nil {
		if err := json.Unmarshal(value, &choices); err != nil {
			return "", domain.InvalidBody("/"+partRepair, "is not valid")
		}
	}
	in := domain.RepairRequest{
		ID: &sent.ID, Kind: f.input.Kind, Reason: choices.Reason, Reset: choices.Reset, Value: f.Value(sent.Value, string(f.input.Kind)),
	}
	if in.Value == nil {
		in.Value = json.RawMessage("{}")
	}
	call := f.Call
	if f.input.Item != nil {
		in.ItemID = &f.input.Item.ID
	} else {
		call = call.AtVersion(domain.Version(sent.Version))
	}
	if choices.Reason == "" {
		return "", domain.InvalidBody("/"+partRepair+"/reason", "must have 1 to 500 characters")
	}
	_, _, err := f.App.RepairProcess(ctx, call, f.process, in)
	return pathOf(f.process, "repair"), err
}

// Upload implements forms.Store.
func (f *valueRepair) Upload(ctx context.Context, control *form.Node, file forms.File) (string, error) {
	return storeUpload(ctx, f.Finder, f.process, control, file)
}
