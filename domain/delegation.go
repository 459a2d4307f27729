package domain

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// MaxDelegationNote is the maximum length of the note of a delegation, in characters.
const MaxDelegationNote = 1000

// Delegation records that the owner of a task acts for another principal, who may take the task back. It ends when the
// task gets another owner or none.
type Delegation struct {
	// By is the delegator.
	By   uuid.UUID
	At   time.Time
	Note string
}

// isDelegatedBy reports whether the principal delegated the task to its owner.
func (t *Task) isDelegatedBy(by uuid.UUID) bool { return t.Delegation != nil && t.Delegation.By == by }

// Delegate is the principal that gets a task, with the field of the input that names it, and a note for it.
type Delegate struct {
	ID    uuid.UUID
	Field Field
	Note  string
}

func (d Delegate) check(by uuid.UUID) error {
	switch {
	case d.ID == by:
		return InvalidField(d.Field, "is the caller; a task is delegated to another principal")
	case utf8.RuneCountInString(d.Note) > MaxDelegationNote:
		return InvalidField(FieldDelegationNote, "must have at most 1000 characters")
	case !utf8.ValidString(d.Note), strings.Contains(d.Note, "\x00"):
		return InvalidField(FieldDelegationNote, "must be text without the character NUL")
	}
	return nil
}

// Delegate makes to the owner of an open task on behalf of by, and reports whether that changed the task. Principals that
// pass CheckMayHandle may. A repetition by the delegator has no effect. Delegating to oneself is refused with VALIDATION, to
// the owner of an opposed task with FOUR_EYES.
func (i *ProcessItem) Delegate(rights ItemRights, eyes FourEyes, to Delegate, by uuid.UUID, now time.Time) (bool, error) {
	if i.isDelegated(to, by) {
		return false, i.CheckKept()
	}
	if err := i.CheckMayHandle(rights, by); err != nil {
		return false, err
	}
	if err := to.check(by); err != nil {
		return false, err
	}
	if err := i.mayOwn(eyes, delegateTask, to.ID); err != nil {
		return false, err
	}
	if err := i.Task.act(delegateTask, now); err != nil {
		return false, err
	}
	i.setOwner(&to.ID)
	i.Task.Delegation = &Delegation{By: by, At: now, Note: to.Note}
	i.touch(by, now)
	return true, nil
}

func (i *ProcessItem) isDelegated(to Delegate, by uuid.UUID) bool {
	t := i.Task
	return t != nil && t.State == TaskClaimed && i.ownedBy(to.ID) && t.isDelegatedBy(by) && t.Delegation.Note == to.Note
}

// setOwner gives the task another owner, nil for none, and ends its delegation.
func (i *ProcessItem) setOwner(owner *uuid.UUID) { i.OwnerID, i.Task.Delegation = owner, nil }
