package domain

import (
	"time"

	"github.com/google/uuid"
)

// DocumentOwnerKind is the kind of resource that a document belongs to, which decides who may read it.
type DocumentOwnerKind string

// The owners of documents.
const (
	DocumentOfProcess        DocumentOwnerKind = "PROCESS"
	DocumentOfArtifact       DocumentOwnerKind = "BUSINESS_ARTIFACT"
	DocumentOfProcessAction  DocumentOwnerKind = "PROCESS_ACTION"
	DocumentOfArtifactAction DocumentOwnerKind = "BUSINESS_ARTIFACT_ACTION"
	// DocumentOfRobot is the source package or an asset of a robot.
	DocumentOfRobot DocumentOwnerKind = "ROBOT"
)

// UnlinkedLifetime is how long a document is kept after its last reference is removed.
const UnlinkedLifetime = 24 * time.Hour

// TargetedLifetime is how long a document without references is kept that was uploaded to the address of a
// resource.
const TargetedLifetime = 2 * time.Hour

// Lifetime returns how long a document without references is kept after its upload.
func (k DocumentOwnerKind) Lifetime() time.Duration {
	switch k {
	case DocumentOfProcess:
		return 24 * time.Hour
	case DocumentOfArtifact:
		return 2 * time.Hour
	case DocumentOfProcessAction, DocumentOfArtifactAction:
		return 7 * 24 * time.Hour
	case DocumentOfRobot:
		return time.Hour
	}
	return 0
}

// DocumentOwner is the resource that a document belongs to.
type DocumentOwner struct {
	Kind DocumentOwnerKind
	ID   uuid.UUID
}

// Document is a file that belongs to a process, an artifact or an action. Its bytes are the blob BlobID of the
// tenant, which several documents may share. ExpiresAt is nil while a value refers to the document.
type Document struct {
	ID          uuid.UUID
	TenantID    uuid.UUID
	OwnerKind   DocumentOwnerKind
	OwnerID     uuid.UUID
	BlobID      uuid.UUID
	Name        string
	ContentType string
	Size        int64
	SHA256      [32]byte
	ExpiresAt   *time.Time
	CreatedBy   uuid.UUID
	CreatedAt   time.Time
}

// Owner returns the resource that the document belongs to.
func (d *Document) Owner() DocumentOwner { return DocumentOwner{Kind: d.OwnerKind, ID: d.OwnerID} }

// Temporary reports whether the document expires unless it is linked to a value.
func (d *Document) Temporary() bool {
	return d.ExpiresAt != nil && (d.OwnerKind == DocumentOfProcess || d.OwnerKind == DocumentOfArtifact)
}

// Copy returns a document of another owner with the same bytes. The two are independent: either may be deleted.
func (d *Document) Copy(id uuid.UUID, owner DocumentOwner, by uuid.UUID, now time.Time) Document {
	made := *d
	made.ID, made.OwnerKind, made.OwnerID = id, owner.Kind, owner.ID
	made.ExpiresAt, made.CreatedBy, made.CreatedAt = nil, by, now
	return made
}

// DocumentGone returns the error for a document of an action that is no longer kept.
func DocumentGone() *Error {
	return &Error{Kind: KindNotFound, Code: CodeDocumentExpired, Message: "the document has expired"}
}

// ValueSlot identifies a JSON value of a resource.
type ValueSlot string

// The values to which documents may be linked.
const (
	SlotMetadata    ValueSlot = "METADATA"
	SlotEntity      ValueSlot = "ENTITY"
	SlotData        ValueSlot = "DATA"
	SlotContextData ValueSlot = "CONTEXT_DATA"
	SlotMessageData ValueSlot = "MESSAGE_DATA"
	// SlotElement holds the values of all elements.
	SlotElement ValueSlot = "ELEMENT"
)

// ValueHolder is a JSON value of a resource. Documents to which the value refers are linked to it.
type ValueHolder struct {
	ID   uuid.UUID
	Slot ValueSlot
}

// CheckMayAttach refuses callers that may not add documents to a process. Managers may, and callers that may
// write to an open task of it. Once the process is finished, documents can be added only through an open task.
func (p *Process) CheckMayAttach(rights ProcessRights, writesTask bool) error {
	if !rights.Manages && !writesTask {
		return Denied("the Manager permission on the process, or an open task in it that you own, is required")
	}
	if p.Finished() && !writesTask {
		return ProcessFinished()
	}
	return nil
}
