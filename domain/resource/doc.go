// Package resource holds the declarative resources of a tenant: its identities,
// its definitions and what goes with them, as documents with an apiVersion, a
// kind, metadata and a spec. A document says how a resource is to be; applying
// it makes it so.
//
// The package knows what documents look like, which of them refer to which, and
// whether a set of them is right in itself. Keeping them is up to app.
package resource

// APIVersion is the version of the documents that this package reads.
const APIVersion = "procession/v1"
