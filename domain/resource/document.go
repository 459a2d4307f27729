package resource

import (
	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain/jsontext"
)

// Document is a manifest: the desired state of one resource.
type Document struct {
	Kind     Kind
	Metadata Metadata
	Spec     Spec
	// Place is the index of the manifest in the request that brought it.
	Place int
}

// Metadata identifies a resource. A code is unique among the resources of its kind and tenant. A manifest of
// kind Tenant has no Tenant; its own code is the tenant's.
type Metadata struct {
	Code   string `json:"code"`
	Tenant string `json:"tenant,omitempty"`
	// ID is the identifier of the resource, or the one to create it with; nil lets the service choose. For a
	// User it is the principal's.
	ID *uuid.UUID `json:"id,omitempty"`
	// Labels select the resources that a prune may delete.
	Labels map[string]string `json:"labels,omitempty"`
}

// TenantCode returns the code of the tenant that the resource belongs to.
func (d Document) TenantCode() string {
	if d.Kind == KindTenant {
		return d.Metadata.Code
	}
	return d.Metadata.Tenant
}

// Key identifies a resource.
type Key struct {
	Tenant string
	Kind   Kind
	Code   string
}

// Key returns the key of the resource that the manifest describes.
func (d Document) Key() Key {
	return Key{Tenant: d.TenantCode(), Kind: d.Kind, Code: d.Metadata.Code}
}

// Spec is the specification of a resource in a manifest. It is a pointer to one of the Spec types of this
// package, by the kind of the manifest.
type Spec interface {
	// References lists the resources of the same tenant to which this one refers.
	References() []Reference
	// Rights lists the rights that the spec grants. Rights of the whole resource are listed without holders too.
	Rights() []Right
	// displayName returns the result of NameOf.
	displayName() string
	// fillDefaults sets members that were not given to their defaults.
	fillDefaults()
	// checkSpec reports where the spec breaks the rules that its JSON Schema cannot express.
	checkSpec(r *report)
}

// Reference is a place in a spec that names another resource of the tenant.
type Reference struct {
	Kind Kind
	Code string
	// Pointer is the JSON Pointer of the place, from the document's root.
	Pointer string
}

// MarshalJSON writes the members of the manifest in the conventional order: apiVersion, kind, metadata, spec.
func (d Document) MarshalJSON() ([]byte, error) {
	return jsontext.Marshal(struct {
		APIVersion string   `json:"apiVersion"`
		Kind       Kind     `json:"kind"`
		Metadata   Metadata `json:"metadata"`
		Spec       Spec     `json:"spec"`
	}{APIVersion, d.Kind, d.Metadata, d.Spec})
}
