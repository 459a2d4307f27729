package processes

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
)

// maxRepairedTasks bounds the tasks on the tab of repairs, the newest.
const maxRepairedTasks = 100

// repairs contains the tasks that can be repaired and the repairs of a process.
type repairs struct {
	*processView

	Tasks   []domain.ProcessPart
	Repairs []domain.NamedRepair
}

// Repair shows the possible and the past repairs of a process.
func (s *Screens) Repair(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("repair", func(of *processView) (templ.Component, error) {
		r := repairs{processView: of}
		parts, err := s.App.FindProcessParts(v.Context(), v.Call, of.Whole.ID, []domain.ItemType{domain.ItemTask},
			domain.PageRequest{Size: maxRepairedTasks}, []domain.SortKey{{Property: "createdAt", Descending: true}})
		if err != nil {
			return nil, err
		}
		r.Tasks = parts.Items
		r.Repairs, err = s.App.ListRepairs(v.Context(), v.Call, of.Whole.ID)
		return repairTab(&r), err
	})(v)
}

// RepairPoints shows the points from which the workflow of a process can continue, as a part of the tab.
func (s *Screens) RepairPoints(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	found, err := s.App.FindRepairPoints(v.Context(), v.Call, id)
	problem := ""
	if domain.HasCode(err, domain.CodeUnavailable) {
		problem, err = ui.T(v.Context(), "Temporal is unavailable. The process continues when it is back."), nil
	}
	if err != nil {
		return nil, err
	}
	if v.Partial() {
		return &web.Answer{Body: repairPoints(id, found, problem), Raw: true}, nil
	}
	return s.showTab(v, id, "repair", nil, func(*processView) (templ.Component, error) { return repairPoints(id, found, problem), nil })
}

// repairInput is the form of a repair.
type repairInput struct {
	*processView

	// ID is the id of the repair, so that a form that is sent twice makes one.
	ID   uuid.UUID
	Kind domain.RepairKind
	// Item is the task of the repair, nil for others.
	Item *domain.ProcessItem
	Name string
	// Text is the edited value.
	Text, Reason  string
	Reset         bool
	Run, Activity string
	Event         int64
	// Versions are the versions of the definition, ToVersion the number of the chosen one.
	Versions  []domain.PublishedVersion
	ToVersion int
	// Preview has the effects of the repair, nil if they are not known. Problem is the reason why it would be refused.
	Preview *domain.RepairPreview
	Problem string
}

// repairKinds maps the names in URLs to the kinds, other than changes of values.
func repairKinds() map[string]domain.RepairKind {
	return map[string]domain.RepairKind{
		"reopen": domain.RepairReopenTask, "move": domain.RepairMove, "undo-move": domain.RepairUndoMove, "step": domain.RepairCompleteStep, "reset": domain.RepairReset, "restart": domain.RepairRestart, "terminate": domain.RepairTerminate,
	}
}

// repairPath returns the URL of the form of a repair.
func repairPath(process uuid.UUID, name string) string { return pathOf(process, "repair/"+name) }

// hasValue reports whether the repair has a value that is edited as JSON: the result of a step has no schema.
func (r *repairInput) hasValue() bool { return r.Kind == domain.RepairCompleteStep }

// canReset reports whether the repair offers to continue the workflow from before the end of the task.
func (r *repairInput) canReset() bool {
	return r.Item != nil && r.RunID != nil &&
		(r.Kind == domain.RepairReopenTask || r.Item.Task.State == domain.TaskCompleted || r.Condition.Code == domain.ConditionFailed)
}

// AskRepair shows the form of a repair with its consequences.
func (s *Screens) AskRepair(v *web.Visit) (*web.Answer, error) {
	values := v.URL.Query()
	return s.askRepair(v, values.Get, nil, func(r *repairInput) error {
		r.Reset = true
		if r.hasValue() {
			return nil
		}
		return s.previewRepair(v, r)
	})
}

func (s *Screens) askRepair(
	v *web.Visit, get func(string) string, rejection *domain.Error, complete func(*repairInput) error,
) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	kind, ok := repairKinds()[v.Param("kind")]
	if !ok {
		return nil, domain.NotFound("page")
	}
	return s.showTab(v, id, "repair", rejection, func(of *processView) (templ.Component, error) {
		if !of.MayRepair {
			return nil, domain.Denied("the right to repair the process is required")
		}
		r := &repairInput{processView: of, Kind: kind, Run: get("run"), Activity: get("activity"), Name: get("name")}
		if r.ID, err = uuid.Parse(get("id")); err != nil {
			r.ID = domain.NewID()
		}
		r.Event, _ = strconv.ParseInt(get("event"), 10, 64)
		r.ToVersion, _ = strconv.Atoi(get("version"))
		if err := s.loadRepaired(v, r, get("item")); err != nil {
			return nil, err
		}
		if err := complete(r); err != nil {
			return nil, err
		}
		return repairForm(r, v.Param("kind")), nil
	})
}

