package definitions

import (
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/app/administration"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/availability"
	"github.com/procession-dev/procession/domain/shell"
)

const (
	// processesFound bounds the results of a search.
	processesFound = 10
	// madeUpTasks bounds the tasks of a sample process.
	madeUpTasks = 3
	// maxExpression bounds an expression, in bytes.
	maxExpression = 10_000
)

// sampleTask is a task of a made-up process.
type sampleTask struct {
	Code  string
	State domain.TaskState
}

// playground contains an expression and the process that it is evaluated on.
type playground struct {
	Expression string
	// Search are words of a process, or its id.
	Search string
	// Process is the real process, nil for a made-up one.
	Process *uuid.UUID
	Subject string
	State   domain.ProcessState
	Tasks   []sampleTask

	Found []domain.BoardProcess
	// Evaluation is nil for no expression.
	Evaluation *administration.Evaluation
	// Missing reports that the process is not there, or not visible.
	Missing bool
}

func processStates() []domain.ProcessState {
	return []domain.ProcessState{domain.ProcessRunning, domain.ProcessCompleted, domain.ProcessCancelled}
}

func taskStates() []domain.TaskState {
	return []domain.TaskState{domain.TaskReady, domain.TaskClaimed, domain.TaskCompleted, domain.TaskCancelled}
}

// parsePlayground parses the query of a URL. It ignores unknown values.
func parsePlayground(query url.Values) *playground {
	p := &playground{
		Expression: strings.TrimSpace(query.Get("expression")), Search: strings.TrimSpace(query.Get("q")),
		State: domain.ProcessState(query.Get("state")),
	}
	if len(p.Expression) > maxExpression {
		p.Expression = ""
	}
	if id, err := uuid.Parse(query.Get("process")); err == nil {
		p.Process = &id
	}
	if id, err := uuid.Parse(p.Search); err == nil {
		p.Process, p.Search = &id, ""
	}
	if !slices.Contains(processStates(), p.State) {
		p.State = domain.ProcessRunning
	}
	codes, states := query["task"], query["taskState"]
	for i := range madeUpTasks {
		t := sampleTask{State: domain.TaskCompleted}
		if i < len(codes) && i < len(states) {
			t.Code = strings.TrimSpace(codes[i])
			if slices.Contains(taskStates(), domain.TaskState(states[i])) {
				t.State = domain.TaskState(states[i])
			}
		}
		p.Tasks = append(p.Tasks, t)
	}
	return p
}

// sampleModel returns the made-up process.
func (p *playground) sampleModel() availability.Model {
	model := availability.Model{Process: availability.Process{State: p.State}, Tasks: map[string]availability.Task{}}
	for _, t := range p.Tasks {
		if t.Code != "" {
			model.Tasks[t.Code] = availability.Task{State: t.State}
		}
	}
	return model
}

// Playground evaluates an availability expression on a process of the user's tenants or on a sample. It changes no
// data, so its URL can be shared.
func (s *Screens) Playground(v *web.Visit) (*web.Answer, error) {
	p := parsePlayground(v.URL.Query())
	if p.Search != "" {
		board, err := s.App.FindBoard(v.Context(), v.Call, app.BoardFilter{Search: p.Search}, domain.PageRequest{Size: processesFound}, nil)
		if err != nil {
			return nil, err
		}
		p.Found = board.Items
	}
	if err := s.evaluate(v, p); err != nil {
		return nil, err
	}
	return &web.Answer{Title: ui.T(v.Context(), "Try an expression"), Area: area, Body: playgroundPage(p)}, nil
}

func (s *Screens) evaluate(v *web.Visit, p *playground) error {
	if p.Process != nil {
		found, err := s.App.RetrieveProcess(v.Context(), v.Call, *p.Process)
		rejection, isRefusal := errors.AsType[*domain.Error](err)
		switch {
		case isRefusal && rejection.Kind == domain.KindNotFound:
		case err != nil:
			return err
		default:
			p.Subject = found.Subject
		}
	}
	if p.Expression == "" {
		return nil
	}
	evaluation, err := s.Administration.EvaluateAvailability(v.Context(), v.Call, p.Expression, p.Process, p.sampleModel())
	if rejection, isRefusal := errors.AsType[*domain.Error](err); isRefusal && rejection.Kind == domain.KindNotFound {
		p.Missing = true
		return nil
	}
	p.Evaluation = evaluation
	return err
}

// splitAt returns the text of an expression before a column, the character at it, and the
// text after it.
func splitAt(expression string, column int) (before, at, after string) {
	runes := []rune(expression)
	if column < 1 || column > len(runes) {
		return expression, " ", ""
	}
	return string(runes[:column-1]), string(runes[column-1]), string(runes[column:])
}

// taskCodes returns the tasks of the model that an expression was evaluated on.
func taskCodes(model availability.Model) []string { return slices.Sorted(maps.Keys(model.Tasks)) }

// evaluateCommand returns how the command line evaluates the expression.
func (p *playground) evaluateCommand() shell.Line {
	expression := p.Expression
	if expression == "" {
		expression = `${ .process.state == "RUNNING" }`
	}
	words := []string{"procession", "actions", "evaluate", expression}
	if p.Process != nil {
		words = append(words, "--process", p.Process.String())
	}
	line := shell.Command(words...)
	if utf8.RuneCountInString(string(line)) > 300 {
		return "procession actions evaluate EXPRESSION"
	}
	return line
}
