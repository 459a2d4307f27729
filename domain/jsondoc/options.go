package jsondoc

import (
	"github.com/procession-dev/procession/domain/kuflowref"
)

// Option changes what Validate checks.
type Option func(*circumstances)

// circumstances are what a validation depends on besides the schema and the
// document.
type circumstances struct {
	resolve Resolver
	update  bool
}

// Resolver reports whether the target of a reference is visible to the caller who
// saves the document, and what is stored of a file. It is called during validation,
// once for each place that refers: it must only look up what was loaded before, for
// the references that FindReferences returned.
type Resolver func(kuflowref.Reference) (Stored, bool)

// Stored describes a file as it is stored, whatever a reference to it says. It is
// not used for references of other kinds.
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
