package domain

import (
	"time"

	"github.com/google/uuid"
)

// Events are the events that a transaction records.
type Events []Event

// NoEvents is returned by a transaction that changes only internal state. A transaction without changes returns nil.
func NoEvents() Events { return Events{} }

// EventResource is the kind of resource that an event is about. Resources of the configuration have theirs from
// their kinds; see ConfiguredResource.
type EventResource string

// The kinds of resource outside the configuration.
const (
	ResourceProcess        EventResource = "PROCESS"
	ResourceItem           EventResource = "PROCESS_ITEM"
	ResourceDocument       EventResource = "DOCUMENT"
	ResourceProcessAction  EventResource = "PROCESS_ACTION"
	ResourceArtifact       EventResource = "BUSINESS_ARTIFACT"
	ResourceArtifactAction EventResource = "BUSINESS_ARTIFACT_ACTION"
	ResourceWorker         EventResource = "WORKER"
	ResourceAuthentication EventResource = "AUTHENTICATION"
	ResourceSecret         EventResource = "SECRET"
	ResourceEngineRun      EventResource = "ENGINE_RUN"
	ResourceIncident       EventResource = "INCIDENT"
	ResourceTenant         EventResource = "TENANT"
	ResourceTaskQueue      EventResource = "TASK_QUEUE"
	ResourceUser           EventResource = "USER"
	// ResourceCertificate is a certificate of the installation.
	ResourceCertificate   EventResource = "CERTIFICATE"
	ResourceBulkOperation EventResource = "BULK_OPERATION"
	// ResourcePrincipal is a user or an application, without distinction.
	ResourcePrincipal EventResource = "PRINCIPAL"
)

// Event records a change: actor, type, time and resource. It commits together with the change and is never altered.
//
// ProcessID is the zero id for events without a process. State is the state of the resource after the event, empty
// for one without states, and PreviousState the one before if the event changes it. Details contain neither user
// input nor secrets. The fields of processes and items are empty for other events; TaskState is empty for items that
// are not tasks.
//
// TenantID is the zero id for events without a tenant, which are visible to operators only.
//
// ID and Cursor are assigned when the event is recorded, and RequestID if it has none.
type Event struct {
	ID        uuid.UUID
	Cursor    EventCursor
	TenantID  uuid.UUID
	ProcessID uuid.UUID
	Type      EventType

	ResourceKind  EventResource
	ResourceID    uuid.UUID
	PreviousState string
	State         string
	Details       map[string]string

	ProcessState       ProcessState
	ItemID             *uuid.UUID
	ItemType           ItemType
	ItemDefinitionCode string
	TaskState          TaskState

	ActorID    uuid.UUID
	RequestID  string
	OccurredAt time.Time
}

// From sets the previous state of the resource.
func (e Event) From(state string) Event {
	e.PreviousState = state
	return e
}

// ByToken returns the event with the token of its actor, or the same event for nil.
func (e Event) ByToken(t *IssuedToken) Event {
	if t == nil {
		return e
	}
	return e.With("tokenId", t.ID.String()).With("tokenIssuedBy", t.IssuedBy.String())
}

// With returns the event with a further detail. A detail without a value is left out.
func (e Event) With(name, value string) Event {
	if value == "" {
		return e
	}
	details := make(map[string]string, len(e.Details)+1)
	for key, text := range e.Details {
		details[key] = text
	}
	details[name] = value
	e.Details = details
	return e
}
