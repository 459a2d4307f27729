package app

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsondoc"
	"github.com/procession-dev/procession/persistence"
)

// GenerateProcessItemAIAssistance (B25) begins a run of AI assistance with a process item and reports whether it does:
// a request that the latest run belongs to already is answered with that run. It requires owning the task, being a
// candidate or the Manager permission; a draft in the data also requires the rights of UpdateProcessItemTaskData.
// Errors: AI_RUN_PENDING while another request is being worked on, FEATURE_DISABLED where the definition of the item
// has no assistance or the operator no provider, CONFLICT for a run more than the tenant may have, ACCESS_DENIED,
// TASK_NOT_OWNED, INVALID_STATE.
func (s *Service) GenerateProcessItemAIAssistance(
	ctx context.Context, call domain.Call, id, request uuid.UUID,
) (run *domain.AssistanceRun, begun bool, err error) {
	err = s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		now := s.now()
		locked, use, err := persistence.Both(ctx, tx, persistence.LockAssistance(call.Caller, id),
			persistence.CountAssistance(id, now, s.quotas.AssistanceAtOnce))
		if err != nil {
			return nil, err
		}
		item, latest := locked.ProcessItem, locked.Latest
		if err := item.CheckMayAssist(locked.Rights, call.PrincipalID); err != nil {
			return nil, err
		}
		run = latest
		var pending error
		if begun, pending = latest.Admit(request); !begun && pending == nil {
			return nil, nil
		}
		d, err := s.definitions.get(ctx, tx, locked.ProcessVersion)
		if err != nil {
			return nil, err
		}
		spec := assistanceOf(d, item)
		if spec != nil && spec.Drafts() {
			if err := item.CheckMayWriteTask(locked.Rights, call.PrincipalID); err != nil {
				return nil, err
			}
		}
		if err := cmp.Or(item.CheckKept(), pending); err != nil {
			return nil, err
		}
		if spec == nil || s.assistant == nil {
			return nil, assistanceDisabled()
		}
		if err := s.quotas.AdmitAssistance(use); err != nil {
			return nil, err
		}
		run = &domain.AssistanceRun{
			AssistanceKey: domain.AssistanceKey{ItemID: id, Run: 1}, TenantID: item.TenantID,
			RequestID: request, RequestedBy: call.PrincipalID, State: domain.AssistancePending,
			Answer: domain.AssistanceSuggestion, StartedAt: now, Deadline: now.Add(s.assistanceTime),
		}
		if latest != nil {
			run.Run = latest.Run + 1
		}
		if spec.Drafts() {
			run.Answer, run.Baseline = domain.AssistanceDraft, baselineOf(item, spec.DraftFields)
		}
		requestEvent := domain.ItemEvent(domain.EventItemTaskAssistanceAsked, item, call.PrincipalID, now)
		return domain.Events{requestEvent}, tx.BeginAssistance(run)
	})
	if err != nil {
		return nil, false, err
	}
	return run, begun, nil
}

// assistanceOf returns how a model assists with an item, nil if it does not.
func assistanceOf(d *definition, item *domain.ProcessItem) *domain.Assistance {
	definition, ok := d.items[item.DefinitionCode()]
	if !ok {
		return nil
	}
	return definition.Spec.Assistance
}

// baselineOf returns the values of existing fields.
func baselineOf(item *domain.ProcessItem, fields []string) map[string]json.RawMessage {
	baseline := map[string]json.RawMessage{}
	for _, field := range fields {
		if value, ok := dataAt(item, field); ok {
			baseline[field] = value
		}
	}
	return baseline
}

// dataAt finds the value at a pointer into the data of an item.
func dataAt(item *domain.ProcessItem, pointer string) (json.RawMessage, bool) {
	data := item.Data()
	if data == nil {
		return nil, false
	}
	return jsondoc.Lookup(data.Value, pointer)
}
