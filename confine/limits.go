package confine

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limits bound a child.
type Limits struct {
	// Memory is how many bytes of memory of its own a child may have, beside what
	// the runtime of Go takes before a task begins.
	Memory int64
	// CPU is how much processor time it may use, in whole seconds.
	CPU time.Duration
	// Time is how long it may take, start and end included.
	Time time.Duration
	// Output is how many bytes it may write.
	Output int64
}

var (
	// ErrMemory is returned when a child needed more memory than it may have.
	ErrMemory = errors.New("the child needs more memory than allowed")
	// ErrTime is returned when a child needed more time than it may have, of the
	// processor or of the clock.
	ErrTime = errors.New("the child needs more time than allowed")
	// ErrOutput is returned when a child wrote more than it may.
	ErrOutput = errors.New("the child writes more than allowed")
	// ErrLost is returned when a child could not be started or was killed by
	// something else than its limits, as by a kernel that is out of memory.
	ErrLost = errors.New("the child was lost")
)

// ExitError says that a child failed by itself.
type ExitError struct {
	// Code is its exit code, -1 when a signal ended it.
	Code int
	// Complaint is the beginning of what it wrote to stderr.
	Complaint string
}

// Error shows the code and the complaint.
func (e *ExitError) Error() string {
	return fmt.Sprintf("the child failed with %d: %q", e.Code, e.Complaint)
}

// String is the limits as a child is given them.
func (l Limits) String() string {
	return fmt.Sprintf("%d:%d", l.Memory, seconds(l.CPU))
}

// parseLimits reads what String wrote. The clock and the output are the parent's
// to look after.
func parseLimits(text string) (Limits, error) {
	memory, cpu, ok := strings.Cut(text, ":")
	if !ok {
		return Limits{}, errors.New("limits are memory:seconds")
	}
	m, err := strconv.ParseInt(memory, 10, 64)
	if err != nil {
		return Limits{}, fmt.Errorf("reading limits: %w", err)
	}
	s, err := strconv.ParseInt(cpu, 10, 32)
	if err != nil {
		return Limits{}, fmt.Errorf("reading limits: %w", err)
	}
	return Limits{Memory: m, CPU: time.Duration(s) * time.Second}, nil
}

// seconds rounds up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
