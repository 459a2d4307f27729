package app

import (
	"context"
	"slices"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// move moves the process to the requested version of its definition.
func (r *repair) move(ctx context.Context) error {
	move, err := r.tx.FindMove(ctx, r.site.Process, r.in.ToVersion)
	if err != nil {
		return err
	}
	if err := domain.CheckMoves(move.From == move.To); err != nil {
		return err
	}
	return r.moveTo(ctx, move)
}

// undoMove moves the process back.
func (r *repair) undoMove(ctx context.Context) error {
	last, err := r.tx.GetLastMove(ctx, r.site.ID)
	switch {
	case err != nil:
		return err
	case last == nil:
		return domain.Conflict(domain.CodeInvalidState, "the process was not moved to another version")
	case last.Changed:
		return domain.Conflict(domain.CodeInvalidState, "the process has changed since it moved to the version")
	}
	return r.moveTo(ctx, last.Reversed())
}

// moveTo pins the process and its items to another version and validates their values against its schemas. The workflow is
// told by a signal; its next start is one of the new version.
func (r *repair) moveTo(ctx context.Context, move domain.VersionMove) error {
	from, err := r.definition(ctx)
	if err != nil {
		return err
	}
	to, err := r.service.definitions.get(ctx, r.tx, move.To.ID)
	if err != nil {
		return err
	}
	if err := domain.CheckMayMove(from.Engine, to.Engine); err != nil {
		return err
	}
	items, err := r.tx.LockMovedItems(ctx, r.site.ID, domain.MaxMovedItems+1)
	if err != nil {
		return err
	}
	if len(items) > domain.MaxMovedItems {
		return domain.Conflict(domain.CodeInvalidState, "the process has too many items to be moved")
	}
	if err := r.findDocuments(ctx, items); err != nil {
		return err
	}
	r.preview.Move = &move
	r.previewLosses(from, to)
	if err := r.moveProcess(move, to); err != nil {
		return err
	}
	for _, item := range items {
		if err := r.moveItem(item, to); err != nil {
			return err
		}
	}
	if run := r.site.Run; run != nil && (run.State == domain.RunRunning || run.State == domain.RunPending) {
		r.enqueue(domain.CommandSignalMove, &domain.CommandParameters{Move: &move})
	}
	return nil
}

func (r *repair) moveProcess(move domain.VersionMove, to *definition) error {
	p := r.site.Process
	p.Move(move.To.ID, r.caller.PrincipalID, r.now)
	if err := r.recheck(domain.SlotMetadata, nil, to.metadata, p.Metadata); err != nil {
		return err
	}
	if err := r.recheck(domain.SlotEntity, nil, to.entity, p.Entity); err != nil {
		return err
	}
	r.tx.UpdateProcessIndex(p, nil)
	if err := indexProcess(r.tx, p, to); err != nil {
		return err
	}
	r.tx.MoveProcess(p)
	return r.tx.UpdateProcess(p)
}

func (r *repair) moveItem(i *domain.ProcessItem, to *definition) error {
	if !i.Move(to.ProcessDefinition, r.caller.PrincipalID, r.now) {
		r.preview.Kept = append(r.preview.Kept, previewTasks(i)...)
		return nil
	}
	var err error
	switch d := to.items[i.DefinitionCode()]; {
	case i.Task != nil && d != nil:
		if err = r.recheck(domain.SlotData, i, d.data, i.Task.Data); err == nil {
			err = r.recheck(domain.SlotContextData, i, d.contextData, i.Task.ContextData)
		}
	case i.Message != nil && i.Message.DataStructureCode != "":
		if schema, ok := to.structures[i.Message.DataStructureCode]; ok {
			err = r.recheck(domain.SlotMessageData, i, schema, i.Message.Data)
		}
	}
	if err != nil {
		return err
	}
	return r.tx.MoveItem(i)
}

// findDocuments looks up the documents of the values that are validated again.
func (r *repair) findDocuments(ctx context.Context, items []*domain.ProcessItem) error {
	stored := []*domain.JSONValue{r.site.Metadata, r.site.Entity}
	for _, i := range items {
		if i.Task != nil {
			stored = append(stored, i.Task.Data, i.Task.ContextData)
		}
		if i.Message != nil {
			stored = append(stored, i.Message.Data)
		}
	}
	for _, value := range stored {
		if value == nil {
			continue
		}
		if err := r.addText(value.Value); err != nil {
			return err
		}
	}
	return r.lookUp(ctx)
}

// recheck validates a stored value, which may be nil, against another schema. References keep their earlier result.
func (r *repair) recheck(slot domain.ValueSlot, item *domain.ProcessItem, schema *jsondoc.Schema, value *domain.JSONValue) error {
	if value == nil {
		return nil
	}
	missing := map[target]bool{}
	found, err := r.findReferences(value.Value)
	if err != nil {
		return err
	}
	for _, o := range found {
		named, ok := targetOf(o.Reference)
		if ok && slices.ContainsFunc(value.Errors, func(e domain.ValueError) bool { return e.PropertyPath == o.Pointer && e.Type == "format" }) {
			missing[named] = true
		}
	}
	checked, err := r.validate(validation{schema: schema, document: value.Value, update: true, resolve: r.newStoredResolver(missing)})
	if err != nil {
		return err
	}
	before := *value
	*value = value.Recheck(checked)
	r.preview.Add(slot, item, &before, *value)
	return nil
}

// newStoredResolver returns the resolver of references in stored values.
func (r *repair) newStoredResolver(missing map[target]bool) jsondoc.Resolver {
	return func(reference kuflowref.Reference) (jsondoc.Stored, bool) {
		if named, ok := targetOf(reference); ok && missing[named] {
			return jsondoc.Stored{}, false
		}
		file, ok := reference.(kuflowref.File)
		if !ok {
			return jsondoc.Stored{}, true
		}
		if d, found := r.findDocument(r.site.TenantID, file); found {
			return jsondoc.Stored{Name: d.Name, Type: d.ContentType, Size: d.Size}, true
		}
		return jsondoc.Stored{Name: file.Name, Type: file.Type, Size: file.Size}, true
	}
}

// previewLosses lists the parts of a version that another one lacks.
func (r *repair) previewLosses(from, to *definition) {
	for i := range from.Spec.UserActions {
		code := from.Spec.UserActions[i].Code
		if !slices.ContainsFunc(to.Spec.UserActions, func(a domain.UserAction) bool { return a.Code == code }) {
			r.preview.LostActions = append(r.preview.LostActions, code)
		}
	}
	for code := range r.site.Elements {
		if _, ok := to.elements[code]; !ok {
			r.preview.LostElements = append(r.preview.LostElements, code)
		}
	}
	slices.Sort(r.preview.LostElements)
	if run := r.site.Run; run != nil && (run.WorkflowType != to.Engine.WorkflowType || run.TaskQueue != to.Engine.TaskQueue) {
		r.preview.Workflow = to.Engine
	}
}
