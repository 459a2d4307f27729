package cli

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	oasadmin "github.com/procession-dev/procession/api/admin/oas"
)

// showEngine writes the workflow history of a process in Temporal.
func (s *service) showEngine(cmd *cobra.Command, out *output, process uuid.UUID, workflow, after string, now time.Time) error {
	answer, err := s.RetrieveEngineHistory(cmd.Context(), process, &oasadmin.RetrieveEngineHistoryParams{
		WorkflowID: nonEmpty(workflow), After: nonEmpty(after),
	})
	found, err := receive[oasadmin.EngineHistory](s, answer, err)
	if err != nil {
		return err
	}
	if err := out.write(cmd.Context(), cmd.OutOrStdout(), found, func(v view) { engineTable(v, found, now) }); err != nil {
		return err
	}
	if found.Next != nil {
		cmd.PrintErrf("There is more: --after %s\n", *found.Next)
	}
	return nil
}

func engineTable(w io.Writer, h oasadmin.EngineHistory, now time.Time) {
	for i := range h.Workflows {
		writeRow(w, "Workflow:", h.Workflows[i].WorkflowID, string(h.Workflows[i].Kind), string(h.Workflows[i].State))
	}
	if h.Workflow == nil {
		writeRow(w, "Status:", "Temporal does not know the workflow: it is not started yet, or deleted")
		return
	}
	v := h.Workflow
	writeRow(w, "Status:", v.Status, v.WorkflowID)
	writeRow(w, "Type:", cellText(v.Type), "on "+cellText(v.TaskQueue))
	for i := range v.Waits {
		writeRow(w, "Waits:", cellText(waitSentence(&v.Waits[i], now)))
	}
	for _, e := range slices.Backward(v.Events) {
		writeRow(w, timeText(e.At), cellText(engineSentence(&e)))
	}
}

// waitSentence describes the wait of a workflow.
func waitSentence(w *oasadmin.WorkflowWait, now time.Time) string {
	text := map[oasadmin.WorkflowWaitKind]string{
		oasadmin.WorkflowWaitKindTASK: "for the task ", oasadmin.WorkflowWaitKindACTIVITY: "for the activity ",
		oasadmin.WorkflowWaitKindTIMER: "for the timer ", oasadmin.WorkflowWaitKindCHILDWORKFLOW: "for the child workflow ",
		oasadmin.WorkflowWaitKindWORKER: "for a worker of ",
	}[w.Kind] + w.Name
	if w.WorkflowID != nil {
		text += " " + *w.WorkflowID
	}
	if w.Since != nil {
		text += ", since " + now.Sub(*w.Since).Round(time.Second).String()
	}
	if w.Attempt != nil && *w.Attempt > 1 {
		text += ", attempt " + strconv.Itoa(*w.Attempt)
	}
	if w.Until != nil {
		text += ", until " + timeText(*w.Until)
	}
	if w.Message != nil {
		text += ": " + *w.Message
	}
	return text
}

// engineDeeds returns the events of workflows. %s stands for the name.
func engineDeeds() map[string]string {
	return map[string]string{
		"WorkflowExecutionStarted":         "the workflow %s started",
		"WorkflowExecutionCompleted":       "the workflow completed",
		"WorkflowExecutionFailed":          "the workflow failed",
		"WorkflowExecutionTimedOut":        "the workflow timed out",
		"WorkflowExecutionCanceled":        "the workflow was cancelled",
		"WorkflowExecutionTerminated":      "the workflow was terminated",
		"WorkflowExecutionContinuedAsNew":  "the workflow continued as new",
		"WorkflowExecutionCancelRequested": "cancellation of the workflow was requested",
		"WorkflowExecutionSignaled":        "the signal %s arrived",
		"WorkflowTaskFailed":               "a step of the workflow failed",
		"WorkflowTaskTimedOut":             "a step of the workflow timed out",
		"ActivityTaskScheduled":            "the activity %s was scheduled",
		"ActivityTaskCompleted":            "the activity %s completed",
		"ActivityTaskFailed":               "the activity %s failed",
		"ActivityTaskTimedOut":             "the activity %s timed out",
		"ActivityTaskCanceled":             "the activity %s was cancelled",
		"TimerStarted":                     "the timer %s started",
		"TimerFired":                       "the timer %s ended",
		"TimerCanceled":                    "the timer %s was cancelled",
		"ChildWorkflowExecutionStarted":    "the child workflow %s started",
		"ChildWorkflowExecutionCompleted":  "the child workflow %s completed",
		"ChildWorkflowExecutionFailed":     "the child workflow %s failed",
		"ChildWorkflowExecutionCanceled":   "the child workflow %s was cancelled",
		"ChildWorkflowExecutionTimedOut":   "the child workflow %s timed out",
		"ChildWorkflowExecutionTerminated": "the child workflow %s was terminated",
	}
}

// engineSentence describes an event of a workflow. Events of newer services are described by their kind.
func engineSentence(e *oasadmin.WorkflowEvent) string {
	text, ok := engineDeeds()[e.Kind]
	if !ok {
		return e.Kind
	}
	text = strings.ReplaceAll(text, "%s", cmp.Or(valueOf(e.Name), "(scheduled before)"))
	if e.About != nil {
		text += " about " + *e.About
	}
	if e.Until != nil {
		text += ", until " + timeText(*e.Until)
	}
	if e.Message != nil {
		text += ": " + *e.Message
	}
	return text
}
