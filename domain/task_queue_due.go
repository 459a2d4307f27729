package domain

import "github.com/google/uuid"

// DueTaskQueue is a task queue that is to be observed now.
type DueTaskQueue struct {
	TenantID  uuid.UUID
	Namespace string
	TaskQueue string
}

// SeenTaskQueue is the result of observing a task queue. If Observation has a failure, the earlier observation
// stays.
type SeenTaskQueue struct {
	DueTaskQueue
	Observation TaskQueueObservation
}
