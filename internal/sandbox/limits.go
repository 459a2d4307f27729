package sandbox

import (
	"errors"
	"fmt"
	"time"
)

// Limits limit a child.
type Limits struct {
	// Memory is the maximum private memory in bytes, in addition to the memory of the Go runtime when the task
	// begins.
	Memory int64
	// CPU is the maximum processor time, rounded up to seconds.
	CPU time.Duration
	// Time is the maximum wall-clock time, including start and exit.
	Time time.Duration
	// Output is the maximum number of bytes that the child may write to stdout.
	Output int64
}

var (
	// ErrMemory is returned if a child reached its limit of memory.
	ErrMemory = errors.New("the child needs more memory than allowed")
	// ErrTime is returned if a child reached its limit of processor time or wall-clock time.
	ErrTime = errors.New("the child needs more time than allowed")
	// ErrOutput is returned if a child reached its limit of output.
	ErrOutput = errors.New("the child writes more than allowed")
	// ErrLost is returned if a child could not be started, or was killed for another reason than its limits, such as
	// a kernel out of memory.
	ErrLost = errors.New("the child was lost")
)

// ExitError is returned if a child exits with a failure within its limits.
type ExitError struct {
	// Code is the exit code, or -1 after a signal.
	Code int
	// Complaint is the beginning of its output to stderr, at most 4 KiB.
	Complaint string
}

// Error returns the code and the complaint.
func (e *ExitError) Error() string {
	return fmt.Sprintf("the child failed with %d: %q", e.Code, e.Complaint)
}

// order is the part of a job that the parent passes to the child as its argument, in JSON.
type order struct {
	// Memory is in bytes, CPU in seconds.
	Memory, CPU int64
	Task        string   `json:",omitempty"`
	Program     []string `json:",omitempty"`
	Readable    []string `json:",omitempty"`
}

func (j Job) childOrder() order {
	return order{
		Memory: j.Limits.Memory, CPU: toSeconds(j.Limits.CPU), Task: j.Task, Program: j.Program, Readable: j.Readable,
	}
}

// toSeconds rounds up.
func toSeconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
