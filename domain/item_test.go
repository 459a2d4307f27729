package domain_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/domain"
)

const (
	ready     = domain.TaskReady
	claimed   = domain.TaskClaimed
	completed = domain.TaskCompleted
	cancelled = domain.TaskCancelled
)

// task returns a task item in a state, with the matching times. The owner 0 stands for no owner.
func task(state domain.TaskState, owner byte) *domain.ProcessItem {
	i := &domain.ProcessItem{
		ID: id(8), Type: domain.ItemTask, Task: &domain.Task{State: state}, Audit: domain.NewAudit(id(author), at(0)),
	}
	if owner != 0 {
		principal, since := id(owner), at(0)
		i.OwnerID, i.Task.ClaimedAt = &principal, &since
	}
	return i
}

// message returns an item that is not a task.
func message() *domain.ProcessItem {
	return &domain.ProcessItem{ID: id(8), Type: domain.ItemMessage, Audit: domain.NewAudit(id(author), at(0))}
}

// deletedItem returns the item of a deleted process.
func deletedItem(i *domain.ProcessItem) *domain.ProcessItem {
	now, by := at(0), id(author)
	i.DeletedAt, i.DeletedBy = &now, &by
	return i
}

func copyOf(i *domain.ProcessItem) *domain.ProcessItem {
	c := *i
	if i.Task != nil {
		block := *i.Task
		block.Logs = slices.Clone(i.Task.Logs)
		if i.Task.Delegation != nil {
			delegation := *i.Task.Delegation
			block.Delegation = &delegation
		}
		c.Task = &block
	}
	return &c
}

// touched returns the item after a change by other at minute 1.
func touched(i *domain.ProcessItem, change func(*domain.ProcessItem)) *domain.ProcessItem {
	c := copyOf(i)
	c.LastModifiedBy, c.LastModifiedAt = id(other), at(1)
	change(c)
	return c
}

func to(state domain.TaskState, owner byte) func(*domain.ProcessItem) {
	return func(i *domain.ProcessItem) {
		i.Task.State = state
		now := at(1)
		switch state {
		case ready:
		case claimed:
			i.Task.ClaimedAt = &now
		case completed:
			i.Task.CompletedAt = &now
		case cancelled:
			i.Task.CancelledAt = &now
		}
		if owner != 0 {
			principal := id(owner)
			i.OwnerID = &principal
		}
	}
}

// An itemCase is an operation by other at minute 1. Without a change and a code the call must succeed without effect.
type itemCase struct {
	name   string
	item   *domain.ProcessItem
	rights domain.ItemRights
	change func(*domain.ProcessItem)
	code   domain.Code
}

func (c itemCase) check(t *testing.T, act func(*domain.ProcessItem) (bool, error)) {
	t.Helper()
	want := c.item
	if c.change != nil {
		want = touched(c.item, c.change)
	}
	got := copyOf(c.item)
	changed, err := act(got)
	require.Equal(t, c.change != nil, changed)
	require.Equal(t, want, got)
	if c.code == "" {
		require.NoError(t, err)
		return
	}
	require.True(t, domain.HasCode(err, c.code), "%v", err)
}

func TestClaim(t *testing.T) {
	t.Parallel()
	candidate := domain.ItemRights{Candidate: true}
	manager := domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}
	for _, c := range []itemCase{
		{"by a candidate", task(ready, 0), candidate, to(claimed, other), ""},
		{"by another principal", task(ready, 0), domain.ItemRights{}, nil, domain.CodeAccessDenied},
		{"by a manager who is not a candidate", task(ready, 0), manager, nil, domain.CodeAccessDenied},
		{"again", task(claimed, other), candidate, nil, ""},
		{"again without being a candidate any more", task(claimed, other), domain.ItemRights{}, nil, ""},
		{"of another owner", task(claimed, third), candidate, nil, domain.CodeTaskAlreadyClaimed},
		{"of another owner without candidacy", task(claimed, third), domain.ItemRights{}, nil, domain.CodeAccessDenied},
		{"of a completed one", task(completed, other), candidate, nil, domain.CodeInvalidState},
		{"of a cancelled one", task(cancelled, 0), candidate, nil, domain.CodeInvalidState},
		{"of a message", message(), manager, nil, domain.CodeInvalidState},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(i *domain.ProcessItem) (bool, error) { return i.Claim(c.rights, nil, id(other), at(1)) })
		})
	}
}

