package domain

import "time"

// RetentionKind is a kind of data that is removed because of its age.
type RetentionKind string

// The kinds.
const (
	// RetainEvents is the event log.
	RetainEvents RetentionKind = "EVENTS"
	// RetainProcesses are finished processes with all that they have.
	RetainProcesses RetentionKind = "PROCESSES"
	// RetainDeleted are processes and business artifacts that were deleted.
	RetainDeleted RetentionKind = "DELETED"
	// RetainDeliveries are finished webhook deliveries with their attempts.
	RetainDeliveries RetentionKind = "DELIVERIES"
	// RetainAssistanceCalls are prompts and answers of AI assistance.
	RetainAssistanceCalls RetentionKind = "ASSISTANCE_CALLS"
	// RetainIncidents are closed incidents with their comments.
	RetainIncidents RetentionKind = "INCIDENTS"
)

const (
	// LeastRetention is the shortest time for which data can be kept.
	LeastRetention = 24 * time.Hour
	// LeastEventRetention is the shortest time for which events can be kept.
	LeastEventRetention = 30 * 24 * time.Hour
	// IncidentRetention is the default time for which closed incidents are kept.
	IncidentRetention = 90 * 24 * time.Hour
)

// EventEra returns how long a partition of the event log lasts, where the longest retention of events is so long, 0 for forever:
// an eighth of it, between a day and 31 days. Events stay as much longer than the retention at most.
func EventEra(longest time.Duration) time.Duration {
	const shortest, most = 24 * time.Hour, 31 * 24 * time.Hour
	if longest == 0 {
		return most
	}
	return min(max(longest/8, shortest), most)
}

// RetentionKinds returns all kinds, events last, because they record the removal of the others.
func RetentionKinds() []RetentionKind {
	return []RetentionKind{RetainProcesses, RetainDeleted, RetainDeliveries, RetainAssistanceCalls, RetainIncidents, RetainEvents}
}

// Least returns the shortest time for which data of the kind can be kept.
func (k RetentionKind) Least() time.Duration {
	if k == RetainEvents {
		return LeastEventRetention
	}
	return LeastRetention
}

// Removed returns the type of the event that records a removal, empty for a kind without.
func (k RetentionKind) Removed() EventType {
	switch k {
	case RetainEvents:
		return EventEventsRemoved
	case RetainProcesses:
		return EventProcessesRemoved
	case RetainDeleted:
		return EventDeletedRemoved
	case RetainAssistanceCalls:
		return EventAssistanceCallsRemoved
	case RetainDeliveries, RetainIncidents:
	}
	return ""
}
