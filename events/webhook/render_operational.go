package webhook

import (
	"cmp"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

type incidentData struct {
	IncidentID    uuid.UUID  `json:"incidentId"`
	IncidentState string     `json:"incidentState"`
	ProcessID     *uuid.UUID `json:"processId,omitempty"`
}

type endpointData struct {
	WebhookSubscriptionID   uuid.UUID `json:"webhookSubscriptionId"`
	WebhookSubscriptionCode string    `json:"webhookSubscriptionCode"`
	Reason                  string    `json:"reason"`
}

type queueData struct {
	TaskQueue string `json:"taskQueue"`
	Since     string `json:"since"`
}

type certificateData struct {
	Certificate string `json:"certificate"`
	ExpiresAt   string `json:"expiresAt"`
}

type conditionData struct {
	ProcessID         uuid.UUID           `json:"processId"`
	ProcessState      domain.ProcessState `json:"processState"`
	Condition         string              `json:"condition"`
	PreviousCondition string              `json:"previousCondition"`
}

type notificationData struct {
	Receiver  string      `json:"notificationReceiverCode"`
	Problem   string      `json:"problem"`
	Opened    json.Number `json:"opened"`
	Recovered json.Number `json:"recovered"`
}

type leftWorkData struct {
	UserID    uuid.UUID   `json:"userId"`
	Tasks     json.Number `json:"tasks"`
	Processes json.Number `json:"processes"`
	Incidents json.Number `json:"incidents"`
	Rights    json.Number `json:"rights"`
}

// operationalData returns the data of an operational event.
func operationalData(subject domain.EventResource, e *domain.Event) any {
	switch subject { //nolint:exhaustive // the subjects of operational events
	case domain.ResourceIncident:
		data := incidentData{IncidentID: e.ResourceID, IncidentState: e.State}
		if e.ProcessID != uuid.Nil {
			data.ProcessID = &e.ProcessID
		}
		return data
	case domain.ResourceWebhookSubscription:
		return endpointData{
			WebhookSubscriptionID: e.ResourceID, WebhookSubscriptionCode: e.Details["code"], Reason: e.Details["reason"],
		}
	case domain.ResourceProcess:
		return conditionData{
			ProcessID: e.ProcessID, ProcessState: e.ProcessState, Condition: e.State, PreviousCondition: e.PreviousState,
		}
	case domain.ResourceTaskQueue:
		return queueData{TaskQueue: e.Details["taskQueue"], Since: e.Details["since"]}
	case domain.ResourceUser:
		count := func(name string) json.Number { return json.Number(cmp.Or(e.Details[name], "0")) }
		return leftWorkData{
			UserID: e.ResourceID, Tasks: count("tasks"), Processes: count("processes"), Incidents: count("incidents"), Rights: count("rights"),
		}
	default:
		return certificateData{Certificate: e.Details["certificate"], ExpiresAt: e.Details["expiresAt"]}
	}
}
