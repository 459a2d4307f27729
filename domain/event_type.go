package domain

import "slices"

// EventType is the type of an event.
type EventType string

// The public event types: webhooks and the live feed report them to principals to which the process, the item or
// the artifact is visible. PublicEvents describes them.
const (
	EventProcessCreated       EventType = "PROCESS.CREATED"
	EventProcessStateChanged  EventType = "PROCESS.STATE_CHANGED"
	EventItemCreated          EventType = "PROCESS_ITEM.CREATED"
	EventItemTaskStateChanged EventType = "PROCESS_ITEM.TASK_STATE_CHANGED"
	EventProcessDeleted       EventType = "PROCESS.DELETED"
	EventArtifactDeleted      EventType = "BUSINESS_ARTIFACT.DELETED"
	EventArtifactRestored     EventType = "BUSINESS_ARTIFACT.RESTORED"
)

// The event types that are recorded for administrators only.
const (
	EventProcessInitiatorChanged EventType = "PROCESS.INITIATOR_CHANGED"
	EventProcessMetadataSaved    EventType = "PROCESS.METADATA_SAVED"
	EventProcessEntitySaved      EventType = "PROCESS.ENTITY_SAVED"
	EventProcessElementSaved     EventType = "PROCESS.ELEMENT_SAVED"
	EventProcessElementDeleted   EventType = "PROCESS.ELEMENT_DELETED"
	// EventProcessExported is recorded when a process is downloaded as a PDF or exported as a ZIP.
	EventProcessExported EventType = "PROCESS.EXPORTED"

	EventItemTaskDataSaved        EventType = "PROCESS_ITEM.TASK_DATA_SAVED"
	EventItemTaskContextDataSaved EventType = "PROCESS_ITEM.TASK_CONTEXT_DATA_SAVED"
	EventItemTaskElementSaved     EventType = "PROCESS_ITEM.TASK_ELEMENT_SAVED"
	EventItemTaskElementDeleted   EventType = "PROCESS_ITEM.TASK_ELEMENT_DELETED"
	EventItemTaskLogAppended      EventType = "PROCESS_ITEM.TASK_LOG_APPENDED"
	EventItemTaskFormDownloaded   EventType = "PROCESS_ITEM.TASK_FORM_DOWNLOADED"
	EventItemTaskAssistanceAsked  EventType = "PROCESS_ITEM.TASK_ASSISTANCE_REQUESTED"
	EventItemTaskAssistanceEnded  EventType = "PROCESS_ITEM.TASK_ASSISTANCE_ENDED"
	// EventItemTaskAssigned is recorded when a task that stays CLAIMED gets another owner.
	EventItemTaskAssigned EventType = "PROCESS_ITEM.TASK_ASSIGNED"
	// EventItemTaskPlanned is recorded when the due date, the follow-up date or the priority of a task changes.
	EventItemTaskPlanned EventType = "PROCESS_ITEM.TASK_PLANNED"
	// EventItemTaskDueSoon is recorded once for each due date of a claimed task, DueSoonLead before it.
	EventItemTaskDueSoon EventType = "PROCESS_ITEM.TASK_DUE_SOON"
	// EventItemTaskOverdue is recorded once for each due date of an open task that has passed.
	EventItemTaskOverdue EventType = "PROCESS_ITEM.TASK_OVERDUE"
	// EventItemTaskEscalated is recorded for each step of the escalation of a task.
	EventItemTaskEscalated EventType = "PROCESS_ITEM.TASK_ESCALATED"
	// EventItemTaskAwaited is recorded when another activity waits for the task.
	EventItemTaskAwaited EventType = "PROCESS_ITEM.TASK_AWAITED"

	EventDocumentUploaded   EventType = "DOCUMENT.UPLOADED"
	EventDocumentDownloaded EventType = "DOCUMENT.DOWNLOADED"
	EventDocumentExpired    EventType = "DOCUMENT.EXPIRED"

	EventProcessActionCreated      EventType = "PROCESS_ACTION.CREATED"
	EventProcessActionStateChanged EventType = "PROCESS_ACTION.STATE_CHANGED"

	EventArtifactCreated   EventType = "BUSINESS_ARTIFACT.CREATED"
	EventArtifactDataSaved EventType = "BUSINESS_ARTIFACT.DATA_SAVED"

	EventArtifactActionCreated      EventType = "BUSINESS_ARTIFACT_ACTION.CREATED"
	EventArtifactActionStateChanged EventType = "BUSINESS_ARTIFACT_ACTION.STATE_CHANGED"

	// EventWorkerRegistered is recorded for a worker that is new or changes its principal; renewed registrations
	// are not recorded.
	EventWorkerRegistered      EventType = "WORKER.REGISTERED"
	EventAuthenticationIssued  EventType = "AUTHENTICATION.ISSUED"
	EventAuthenticationRevoked EventType = "AUTHENTICATION.REVOKED"
	// EventAuthenticationFailed is recorded for refused sign-ins, EventAccessDenied for requests that the caller
	// may not make. One event counts similar ones.
	EventAuthenticationFailed EventType = "AUTHENTICATION.FAILED"
	EventAccessDenied         EventType = "ACCESS.DENIED"
	// EventSessionOpened and EventSessionEnded are recorded for sessions of browsers. The end of a session that
	// expires is not recorded.
	EventSessionOpened        EventType = "SESSION.OPENED"
	EventSessionEnded         EventType = "SESSION.ENDED"
	EventEncryptionKeyRotated EventType = "ENCRYPTION_KEY.ROTATED"
	// EventEncryptionKeyRead is recorded once for each reader, key and day.
	EventEncryptionKeyRead EventType = "ENCRYPTION_KEY.READ"
	EventRobotFileUploaded EventType = "ROBOT.FILE_UPLOADED"
	EventRobotFileDeleted  EventType = "ROBOT.FILE_DELETED"
	EventRobotVariableSet  EventType = "ROBOT.VARIABLE_SET"
	// EventRobotEnvironmentRead is recorded for the first read of a day by a principal.
	EventRobotEnvironmentRead EventType = "ROBOT_ENVIRONMENT.READ"
	EventRobotVariableDeleted EventType = "ROBOT.VARIABLE_DELETED"
	// EventDataSourceQueried is of a query, whatever becomes of it.
	EventDataSourceQueried EventType = "DATA_SOURCE.QUERIED"
	EventSecretIssued      EventType = "SECRET.ISSUED"
	EventSecretRevoked     EventType = "SECRET.REVOKED"

	// These are recorded for changes of operators, and of people who are disabled or erased in all tenants.
	EventOperatorAdded   EventType = "OPERATOR.ADDED"
	EventOperatorRemoved EventType = "OPERATOR.REMOVED"
	EventPersonDisabled  EventType = "PERSON.DISABLED"
	EventPersonEnabled   EventType = "PERSON.ENABLED"
	// EventPersonErased is recorded when the personal data of a user is removed.
	EventPersonErased EventType = "PERSON.ERASED"

	EventResourceCreated EventType = "RESOURCE.CREATED"
	EventResourceChanged EventType = "RESOURCE.CHANGED"
	EventResourceDeleted EventType = "RESOURCE.DELETED"
	// EventUserLeftWork is recorded when a directory deactivates or deletes a user with open work.
	EventUserLeftWork EventType = "USER.LEFT_WORK"

	// EventProcessConditionChanged is recorded for every change of a process's condition but the start of its workflow.
	EventProcessConditionChanged EventType = "PROCESS.CONDITION_CHANGED"
	// EventProcessRepaired is recorded for a repair by hand, in addition to the events of its changes.
	EventProcessRepaired EventType = "PROCESS.REPAIRED"

	// EventBulkOperationStateChanged is recorded when a bulk operation starts or ends. The events of its changes have its id.
	EventBulkOperationStateChanged EventType = "BULK_OPERATION.STATE_CHANGED"

	EventEngineRunEnded       EventType = "ENGINE_RUN.ENDED"
	EventIncidentCreated      EventType = "INCIDENT.CREATED"
	EventIncidentStateChanged EventType = "INCIDENT.STATE_CHANGED"
	// These are recorded for the incident that a person handles, with the detail "cause" if it is for all of its cause.
	EventIncidentAcknowledged EventType = "INCIDENT.ACKNOWLEDGED"
	EventIncidentMuted        EventType = "INCIDENT.MUTED"
	EventIncidentUnmuted      EventType = "INCIDENT.UNMUTED"
	EventIncidentAssigned     EventType = "INCIDENT.ASSIGNED"
	EventIncidentCommented    EventType = "INCIDENT.COMMENTED"

	// EventQueueUnserved is recorded once for each outage of a task queue that definitions need, EventQueueServed at its end.
	EventQueueUnserved EventType = "QUEUE.UNSERVED"
	EventQueueServed   EventType = "QUEUE.SERVED"
	// EventCertificateExpiring is recorded in each tenant once for each certificate and threshold,
	// EventCertificateRenewed for a certificate that was replaced after that.
	EventCertificateExpiring EventType = "CERTIFICATE.EXPIRING"
	EventCertificateRenewed  EventType = "CERTIFICATE.RENEWED"

	// These are recorded when data of a RetentionKind is removed because of its age, once for each tenant and turn.
	EventEventsRemoved          EventType = "EVENTS.REMOVED"
	EventProcessesRemoved       EventType = "PROCESSES.REMOVED"
	EventDeletedRemoved         EventType = "DELETED.REMOVED"
	EventAssistanceCallsRemoved EventType = "ASSISTANCE_CALLS.REMOVED"
)

