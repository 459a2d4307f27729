package domain

import (
	"time"

	"github.com/google/uuid"
)

const (
	// WorkerDelayWindow is the interval at which workers are to renew their registration.
	WorkerDelayWindow = 300 * time.Second
	// WorkerOfflineAfter is how long after its last registration a worker counts as online: it has missed three
	// windows then.
	WorkerOfflineAfter = 3 * WorkerDelayWindow
)

// Worker is a program that serves a task queue (specification section 2.17). It is identified by its identity within
// the tenant and may serve several queues. TaskQueue is the queue that it registered last, with its types.
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

// WorkerState reports whether a worker keeps registering.
type WorkerState string

// The worker states.
const (
	WorkerOnline  WorkerState = "ONLINE"
	WorkerOffline WorkerState = "OFFLINE"
)

// WorkerStateAt returns the state of a worker that registered last at lastSeen.
func WorkerStateAt(lastSeen, now time.Time) WorkerState {
	if now.Sub(lastSeen) > WorkerOfflineAfter {
		return WorkerOffline
	}
	return WorkerOnline
}

// WorkerQueue is the registration of a worker for one task queue. Without any workflow types it may serve all of
// them, because not every SDK lists them. LiveSince is since when the registration has been renewed without a
// gap. PolledAt is when the worker was last seen polling the queue, nil if never.
type WorkerQueue struct {
	TaskQueue     string
	WorkflowTypes []string
	ActivityTypes []string
	LiveSince     time.Time
	LastSeenAt    time.Time
	PolledAt      *time.Time
}

// RegisteredWorker is a worker with all queues registered by its current principal. Its types are from the last
// registration.
type RegisteredWorker struct {
	Worker
	TenantCode  string
	PrincipalID uuid.UUID
	Queues      []WorkerQueue
}
