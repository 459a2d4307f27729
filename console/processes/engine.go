package processes

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"github.com/procession-dev/procession/app"
	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/console/web"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

// Engine shows the workflows of a process to its managers. A second request loads the data of Temporal, so that
// the page appears while Temporal is unavailable.
func (s *Screens) Engine(v *web.Visit) (*web.Answer, error) {
	return s.tabHandler("engine", func(of *processView) (templ.Component, error) {
		if !of.MayManage {
			return nil, domain.Denied("the Manager permission on the process is required")
		}
		if v.Call.Operator {
			tenant, err := s.App.RetrieveTenant(v.Context(), v.Call, of.Whole.TenantID)
			if err != nil {
				return nil, err
			}
			of.Issue = shell.Command("procession", "access", "issue", "--operator", "--tenant", tenant.Code)
		}
		return engineFrame(of, "?"+v.URL.RawQuery), nil
	})(v)
}

// engineView contains the view of a workflow.
type engineView struct {
	*app.EngineHistory

	Process uuid.UUID
	Path    string
	// Asked is the requested workflow, "" for the workflow of the process.
	Asked string
	// Step is the activity that failed, "" for another step, nil if no step is to be shown first.
	Step *string
	// Problem is the reason why Temporal was not asked, "" if it was.
	Problem string
}

// EngineHistory shows Temporal's data about a workflow of a process: to the script as a part of the tab, otherwise
// as a page.
func (s *Screens) EngineHistory(v *web.Visit) (*web.Answer, error) {
	id, err := v.ID()
	if err != nil {
		return nil, err
	}
	query := v.URL.Query()
	of := engineView{Process: id, Path: pathOf(id, "engine"), Asked: query.Get("workflow")}
	if query.Has("step") {
		of.Step = new(query.Get("step"))
	}
	of.EngineHistory, err = s.App.RetrieveEngineHistory(v.Context(), v.Call, id,
		app.EngineHistoryPart{WorkflowID: of.Asked, After: query.Get("after")})
	status := http.StatusOK
	if domain.HasCode(err, domain.CodeUnavailable) {
		of.EngineHistory, of.Problem, err = &app.EngineHistory{}, ui.T(v.Context(), "Temporal is unavailable. The process continues when it is back."), nil
		status = http.StatusServiceUnavailable
	}
	if err != nil {
		return nil, err
	}
	if v.Partial() {
		return &web.Answer{Body: enginePart(of), Raw: true, Status: status}, nil
	}
	answer, err := s.showTab(v, id, "engine", nil, func(*processView) (templ.Component, error) { return enginePart(of), nil })
	if err == nil {
		answer.Status = status
	}
	return answer, err
}

// workflowPath returns the path of the tab for another workflow of the process.
func (l *engineView) workflowPath(workflow string) string {
	return l.Path + "?" + url.Values{"workflow": {workflow}}.Encode()
}

// olderPath returns the path of the events before.
func (l *engineView) olderPath() string {
	return l.Path + "?" + url.Values{"workflow": {l.Asked}, "after": {l.Older}}.Encode()
}

// historyCommand returns the command that shows the same.
func (l *engineView) historyCommand() shell.Line {
	words := []string{"procession", "processes", "history", l.Process.String(), "--engine"}
	if l.View.WorkflowID != l.Runs[0].WorkflowID {
		words = append(words, "--workflow="+l.View.WorkflowID)
	}
	return shell.Command(words...)
}

// isFailure reports whether an event is a failure.
func isFailure(kind string) bool {
	return strings.HasSuffix(kind, "Failed") || strings.HasSuffix(kind, "TimedOut")
}

