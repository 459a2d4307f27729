package webhook

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// bodyVersion is the version named in the bodies of payload version B.
const bodyVersion = "v2024-06-14"

// body is the JSON of an event for a subscriber (specification section 6).
type body struct {
	ID        uuid.UUID `json:"id"`
	Version   string    `json:"version,omitempty"`
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Data      any       `json:"data"`
}

type processData struct {
	ProcessID    uuid.UUID           `json:"processId"`
	ProcessState domain.ProcessState `json:"processState"`
}

type taskDataA struct {
	ProcessID uuid.UUID        `json:"processId"`
	TaskID    uuid.UUID        `json:"taskId"`
	TaskCode  string           `json:"taskCode"`
	TaskState domain.TaskState `json:"taskState"`
}

type artifactData struct {
	BusinessArtifactID             uuid.UUID `json:"businessArtifactId"`
	BusinessArtifactDefinitionCode string    `json:"businessArtifactDefinitionCode,omitempty"`
}

type pingData struct {
	WebhookSubscriptionID uuid.UUID `json:"webhookSubscriptionId"`
}

type itemDataB struct {
	ProcessID                 uuid.UUID        `json:"processId"`
	ProcessItemID             uuid.UUID        `json:"processItemId"`
	ProcessItemType           domain.ItemType  `json:"processItemType"`
	ProcessItemState          domain.TaskState `json:"processItemState,omitempty"`
	ProcessItemDefinitionCode string           `json:"processItemDefinitionCode,omitempty"`
}

// planDataB is the data of events about the planning of a task.
type planDataB struct {
	itemDataB

	DueAt      string `json:"dueAt,omitempty"`
	FollowUpAt string `json:"followUpAt,omitempty"`
	Priority   string `json:"priority"`
	// Step is the step of the escalation, "" for none.
	Step json.Number `json:"escalationStep,omitempty"`
}

// Render returns the body of an event in a payload version, or false when the version
// lacks the event. The same event always gives the same bytes.
func Render(version domain.PayloadVersion, e *domain.Event) ([]byte, bool, error) {
	name, ok := e.NameIn(version)
	if !ok {
		return nil, false, nil
	}
	content := body{ID: e.ID, Type: name, Timestamp: e.OccurredAt.UTC()}
	if version == domain.PayloadB {
		content.Version = bodyVersion
	}
	public, _ := e.Type.Public()
	switch {
	case e.Type == domain.EventWebhookPinged:
		content.Data = pingData{WebhookSubscriptionID: e.ResourceID}
	case e.Type == domain.EventReceiverNotified:
		content.Data = notificationData{
			Receiver: e.Details["receiver"], Problem: e.Details["problem"], Opened: json.Number(e.Details["opened"]),
			Recovered: json.Number(e.Details["recovered"]),
		}
	case public.Operational:
		content.Data = operationalData(public.Subject, e)
	case public.Subject == domain.ResourceProcess:
		content.Data = processData{ProcessID: e.ProcessID, ProcessState: e.ProcessState}
	case public.Subject == domain.ResourceArtifact:
		content.Data = artifactData{
			BusinessArtifactID: e.ResourceID, BusinessArtifactDefinitionCode: e.Details["definitionCode"],
		}
	case version == domain.PayloadA:
		content.Data = taskDataA{
			ProcessID: e.ProcessID, TaskID: *e.ItemID, TaskCode: e.ItemDefinitionCode, TaskState: e.TaskState,
		}
	default:
		item := itemDataB{
			ProcessID: e.ProcessID, ProcessItemID: *e.ItemID, ProcessItemType: e.ItemType,
			ProcessItemState: e.TaskState, ProcessItemDefinitionCode: e.ItemDefinitionCode,
		}
		content.Data = item
		if e.Details["priority"] != "" {
			content.Data = planDataB{itemDataB: item, DueAt: e.Details["dueAt"], FollowUpAt: e.Details["followUpAt"], Priority: e.Details["priority"], Step: json.Number(e.Details["step"])}
		}
	}
	rendered, err := json.Marshal(content)
	if err != nil {
		return nil, false, fmt.Errorf("rendering event %s: %w", e.ID, err)
	}
	return rendered, true, nil
}
