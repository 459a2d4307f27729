package domain

import (
	"time"

	"github.com/google/uuid"
)

// WorkerDelayWindow is how often workers are to register again; one that has
// missed three windows is offline.
const WorkerDelayWindow = 300 * time.Second

// Worker is a program that serves a task queue (specification section 2.17).
// It is known by its identity within the tenant and may serve several queues,
// of which TaskQueue is the one it registered last.
type Worker struct {
	ID             uuid.UUID
	TenantID       uuid.UUID
	Identity       string
	TaskQueue      string
	WorkflowTypes  []string
	ActivityTypes  []string
	Hostname       string
	IP             string
	InstallationID *uuid.UUID
	RobotIDs       []uuid.UUID
	LastSeenAt     time.Time
	Audit
}
