package jsondoc

import (
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
)

// Option configures Validate.
type Option func(*validationOptions)

// validationOptions are the inputs of a validation besides the schema and the document.
type validationOptions struct {
	resolve Resolver
	update  bool
	items   domain.ItemReferences
	watch   func() error
	// limit is the limit of the work, in units.
	limit int
}

// Resolver reports whether the target of a reference is visible to the caller who saves the document, and
// returns the stored data of a file. It is called during validation, once for each place with a reference: it
// must only use data loaded before, for the references that FindReferences returned.
type Resolver func(kuflowref.Reference) (Stored, bool)

// Stored describes a file as stored, regardless of the claims of a reference. It is not used for references of
// other kinds.
type Stored struct {
	// Name is the file name, for the extensions among accept.
	Name string
	// Type is the media type; parameters are ignored.
	Type string
	// Size is in bytes.
	Size int64
}

// References makes Validate check that every required reference has a target, and that documents conform to
// accept and maxSize. Without it references are only checked for syntax.
func References(resolver Resolver) Option {
	return func(c *validationOptions) { c.resolve = resolver }
}

// Items makes Validate add to into the references to items of data sources that the schema, or one of its
// alternatives, names.
func Items(into domain.ItemReferences) Option {
	return func(c *validationOptions) { c.items = into }
}

// OnUpdate enables requiredOnUpdate: the document replaces an existing value.
func OnUpdate() Option {
	return func(c *validationOptions) { c.update = true }
}

// Watch makes Validate call a function every millisecond or two of a validation, so never for a value of usual size. An
// error stops the validation, which returns it.
func Watch(watch func() error) Option {
	return func(c *validationOptions) { c.watch = watch }
}
