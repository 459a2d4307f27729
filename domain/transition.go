package domain

// A step is a state and what is attempted in it.
type step[S, A ~string] struct {
	state  S
	action A
}

// An outcome is what an attempted action does: it leads to a state, which may
// be the one it started from, or it is refused.
type outcome[S ~string] struct {
	to      S
	refused string
}

// transitions is a state machine written as a table. Every pair of state and
// action has a row.
type transitions[S, A ~string] map[step[S, A]]outcome[S]

// next looks the action up. It returns the resulting state, or a conflict with
// CodeInvalidState and the reason in the table.
func (t transitions[S, A]) next(from S, action A) (S, error) {
	o := t[step[S, A]{from, action}]
	if o.to == "" {
		return from, Conflict(CodeInvalidState, o.refused)
	}
	return o.to, nil
}
