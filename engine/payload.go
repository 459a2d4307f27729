package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"github.com/procession-dev/procession/domain"
)

// workflowRequest is the one argument of a process's workflow (engine contract,
// section 4).
type workflowRequest struct {
	ProcessID       uuid.UUID       `json:"processId"`
	RequestTime     string          `json:"requestTime"`
	RequestTimeZone string          `json:"requestTimeZone"`
	Extras          json.RawMessage `json:"extras,omitempty"`
}

// artifactActionRequest is the one argument of the workflow of an action on a
// business artifact (engine contract, section 6). Extras are omitted because
// there are none.
type artifactActionRequest struct {
	BusinessArtifactID uuid.UUID `json:"businessArtifactId"`
	DefinitionType     string    `json:"businessArtifactActionDefinitionType"`
	DefinitionCode     string    `json:"businessArtifactActionDefinitionCode"`
	ValueID            uuid.UUID `json:"businessArtifactActionValueId"`
	RequestorID        uuid.UUID `json:"requestorPrincipalId"`
	RequestTime        string    `json:"requestTime"`
	RequestTimeZone    string    `json:"requestTimeZone"`
}

// userActionRequest is the one argument of the workflow of a user action on a
// process (engine contract, section 6). It has all the fields of the deprecated
// requests.
type userActionRequest struct {
	ProcessID       uuid.UUID `json:"processId"`
	DefinitionType  string    `json:"userActionDefinitionType"`
	DefinitionCode  string    `json:"userActionDefinitionCode"`
	ID              uuid.UUID `json:"userActionId"`
	RequestorID     uuid.UUID `json:"requestorPrincipalId"`
	RequestTime     string    `json:"requestTime"`
	RequestTimeZone string    `json:"requestTimeZone"`
}

// taskRobotRequest is the one argument of the workflow of a robot that assists
// with a task (engine contract, section 6). Extras are omitted here too.
type taskRobotRequest struct {
	ProcessID       uuid.UUID `json:"processId"`
	ProcessItemID   uuid.UUID `json:"processItemId"`
	RobotID         uuid.UUID `json:"robotId"`
	RobotOperation  string    `json:"robotOperation"`
	RequestTime     string    `json:"requestTime"`
	RequestTimeZone string    `json:"requestTimeZone"`
}

// commandArgument returns the argument that the workflow of the command's run is started
// with.
func commandArgument(c domain.DueCommand) (*commonpb.Payloads, error) {
	action := c.Run.Action
	ofAction := c.Run.Kind == domain.RunKindArtifactAction || c.Run.Kind == domain.RunKindProcessAction
	if action == nil && ofAction {
		return nil, errors.New("the run has no action")
	}
	switch c.Run.Kind {
	case domain.RunKindProcess:
		return toPayloads(workflowRequest{
			ProcessID: c.Run.OwnerID, RequestTime: requestTime(c), RequestTimeZone: c.TimeZone,
			Extras: c.Run.Extras,
		})
	case domain.RunKindArtifactAction:
		return toPayloads(artifactActionRequest{
			BusinessArtifactID: action.ArtifactID, DefinitionType: action.Type, DefinitionCode: action.Code,
			ValueID: c.Run.OwnerID, RequestorID: action.RequestorID,
			RequestTime: requestTime(c), RequestTimeZone: c.TimeZone,
		})
	case domain.RunKindProcessAction:
		return toPayloads(userActionRequest{
			ProcessID: action.ProcessID, DefinitionType: action.Type, DefinitionCode: action.Code,
			ID: c.Run.OwnerID, RequestorID: action.RequestorID,
			RequestTime: requestTime(c), RequestTimeZone: c.TimeZone,
		})
	case domain.RunKindDataSource:
		return nil, errors.New("a query of a data source is not an argument of a worker's workflow")
	case domain.RunKindTaskRobot:
		robot := c.Run.Robot
		if robot == nil {
			return nil, errors.New("the run has no robot")
		}
		return toPayloads(taskRobotRequest{
			ProcessID: robot.ProcessID, ProcessItemID: c.Run.OwnerID,
			RobotID: robot.RobotID, RobotOperation: robot.Operation,
			RequestTime: requestTime(c), RequestTimeZone: c.TimeZone,
		})
	}
	return nil, fmt.Errorf("the kind %q of the run is unknown", c.Run.Kind)
}

// signalProcessItem is the payload of signalOfShapeB (engine contract, section
// 5).
type signalProcessItem struct {
	ID              uuid.UUID         `json:"id"`
	Type            domain.ItemType   `json:"type"`
	Payload         signalItemPayload `json:"payload"`
	RequestTime     string            `json:"requestTime"`
	RequestTimeZone string            `json:"requestTimeZone"`
}

type signalItemPayload struct {
	ProcessItemDefinitionCode   string `json:"processItemDefinitionCode,omitempty"`
	DataStructureDefinitionCode string `json:"dataStructureDataDefinitionCode,omitempty"`
}

// signalVersionMove is the payload of signalOfMove.
type signalVersionMove struct {
	domain.VersionMove
	RequestTime     string `json:"requestTime"`
	RequestTimeZone string `json:"requestTimeZone"`
}

// signalTaskOverdue is the payload of signalOfOverdue.
type signalTaskOverdue struct {
	ID              uuid.UUID `json:"id"`
	DefinitionCode  string    `json:"processItemDefinitionCode"`
	DueAt           time.Time `json:"dueAt"`
	Step            int       `json:"step"`
	RequestTime     string    `json:"requestTime"`
	RequestTimeZone string    `json:"requestTimeZone"`
}

// signalUserAction is the payload of a signal about a user action (engine
// contract, section 5). The time has two names because SDKs differ.
type signalUserAction struct {
	DefinitionCode  string `json:"userActionDefinitionCode"`
	RequestTime     string `json:"requestTime"`
	RequestInstant  string `json:"requestInstant"`
	RequestTimeZone string `json:"requestTimeZone"`
	// Input is the input of the action.
	Input json.RawMessage `json:"input,omitempty"`
}

// requestTime returns the time of the change that staged the command, which is
// the same on every attempt.
func requestTime(c domain.DueCommand) string { return c.CreatedAt.UTC().Format(time.RFC3339Nano) }

func toPayloads(value any) (*commonpb.Payloads, error) {
	return converter.GetDefaultDataConverter().ToPayloads(value)
}
