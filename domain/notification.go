package domain

import (
	"slices"
	"time"

	"github.com/google/uuid"
)

// NotificationType is the name of a notification in bodies of payload version B.
const NotificationType = "NOTIFICATION"

// EventReceiverNotified is recorded for a notification through a webhook subscription, which is its resource. It is delivered to
// the endpoint of that subscription only.
const EventReceiverNotified EventType = "NOTIFICATION_RECEIVER.NOTIFIED"

// EventReceiverTested is recorded for the test of a receiver by an administrator.
const EventReceiverTested EventType = "NOTIFICATION_RECEIVER.TESTED"

// ProblemType is a kind of problem that receivers of notifications are told. Name is the public event that begins a problem.
type ProblemType struct {
	Name  string
	Opens EventType
	// States are the states after Opens in which the problem exists, nil for all. In another state it has ended.
	States []string
	// Ends are the types of events that end the problem of their resource. A person's open work ends with changes of other
	// resources.
	Ends []EventType
}

// The names of the problems.
const (
	ProblemIncident    = "INCIDENT.OPENED"
	ProblemEndpoint    = "ENDPOINT.DISABLED"
	ProblemQueue       = "QUEUE.UNSERVED"
	ProblemCertificate = "CERTIFICATE.EXPIRING"
	ProblemCondition   = "PROCESS.CONDITION_CHANGED"
	ProblemLeftWork    = "USER.LEFT_WORK"
)

// LeftRights is the detail of EventUserLeftWork with the rights without another holder: the id of a definition, a slash and the
// permission in its grants, separated by blanks.
const LeftRights = "rightsOn"

// ProblemTypes returns the problems.
func ProblemTypes() []ProblemType {
	return []ProblemType{
		{Name: ProblemIncident, Opens: EventIncidentCreated, Ends: []EventType{EventIncidentStateChanged}},
		{Name: ProblemEndpoint, Opens: EventWebhookDisabled, Ends: []EventType{EventWebhookEnabled, EventResourceDeleted}},
		{Name: ProblemQueue, Opens: EventQueueUnserved, Ends: []EventType{EventQueueServed}},
		{Name: ProblemCertificate, Opens: EventCertificateExpiring, Ends: []EventType{EventCertificateRenewed}},
		{
			Name: ProblemCondition, Opens: EventProcessConditionChanged,
			States: []string{string(ConditionFailed), string(ConditionStuck)}, Ends: []EventType{EventProcessStateChanged},
		},
		{Name: ProblemLeftWork, Opens: EventUserLeftWork},
	}
}

// ProblemNames returns the names of the problems.
func ProblemNames() []string {
	var names []string
	for _, problem := range ProblemTypes() {
		names = append(names, problem.Name)
	}
	return names
}

// ReceiverType is the way in which a receiver of notifications is told.
type ReceiverType string

// The types.
const (
	ReceiverEmail   ReceiverType = "EMAIL"
	ReceiverChat    ReceiverType = "CHAT"
	ReceiverWebhook ReceiverType = "WEBHOOK"
)

const (
	// NotificationPace is the minimum time between two messages of a kind to a receiver.
	NotificationPace = 15 * time.Minute
	// NotificationGather is the time for which the first problems of a message are gathered.
	NotificationGather = 10 * time.Second
	// NotificationListed is the number of problems that a message lists.
	NotificationListed = 5
)

// NotificationReceiver is a receiver of notifications as it is stored.
type NotificationReceiver struct {
	ID, TenantID uuid.UUID
	EventTypes   []string
	Paused       bool
}

// NotifiedEvent returns the event of a notification through a webhook subscription.
func NotifiedEvent(tenant, subscription uuid.UUID, receiver, problem, opened, recovered string, now time.Time) Event {
	e := Event{
		TenantID: tenant, Type: EventReceiverNotified, ResourceKind: ResourceWebhookSubscription, ResourceID: subscription,
		ActorID: SystemPrincipalID(), OccurredAt: now,
	}
	return e.With("receiver", receiver).With("problem", problem).With("opened", opened).With("recovered", recovered)
}

// IsProblem reports whether a name is the name of a problem.
func IsProblem(name string) bool { return slices.Contains(ProblemNames(), name) }
