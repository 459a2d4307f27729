package domain

import "slices"

// PayloadVersion is the version of the bodies sent to a webhook subscription.
type PayloadVersion string

// The payload versions.
const (
	PayloadA PayloadVersion = "A"
	PayloadB PayloadVersion = "B"
)

// PayloadVersions returns the payload versions.
func PayloadVersions() []PayloadVersion { return []PayloadVersion{PayloadA, PayloadB} }

// PublicEvent is a type of event that webhooks and the live feed report to principals to which the resource is
// visible; the other types are for administrators. Subject is the kind of resource that the event's body
// describes. NameA and NameB are its names in the payload versions, empty if a version does not report it.
type PublicEvent struct {
	Type         EventType
	Subject      EventResource
	NameA, NameB string
	// TasksOnly restricts the events of items to tasks.
	TasksOnly bool
	// OnRequest restricts the event to subscriptions that name it in eventTypes.
	OnRequest bool
	// Operational excludes the event from the live feed: webhook subscriptions and receivers of notifications, which
	// administrators manage, report it.
	Operational bool
}

// The names are written out: they are part of the contract, whatever the types
// are called inside.
//
//nolint:gochecknoglobals // a constant table: Go has no constant slices
var publicEvents = []PublicEvent{
	{Type: EventProcessCreated, Subject: ResourceProcess, NameB: "PROCESS.CREATED"},
	{
		Type: EventProcessStateChanged, Subject: ResourceProcess,
		NameA: "PROCESS.STATE_CHANGED", NameB: "PROCESS.STATE_CHANGED",
	},
	{Type: EventItemCreated, Subject: ResourceItem, NameB: "PROCESS_ITEM.CREATED"},
	{
		Type: EventItemTaskStateChanged, Subject: ResourceItem, TasksOnly: true,
		NameA: "TASK.STATE_CHANGED", NameB: "PROCESS_ITEM.TASK_STATE_CHANGED",
	},
	{Type: EventItemTaskPlanned, Subject: ResourceItem, TasksOnly: true, NameB: "PROCESS_ITEM.TASK_PLANNED", OnRequest: true},
	{Type: EventItemTaskOverdue, Subject: ResourceItem, TasksOnly: true, NameB: "PROCESS_ITEM.TASK_OVERDUE", OnRequest: true},
	{Type: EventItemTaskEscalated, Subject: ResourceItem, TasksOnly: true, NameB: "PROCESS_ITEM.TASK_ESCALATED", OnRequest: true},
	// A deleted artifact can be restored, a process cannot.
	{Type: EventProcessDeleted, Subject: ResourceProcess, NameB: "PROCESS.DELETED", OnRequest: true},
	{Type: EventArtifactDeleted, Subject: ResourceArtifact, NameB: "BUSINESS_ARTIFACT.DELETED", OnRequest: true},
	{Type: EventArtifactRestored, Subject: ResourceArtifact, NameB: "BUSINESS_ARTIFACT.RESTORED", OnRequest: true},
	{Type: EventIncidentCreated, Subject: ResourceIncident, NameB: "INCIDENT.OPENED", OnRequest: true, Operational: true},
	{Type: EventIncidentStateChanged, Subject: ResourceIncident, NameB: "INCIDENT.RESOLVED", OnRequest: true, Operational: true},
	{Type: EventWebhookDisabled, Subject: ResourceWebhookSubscription, NameB: "ENDPOINT.DISABLED", OnRequest: true, Operational: true},
	{Type: EventQueueUnserved, Subject: ResourceTaskQueue, NameB: "QUEUE.UNSERVED", OnRequest: true, Operational: true},
	{Type: EventProcessConditionChanged, Subject: ResourceProcess, NameB: "PROCESS.CONDITION_CHANGED", OnRequest: true, Operational: true},
	{Type: EventCertificateExpiring, Subject: ResourceCertificate, NameB: "CERTIFICATE.EXPIRING", OnRequest: true, Operational: true},
	{Type: EventUserLeftWork, Subject: ResourceUser, NameB: "USER.LEFT_WORK", OnRequest: true, Operational: true},
}

// PublicEvents returns the public types of event.
func PublicEvents() []PublicEvent { return slices.Clone(publicEvents) }

// PublicEventTypes returns the types of PublicEvents.
func PublicEventTypes() []EventType {
	types := make([]EventType, len(publicEvents))
	for i := range publicEvents {
		types[i] = publicEvents[i].Type
	}
	return types
}

// FeedEventTypes returns the types of PublicEvents that the live feed reports.
func FeedEventTypes() []EventType {
	var types []EventType
	for i := range publicEvents {
		if !publicEvents[i].Operational {
			types = append(types, publicEvents[i].Type)
		}
	}
	return types
}

// NewsEventTypes returns the types of events that change pages for people: the types of the live feed, and
// further changes of processes. Saved input is not among them, because forms save every second.
func NewsEventTypes() []EventType {
	return append(
		FeedEventTypes(), EventItemTaskAssigned, EventProcessConditionChanged, EventProcessInitiatorChanged, EventProcessMetadataSaved,
		EventProcessEntitySaved, EventDocumentUploaded, EventProcessActionCreated, EventProcessActionStateChanged, EventProcessRepaired,
	)
}

// PublicEventNames returns the names of the public events in a payload version.
func PublicEventNames(version PayloadVersion) []string {
	var names []string
	for i := range publicEvents {
		if name := publicEvents[i].Name(version); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Public returns the entry of PublicEvents for the type, or false when it has
// none.
func (t EventType) Public() (PublicEvent, bool) {
	i := slices.IndexFunc(publicEvents, func(p PublicEvent) bool { return p.Type == t })
	if i < 0 {
		return PublicEvent{}, false
	}
	return publicEvents[i], true
}

// Name returns the name of the type in a payload version, "" when the version
// does not report it.
func (p PublicEvent) Name(version PayloadVersion) string {
	switch version {
	case PayloadA:
		return p.NameA
	case PayloadB:
		return p.NameB
	}
	return ""
}

// Reports reports whether the event is public: an event of an item must name it, and be about a task if only
// those are reported.
func (p PublicEvent) Reports(e *Event) bool {
	if p.Subject != ResourceItem {
		return true
	}
	return e.ItemID != nil && (!p.TasksOnly || e.ItemType == ItemTask)
}

// Public reports whether webhooks and the live feed report events of this type.
func (e Event) Public() bool {
	_, ok := e.Type.Public()
	return ok
}

// NameIn returns the name of the event in a payload version, or false when the
// version does not report it. Both versions have the test event, which goes to
// the subscription that is its resource.
func (e Event) NameIn(version PayloadVersion) (string, bool) {
	if e.Type == EventReceiverNotified && version == PayloadB {
		return NotificationType, true
	}
	if e.Type == EventWebhookPinged {
		if !slices.Contains(PayloadVersions(), version) {
			return "", false
		}
		return WebhookPingType, true
	}
	public, ok := e.Type.Public()
	if !ok || !public.Reports(&e) {
		return "", false
	}
	name := public.Name(version)
	return name, name != ""
}

// FeedPart is a part of the event log as visible to a caller. Next is where the next part begins; More reports
// whether it has begun already.
type FeedPart struct {
	Events []Event
	Next   EventCursor
	More   bool
}
