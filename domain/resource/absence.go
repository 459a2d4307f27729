package resource

import "time"

// AbsenceSpec describes the time in which a user carries out the tasks of another one.
type AbsenceSpec struct {
	// User is the code of the user who is absent.
	User string `json:"user" right:"yes"`
	// Substitute is the code of the user who sees, edits and completes the claimed tasks of the absent one. The own absence of a
	// substitute has no effect on these tasks: there are no chains.
	Substitute string `json:"substitute" right:"yes"`
	// From is the beginning, Until the end of the absence and of the rights of the substitute.
	From  time.Time `json:"from" right:"yes"`
	Until time.Time `json:"until" right:"yes"`
}

// Overlaps reports whether both absences are of the same user and have a time in common.
func (s *AbsenceSpec) Overlaps(other *AbsenceSpec) bool {
	return s.User == other.User && s.From.Before(other.Until) && other.From.Before(s.Until)
}

func (*AbsenceSpec) fillDefaults() {}

func (s *AbsenceSpec) checkSpec(r *report) {
	if !s.Until.After(s.From) {
		r.add("/spec/until", "must be after from")
	}
	if s.Substitute == s.User {
		r.add("/spec/substitute", "must be another user than the one who is absent")
	}
}

// References implements Spec.
func (s *AbsenceSpec) References() []Reference {
	var found references
	found.add(KindUser, s.User, "/spec/user")
	found.add(KindUser, s.Substitute, "/spec/substitute")
	return found
}

// Rights implements Spec: the rights of a substitute are the ones of the owner of a task.
func (*AbsenceSpec) Rights() []Right { return nil }

func (s *AbsenceSpec) displayName() string { return s.User }
