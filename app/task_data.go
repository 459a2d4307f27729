package app

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/persistence"
)

// UpdateProcessItemTaskData (B30) replaces the data of an open task, also of a finished process. Data that violates the
// schema is stored with its violations. The caller must own the task or have the Manager permission.
func (s *Service) UpdateProcessItemTaskData(
	ctx context.Context, call domain.Call, id uuid.UUID, data json.RawMessage,
) (*domain.ProcessItem, error) {
	texts := []json.RawMessage{data}
	check := (*domain.ProcessItem).CheckMayWriteTask
	return s.changeTask(ctx, call, id, texts, check, func(vals *values, i *domain.ProcessItem, d *itemDefinition) (domain.Events, error) {
		value, err := vals.prepareReplacement(ctx, itemSite(i, domain.SlotData), d.data, i.Task.Data, data)
		if err != nil {
			return nil, err
		}
		i.SetTaskData(value, call.PrincipalID, vals.now)
		return taskValueEvent(vals.change, domain.EventItemTaskDataSaved, i, value), nil
	})
}

// PatchProcessItemTaskData (B31) patches the data of an open task atomically, under the conditions of
// UpdateProcessItemTaskData. A patch that does not fit the data is PATCH_FAILED.
func (s *Service) PatchProcessItemTaskData(
	ctx context.Context, call domain.Call, id uuid.UUID, patch []jsondoc.Operation,
) (*domain.ProcessItem, error) {
	check := (*domain.ProcessItem).CheckMayWriteTask
	return s.changeTask(ctx, call, id, textsOf(patch), check, func(vals *values, i *domain.ProcessItem, d *itemDefinition) (domain.Events, error) {
		if len(patch) == 0 {
			return nil, nil
		}
		value, err := vals.preparePatched(ctx, itemSite(i, domain.SlotData), d.data, i.Task.Data, patch)
		if err != nil {
			return nil, err
		}
		i.SetTaskData(value, call.PrincipalID, vals.now)
		return taskValueEvent(vals.change, domain.EventItemTaskDataSaved, i, value), nil
	})
}

// UpdateProcessItemTaskContextData (B32) replaces the context data of an open
// task, as UpdateProcessItemTaskData does with the data. The caller must have the
// Manager permission; owning the task is not enough.
func (s *Service) UpdateProcessItemTaskContextData(
	ctx context.Context, call domain.Call, id uuid.UUID, data json.RawMessage,
) (*domain.ProcessItem, error) {
	texts := []json.RawMessage{data}
	check := (*domain.ProcessItem).CheckMayWriteContext
	return s.changeTask(ctx, call, id, texts, check, func(vals *values, i *domain.ProcessItem, d *itemDefinition) (domain.Events, error) {
		value, err := vals.prepareReplacement(ctx, itemSite(i, domain.SlotContextData), d.contextData, i.Task.ContextData, data)
		if err != nil {
			return nil, err
		}
		i.SetTaskContextData(value, call.PrincipalID, vals.now)
		return taskValueEvent(vals.change, domain.EventItemTaskContextDataSaved, i, value), nil
	})
}

func taskValueEvent(c *change, t domain.EventType, i *domain.ProcessItem, value domain.JSONValue) domain.Events {
	return domain.Events{domain.ItemEvent(t, i, c.caller.PrincipalID, c.now).With("valid", strconv.FormatBool(value.Valid))}
}

// changeTask changes a task if check permits it. texts are the values that
// change is known to make. change returns the event to record, nil if the task
// stays unchanged.
func (s *Service) changeTask(
	ctx context.Context, call domain.Call, id uuid.UUID, texts []json.RawMessage,
	check func(*domain.ProcessItem, domain.ItemRights, uuid.UUID) error,
	change func(*values, *domain.ProcessItem, *itemDefinition) (domain.Events, error),
) (*domain.ProcessItem, error) {
	var item *domain.ProcessItem
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		l, err := newTextLookUps(call.Caller, s.now(), &id, texts...)
		if err != nil {
			return nil, err
		}
		locked, vals, err := persistence.Both(ctx, tx, persistence.LockProcessItem(call.Caller, id), l.readValues())
		if err != nil {
			return nil, err
		}
		item = locked.ProcessItem
		if err := check(item, locked.Rights, call.PrincipalID); err != nil {
			return nil, err
		}
		d, err := s.definitions.get(ctx, tx, locked.ProcessVersion)
		if err != nil {
			return nil, err
		}
		events, err := change(vals, item, d.items[item.DefinitionCode()])
		if err != nil || events == nil {
			return nil, err
		}
		return events.ForOwner(item, locked.Rights), tx.UpdateTaskData(item)
	})
	return item, err
}
