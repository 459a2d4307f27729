package domain

// ProcessRights is what a caller may do to a process that the caller sees. A
// process the caller does not see is never loaded, so seeing it is implied.
type ProcessRights struct {
	// Manages is the Manager permission on the definition; the application that
	// runs the definition's workflow has it too.
	Manages bool
}

// ItemRights is what a caller may do to a process item that the caller sees.
type ItemRights struct {
	ProcessRights
	// Candidate may claim the task, by a grant of its own, through a group or as
	// the initiator of the process where the definition says so.
	Candidate bool
}

// DefinitionRights is what a caller may do with a process definition.
type DefinitionRights struct {
	Initiates bool
	Views     bool
	Manages   bool
}

// Sees reports whether the definition exists for the caller.
func (r DefinitionRights) Sees() bool { return r.Initiates || r.Views || r.Manages }

// MayStart reports whether the caller may create processes of the definition.
func (r DefinitionRights) MayStart() bool { return r.Initiates || r.Manages }

func (r ProcessRights) requireManager() error {
	if !r.Manages {
		return Denied("the Manager permission on the process is required")
	}
	return nil
}
