package domain

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
)

// ProcessEvent returns an event of a process.
func ProcessEvent(t EventType, p *Process, by uuid.UUID, now time.Time) Event {
	return Event{
		TenantID: p.TenantID, ProcessID: p.ID, Type: t, ResourceKind: ResourceProcess, ResourceID: p.ID,
		State: string(p.State), ProcessState: p.State, ActorID: by, OccurredAt: now,
	}
}

// ConditionEvent returns the event of a process that moved from one condition to another.
func ConditionEvent(p *Process, from, to ConditionCode, by uuid.UUID, now time.Time) Event {
	e := ProcessEvent(EventProcessConditionChanged, p, by, now).From(string(from))
	e.State = string(to)
	return e
}

// ItemEvent returns an event of a process item.
func ItemEvent(t EventType, i *ProcessItem, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: i.TenantID, ProcessID: i.ProcessID, Type: t, ResourceKind: ResourceItem, ResourceID: i.ID,
		ItemID: &i.ID, ItemType: i.Type, ItemDefinitionCode: i.DefinitionCode(), ActorID: by, OccurredAt: now,
	}
	if i.Task != nil {
		e.State, e.TaskState = string(i.Task.State), i.Task.State
	}
	return e
}

// TaskStateEvent returns the event of a task that moved to another state than from, or from one owner to
// another.
func TaskStateEvent(i *ProcessItem, from TaskState, by uuid.UUID, now time.Time) Event {
	e := ItemEvent(EventItemTaskStateChanged, i, by, now).From(string(from))
	if i.OwnerID != nil {
		e = e.With("ownerId", i.OwnerID.String())
	}
	return e
}

// TaskChangeEvent returns the event of a task that moved to another state than from, or got another owner in its state.
func TaskChangeEvent(i *ProcessItem, from TaskState, by uuid.UUID, now time.Time) Event {
	if from == i.Task.State && i.OwnerID != nil {
		return ItemEvent(EventItemTaskAssigned, i, by, now).With("ownerId", i.OwnerID.String())
	}
	return TaskStateEvent(i, from, by, now)
}

// The ways in which a task gets an owner, a detail of its events. Events of a claim, an assignment and a creation have none.
const (
	DetailWay     = "way"
	WayDelegation = "DELEGATION"
	WayTakenBack  = "TAKEN_BACK"
)

// WaySubstitution is the way of events of a task that a substitute caused for its absent owner.
const WaySubstitution = "SUBSTITUTION"

// ForOwner adds the absent owner of a task to an event of it that a substitute caused.
func (e Event) ForOwner(i *ProcessItem, rights ItemRights) Event {
	if !rights.Substitute {
		return e
	}
	return e.With(DetailWay, WaySubstitution).With("ownerId", i.OwnerID.String())
}

// ForOwner is Event.ForOwner of all events.
func (e Events) ForOwner(i *ProcessItem, rights ItemRights) Events {
	for n := range e {
		e[n] = e[n].ForOwner(i, rights)
	}
	return e
}

// DelegationEvent returns the event of a task that was delegated, or taken back by its delegator. It omits the note,
// which a user wrote.
func DelegationEvent(way string, i *ProcessItem, from TaskState, by uuid.UUID, now time.Time) Event {
	return TaskChangeEvent(i, from, by, now).With(DetailWay, way)
}

// InitiatorEvent returns the event of a process that got another initiator than before.
func InitiatorEvent(p *Process, before, by uuid.UUID, now time.Time) Event {
	return ProcessEvent(EventProcessInitiatorChanged, p, by, now).
		With("previousInitiatorId", before.String()).With("initiatorId", p.InitiatorID.String())
}

// AssistanceEvent returns the event of the end of a run of AI assistance.
func AssistanceEvent(r *AssistanceRun, now time.Time) Event {
	return Event{
		TenantID: r.TenantID, Type: EventItemTaskAssistanceEnded, ResourceKind: ResourceItem, ResourceID: r.ItemID,
		ItemID: &r.ItemID, PreviousState: string(AssistancePending), State: string(r.State),
		ActorID: SystemPrincipalID(), OccurredAt: now,
	}
}

// DocumentEvent returns an event of a document. It omits the name of the document, which users entered.
func DocumentEvent(t EventType, d *Document, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: d.TenantID, Type: t, ResourceKind: ResourceDocument, ResourceID: d.ID, ActorID: by, OccurredAt: now,
	}
	if d.OwnerKind == DocumentOfProcess {
		e.ProcessID = d.OwnerID
	}
	return e.With("ownerKind", string(d.OwnerKind)).With("ownerId", d.OwnerID.String()).
		With("contentType", d.ContentType).With("size", strconv.FormatInt(d.Size, 10))
}

// ProcessActionEvent returns an event of an action on a process.
func ProcessActionEvent(t EventType, a *ProcessAction, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: a.TenantID, ProcessID: a.ProcessID, Type: t, ResourceKind: ResourceProcessAction, ResourceID: a.ID,
		State: string(a.Status), ActorID: by, OccurredAt: now,
	}
	return e.With("actionCode", a.Definition.Code)
}

// ArtifactEvent returns an event of a business artifact.
func ArtifactEvent(t EventType, a *BusinessArtifact, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: a.TenantID, Type: t, ResourceKind: ResourceArtifact, ResourceID: a.ID, ActorID: by, OccurredAt: now,
	}
	return e.With("definitionCode", a.Definition.Code)
}

