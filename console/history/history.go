// Package history shows events as sentences.
package history

import (
	"context"
	"net/url"
	"strings"

	"github.com/procession-dev/procession/console/ui"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
)

// Shown is the number of events on a page of a timeline.
const Shown = 100

// Before returns the cursor in the URL of a page of a timeline, nil where there is none.
func Before(page *url.URL) *domain.EventCursor {
	cursor, err := domain.ParseEventCursor(page.Query().Get("before"))
	if err != nil {
		return nil
	}
	return &cursor
}

// Older returns the URL of the previous events, "" for none.
func Older(path string, events []domain.TimelineEvent) string {
	if len(events) < Shown {
		return ""
	}
	return path + "?before=" + url.QueryEscape(events[len(events)-1].Cursor.String())
}

// Moment is an event of a timeline, or several equal ones in a row.
type Moment struct {
	domain.TimelineEvent

	Times int
	// Reason is the reason of a repair, "" for other events.
	Reason string
}

// Moments leaves out the first state of new objects, and joins consecutive events with the same sentence.
func Moments(events []domain.TimelineEvent) []Moment {
	var joined []Moment
	for _, e := range events {
		if isFirstState(&e) {
			continue
		}
		if last := len(joined) - 1; last >= 0 && isRepetition(&joined[last].TimelineEvent, &e) {
			joined[last].Times++
			continue
		}
		joined = append(joined, Moment{TimelineEvent: e, Times: 1})
	}
	return joined
}

// isFirstState reports whether an event is the first state of a new process or task, which its creation implies.
func isFirstState(e *domain.TimelineEvent) bool {
	return strings.HasSuffix(string(e.Type), "STATE_CHANGED") && e.PreviousState == "" &&
		(e.State == string(domain.ProcessRunning) || e.State == string(domain.TaskReady))
}

// isRepetition reports whether two events are of saving the same thing again.
func isRepetition(a, b *domain.TimelineEvent) bool {
	return a.Type == b.Type && a.ActorID == b.ActorID && a.ResourceID == b.ResourceID && strings.HasSuffix(string(a.Type), "_SAVED")
}

// Sentence describes an event without its actor. names contains the names of user actions by code.
func Sentence(ctx context.Context, e *domain.TimelineEvent, names map[string]translation.Name) string {
	name := ui.NameOf(ctx, e.ItemName)
	if name == "" {
		name = ui.T(ctx, "Message")
	}
	if text, ok := eventSentences()[e.Type]; ok {
		return ui.T(ctx, text)
	}
	if e.Details[domain.DetailWay] == domain.WaySubstitution {
		return ofSubstitute(ctx, e, name)
	}
	if text, ok := sentencesOfTasks()[e.Type]; ok {
		return ui.T(ctx, text, name)
	}
	switch {
	case e.Type == domain.EventProcessRepaired:
		return RepairSentence(ctx, domain.RepairKind(e.Details["kind"]))
	case e.Type == domain.EventProcessStateChanged:
		return ofProcessState(ctx, e)
	case e.Type == domain.EventItemCreated:
		return ofNewItem(ctx, e, name)
	case e.Details[domain.DetailWay] == domain.WayDelegation:
		return ui.T(ctx, "delegated “%s” to %s", name, e.OwnerName)
	case e.Details[domain.DetailWay] == domain.WayTakenBack:
		return ui.T(ctx, "took “%s” back", name)
	case e.Type == domain.EventItemTaskStateChanged:
		return ofTaskState(ctx, e, name)
	case e.Type == domain.EventItemTaskAssigned:
		return ui.T(ctx, "gave “%s” to %s", name, e.OwnerName)
	case e.ResourceKind == domain.ResourceProcessAction, e.ResourceKind == domain.ResourceArtifactAction:
		return ofAction(ctx, e, names)
	}
	return string(e.Type)
}

// eventSentences returns the sentences of events that need no details.
func eventSentences() map[domain.EventType]string {
	return map[domain.EventType]string{
		domain.EventProcessCreated:          ui.Text("started the process"),
		domain.EventProcessDeleted:          ui.Text("deleted the process"),
		domain.EventProcessInitiatorChanged: ui.Text("gave the process another initiator"),
		domain.EventProcessMetadataSaved:    ui.Text("changed the metadata"),
		domain.EventProcessEntitySaved:      ui.Text("changed the entity"),
		domain.EventProcessElementSaved:     ui.Text("changed the values of the process"),
		domain.EventProcessElementDeleted:   ui.Text("changed the values of the process"),
		domain.EventDocumentUploaded:        ui.Text("uploaded a document"),
		domain.EventArtifactCreated:         ui.Text("created the artifact"),
		domain.EventArtifactDataSaved:       ui.Text("changed the data"),
		domain.EventArtifactDeleted:         ui.Text("deleted the artifact"),
		domain.EventArtifactRestored:        ui.Text("restored the artifact"),
	}
}

