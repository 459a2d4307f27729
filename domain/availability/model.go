package availability

import (
	"time"

	"github.com/itchyny/gojq"

	"github.com/procession-dev/procession/domain"
)

// Model is the input of an expression (specification section 2.13). If a process has several tasks of one code,
// the caller passes the newest.
type Model struct {
	// Now is the time of the evaluation.
	Now     time.Time
	Process Process
	// Tasks are keyed by the code of the task.
	Tasks map[string]Task
}

// Process is the process in a Model.
type Process struct {
	State          domain.ProcessState
	CreatedAt      time.Time
	LastModifiedAt time.Time
}

// Task is a task in a Model.
type Task struct {
	State          domain.TaskState
	CreatedAt      time.Time
	LastModifiedAt time.Time
}

// timeLayout is RFC 3339 in UTC to the microsecond. All times have this form, including times in an expression, so
// that they sort like texts.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// needs are the parts of a model that an expression reads.
type needs struct {
	every bool // whether every task is read
	codes map[string]struct{}
}

// modelInput returns the model for jq, with only the tasks that are needed.
func (n *needs) modelInput(m Model) map[string]any {
	tasks := make(map[string]any, len(n.codes))
	if n.every {
		tasks = make(map[string]any, len(m.Tasks))
		for code, task := range m.Tasks {
			tasks[code] = modelFields(string(task.State), task.CreatedAt, task.LastModifiedAt)
		}
	} else {
		for code := range n.codes {
			if task, ok := m.Tasks[code]; ok {
				tasks[code] = modelFields(string(task.State), task.CreatedAt, task.LastModifiedAt)
			}
		}
	}
	return map[string]any{
		"process": modelFields(string(m.Process.State), m.Process.CreatedAt, m.Process.LastModifiedAt),
		"tasks":   tasks,
	}
}

func modelFields(state string, createdAt, lastModifiedAt time.Time) map[string]any {
	return map[string]any{
		"state":          state,
		"createdAt":      createdAt.UTC().Format(timeLayout),
		"lastModifiedAt": lastModifiedAt.UTC().Format(timeLayout),
	}
}

func isProcessState(literal string) bool {
	switch domain.ProcessState(literal) {
	case domain.ProcessRunning, domain.ProcessCompleted, domain.ProcessCancelled:
		return true
	}
	return false
}

func isTaskState(literal string) bool {
	switch domain.TaskState(literal) {
	case domain.TaskReady, domain.TaskClaimed, domain.TaskCompleted, domain.TaskCancelled:
		return true
	}
	return false
}

// isTime reports whether a literal sorts correctly among the model's times once alignTimes has converted it.
func isTime(literal string) bool {
	if _, err := time.Parse(time.RFC3339, literal); err == nil {
		return true
	}
	for _, layout := range []string{"2006-01-02", "2006-01", "2006"} {
		if _, err := time.Parse(layout, literal); err == nil {
			return true
		}
	}
	return false
}

// alignTimes converts literals that are compared with times of the model to their form.
func alignTimes(literals []*gojq.String) {
	for _, literal := range literals {
		if at, err := time.Parse(time.RFC3339, literal.Str); err == nil {
			literal.Str = at.UTC().Format(timeLayout)
		}
	}
}