// ArtifactActionEvent returns an event of an action on a business artifact.
func ArtifactActionEvent(t EventType, a *BusinessArtifactAction, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: a.TenantID, Type: t, ResourceKind: ResourceArtifactAction, ResourceID: a.ID,
		State: string(a.Status), ActorID: by, OccurredAt: now,
	}
	if a.Started != nil {
		e.ProcessID = a.Started.ID
	}
	return e.With("businessArtifactId", a.ArtifactID.String()).With("actionCode", a.Definition.Code)
}

// WorkerEvent returns the event of the registration of w.
func WorkerEvent(w *Worker, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: w.TenantID, Type: EventWorkerRegistered, ResourceKind: ResourceWorker, ResourceID: w.ID,
		ActorID: by, OccurredAt: now,
	}
	return e.With("identity", w.Identity).With("taskQueue", w.TaskQueue)
}

// AuthenticationEvent returns the event of an issued authentication.
func AuthenticationEvent(a *Authentication, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: a.TenantID, Type: EventAuthenticationIssued, ResourceKind: ResourceAuthentication, ResourceID: a.ID,
		ActorID: by, OccurredAt: now,
	}
	if a.ReadOnly {
		e = e.With("readOnly", "true")
	}
	return e.With("type", string(a.Type))
}

// EngineAccessEvent returns the event of the revocation of a grant.
func EngineAccessEvent(tenant, grant, by uuid.UUID, now time.Time) Event {
	return Event{
		TenantID: tenant, Type: EventAuthenticationRevoked, ResourceKind: ResourceAuthentication, ResourceID: grant,
		ActorID: by, OccurredAt: now,
	}
}

// EncryptionKeyEvent returns the event of a new version of a key.
func EncryptionKeyEvent(k *EncryptionKey, resource, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: k.TenantID, Type: EventEncryptionKeyRotated, ResourceKind: ConfiguredResource("EncryptionKey"),
		ResourceID: resource, ActorID: by, OccurredAt: now,
	}
	return e.With("keyId", k.KeyID)
}

// EncryptionKeyReadEvent returns the event of the first read of a key on a day. Its resource, the key, is set when
// the event is recorded.
func EncryptionKeyReadEvent(tenant uuid.UUID, keyID string, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: tenant, Type: EventEncryptionKeyRead, ResourceKind: ConfiguredResource("EncryptionKey"),
		ActorID: by, OccurredAt: now,
	}
	return e.With("keyId", keyID)
}

// SecretEvent returns an event of a secret of a resource.
func SecretEvent(t EventType, secret SecretInfo, owner Configured, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: owner.TenantID, Type: t, ResourceKind: ResourceSecret, ResourceID: secret.ID, ActorID: by, OccurredAt: now,
	}
	return e.With("name", secret.Name).With("ownerKind", string(ConfiguredResource(owner.Kind))).
		With("ownerId", owner.ID.String()).With("ownerCode", owner.Code)
}

// Configured identifies a resource of the configuration. Kind is the kind of its manifest.
type Configured struct {
	ID, TenantID uuid.UUID
	Kind, Code   string
}

// ConfigurationEvent returns an event of a resource of the configuration.
func ConfigurationEvent(t EventType, r Configured, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: r.TenantID, Type: t, ResourceKind: ConfiguredResource(r.Kind), ResourceID: r.ID,
		ActorID: by, OccurredAt: now,
	}
	return e.With("code", r.Code)
}

// ConfiguredResource returns the kind of resource that manifests of a kind describe: PROCESS_DEFINITION for
// ProcessDefinition.
func ConfiguredResource(kind string) EventResource {
	var out strings.Builder
	for i, r := range kind {
		if i > 0 && unicode.IsUpper(r) {
			out.WriteByte('_')
		}
		out.WriteRune(unicode.ToUpper(r))
	}
	return EventResource(out.String())
}

// EngineRunEvent returns the event of the end of a workflow.
func EngineRunEvent(r EngineRun, from EngineRunState, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: r.TenantID, Type: EventEngineRunEnded, ResourceKind: ResourceEngineRun, ResourceID: r.ID,
		PreviousState: string(from), State: string(r.State), ActorID: by, OccurredAt: now,
	}
	if r.Kind == RunKindProcess {
		e.ProcessID = r.OwnerID
	}
	return e.With("workflowId", r.WorkflowID).With("engineRunId", r.RunID)
}

// IncidentEvent returns an event of an incident.
func IncidentEvent(t EventType, i *Incident, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: i.TenantID, Type: t, ResourceKind: ResourceIncident, ResourceID: i.ID, State: string(i.State),
		ActorID: by, OccurredAt: now,
	}
	if i.ProcessID != nil {
		e.ProcessID = *i.ProcessID
	}
	return e
}

// BulkOperationEvent returns the event of a bulk operation that moved from another state.
func BulkOperationEvent(b *BulkOperation, from BulkState, by uuid.UUID, now time.Time) Event {
	e := Event{
		TenantID: b.TenantID, Type: EventBulkOperationStateChanged, ResourceKind: ResourceBulkOperation, ResourceID: b.ID,
		PreviousState: string(from), State: string(b.State), ActorID: by, OccurredAt: now,
	}
	e = e.With("kind", string(b.Kind)).With("selected", strconv.Itoa(b.Selected))
	if b.State.Ended() {
		e = e.With("done", strconv.Itoa(b.Done)).With("refused", strconv.Itoa(b.Refused))
	}
	return e
}

// AssignmentEvent returns the event of an incident that was assigned, or released.
func AssignmentEvent(i *Incident, by uuid.UUID, now time.Time) Event {
	e := IncidentEvent(EventIncidentAssigned, i, by, now)
	if i.AssigneeID == nil {
		return e
	}
	return e.With("assigneeId", i.AssigneeID.String())
}