// EventTypes returns all types of event, in the order of their names.
func EventTypes() []EventType {
	types := []EventType{
		EventProcessCreated, EventProcessStateChanged, EventItemCreated, EventItemTaskStateChanged, EventProcessDeleted,
		EventArtifactDeleted, EventArtifactRestored, EventProcessInitiatorChanged, EventProcessMetadataSaved,
		EventProcessEntitySaved, EventProcessElementSaved, EventProcessElementDeleted, EventProcessExported, EventItemTaskDataSaved,
		EventItemTaskContextDataSaved, EventItemTaskElementSaved, EventItemTaskElementDeleted, EventItemTaskLogAppended,
		EventItemTaskFormDownloaded, EventItemTaskAssistanceAsked, EventItemTaskAssistanceEnded, EventItemTaskAssigned,
		EventItemTaskAwaited, EventItemTaskPlanned, EventItemTaskDueSoon, EventItemTaskOverdue, EventItemTaskEscalated,
		EventDocumentUploaded, EventDocumentDownloaded, EventDocumentExpired,
		EventProcessActionCreated, EventProcessActionStateChanged, EventArtifactCreated, EventArtifactDataSaved,
		EventArtifactActionCreated, EventArtifactActionStateChanged, EventWorkerRegistered, EventAuthenticationIssued,
		EventAuthenticationRevoked, EventAuthenticationFailed, EventAccessDenied, EventEncryptionKeyRotated,
		EventEncryptionKeyRead, EventRobotFileUploaded, EventRobotFileDeleted, EventRobotVariableSet,
		EventRobotEnvironmentRead, EventRobotVariableDeleted, EventDataSourceQueried, EventSecretIssued,
		EventSecretRevoked, EventSessionOpened, EventSessionEnded, EventOperatorAdded, EventOperatorRemoved, EventPersonDisabled, EventPersonEnabled, EventPersonErased,
		EventResourceCreated, EventResourceChanged, EventResourceDeleted, EventUserLeftWork, EventEngineRunEnded, EventIncidentCreated,
		EventIncidentStateChanged, EventIncidentAcknowledged, EventIncidentMuted, EventIncidentUnmuted, EventIncidentAssigned,
		EventIncidentCommented, EventEventsRemoved, EventProcessesRemoved, EventDeletedRemoved,
		EventAssistanceCallsRemoved, EventProcessConditionChanged, EventProcessRepaired, EventBulkOperationStateChanged,
		EventQueueUnserved, EventQueueServed, EventCertificateExpiring, EventCertificateRenewed,
	}
	slices.Sort(types)
	return types
}