// waitText describes the reason why a workflow waits.
func waitText(ctx context.Context, w *domain.WorkflowWait) string {
	switch w.Kind {
	case domain.WaitTask:
		return ui.T(ctx, "Waits for the task %s", w.Name)
	case domain.WaitActivity:
		if w.Attempt > 1 {
			return ui.T(ctx, "Waits for the activity %s, attempt %d", w.Name, w.Attempt)
		}
		return ui.T(ctx, "Waits for the activity %s", w.Name)
	case domain.WaitTimer:
		return ui.T(ctx, "Waits for the timer %s", w.Name)
	case domain.WaitChild:
		return ui.T(ctx, "Waits for the child workflow %s", w.Name)
	case domain.WaitWorker:
	}
	return ui.T(ctx, "Waits for a worker of the task queue %s", w.Name)
}

// eventText describes an event of a workflow. Unknown kinds are shown as they are.
func eventText(ctx context.Context, e *domain.WorkflowEvent) string {
	name := cmp.Or(e.Name, "…")
	if text, ok := workflowEventText(ctx, e.Kind); ok {
		return text
	}
	if text, ok := partEventText(ctx, e.Kind, name); ok {
		return text
	}
	switch e.Kind {
	case "WorkflowExecutionStarted":
		return ui.T(ctx, "The workflow %s started", name)
	case "WorkflowExecutionSignaled":
		if e.About != "" {
			return ui.T(ctx, "The signal %s about %s arrived", name, e.About)
		}
		return ui.T(ctx, "The signal %s arrived", name)
	}
	return e.Kind
}

// workflowEventText describes an event of the workflow itself.
func workflowEventText(ctx context.Context, kind string) (text string, ok bool) {
	switch kind {
	case "WorkflowExecutionCompleted":
		text = ui.T(ctx, "The workflow completed")
	case "WorkflowExecutionFailed":
		text = ui.T(ctx, "The workflow failed")
	case "WorkflowExecutionTimedOut":
		text = ui.T(ctx, "The workflow timed out")
	case "WorkflowExecutionCanceled":
		text = ui.T(ctx, "The workflow was cancelled")
	case "WorkflowExecutionTerminated":
		text = ui.T(ctx, "The workflow was terminated")
	case "WorkflowExecutionContinuedAsNew":
		text = ui.T(ctx, "The workflow continued as new")
	case "WorkflowExecutionCancelRequested":
		text = ui.T(ctx, "Cancellation of the workflow was requested")
	case "WorkflowTaskFailed":
		text = ui.T(ctx, "A step of the workflow failed")
	case "WorkflowTaskTimedOut":
		text = ui.T(ctx, "A step of the workflow timed out")
	}
	return text, text != ""
}

// partEventText describes an event of an activity, a timer or a child workflow.
func partEventText(ctx context.Context, kind, name string) (text string, ok bool) {
	switch kind {
	case "ActivityTaskScheduled":
		text = ui.T(ctx, "The activity %s was scheduled", name)
	case "ActivityTaskCompleted":
		text = ui.T(ctx, "The activity %s completed", name)
	case "ActivityTaskFailed":
		text = ui.T(ctx, "The activity %s failed", name)
	case "ActivityTaskTimedOut":
		text = ui.T(ctx, "The activity %s timed out", name)
	case "ActivityTaskCanceled":
		text = ui.T(ctx, "The activity %s was cancelled", name)
	case "TimerStarted":
		text = ui.T(ctx, "The timer %s started", name)
	case "TimerFired":
		text = ui.T(ctx, "The timer %s ended", name)
	case "TimerCanceled":
		text = ui.T(ctx, "The timer %s was cancelled", name)
	case "ChildWorkflowExecutionStarted":
		text = ui.T(ctx, "The child workflow %s started", name)
	case "ChildWorkflowExecutionCompleted":
		text = ui.T(ctx, "The child workflow %s completed", name)
	case "ChildWorkflowExecutionFailed":
		text = ui.T(ctx, "The child workflow %s failed", name)
	case "ChildWorkflowExecutionCanceled":
		text = ui.T(ctx, "The child workflow %s was cancelled", name)
	case "ChildWorkflowExecutionTimedOut":
		text = ui.T(ctx, "The child workflow %s timed out", name)
	case "ChildWorkflowExecutionTerminated":
		text = ui.T(ctx, "The child workflow %s was terminated", name)
	}
	return text, text != ""
}