// loadRepaired reads the task of a repair, and the value to edit.
func (s *Screens) loadRepaired(v *web.Visit, r *repairInput, item string) error {
	var value *domain.JSONValue
	switch r.Kind {
	case domain.RepairReopenTask, domain.RepairTaskData:
		id, err := uuid.Parse(item)
		if err != nil {
			return domain.NotFound("process item")
		}
		if r.Item, err = s.App.RetrieveProcessItem(v.Context(), v.Call, id); err != nil {
			return err
		}
		if r.Item.ProcessID != r.Whole.ID || r.Item.Task == nil {
			return domain.NotFound("process item")
		}
		if definition, ok := r.Definition.Item(r.Item.DefinitionCode()); ok {
			r.Name = ui.NameOf(v.Context(), r.Definition.ItemName(definition))
		}
		value = r.Item.Task.Data
	case domain.RepairMetadata:
		value = r.Whole.Metadata
	case domain.RepairEntity:
		value = r.Whole.Entity
	case domain.RepairMove:
		return s.loadVersions(v, r)
	case domain.RepairCompleteStep, domain.RepairReset, domain.RepairRestart, domain.RepairTerminate, domain.RepairUndoMove:
	}
	if r.Kind != domain.RepairCompleteStep {
		r.Text = "{}"
	}
	if value != nil {
		r.Text = string(value.Value)
	}
	return nil
}

// loadVersions reads the versions to move to. The version for new processes is chosen first.
func (s *Screens) loadVersions(v *web.Visit, r *repairInput) error {
	versions, err := s.App.ListMoveVersions(v.Context(), r.Whole.Definition.ID)
	for _, version := range versions {
		if version.Version == r.Whole.Definition.Version {
			continue
		}
		r.Versions = append(r.Versions, version)
		if version.Published && r.ToVersion == 0 {
			r.ToVersion = version.Number
		}
	}
	if r.ToVersion == 0 && len(r.Versions) > 0 {
		r.ToVersion = r.Versions[0].Number
	}
	return err
}

// previewRepair finds out the effects of a repair.
func (s *Screens) previewRepair(v *web.Visit, r *repairInput) error {
	in := domain.RepairRequest{
		Kind: r.Kind, Reason: "preview", Reset: r.Reset && r.canReset(), ToVersion: r.ToVersion,
		Parameters: domain.CommandParameters{EngineRun: r.Run, EventID: r.Event, Activity: r.Activity},
	}
	if r.Item != nil {
		in.ItemID = &r.Item.ID
	}
	if r.hasValue() && r.Text != "" {
		in.Value = json.RawMessage(r.Text)
	}
	if r.Kind == domain.RepairMove && r.ToVersion == 0 {
		return nil
	}
	var err error
	r.Preview, err = s.App.PreviewRepair(v.Context(), v.Call, r.Whole.ID, in)
	if rejection := web.Refusal(err); rejection != nil {
		r.Problem, err = rejection.Message, nil
	}
	return err
}

// MakeRepair carries out a repair.
func (s *Screens) MakeRepair(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	values, err := v.Form()
	if err != nil {
		return nil, err
	}
	kind, ok := repairKinds()[v.Param("kind")]
	if !ok {
		return nil, domain.NotFound("page")
	}
	in := domain.RepairRequest{
		Kind: kind, Reason: values.Get("reason"), Reset: values.Get("reset") != "",
		Parameters: domain.CommandParameters{EngineRun: values.Get("run"), Activity: values.Get("activity")},
	}
	if chosen, err := uuid.Parse(values.Get("id")); err == nil {
		in.ID = &chosen
	}
	in.Parameters.EventID, _ = strconv.ParseInt(values.Get("event"), 10, 64)
	in.ToVersion, _ = strconv.Atoi(values.Get("version"))
	if item, err := uuid.Parse(values.Get("item")); err == nil {
		in.ItemID = &item
	}
	if text := strings.TrimSpace(values.Get("value")); text != "" {
		in.Value = json.RawMessage(text)
		var object map[string]json.RawMessage
		if err := json.Unmarshal(in.Value, &object); err != nil {
			err = domain.Invalid(domain.LocationBody, "value", "is not a JSON object: "+err.Error())
			return s.refuseRepair(v, values.Get, in, text, web.Refusal(err))
		}
	}
	if values.Get("preview") != "" {
		return s.askRepair(v, values.Get, nil, func(r *repairInput) error {
			r.Reason, r.Reset = in.Reason, in.Reset
			if r.hasValue() {
				r.Text = values.Get("value")
			}
			return s.previewRepair(v, r)
		})
	}
	if _, _, err := s.App.RepairProcess(v.Context(), v.Call, id, in); err != nil {
		rejection := web.Refusal(err)
		if rejection == nil {
			return nil, err
		}
		return s.refuseRepair(v, values.Get, in, values.Get("value"), rejection)
	}
	return web.SeeOther(pathOf(id, "repair")), nil
}

