package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/domain/jsontext"
	"github.com/procession-dev/procession/persistence"
)

// FinishAssistance executes the last step of a run: it publishes the answer and,
// where the definition says so, drafts it into the data of the task. The draft
// is skipped if the requester may no longer write to the task. The task is
// never completed.
func (s *Service) FinishAssistance(ctx context.Context, key domain.AssistanceKey) error {
	found, err := s.assistedItem(ctx, key)
	if err != nil {
		return err
	}
	call, err := s.store.Reader.GetAssistanceCall(ctx, key)
	switch {
	case err != nil:
		return err
	case call == nil || !call.Answered:
		return fmt.Errorf("finishing run %s: there is no answer", key.WorkflowID())
	}
	now := s.now()
	run := found.Run
	if !run.Complete(call.Model, call.FinishReason, now) {
		return ErrAssistanceOver
	}
	run.Text, run.Value = call.Text, call.Value
	if run.Answer == domain.AssistanceDraft {
		done, err := s.finishDraft(ctx, run, found.spec)
		if done || err != nil {
			return err
		}
	}
	return s.endAssistance(ctx, run)
}

// FailAssistance ends a run without an answer. code is as in
// domain.AssistanceRun.Fail. A run that is over stays as it is.
func (s *Service) FailAssistance(ctx context.Context, key domain.AssistanceKey, code string) error {
	run, err := s.store.Reader.GetAssistanceRun(ctx, key)
	if err != nil {
		return ignoreOver(overIfGone(err))
	}
	if !run.Fail(code, s.now()) {
		return nil
	}
	return s.endAssistance(ctx, run)
}

func ignoreOver(err error) error {
	if errors.Is(err, ErrAssistanceOver) {
		return nil
	}
	return err
}

func (s *Service) endAssistance(ctx context.Context, run *domain.AssistanceRun) error {
	return s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		tx.FinishAssistance(run)
		return domain.Events{domain.AssistanceEvent(run, *run.FinishedAt)}, nil
	})
}

// finishDraft writes the answer into the draft fields, as a save by the
// requester, and ends the run with it. It reports whether it did: it does not
// when such a save would be refused.
func (s *Service) finishDraft(ctx context.Context, run *domain.AssistanceRun, spec *domain.Assistance) (bool, error) {
	caller, err := s.store.Reader.GetCallerInTenant(ctx, run.RequestedBy, run.TenantID)
	if domain.HasCode(err, domain.CodeNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	answers := draftOf(run, spec)
	err = s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		locked, vals, err := persistence.Both(ctx, tx, persistence.LockAssistance(caller, run.ItemID), newLookUps(caller, s.now(), &run.ItemID).readValues())
		if err != nil {
			return nil, err
		}
		latest := locked.Latest
		if latest == nil || latest.AssistanceKey != run.AssistanceKey || latest.State != domain.AssistancePending {
			return nil, ErrAssistanceOver
		}
		item := locked.ProcessItem
		if err := item.CheckMayWriteTask(locked.Rights, caller.PrincipalID); err != nil {
			return nil, err
		}
		patch, drafted := draftPatch(item, run.Baseline, spec.DraftFields, answers)
		run.Drafted = drafted
		tx.FinishAssistance(run)
		ended := domain.AssistanceEvent(run, vals.now)
		if len(patch) == 0 {
			return domain.Events{ended}, nil
		}
		d, err := s.definitions.get(ctx, tx, locked.ProcessVersion)
		if err != nil {
			return nil, err
		}
		value, err := vals.prepareDraft(ctx, itemSite(item, domain.SlotData), d.items[item.DefinitionCode()].data, item.Task.Data, patch)
		if err != nil {
			return nil, err
		}
		item.SetTaskData(value, caller.PrincipalID, vals.now)
		saved := domain.ItemEvent(domain.EventItemTaskDataSaved, item, caller.PrincipalID, vals.now).With("assistance", "true")
		return domain.Events{ended, saved}, tx.UpdateTaskData(item)
	})
	if refusal, ok := errors.AsType[*domain.Error](err); ok && refusal.Kind != domain.KindUnavailable && refusal.Kind != domain.KindInternal {
		run.Drafted = nil
		return false, nil
	}
	return err == nil, err
}

// draftOf returns the part of an answer for each of the draft fields: its member at the
// same place or, without a schema, the whole text.
func draftOf(run *domain.AssistanceRun, spec *domain.Assistance) map[string]json.RawMessage {
	answers := map[string]json.RawMessage{}
	if run.Value == nil {
		for _, field := range spec.DraftFields {
			answers[field] = jsontext.Quote(run.Text)
		}
		return answers
	}
	for _, field := range spec.DraftFields {
		if value, ok := jsondoc.Lookup(run.Value, field); ok {
			answers[field] = value
		}
	}
	return answers
}

// draftPatch returns the patch that writes answers into the fields that are empty, or as
// they were when the run began, and the pointers of those.
func draftPatch(
	item *domain.ProcessItem, baseline map[string]json.RawMessage, fields []string, answers map[string]json.RawMessage,
) (patch []jsondoc.Operation, drafted []string) {
	for _, field := range fields {
		answer, answered := answers[field]
		current, there := dataAt(item, field)
		before, was := baseline[field]
		untouched := there == was && bytes.Equal(current, before)
		if !answered || field == "" || !untouched && !isBlank(current) {
			continue
		}
		op := "replace"
		if !there {
			if parent, _ := jsondoc.Parent(field); !holdsMembers(item, parent) {
				continue
			}
			op = "add"
		}
		patch = append(patch, jsondoc.Operation{Op: op, Path: field, Value: answer})
		drafted = append(drafted, field)
	}
	return patch, drafted
}

// isBlank reports whether a field has no value, or an empty one.
func isBlank(value json.RawMessage) bool {
	return len(value) == 0 || string(value) == "null" || string(value) == `""`
}

// holdsMembers reports whether there is an object at a pointer into the data of a
// task.
func holdsMembers(item *domain.ProcessItem, pointer string) bool {
	if pointer == "" {
		return true
	}
	value, ok := dataAt(item, pointer)
	return ok && value[0] == '{'
}
