package resource

import (
	"github.com/google/uuid"
)

// Document is one resource as it is to be.
type Document struct {
	Kind     Kind
	Metadata Metadata
	Spec     Spec
}

// Metadata identifies a resource. A code is unique among the resources of its
// kind and tenant. A document of kind Tenant has no Tenant, its own code is the
// tenant's.
type Metadata struct {
	Code   string `json:"code"`
	Tenant string `json:"tenant,omitempty"`
	// ID is the identifier that the resource has, or is to have when it is new;
	// nil lets the service choose. For a User it is the principal's.
	ID *uuid.UUID `json:"id,omitempty"`
	// Labels are for those who manage resources: they select what a prune may
	// delete.
	Labels map[string]string `json:"labels,omitempty"`
}

// TenantCode is the code of the tenant that the resource belongs to.
func (d Document) TenantCode() string {
	if d.Kind == KindTenant {
		return d.Metadata.Code
	}
	return d.Metadata.Tenant
}

// Key identifies a resource among all.
type Key struct {
	Tenant string
	Kind   Kind
	Code   string
}

// Key is the key of the resource that the document describes.
func (d Document) Key() Key {
	return Key{Tenant: d.TenantCode(), Kind: d.Kind, Code: d.Metadata.Code}
}

// Spec is what a document says of its resource. It is a pointer to one of the
// Spec types of this package, by the kind of the document.
type Spec interface {
	// References lists the resources of the same tenant that this one needs.
	References() []Reference
	// fill sets what was not given to what it is then.
	fill()
	// check tells where the spec breaks the rules that its JSON Schema cannot say.
	check(r *report)
}

// Reference is a place in a spec that names another resource of the tenant.
type Reference struct {
	Kind Kind
	Code string
	// Pointer is the JSON Pointer of the place, from the document's root.
	Pointer string
}

// MarshalJSON writes the document in the order of its members that people
// expect: apiVersion, kind, metadata, spec.
func (d Document) MarshalJSON() ([]byte, error) {
	return Encode(struct {
		APIVersion string   `json:"apiVersion"`
		Kind       Kind     `json:"kind"`
		Metadata   Metadata `json:"metadata"`
		Spec       Spec     `json:"spec"`
	}{APIVersion, d.Kind, d.Metadata, d.Spec})
}
