package webhook_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/procession-dev/procession/api/openapi"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/events/webhook"
	"github.com/procession-dev/procession/test/kit/contracttest"
)

// The rendered body of every type of event fits the published documents.
func TestRenderFitsTheContract(t *testing.T) {
	t.Parallel()
	place := []string{"webhooks", "event", "post", "requestBody", "content", "application/json", "schema"}
	for version, name := range map[domain.PayloadVersion]string{
		domain.PayloadA: openapi.ShapeA, domain.PayloadB: openapi.ShapeB,
	} {
		strict, err := contracttest.LoadStrict(name)
		require.NoError(t, err)
		var documented, sent []string
		document, err := openapi.Load(name)
		require.NoError(t, err)
		for _, one := range document.Components.Schemas["WebhookType"].Value.Enum {
			documented = append(documented, fmt.Sprint(one))
		}
		seen := map[string]bool{}
		for _, example := range examples() {
			body, ok, err := webhook.Render(version, &example.event)
			require.NoError(t, err)
			if !ok {
				continue
			}
			require.NoError(t, strict.Check(body, place...), "%s: %s", example.name, body)
			if kind, _ := example.event.NameIn(version); !seen[kind] {
				seen[kind], sent = true, append(sent, kind)
			}
		}
		require.ElementsMatch(t, documented, sent, "every documented type has an example, and no other")
		require.ElementsMatch(t, append(domain.PublicEventNames(version), sentTypes(version)...), documented)
		require.Error(t, strict.Check([]byte(`{"id":"`+uuid.NewString()+`","type":"PROCESS.STATE_CHANGED",`+
			`"timestamp":"2026-03-02T10:00:00Z","data":{}}`), place...))
	}
}

// sentTypes returns the types that go to the subscription that is their resource.
func sentTypes(version domain.PayloadVersion) []string {
	if version == domain.PayloadA {
		return []string{domain.WebhookPingType}
	}
	return []string{domain.WebhookPingType, domain.NotificationType}
}

// rendered is an event that a payload version has, A or both.
type rendered struct {
	name  string
	event domain.Event
	inA   bool
}

func examples() []rendered {
	return []rendered{
		{"process-created", eventOf(domain.EventProcessCreated, "", "", ""), false},
		{"process-state-changed", eventOf(domain.EventProcessStateChanged, "", "", ""), true},
		{"task-created", eventOf(domain.EventItemCreated, domain.ItemTask, domain.TaskReady, "CHECK"), false},
		{"message-created", eventOf(domain.EventItemCreated, domain.ItemMessage, "", ""), false},
		{"thread-created", eventOf(domain.EventItemCreated, domain.ItemThread, "", "TALK"), false},
		{"task-state-changed", eventOf(domain.EventItemTaskStateChanged, domain.ItemTask, domain.TaskClaimed, "A<B & C"), true},
		{"task-planned", planEvent(domain.EventItemTaskPlanned), false},
		{"task-overdue", planEvent(domain.EventItemTaskOverdue), false},
		{"task-escalated", planEvent(domain.EventItemTaskEscalated).With("step", "2"), false},
		{"process-deleted", eventOf(domain.EventProcessDeleted, "", "", ""), false},
		{"artifact-deleted", aboutArtifact(domain.EventArtifactDeleted), false},
		{"artifact-restored", aboutArtifact(domain.EventArtifactRestored), false},
		{"incident-opened", operational(domain.EventIncidentCreated, "OPEN", nil), false},
		{"incident-resolved", operational(domain.EventIncidentStateChanged, "RETRIED", nil), false},
		{"endpoint-disabled", operational(domain.EventWebhookDisabled, "", map[string]string{"code": "ORDERS", "reason": "GONE"}), false},
		{"queue-unserved", operational(domain.EventQueueUnserved, "", map[string]string{"taskQueue": "LOANS", "since": "2024-06-14T10:00:00Z"}), false},
		{"condition-changed", conditionChanged(), false},
		{"notification", operational(domain.EventReceiverNotified, "", map[string]string{
			"receiver": "OPS", "problem": "INCIDENT.OPENED", "opened": "3", "recovered": "1",
		}), false},
		{"certificate-expiring", operational(domain.EventCertificateExpiring, "", map[string]string{
			"certificate": "temporal", "expiresAt": "2024-07-14T10:00:00Z",
		}), false},
		{"user-left-work", operational(domain.EventUserLeftWork, "", map[string]string{"code": "bob", "tasks": "2", "processes": "1"}), false},
		{"ping", pinged(), true},
	}
}

func planEvent(kind domain.EventType) domain.Event {
	return eventOf(kind, domain.ItemTask, domain.TaskReady, "CHECK").With("dueAt", "2024-06-20T10:00:00Z").With("priority", "HIGH")
}
