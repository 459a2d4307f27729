package domain

// A step is a state and an action attempted in it.
type step[S, A ~string] struct {
	state  S
	action A
}

// An outcome is the result of an attempted action: the next state, which may be the same one, or a refusal.
type outcome[S ~string] struct {
	to      S
	refusal string
}

// transitions is a state machine written as a table. Every pair of state and
// action has a row.
type transitions[S, A ~string] map[step[S, A]]outcome[S]

// next looks the action up. It returns the resulting state, or a conflict with
// CodeInvalidState and the reason in the table.
func (t transitions[S, A]) next(from S, action A) (S, error) {
	o := t[step[S, A]{from, action}]
	if o.to == "" {
		return from, Conflict(CodeInvalidState, o.refusal)
	}
	return o.to, nil
}