// RepairSentence describes a repair by hand without its author.
func RepairSentence(ctx context.Context, kind domain.RepairKind) string {
	return ui.T(ctx, repairText(kind))
}

func repairText(kind domain.RepairKind) string {
	switch kind {
	case domain.RepairReopenTask:
		return ui.Text("reopened a task as a repair")
	case domain.RepairTaskData:
		return ui.Text("changed the data of a task as a repair")
	case domain.RepairMetadata:
		return ui.Text("changed the metadata as a repair")
	case domain.RepairEntity:
		return ui.Text("changed the entity as a repair")
	case domain.RepairCompleteStep:
		return ui.Text("completed a step of the workflow by hand")
	case domain.RepairReset:
		return ui.Text("continued the workflow from an earlier point")
	case domain.RepairRestart:
		return ui.Text("started the workflow again from its beginning")
	case domain.RepairTerminate:
		return ui.Text("terminated the process and its workflow")
	case domain.RepairMove:
		return ui.Text("moved the process to another version of its definition")
	case domain.RepairUndoMove:
		return ui.Text("moved the process back to its former version")
	}
	return ui.Text("repaired the process")
}

// sentencesOfTasks returns the sentences of events that name their task.
func sentencesOfTasks() map[domain.EventType]string {
	return map[domain.EventType]string{
		domain.EventItemTaskPlanned:         ui.Text("planned “%s”"),
		domain.EventItemTaskOverdue:         ui.Text("noted that “%s” is overdue"),
		domain.EventItemTaskEscalated:       ui.Text("escalated “%s”"),
		domain.EventItemTaskDataSaved:       ui.Text("filled in “%s”"),
		domain.EventItemTaskElementSaved:    ui.Text("filled in “%s”"),
		domain.EventItemTaskElementDeleted:  ui.Text("filled in “%s”"),
		domain.EventItemTaskAssistanceAsked: ui.Text("asked for AI help with “%s”"),
	}
}

// ofSubstitute describes what a substitute did for the absent owner of a task.
func ofSubstitute(ctx context.Context, e *domain.TimelineEvent, name string) string {
	if e.Type == domain.EventItemTaskStateChanged {
		return ui.T(ctx, "completed “%s” instead of %s", name, e.OwnerName)
	}
	return ui.T(ctx, "filled in “%s” instead of %s", name, e.OwnerName)
}

func ofProcessState(ctx context.Context, e *domain.TimelineEvent) string {
	switch e.ProcessState {
	case domain.ProcessCompleted:
		return ui.T(ctx, "completed the process")
	case domain.ProcessCancelled:
		return ui.T(ctx, "cancelled the process")
	case domain.ProcessRunning:
	}
	return ui.T(ctx, "set the process running")
}

func ofNewItem(ctx context.Context, e *domain.TimelineEvent, name string) string {
	switch e.ItemType {
	case domain.ItemMessage:
		return ui.T(ctx, "wrote a message")
	case domain.ItemThread:
		return ui.T(ctx, "opened the thread “%s”", name)
	case domain.ItemTask:
	}
	return ui.T(ctx, "created the task “%s”", name)
}

func ofTaskState(ctx context.Context, e *domain.TimelineEvent, name string) string {
	switch e.TaskState {
	case domain.TaskReady:
		return ui.T(ctx, "released “%s”", name)
	case domain.TaskClaimed:
		if e.OwnerName != "" && e.OwnerName != e.ActorName {
			return ui.T(ctx, "gave “%s” to %s", name, e.OwnerName)
		}
		return ui.T(ctx, "claimed “%s”", name)
	case domain.TaskCompleted:
		return ui.T(ctx, "completed “%s”", name)
	case domain.TaskCancelled:
	}
	return ui.T(ctx, "cancelled “%s”", name)
}

func ofAction(ctx context.Context, e *domain.TimelineEvent, names map[string]translation.Name) string {
	code := e.Details["actionCode"]
	name := ui.NameOf(ctx, names[code])
	if name == "" {
		name = ui.Label(code)
	}
	if e.Type == domain.EventProcessActionCreated || e.Type == domain.EventArtifactActionCreated {
		return ui.T(ctx, "used the action “%s”", name)
	}
	switch domain.ActionStatus(e.State) {
	case domain.ActionCompleted:
		return ui.T(ctx, "finished the action “%s”", name)
	case domain.ActionCanceled:
		return ui.T(ctx, "cancelled the action “%s”", name)
	case domain.ActionError, domain.ActionRequested:
	}
	return ui.T(ctx, "could not finish the action “%s”", name)
}

// By returns the name of who acted; the service itself has none.
func By(e *domain.TimelineEvent) string {
	if e.ActorName == "" {
		return "Procession"
	}
	return e.ActorName
}
