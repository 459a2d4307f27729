package processes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/procession-dev/procession/domain"
)

// failedStep is the id of the step that failed.
const failedStep = "failed-step"

// engineSwap returns the way in which the script inserts Temporal's data: a step that failed is scrolled to.
func engineSwap(query string) string {
	if strings.Contains(query, "step=") {
		return "innerHTML show:#" + failedStep + ":top"
	}
	return "innerHTML"
}

func (l *engineView) failsAt(w domain.WorkflowWait) bool {
	return l.Step != nil && w.Kind == domain.WaitActivity && w.Name == *l.Step
}

// waitAnchor returns the id of the pending step i.
func (l *engineView) waitAnchor(i int) string {
	if slices.IndexFunc(l.View.Waits, l.failsAt) == i {
		return failedStep
	}
	return "wait-" + strconv.Itoa(i)
}

// eventAnchor returns the id of an event. Without a pending activity the newest failure is the step that failed.
func (l *engineView) eventAnchor(i int) string {
	fails := func(e domain.WorkflowEvent) bool { return isFailure(e.Kind) }
	if l.Step != nil && !slices.ContainsFunc(l.View.Waits, l.failsAt) && slices.IndexFunc(l.View.Events, fails) == i {
		return failedStep
	}
	return "event-" + strconv.FormatInt(l.View.Events[i].ID, 10)
}
