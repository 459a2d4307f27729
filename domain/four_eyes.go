package domain

import (
	"slices"

	"github.com/google/uuid"
)

// OpposedTask is a task of a process that one person must not do together with another task of it.
type OpposedTask struct {
	Code    string
	OwnerID uuid.UUID
	State   TaskState
	// SubstituteID is the person who completed the task for its absent owner, nil for none. Both count.
	SubstituteID *uuid.UUID
}

func (t *OpposedTask) isOf(principal uuid.UUID) bool {
	return t.OwnerID == principal || t.State == TaskCompleted && t.SubstituteID != nil && *t.SubstituteID == principal
}

// FourEyes are the opposed tasks of a task, as far as they have owners. The owner of one of them must not become the owner
// of the task, and who completed one must not complete the task.
type FourEyes []OpposedTask

// CheckOwner refuses a principal with FOUR_EYES that owns an opposed task, or completed it.
func (f FourEyes) CheckOwner(principal uuid.UUID) error {
	return f.check(principal, TaskClaimed, TaskCompleted)
}

// checkCompletion refuses people who act together, if one of them completed an opposed task.
func (f FourEyes) checkCompletion(people ...uuid.UUID) error {
	for _, person := range people {
		if err := f.check(person, TaskCompleted); err != nil {
			return err
		}
	}
	return nil
}

func (f FourEyes) check(principal uuid.UUID, states ...TaskState) error {
	for i := range f {
		t := &f[i]
		if t.isOf(principal) && slices.Contains(states, t.State) {
			return Conflict(CodeFourEyes, "another person must do the task than the one who does "+t.Code+" of the process")
		}
	}
	return nil
}

// Of returns the tasks with the codes.
func (f FourEyes) Of(codes []string) FourEyes {
	var found FourEyes
	for _, t := range f {
		if slices.Contains(codes, t.Code) {
			found = append(found, t)
		}
	}
	return found
}

// OpposedTo returns the codes of the tasks that are opposed to the task with the code, in order. with maps codes to the
// codes that their definitions name; each pair counts in both directions.
func OpposedTo(code string, with map[string][]string) []string {
	opposed := slices.Clone(with[code])
	for other, named := range with {
		if slices.Contains(named, code) {
			opposed = append(opposed, other)
		}
	}
	slices.Sort(opposed)
	return slices.Compact(opposed)
}

// OpposedTo returns the codes of the tasks that are opposed to the task with the code.
func (d *ProcessDefinition) OpposedTo(code string) []string {
	with := make(map[string][]string, len(d.Items))
	for i := range d.Items {
		with[d.Items[i].Code] = d.Items[i].Spec.FourEyesWith
	}
	return OpposedTo(code, with)
}