func TestAssign(t *testing.T) {
	t.Parallel()
	for _, c := range []itemCase{
		{name: "a ready one", item: task(ready, 0), change: to(claimed, third)},
		{name: "a claimed one", item: task(claimed, other), change: func(i *domain.ProcessItem) {
			principal := id(third)
			i.OwnerID = &principal // ClaimedAt stays the time at which it entered the state.
		}},
		{name: "to its owner", item: task(claimed, third)},
		{name: "a completed one", item: task(completed, other), code: domain.CodeInvalidState},
		{name: "a completed one to its owner", item: task(completed, third), code: domain.CodeInvalidState},
		{name: "a cancelled one", item: task(cancelled, other), code: domain.CodeInvalidState},
		{name: "a message", item: message(), code: domain.CodeInvalidState},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(i *domain.ProcessItem) (bool, error) { return i.Assign(nil, id(third), id(other), at(1)) })
		})
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	with := func(i *domain.ProcessItem, valid bool) *domain.ProcessItem {
		i.Task.Data = &domain.JSONValue{Valid: valid, Value: []byte(`{}`)}
		return i
	}
	candidate, manager := domain.ItemRights{Candidate: true}, domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}
	lenient, strict := domain.TaskRequirements{}, domain.TaskRequirements{ValidData: true}
	mandatory := domain.TaskRequirements{Elements: []domain.ElementDefinition{{Code: "A", Mandatory: true}}}
	for _, c := range []struct {
		itemCase
		require domain.TaskRequirements
	}{
		{itemCase{name: "by its owner", item: task(claimed, other), change: to(completed, 0)}, lenient},
		{itemCase{name: "by another principal", item: task(claimed, third), code: domain.CodeTaskNotOwned}, lenient},
		{itemCase{name: "without an owner by a candidate", item: task(ready, 0), rights: candidate, code: domain.CodeInvalidState}, lenient},
		{itemCase{name: "without an owner by a manager", item: task(ready, 0), rights: manager, code: domain.CodeInvalidState}, lenient},
		{itemCase{name: "again", item: task(completed, other)}, lenient},
		{itemCase{name: "again by another", item: task(completed, third), code: domain.CodeTaskNotOwned}, lenient},
		{itemCase{name: "a cancelled one", item: task(cancelled, other), code: domain.CodeInvalidState}, lenient},
		{itemCase{name: "cancelled without an owner", item: task(cancelled, 0), rights: candidate, code: domain.CodeInvalidState}, strict},
		{itemCase{name: "a message", item: message(), rights: manager, code: domain.CodeInvalidState}, lenient},
		{itemCase{name: "with invalid data", item: with(task(claimed, other), false), change: to(completed, 0)}, lenient},
		{itemCase{name: "with invalid data where it must be valid", item: with(task(claimed, other), false), code: domain.CodeTaskDataInvalid}, strict},
		{itemCase{name: "with valid data where it must be valid", item: with(task(claimed, other), true), change: to(completed, 0)}, strict},
		{itemCase{name: "without data where it must be valid", item: task(claimed, other), change: to(completed, 0)}, strict},
		{itemCase{name: "again with data that is not valid any more", item: with(task(completed, other), false)}, strict},
		{itemCase{name: "without a mandatory element", item: task(claimed, other), code: domain.CodeTaskDataInvalid}, mandatory},
		{itemCase{name: "again without a mandatory element", item: task(completed, other)}, mandatory},
		{itemCase{name: "cancelled without a mandatory element", item: task(cancelled, other), code: domain.CodeInvalidState}, mandatory},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(i *domain.ProcessItem) (bool, error) {
				return i.Complete(c.require, c.rights, id(other), at(1))
			})
		})
	}
}

func TestCancelItem(t *testing.T) {
	t.Parallel()
	for _, c := range []itemCase{
		{name: "a ready one", item: task(ready, 0), change: to(cancelled, 0)},
		{name: "a claimed one, which keeps its owner", item: task(claimed, third), change: to(cancelled, 0)},
		{name: "a completed one", item: task(completed, third)},
		{name: "a cancelled one", item: task(cancelled, third)},
		{name: "a message", item: message()},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(i *domain.ProcessItem) (bool, error) { return i.Cancel(id(other), at(1)), nil })
		})
	}
}