// refuseRepair shows the form again with its input.
func (s *Screens) refuseRepair(
	v *web.Visit, get func(string) string, in domain.RepairRequest, text string, rejection *domain.Error,
) (*web.Answer, error) {
	return s.askRepair(v, get, rejection, func(r *repairInput) error {
		r.Reason, r.Reset = in.Reason, in.Reset
		if r.hasValue() {
			r.Text = text
		}
		return nil
	})
}

// repairTitle returns the question of the form of a repair.
func repairTitle(ctx context.Context, r *repairInput) string {
	switch r.Kind {
	case domain.RepairReopenTask:
		return ui.T(ctx, "Reopen “%s”", r.Name)
	case domain.RepairTaskData:
		return ui.T(ctx, "Change the data of “%s”", r.Name)
	case domain.RepairMetadata:
		return ui.T(ctx, "Change the metadata")
	case domain.RepairEntity:
		return ui.T(ctx, "Change the entity")
	case domain.RepairCompleteStep:
		return ui.T(ctx, "Complete the step “%s” by hand", r.Name)
	case domain.RepairReset:
		return ui.T(ctx, "Continue the workflow from an earlier point")
	case domain.RepairRestart:
		return ui.T(ctx, "Start the workflow again from its beginning")
	case domain.RepairMove:
		return ui.T(ctx, "Move to another version of the definition")
	case domain.RepairUndoMove:
		return ui.T(ctx, "Move back to the former version")
	case domain.RepairTerminate:
	}
	return ui.T(ctx, "Terminate the process and its workflow")
}

// repairEffects lists the effects of a repair.
func repairEffects(ctx context.Context, r *repairInput) []string {
	switch r.Kind {
	case domain.RepairReopenTask:
		lines := []string{ui.T(ctx, "The task is claimed by its former owner again and can be changed and completed.")}
		if r.RunID != nil && r.Condition.Code != domain.ConditionFailed {
			lines = append(lines, ui.T(ctx, "Without continuing from before the task, its second completion tells the workflow nothing."))
		}
		return lines
	case domain.RepairTaskData:
		return []string{
			ui.T(ctx, "The data of the task is replaced. Data that violates its schema is stored with its violations."),
			ui.T(ctx, "A workflow that has read the data keeps what it has read, unless it continues from before the end of the task."),
		}
	case domain.RepairMetadata, domain.RepairEntity:
		return []string{ui.T(ctx, "The value is replaced. A workflow that has read it keeps what it has read.")}
	case domain.RepairCompleteStep:
		return []string{ui.T(ctx, "The workflow continues as if the activity had ended with this result. Without a result the step is skipped.")}
	case domain.RepairReset:
		return []string{
			ui.T(ctx, "The steps after the point run again. What they did outside is not undone."),
			ui.T(ctx, "Tasks that exist are used again."),
		}
	case domain.RepairRestart:
		return []string{
			ui.T(ctx, "The running workflow is terminated without cleaning up, and all steps run again."),
			ui.T(ctx, "Tasks that exist are used again, with their data."),
		}
	case domain.RepairMove:
		return []string{
			ui.T(ctx, "Forms, user actions and schemas are the ones of the new version."),
			ui.T(ctx, "The running workflow is told by a signal and continues. Retries and new starts run the workflow of the new version."),
			ui.T(ctx, "The move can be undone until something of the process changes."),
		}
	case domain.RepairUndoMove:
		return []string{ui.T(ctx, "The running workflow is told by a signal and continues.")}
	case domain.RepairTerminate:
	}
	return []string{
		ui.T(ctx, "The process and its open tasks are cancelled."),
		ui.T(ctx, "The workflow ends at once, without cleaning up."),
		ui.T(ctx, "This cannot be undone."),
	}
}
