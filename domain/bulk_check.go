package domain

import (
	"fmt"
	"slices"
	"strings"
)

// Check refuses an unknown kind, filters that the subject of the kind does not have, and missing or surplus parameters.
func (o *BulkOperation) Check() error {
	if !slices.Contains(BulkKinds(), o.Kind) {
		return Invalid(LocationBody, "/kind", "is not a kind of bulk operation")
	}
	if err := o.Filter.check(o.Kind.Subject()); err != nil {
		return err
	}
	if (o.Kind == BulkAssignTasks) != (o.Parameters.NewOwnerID != nil) {
		return Invalid(LocationBody, "/newOwnerId", "is required by the kind "+string(BulkAssignTasks)+" and not used by others")
	}
	if (o.Kind == BulkMoveProcesses) != (o.Parameters.ToVersion > 0) {
		return Invalid(LocationBody, "/toVersion", "is required by the kind "+string(BulkMoveProcesses)+" and not used by others")
	}
	if o.Kind == BulkMoveProcesses && o.Filter.DefinitionID == nil {
		return Invalid(LocationBody, "/filter/definitionId", "is required by the kind "+string(BulkMoveProcesses))
	}
	return nil
}

func (f *BulkFilter) check(s BulkSubject) error {
	if len(f.IDs) > MaxBulkIDs {
		return Invalid(LocationBody, "/filter/ids", fmt.Sprintf("must have at most %d ids", MaxBulkIDs))
	}
	for _, member := range []struct {
		name    string
		isSet   bool
		allowed []BulkSubject
	}{
		{"definitionId", f.DefinitionID != nil, []BulkSubject{BulkProcesses, BulkTasks}},
		{"standing", f.Standing != "", []BulkSubject{BulkProcesses}},
		{"initiatorId", f.InitiatorID != nil, []BulkSubject{BulkProcesses}},
		{"metadata", len(f.Metadata) > 0, []BulkSubject{BulkProcesses}},
		{"ownerId", f.OwnerID != nil, []BulkSubject{BulkTasks}},
		{"view", f.View != "", []BulkSubject{BulkTasks}},
		{"dueAfter", f.DueAfter != nil, []BulkSubject{BulkTasks}},
		{"dueBefore", f.DueBefore != nil, []BulkSubject{BulkTasks}},
		{"overdue", f.Overdue, []BulkSubject{BulkTasks}},
		{"cause", f.Cause != "", []BulkSubject{BulkIncidents}},
		{"worker", f.Worker != "", []BulkSubject{BulkIncidents}},
		{"kinds", len(f.Kinds) > 0, []BulkSubject{BulkIncidents}},
		{"assigneeId", f.AssigneeID != nil, []BulkSubject{BulkIncidents}},
		{"assigned", f.Assigned != nil, []BulkSubject{BulkIncidents}},
		{"acknowledged", f.Acknowledged != nil, []BulkSubject{BulkIncidents}},
	} {
		if member.isSet && !slices.Contains(member.allowed, s) {
			return Invalid(LocationBody, "/filter/"+member.name, "does not filter "+strings.ToLower(string(s)))
		}
	}
	if f.Standing != "" && f.Standing != StandingAttention && f.Standing != StandingEngine {
		return Invalid(LocationBody, "/filter/standing", fmt.Sprintf("must be %s or %s", StandingAttention, StandingEngine))
	}
	if f.View != "" && !slices.Contains(InboxViews(), f.View) {
		return Invalid(LocationBody, "/filter/view", fmt.Sprintf("must be one of %v", InboxViews()))
	}
	states := bulkStates(s)
	for i, state := range f.States {
		if !slices.Contains(states, state) {
			return Invalid(LocationBody, fmt.Sprintf("/filter/states/%d", i), "must be one of "+strings.Join(states, ", "))
		}
	}
	return nil
}

// bulkStates returns the states by which resources of a subject can be selected.
func bulkStates(s BulkSubject) []string {
	switch s {
	case BulkProcesses:
		return []string{string(ProcessRunning), string(ProcessCompleted), string(ProcessCancelled)}
	case BulkTasks:
		return []string{string(TaskReady), string(TaskClaimed), string(TaskCompleted), string(TaskCancelled)}
	case BulkIncidents:
		return []string{string(IncidentOpen), string(IncidentRetried), string(IncidentDismissed), string(IncidentResolved)}
	}
	return nil
}
