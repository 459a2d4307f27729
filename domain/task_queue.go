package domain

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// TaskKind is the kind of task that workers poll a task queue for.
type TaskKind string

// The kinds of task.
const (
	TaskKindWorkflow TaskKind = "WORKFLOW"
	TaskKindActivity TaskKind = "ACTIVITY"
)

// DataSourceTaskQueue is the task queue of the service's own workflow that queries data sources, in the
// namespace of each tenant that has any.
const DataSourceTaskQueue = "procession-data-sources"

// ReservedTaskQueue reports whether the name of a task queue is reserved for Temporal or the service, so that no
// worker may serve it.
func ReservedTaskQueue(name string) bool {
	return name == DataSourceTaskQueue ||
		strings.HasPrefix(name, "/") || strings.HasPrefix(name, "temporal-sys")
}

// MaxQueueNamesSize limits the size in bytes of the names of task queues in an engine token, which clients send
// with every call.
const MaxQueueNamesSize = 8 << 10

// QueueNamesSize returns the size of the queue names in an engine token in bytes: servable by its bearer, and
// reachable from the bearer's workflows.
func QueueNamesSize(servable, reachable []string) int {
	size := 0
	for _, name := range slices.Concat(servable, reachable) {
		size += len(strconv.Quote(name)) + 1
	}
	return size
}

// TaskQueue is a task queue of a tenant, with the needs of definitions and robots, the registered workers and the
// observation in Temporal.
type TaskQueue struct {
	TenantID   uuid.UUID
	TenantCode string
	Name       string
	Needs      []TaskQueueNeed
	Workers    []TaskQueueWorker
	// Observed is nil for a queue that was not observed yet.
	Observed *TaskQueueObservation
}

// TaskQueueNeedKind is the purpose for which a workflow is needed.
type TaskQueueNeedKind string

// The kinds of need.
const (
	// NeedProcess is the workflow of a definition's processes.
	NeedProcess TaskQueueNeedKind = "PROCESS"
	// NeedUserAction is the workflow of an action on processes.
	NeedUserAction TaskQueueNeedKind = "USER_ACTION"
	// NeedArtifactAction is the workflow of an action on business artifacts.
	NeedArtifactAction TaskQueueNeedKind = "BUSINESS_ARTIFACT_ACTION"
	// NeedRobot is the workflow of a robot that assists with tasks.
	NeedRobot TaskQueueNeedKind = "ROBOT"
)

// TaskQueueNeed is a workflow that a definition or a robot needs on a task queue.
type TaskQueueNeed struct {
	Kind TaskQueueNeedKind
	// Definition is the code of the definition or the robot, Action the code of the action.
	Definition   string
	Action       string
	WorkflowType string
	// Published reports whether new starts need the workflow. Otherwise only running processes do, which are
	// pinned to the Versions.
	Published bool
	Versions  []int
}

// TaskQueueWorker is a worker that registered for the queue.
type TaskQueueWorker struct {
	ID            uuid.UUID
	Identity      string
	PrincipalID   uuid.UUID
	WorkflowTypes []string
	ActivityTypes []string
	LiveSince     time.Time
	LastSeenAt    time.Time
}

// Poller is a client that polls a task queue, with the identity that it sends.
type Poller struct {
	Identity     string    `json:"identity"`
	Kind         TaskKind  `json:"kind"`
	LastAccessAt time.Time `json:"lastAccessAt"`
}

// TaskBacklog is the number of waiting tasks of a kind, and the age of the oldest.
type TaskBacklog struct {
	Kind  TaskKind
	Count int64
	Age   time.Duration
}

// TaskQueueObservation is the last observation of a task queue in Temporal. ObservedAt is the zero time if every
// attempt failed. Failure is the reason why the latest attempt failed, empty if it did not.
type TaskQueueObservation struct {
	ObservedAt time.Time
	Pollers    []Poller
	Backlogs   []TaskBacklog
	FailedAt   time.Time
	Failure    string
}

// TaskQueueTimeouts contains the times after which a condition is a problem.
type TaskQueueTimeouts struct {
	// Poll is how long after the start of its last poll a worker counts as polling. A poll that finds no task
	// lasts a minute.
	Poll time.Duration
	// Backlog is how long tasks may wait although the queue is polled.
	Backlog time.Duration
	// Observation is the age up to which an observation is used.
	Observation time.Duration
}

// DefaultTaskQueueTimeouts returns the times for queues that are observed four times a minute.
func DefaultTaskQueueTimeouts() TaskQueueTimeouts {
	return TaskQueueTimeouts{Poll: 90 * time.Second, Backlog: time.Minute, Observation: time.Minute}
}