func TestCheckMayWriteTask(t *testing.T) {
	t.Parallel()
	manager := domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}
	candidate := domain.ItemRights{Candidate: true}
	for _, c := range []struct {
		name   string
		item   *domain.ProcessItem
		rights domain.ItemRights
		code   domain.Code
	}{
		{"by its owner", task(claimed, other), domain.ItemRights{}, ""},
		{"by a manager", task(claimed, third), manager, ""},
		{"by a manager while it has no owner", task(ready, 0), manager, ""},
		{"by a candidate while it has no owner", task(ready, 0), candidate, domain.CodeTaskNotOwned},
		{"by another principal", task(claimed, third), candidate, domain.CodeTaskNotOwned},
		{"a completed one", task(completed, other), domain.ItemRights{}, domain.CodeInvalidState},
		{"a cancelled one", task(cancelled, other), manager, domain.CodeInvalidState},
		{"a message", message(), manager, domain.CodeInvalidState},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := copyOf(c.item)
			err := c.item.CheckMayWriteTask(c.rights, id(other))
			require.Equal(t, c.code == "", err == nil)
			if c.code != "" {
				require.True(t, domain.HasCode(err, c.code), "%v", err)
			}
			require.Equal(t, before, c.item)
		})
	}
}

// A principal without the right gets the same refusal in every state; the others get one that names the state.
func TestRightsPrecedeStates(t *testing.T) {
	t.Parallel()
	none, all := domain.ItemRights{}, domain.ItemRights{Candidate: true, ProcessRights: domain.ProcessRights{Manages: true}}
	operations := map[string]func(*domain.ProcessItem, domain.ItemRights) error{
		"claim": func(i *domain.ProcessItem, rights domain.ItemRights) error {
			_, err := i.Claim(rights, nil, id(other), at(1))
			return err
		},
		"release": func(i *domain.ProcessItem, rights domain.ItemRights) error {
			_, err := i.Release(rights, id(other), at(1))
			return err
		},
		"complete": func(i *domain.ProcessItem, rights domain.ItemRights) error {
			_, err := i.Complete(domain.TaskRequirements{}, rights, id(other), at(1))
			return err
		},
		"append a log entry": func(i *domain.ProcessItem, rights domain.ItemRights) error {
			return i.AppendLog(domain.TaskLog{ID: id(50)}, 3, rights, id(other), at(1))
		},
		"handle": func(i *domain.ProcessItem, rights domain.ItemRights) error {
			return i.CheckMayHandle(rights, id(other))
		},
		"write": func(i *domain.ProcessItem, rights domain.ItemRights) error {
			return i.CheckMayWriteTask(rights, id(other))
		},
		"write context": func(i *domain.ProcessItem, rights domain.ItemRights) error {
			return i.CheckMayWriteContext(rights, id(other))
		},
	}
	for name, operate := range operations {
		for state, item := range map[string]func() *domain.ProcessItem{
			"READY": func() *domain.ProcessItem { return task(ready, 0) }, "CLAIMED": func() *domain.ProcessItem { return task(claimed, third) },
			"COMPLETED": func() *domain.ProcessItem { return task(completed, third) },
			"CANCELLED": func() *domain.ProcessItem { return task(cancelled, 0) },
			"deleted":   func() *domain.ProcessItem { return deletedItem(task(cancelled, 0)) }, "MESSAGE": message,
		} {
			refusal, ok := errors.AsType[*domain.Error](operate(item(), none))
			require.True(t, ok, "%s %s", name, state)
			require.Equal(t, domain.KindDenied, refusal.Kind, "%s %s", name, state)
			if state == "deleted" || state == "MESSAGE" {
				require.True(t, domain.HasCode(operate(item(), all), domain.CodeInvalidState), "%s %s", name, state)
			}
		}
	}
}

func TestTaskData(t *testing.T) {
	t.Parallel()
	value := domain.JSONValue{Valid: false, Value: []byte(`{}`)}
	i := task(claimed, third)
	want := touched(i, func(i *domain.ProcessItem) { i.Task.Data = &value })
	i.SetTaskData(value, id(other), at(1))
	require.Equal(t, want, i)
	// The clock has not advanced, but the version must grow.
	want = touched(i, func(i *domain.ProcessItem) {
		i.Task.ContextData, i.LastModifiedAt = &value, at(1).Add(time.Microsecond)
	})
	i.SetTaskContextData(value, id(other), at(1))
	require.Equal(t, want, i)
}

