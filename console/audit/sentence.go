package audit

import (
	"cmp"
	"context"
	"strings"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// typeGroup is a group of types of events with their sentences. A sentence has a place for the actor, and may have one for the
// resource.
type typeGroup struct {
	Name  string
	Types []typeSentence
}

type typeSentence struct {
	Type domain.EventType
	Text string
}

// typeGroups returns all types of events, the most interesting ones for an audit first.
func typeGroups() []typeGroup { //nolint:funlen // a table
	return []typeGroup{
		{ui.Text("Configuration"), []typeSentence{
			{domain.EventResourceCreated, ui.Text("%s created %s")},
			{domain.EventResourceChanged, ui.Text("%s changed %s")},
			{domain.EventResourceDeleted, ui.Text("%s deleted %s")},
			{domain.EventEncryptionKeyRotated, ui.Text("%s rotated the encryption key %s")},
			{domain.EventRobotFileUploaded, ui.Text("%s uploaded a file of the robot %s")},
			{domain.EventRobotFileDeleted, ui.Text("%s removed a file of the robot %s")},
			{domain.EventRobotVariableSet, ui.Text("%s set a variable of the robot %s")},
			{domain.EventRobotVariableDeleted, ui.Text("%s removed a variable of the robot %s")},
		}},
		{ui.Text("People and access"), []typeSentence{
			{domain.EventSessionOpened, ui.Text("%s signed in to the console")},
			{domain.EventSessionEnded, ui.Text("A session of %s in the console ended")},
			{domain.EventAuthenticationFailed, ui.Text("A sign-in of %s was refused")},
			{domain.EventAccessDenied, ui.Text("A request of %s was denied")},
			{domain.EventAuthenticationIssued, ui.Text("%s obtained access to the engine")},
			{domain.EventAuthenticationRevoked, ui.Text("%s revoked access to the engine")},
			{domain.EventSecretIssued, ui.Text("%s issued the secret %s")},
			{domain.EventSecretRevoked, ui.Text("%s revoked the secret %s")},
			{domain.EventEncryptionKeyRead, ui.Text("%s read the encryption key %s")},
			{domain.EventRobotEnvironmentRead, ui.Text("%s read the environment of the robot %s")},
			{domain.EventDataSourceQueried, ui.Text("%s queried the data source %s")},
			{domain.EventOperatorAdded, ui.Text("%s added an operator")},
			{domain.EventOperatorRemoved, ui.Text("%s removed an operator")},
			{domain.EventPersonDisabled, ui.Text("%s disabled a person in all tenants")},
			{domain.EventPersonEnabled, ui.Text("%s enabled a person in all tenants")},
			{domain.EventPersonErased, ui.Text("%s erased a person")},
			{domain.EventUserLeftWork, ui.Text("%s deactivated a user with open work: %s")},
		}},
		{ui.Text("Processes"), []typeSentence{
			{domain.EventProcessCreated, ui.Text("%s started a process")},
			{domain.EventProcessStateChanged, ui.Text("%s ended a process")},
			{domain.EventProcessDeleted, ui.Text("%s deleted a process")},
			{domain.EventProcessInitiatorChanged, ui.Text("%s changed the initiator of a process")},
			{domain.EventProcessMetadataSaved, ui.Text("%s changed the metadata of a process")},
			{domain.EventProcessEntitySaved, ui.Text("%s changed the entity of a process")},
			{domain.EventProcessElementSaved, ui.Text("%s changed a value of a process")},
			{domain.EventProcessElementDeleted, ui.Text("%s removed a value of a process")},
			{domain.EventProcessExported, ui.Text("%s downloaded a process")},
			{domain.EventProcessActionCreated, ui.Text("%s used an action of a process")},
			{domain.EventProcessActionStateChanged, ui.Text("%s ended an action of a process")},
			{domain.EventProcessConditionChanged, ui.Text("The condition of a process changed (%s)")},
			{domain.EventProcessRepaired, ui.Text("%s repaired a process")},
			{domain.EventBulkOperationStateChanged, ui.Text("%s started or ended a bulk operation")},
		}},
		{ui.Text("Tasks, messages and threads"), []typeSentence{
			{domain.EventItemCreated, ui.Text("%s created a task, a message or a thread")},
			{domain.EventItemTaskStateChanged, ui.Text("%s changed the state of a task")},
			{domain.EventItemTaskAssigned, ui.Text("%s gave a task to another person")},
			{domain.EventItemTaskPlanned, ui.Text("%s planned a task")},
			{domain.EventItemTaskDueSoon, ui.Text("A task is due soon (%s)")},
			{domain.EventItemTaskOverdue, ui.Text("A task is overdue (%s)")},
			{domain.EventItemTaskEscalated, ui.Text("A task was escalated (%s)")},
			{domain.EventItemTaskAwaited, ui.Text("%s waits for a task with another activity")},
			{domain.EventItemTaskDataSaved, ui.Text("%s saved the data of a task")},
			{domain.EventItemTaskContextDataSaved, ui.Text("%s saved the context of a task")},
			{domain.EventItemTaskElementSaved, ui.Text("%s saved a value of a task")},
			{domain.EventItemTaskElementDeleted, ui.Text("%s removed a value of a task")},
			{domain.EventItemTaskLogAppended, ui.Text("%s added to the log of a task")},
			{domain.EventItemTaskFormDownloaded, ui.Text("%s downloaded the form of a task")},
			{domain.EventItemTaskAssistanceAsked, ui.Text("%s asked for AI help with a task")},
			{domain.EventItemTaskAssistanceEnded, ui.Text("AI help with a task ended (%s)")},
		}},
		{ui.Text("Documents and artifacts"), []typeSentence{
			{domain.EventDocumentUploaded, ui.Text("%s uploaded a document")},
			{domain.EventDocumentDownloaded, ui.Text("%s downloaded a document")},
			{domain.EventDocumentExpired, ui.Text("A document expired (%s)")},
			{domain.EventArtifactCreated, ui.Text("%s created an artifact")},
			{domain.EventArtifactDataSaved, ui.Text("%s changed the data of an artifact")},
			{domain.EventArtifactDeleted, ui.Text("%s deleted an artifact")},
			{domain.EventArtifactRestored, ui.Text("%s restored an artifact")},
			{domain.EventArtifactActionCreated, ui.Text("%s used an action of an artifact")},
			{domain.EventArtifactActionStateChanged, ui.Text("%s ended an action of an artifact")},
		}},
		{ui.Text("Operation"), []typeSentence{
			{domain.EventEngineRunEnded, ui.Text("A workflow ended (%s)")},
			{domain.EventIncidentCreated, ui.Text("An incident was opened (%s)")},
			{domain.EventIncidentStateChanged, ui.Text("%s changed the state of an incident")},
			{domain.EventIncidentAcknowledged, ui.Text("%s acknowledged an incident")},
			{domain.EventIncidentMuted, ui.Text("%s muted an incident")},
			{domain.EventIncidentUnmuted, ui.Text("%s ended the mute of an incident")},
			{domain.EventIncidentAssigned, ui.Text("%s assigned an incident")},
			{domain.EventIncidentCommented, ui.Text("%s commented on an incident")},
			{domain.EventWorkerRegistered, ui.Text("%s registered a worker")},
			{domain.EventQueueUnserved, ui.Text("A task queue is without workers (%s)")},
			{domain.EventQueueServed, ui.Text("A task queue has workers again (%s)")},
			{domain.EventCertificateExpiring, ui.Text("A certificate expires soon (%s)")},
			{domain.EventCertificateRenewed, ui.Text("A certificate was renewed (%s)")},
			{domain.EventEventsRemoved, ui.Text("%s removed old events")},
			{domain.EventProcessesRemoved, ui.Text("%s removed old processes")},
			{domain.EventDeletedRemoved, ui.Text("%s removed deleted data for good")},
			{domain.EventAssistanceCallsRemoved, ui.Text("%s removed old prompts and answers of AI help")},
		}},
	}
}

// sentenceTexts returns the sentences by type.
func sentenceTexts() map[domain.EventType]string {
	texts := map[domain.EventType]string{}
	for _, group := range typeGroups() {
		for _, t := range group.Types {
			texts[t.Type] = t.Text
		}
	}
	return texts
}

// eventSentence says who did something to a resource; other types of events by their code.
func eventSentence(ctx context.Context, r *domain.AuditRecord) string {
	text, ok := sentenceTexts()[r.Type]
	if !ok {
		return actorName(ctx, r) + ": " + string(r.Type)
	}
	return fillSentence(ctx, text, actorName(ctx, r), resourceName(ctx, r))
}

// typeName is the sentence of a type without its parts.
func typeName(ctx context.Context, text string) string { return fillSentence(ctx, text, "…", "…") }

func fillSentence(ctx context.Context, text, actor, about string) string {
	args := []any{actor, about}
	return ui.T(ctx, text, args[:strings.Count(text, "%s")]...)
}

// resourceName names the resource of an event, with the kind of its manifest.
func resourceName(ctx context.Context, r *domain.AuditRecord) string {
	name := cmp.Or(r.Details["code"], r.Details["name"], r.Details["keyId"], r.Details["ownerCode"])
	if name == "" {
		name = r.ResourceID.String()
	}
	if strings.HasPrefix(string(r.Type), "RESOURCE.") {
		for _, kind := range resource.Kinds() {
			if domain.ConfiguredResource(string(kind)) == r.ResourceKind {
				if strings.HasSuffix(string(kind), "Definition") {
					return ui.T(ctx, "the definition %s (%s)", name, ui.BadgeOf(kind).Name(ctx))
				}
				return ui.BadgeOf(kind).Name(ctx) + " " + name
			}
		}
	}
	return name
}
