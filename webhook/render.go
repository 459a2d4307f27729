package webhook

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
)

// bodyVersion is the version that the bodies of payload version B name.
const bodyVersion = "v2024-06-14"

// typeTaskStateChanged is what payload version A calls a change of a task.
const typeTaskStateChanged = "TASK.STATE_CHANGED"

// body is an event as a subscriber gets it (specification section 6).
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

// TypeIn returns what a payload version calls the type of an event, or false when
// the version has no such events: A tells of the states of processes and tasks
// only, neither version of what is recorded for the audit alone. Both have the
// test event, which goes to the one subscription that is its resource.
func TypeIn(version resource.PayloadVersion, e *domain.Event) (string, bool) {
	if e.Type == domain.EventWebhookPinged {
		return domain.WebhookPingType, version == resource.PayloadShapeA || version == resource.PayloadShapeB
	}
	switch version {
	case resource.PayloadShapeA:
		return typeInA(e)
	case resource.PayloadShapeB:
		return typeInB(e)
	default:
		return "", false
	}
}

func typeInA(e *domain.Event) (string, bool) {
	switch {
	case e.Type == domain.EventProcessStateChanged:
		return string(e.Type), true
	case e.Type == domain.EventItemTaskStateChanged && e.ItemType == domain.ItemTask && e.ItemID != nil:
		return typeTaskStateChanged, true
	default:
		return "", false
	}
}

func typeInB(e *domain.Event) (string, bool) {
	switch {
	case aboutProcess(e), aboutArtifact(e):
		return string(e.Type), true
	case e.Type == domain.EventItemCreated && e.ItemID != nil:
		return string(e.Type), true
	case e.Type == domain.EventItemTaskStateChanged && e.ItemType == domain.ItemTask && e.ItemID != nil:
		return string(e.Type), true
	default:
		return "", false
	}
}

func aboutProcess(e *domain.Event) bool {
	return e.Type == domain.EventProcessCreated || e.Type == domain.EventProcessStateChanged ||
		e.Type == domain.EventProcessDeleted
}

func aboutArtifact(e *domain.Event) bool {
	return e.Type == domain.EventArtifactDeleted || e.Type == domain.EventArtifactRestored
}

// Render returns the body that a subscriber of a payload version gets for an
// event (A39, B52), or false when the version has no such events. It is the same
// bytes whenever it is called.
func Render(version resource.PayloadVersion, e *domain.Event) ([]byte, bool, error) {
	name, ok := TypeIn(version, e)
	if !ok {
		return nil, false, nil
	}
	content := body{ID: e.ID, Type: name, Timestamp: e.OccurredAt.UTC()}
	if version == resource.PayloadShapeB {
		content.Version = bodyVersion
	}
	switch {
	case e.Type == domain.EventWebhookPinged:
		content.Data = pingData{WebhookSubscriptionID: e.ResourceID}
	case aboutProcess(e):
		content.Data = processData{ProcessID: e.ProcessID, ProcessState: e.ProcessState}
	case aboutArtifact(e):
		content.Data = artifactData{
			BusinessArtifactID: e.ResourceID, BusinessArtifactDefinitionCode: e.Details["definitionCode"],
		}
	case version == resource.PayloadShapeA:
		content.Data = taskDataA{
			ProcessID: e.ProcessID, TaskID: *e.ItemID, TaskCode: e.ItemDefinitionCode, TaskState: e.TaskState,
		}
	default:
		content.Data = itemDataB{
			ProcessID: e.ProcessID, ProcessItemID: *e.ItemID, ProcessItemType: e.ItemType,
			ProcessItemState: e.TaskState, ProcessItemDefinitionCode: e.ItemDefinitionCode,
		}
	}
	rendered, err := json.Marshal(content)
	if err != nil {
		return nil, false, fmt.Errorf("rendering event %s: %w", e.ID, err)
	}
	return rendered, true, nil
}