func TestAppendLog(t *testing.T) {
	t.Parallel()
	entry := func(n byte) domain.TaskLog {
		return domain.TaskLog{ID: id(n), Timestamp: at(int(n)), Message: "done", Level: domain.LogInfo}
	}
	filled := func(state domain.TaskState, owner byte, entries ...byte) *domain.ProcessItem {
		i := task(state, owner)
		for _, n := range entries {
			i.Task.Logs = append(i.Task.Logs, entry(n))
		}
		return i
	}
	holds := func(entries ...byte) func(*domain.ProcessItem) {
		return func(i *domain.ProcessItem) { i.Task.Logs = filled(ready, 0, entries...).Task.Logs }
	}
	manager := domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}
	for _, c := range []itemCase{
		{"by its owner", filled(claimed, other, 1), domain.ItemRights{}, holds(1, 50), ""},
		{"by a manager", task(ready, 0), manager, holds(50), ""},
		{"to a completed one", filled(completed, other, 1), domain.ItemRights{}, holds(1, 50), ""},
		{"dropping the oldest", filled(claimed, other, 1, 2, 3), domain.ItemRights{}, holds(2, 3, 50), ""},
		{"under a limit that was lowered", filled(claimed, other, 1, 2, 3, 4, 5), domain.ItemRights{}, holds(4, 5, 50), ""},
		{"to a cancelled one", filled(cancelled, other, 1), manager, nil, domain.CodeInvalidState},
		{"again", filled(claimed, other, 50), manager, nil, ""},
		{"again to a cancelled one", filled(cancelled, other, 50), manager, nil, ""},
		{"again to a deleted one", deletedItem(filled(completed, other, 50)), manager, nil, ""},
		{"by another principal", filled(claimed, third, 1), domain.ItemRights{Candidate: true}, nil, domain.CodeTaskNotOwned},
		{"to a message", message(), manager, nil, domain.CodeInvalidState},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(i *domain.ProcessItem) (bool, error) {
				exists := i.HasLog(id(50))
				err := i.AppendLog(entry(50), 3, c.rights, id(other), at(1))
				return err == nil && !exists, err
			})
		})
	}
}

func TestAppendLogCutsLongMessages(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		strings.Repeat("é", 4000):       strings.Repeat("é", 4000),
		strings.Repeat("é", 4001):       strings.Repeat("é", 3976) + "… [cut, 4001 characters]",
		strings.Repeat("long ", 50_000): strings.Repeat("long ", 795)[:3974] + "… [cut, 250000 characters]",
	} {
		i := task(claimed, other)
		entry := domain.TaskLog{ID: id(50), Message: message, Level: domain.LogInfo}
		require.NoError(t, i.AppendLog(entry, 3, domain.ItemRights{}, id(other), at(1)))
		require.Equal(t, want, i.Task.Logs[0].Message)
		require.LessOrEqual(t, utf8.RuneCountInString(i.Task.Logs[0].Message), domain.MaxLogMessage)
	}
}

func TestNewTask(t *testing.T) {
	t.Parallel()
	now := at(1)
	require.Equal(t, &domain.Task{State: ready}, domain.NewTask(false, now))
	require.Equal(t, &domain.Task{State: claimed, ClaimedAt: &now}, domain.NewTask(true, now))
}

func TestItemEventHasTheTask(t *testing.T) {
	t.Parallel()
	i := task(claimed, other)
	i.TenantID, i.ProcessID = id(20), id(21)
	i.Definition = &domain.DefinitionRef{Code: "CHECK"}
	require.Equal(t, domain.Event{
		TenantID: id(20), ProcessID: id(21), Type: domain.EventItemTaskStateChanged,
		ResourceKind: domain.ResourceItem, ResourceID: i.ID, PreviousState: "READY", State: "CLAIMED",
		Details: map[string]string{"ownerId": id(other).String()}, ItemID: &i.ID,
		ItemType: domain.ItemTask, ItemDefinitionCode: "CHECK", TaskState: claimed, ActorID: id(other), OccurredAt: at(1),
	}, domain.TaskStateEvent(i, ready, id(other), at(1)))

	e := domain.ItemEvent(domain.EventItemCreated, message(), id(other), at(1))
	require.Empty(t, e.State)
	require.Empty(t, e.TaskState)
	require.Empty(t, e.ItemDefinitionCode)
}
