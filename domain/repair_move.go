package domain

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// MaxMovedItems is the maximum number of items of a process that moves to another version of its definition.
const MaxMovedItems = 2000

// DefinitionVersion identifies a version of a process definition.
type DefinitionVersion struct {
	ID     uuid.UUID `json:"version"`
	Number int       `json:"number"`
}

// VersionMove is a change of the version that a process is pinned to.
type VersionMove struct {
	From DefinitionVersion `json:"from"`
	To   DefinitionVersion `json:"to"`
}

// Reversed returns the move back.
func (m VersionMove) Reversed() VersionMove { return VersionMove{From: m.To, To: m.From} }

// LastMove is the latest move of a process. Changed reports whether anything of the process has changed since.
type LastMove struct {
	VersionMove
	Changed bool
}

// CheckMoves refuses the move of a process to the version that it is at with INVALID_STATE.
func CheckMoves(isAtVersion bool) error {
	if isAtVersion {
		return Conflict(CodeInvalidState, "the process is at this version already")
	}
	return nil
}

// CheckMayMove refuses a move between versions with INVALID_STATE if the workflow of a process could not continue: the
// application that runs it would lose its access, or would not understand the signals.
func CheckMayMove(from, to *EngineBinding) error {
	switch {
	case (from == nil) != (to == nil):
		return Conflict(CodeInvalidState, "one of the versions has a workflow, the other one has none")
	case from == nil:
		return nil
	case from.RunnerID != to.RunnerID:
		return Conflict(CodeInvalidState, "another application runs the workflows of that version: this one would lose its access")
	case from.SignalShape != to.SignalShape:
		return Conflict(CodeInvalidState, "workflows of that version receive signals of the other API version")
	}
	return nil
}

// Move pins an item to the version of its definition in another version of the process, and reports whether it has one. An
// item without one keeps its version.
func (i *ProcessItem) Move(to *ProcessDefinition, by uuid.UUID, now time.Time) bool {
	if i.Definition == nil {
		i.touch(by, now)
		return true
	}
	definition, ok := to.Item(i.Definition.Code)
	if !ok || definition.Type != i.Type {
		return false
	}
	i.Definition = &DefinitionRef{ID: definition.ID, Version: definition.Version, Code: definition.Code}
	i.touch(by, now)
	return true
}

// Recheck returns the value with the result of a validation against another schema. Verdicts about items of data sources stay.
func (v *JSONValue) Recheck(checked JSONValue) JSONValue {
	result := JSONValue{Value: v.Value, Errors: slices.Clone(checked.Errors)}
	for _, e := range v.Errors {
		verdict := e.Type == ItemPending || e.Type == ItemInvalid || e.Type == ItemUnavailable
		if verdict && !slices.ContainsFunc(result.Errors, func(o ValueError) bool { return o.PropertyPath == e.PropertyPath }) {
			result.Errors = append(result.Errors, e)
		}
	}
	result.SortErrors()
	result.Valid = len(result.Errors) == 0
	return result
}

// RepairPreview contains the effects of a repair that is not carried out.
type RepairPreview struct {
	// Move is set for moves between versions.
	Move   *VersionMove
	Values []PreviewedValue
	Tasks  []PreviewedTask
	// Kept are the items without a definition in the new version.
	Kept []PreviewedTask
	// LostActions and LostElements are the codes of user actions and elements that the new version does not have.
	LostActions, LostElements []string
	// Workflow is the workflow that the new version starts, if it is not the one that runs.
	Workflow *EngineBinding
}

// PreviewedValue is a value that a repair changes or validates again. ItemID is nil for a value of the process.
type PreviewedValue struct {
	Slot     ValueSlot
	ItemID   *uuid.UUID
	Code     string
	WasValid bool
	Valid    bool
	Errors   []ValueError
}

// PreviewedTask is an item with the state that a repair gives to it, "" for an item without a state.
type PreviewedTask struct {
	ID    uuid.UUID
	Code  string
	State TaskState
}

// Invalid returns the values that violate their schema after the repair.
func (p *RepairPreview) Invalid() []PreviewedValue {
	var invalid []PreviewedValue
	for _, v := range p.Values {
		if !v.Valid {
			invalid = append(invalid, v)
		}
	}
	return invalid
}

// Add adds a value with its former validity.
func (p *RepairPreview) Add(slot ValueSlot, item *ProcessItem, before *JSONValue, after JSONValue) {
	v := PreviewedValue{Slot: slot, WasValid: before == nil || before.Valid, Valid: after.Valid, Errors: after.Errors}
	if item != nil {
		v.ItemID, v.Code = &item.ID, item.DefinitionCode()
	}
	p.Values = append(p.Values, v)
}
