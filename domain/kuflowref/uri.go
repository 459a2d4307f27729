package kuflowref

import (
	"strings"

	"github.com/google/uuid"
)

// Owner is the kind of resource that a document belongs to, as named in a URI.
type Owner string

// The owners of documents.
const (
	OwnerProcess                     Owner = "process"
	OwnerBusinessArtifact            Owner = "business-artifact"
	OwnerProcessActionValue          Owner = "process-action-value"
	OwnerBusinessArtifactActionValue Owner = "business-artifact-action-value"
)

// URI is the address of a document:
//
//	ku:<owner>/<id of the owner>/document/<id of the document>
//
// Knowing it gives no access to the document.
type URI struct {
	Owner      Owner
	OwnerID    uuid.UUID
	DocumentID uuid.UUID
}

const scheme = "ku"

// ParseURI parses the address of a document. The scheme and the ids may be in any case. It returns false for
// every other text.
func ParseURI(text string) (URI, bool) {
	prefix, path, _ := strings.Cut(text, ":")
	if !equalFold(prefix, scheme) {
		return URI{}, false
	}
	owner, rest, _ := strings.Cut(path, "/")
	ownerID, rest, _ := strings.Cut(rest, "/")
	document, documentID, _ := strings.Cut(rest, "/")
	switch Owner(owner) {
	case OwnerProcess, OwnerBusinessArtifact, OwnerProcessActionValue, OwnerBusinessArtifactActionValue:
	default:
		return URI{}, false
	}
	u := URI{Owner: Owner(owner)}
	var ok, valid bool
	u.OwnerID, valid = readID(ownerID)
	u.DocumentID, ok = readID(documentID)
	if !valid || !ok || document != "document" {
		return URI{}, false
	}
	return u, true
}

// ParseDocumentURI parses the text by which clients name a document (B20, B45): a whole reference to a file or
// the address within it.
func ParseDocumentURI(text string) (URI, bool) {
	if file, ok := ParseFile(text); ok {
		return file.Document()
	}
	return ParseURI(text)
}

// String returns the text of the address.
func (u URI) String() string {
	return scheme + ":" + string(u.Owner) + "/" + u.OwnerID.String() + "/document/" + u.DocumentID.String()
}

// KindOfResource is the kind of a resource that has an address of its own.
type KindOfResource string

// The resources with addresses.
const (
	ResourceProcess          KindOfResource = "process"
	ResourceProcessItem      KindOfResource = "process-item"
	ResourceBusinessArtifact KindOfResource = "business-artifact"
)

// Resource is the address of a resource:
//
//	ku:<kind>/<id>
type Resource struct {
	Kind KindOfResource
	ID   uuid.UUID
}

// ParseResource parses the address of a resource. The scheme and the id may be in any case. It returns false for
// every other text.
func ParseResource(text string) (Resource, bool) {
	prefix, path, _ := strings.Cut(text, ":")
	kind, id, _ := strings.Cut(path, "/")
	r := Resource{Kind: KindOfResource(kind)}
	switch r.Kind {
	case ResourceProcess, ResourceProcessItem, ResourceBusinessArtifact:
	default:
		return Resource{}, false
	}
	var ok bool
	if r.ID, ok = readID(id); !ok || !equalFold(prefix, scheme) {
		return Resource{}, false
	}
	return r, true
}

// String returns the text of the address.
func (r Resource) String() string { return scheme + ":" + string(r.Kind) + "/" + r.ID.String() }
