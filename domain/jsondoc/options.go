package jsondoc

import (
	"github.com/procession-dev/procession/domain/kuflowref"
)

// Option says what Validate has to know besides the schema and the document.
type Option func(*circumstances)

// circumstances are what a validation depends on besides the schema and the
// document.
type circumstances struct {
	resolve Resolver
	update  bool
}

// Resolver tells whether what a reference refers to exists for whoever saves the
// document; of a file, also what is stored. It is asked in the middle of a
// validation, once for each place that refers: it must only look up what the
// caller found out before, by way of FindReferences.
type Resolver func(kuflowref.Reference) (Stored, bool)

// Stored is what a file really is, whatever a reference to it says. It is of no
// importance for references of other kinds.
type Stored struct {
	// Name is the file name, for the extensions among accept.
	Name string
	// Type is the media type; parameters do not count.
	Type string
	// Size is in bytes.
	Size int64
}

// References makes Validate check that every reference the schema expects leads
// to something, and that documents are what accept and maxSize ask for. Without
// it references are only checked to be well formed.
func References(resolver Resolver) Option {
	return func(c *circumstances) { c.resolve = resolver }
}

// OnUpdate makes requiredOnUpdate count: the document replaces a value that was
// there before.
func OnUpdate() Option {
	return func(c *circumstances) { c.update = true }
}
