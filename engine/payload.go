package engine

import (
	"time"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"github.com/procession-dev/procession/domain"
)

// workflowRequest is the one argument of a process's workflow (engine contract,
// section 4).
type workflowRequest struct {
	ProcessID       uuid.UUID `json:"processId"`
	RequestTime     string    `json:"requestTime"`
	RequestTimeZone string    `json:"requestTimeZone"`
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

// requestTime is the moment that made the command necessary: the same on every
// attempt.
func requestTime(c domain.DueCommand) string { return c.CreatedAt.UTC().Format(time.RFC3339Nano) }

func payloads(value any) (*commonpb.Payloads, error) {
	return converter.GetDefaultDataConverter().ToPayloads(value)
}
