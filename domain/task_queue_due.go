package domain

import "github.com/google/uuid"

// DueTaskQueue is a task queue that is to be looked at now.
type DueTaskQueue struct {
	TenantID  uuid.UUID
	Namespace string
	TaskQueue string
}

// SeenTaskQueue is what came of looking at a task queue. Where Observation tells
// of a failure, what was seen before stays.
type SeenTaskQueue struct {
	DueTaskQueue
	Observation TaskQueueObservation
}
