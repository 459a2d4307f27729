package bulk

import (
	"context"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/shell"
)

// words are the texts of a kind of bulk operation.
type words struct {
	// Title is the name of the action, About its effect.
	Title, About, Icon string
	// Danger reports whether the effect cannot be undone.
	Danger bool
}

func kindWords() map[domain.BulkKind]words {
	return map[domain.BulkKind]words{
		domain.BulkCancelProcesses: {
			ui.Text("Cancel processes"), ui.Text("The processes and their open tasks are cancelled. Their workflows are asked to end."), "ban", true,
		},
		domain.BulkTerminateProcesses: {
			ui.Text("Terminate processes"), ui.Text("The processes and their open tasks are cancelled. Their workflows end at once, without cleaning up."), "ban", true,
		},
		domain.BulkRestartProcesses: {
			ui.Text("Start workflows again"), ui.Text("The workflows start again from their beginning, with the same values. Tasks that exist are used again."), "refresh", true,
		},
		domain.BulkMoveProcesses: {
			ui.Text("Move to another version"), ui.Text("Forms, user actions and schemas are the ones of the new version. Running workflows are told by a signal."), "arrow-right", false,
		},
		domain.BulkAssignTasks:  {ui.Text("Assign tasks"), ui.Text("One person becomes the owner of the tasks."), "user-plus", false},
		domain.BulkReleaseTasks: {ui.Text("Release tasks"), ui.Text("The tasks lose their owners and can be claimed by their candidates."), "users", false},
		domain.BulkRecalculateTasks: {
			ui.Text("Recalculate due dates"), ui.Text("Due dates and follow-up dates are set again as the definition and its calendar say now."), "clock", false,
		},
		domain.BulkCancelTasks: {ui.Text("Cancel tasks"), ui.Text("The tasks end without a result. Their workflows are told."), "ban", true},
		domain.BulkRetryIncidents: {
			ui.Text("Retry failed workflows"), ui.Text("The failed workflows start again from their beginning."), "refresh", false,
		},
		domain.BulkDismissIncidents: {
			ui.Text("Dismiss incidents"), ui.Text("The incidents are marked as dealt with. Their processes stay as they are."), "check", false,
		},
		domain.BulkAcknowledge: {
			ui.Text("Acknowledge incidents"), ui.Text("The incidents are marked as noticed and stay open."), "check", false,
		},
	}
}

func kindTitle(ctx context.Context, k domain.BulkKind) string { return ui.T(ctx, kindWords()[k].Title) }

// kindsOf returns the kinds of a subject in the order in which they are offered.
func kindsOf(s domain.BulkSubject) []domain.BulkKind {
	var kinds []domain.BulkKind
	for _, k := range domain.BulkKinds() {
		if k.Subject() == s {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// countText counts entries of a subject.
func countText(ctx context.Context, s domain.BulkSubject, n int) string {
	switch s {
	case domain.BulkProcesses:
		return ui.T(ctx, "%d processes", n)
	case domain.BulkTasks:
		return ui.T(ctx, "%d tasks", n)
	case domain.BulkIncidents:
	}
	return ui.T(ctx, "%d incidents", n)
}

// reasonText describes a refusal.
func reasonText(ctx context.Context, code domain.Code, message string) string {
	return ui.Reason(ctx, &domain.Error{Code: code, Message: message, Kind: domain.KindConflict})
}

func stateBadge(s domain.BulkState) ui.Badge {
	switch s {
	case domain.BulkRunning:
		return ui.Badge{Text: ui.Text("In progress"), Icon: "clock", Class: "text-blue"}
	case domain.BulkStopped:
		return ui.Badge{Text: ui.Text("Stopped"), Icon: "ban", Class: "text-secondary"}
	case domain.BulkCompleted:
		return ui.Badge{Text: ui.Text("Completed"), Icon: "circle-check", Class: "text-green"}
	case domain.BulkPreview:
	}
	return ui.Badge{Text: ui.Text("Preview"), Icon: "eye", Class: "text-secondary"}
}

func itemBadge(s domain.BulkItemState) ui.Badge {
	switch s {
	case domain.BulkItemDone:
		return ui.Badge{Text: ui.Text("Changed"), Icon: "circle-check", Class: "text-green"}
	case domain.BulkItemRefused:
		return ui.Badge{Text: ui.Text("Refused"), Icon: "alert-circle", Class: "text-red"}
	case domain.BulkItemPending:
	}
	return ui.Badge{Text: ui.Text("Not reached"), Icon: "clock", Class: "text-secondary"}
}

// itemPath returns the URL of a resource.
func itemPath(s domain.BulkSubject, i *domain.BulkItem) string {
	path := "/console/" + areaOf(s) + "/" + i.TargetID.String()
	if s == domain.BulkTasks {
		path += "?view=all"
	}
	return path
}

// commandsFor returns the commands for an operation.
func commandsFor(o *operationView) []shell.Line {
	verbs := []string{"watch", "report"}
	switch o.State {
	case domain.BulkPreview:
		verbs = []string{"start"}
	case domain.BulkRunning:
		verbs = []string{"watch", "stop"}
	case domain.BulkStopped, domain.BulkCompleted:
	}
	lines := make([]shell.Line, len(verbs))
	for i, verb := range verbs {
		words := []string{"procession", "bulk", verb, o.ID.String()}
		if verb == "start" {
			words = append(words, "--reason", "REASON")
		}
		lines[i] = shell.Command(words...)
	}
	return lines
}
