// Package resource holds the declarative resources of a tenant: its identities,
// its definitions and related resources, as manifests with an apiVersion, a kind,
// metadata and a spec. A manifest is the desired state of a resource; applying it
// changes the resource to that state.
//
// The package defines the form of manifests and the references between them, and
// validates sets of manifests. Storing them is up to app.
package resource

// APIVersion is the version of the documents that this package reads.
const APIVersion = "procession/v1"
