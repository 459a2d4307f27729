package app

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// endProcessAction ends an action as its workflow ended. The workflow of a
// DOWNLOADABLE has uploaded the document by then, which completed the action.
func endProcessAction(
	tx *persistence.Tx, locked *persistence.LockedRun, c domain.RunEnd, now time.Time,
) domain.Events {
	a := locked.ProcessAction
	if a.Status != domain.ActionRequested {
		return nil
	}
	if c.Status == domain.RunCompleted && a.Type == domain.ProcessActionDownloadable {
		c.Status = domain.RunFailed
		c.Message = "the workflow ended without uploading a document"
	}
	events := endAction(tx, &a.Action, locked.Run, c, now)
	return append(events, storeProcessActionEnd(tx, a, domain.SystemPrincipalID(), now))
}

// storeProcessActionEnd stores that an action has left REQUESTED.
func storeProcessActionEnd(tx *persistence.Tx, a *domain.ProcessAction, by uuid.UUID, now time.Time) domain.Event {
	tx.EndProcessAction(a)
	tx.RequestInspection(a.ProcessID, now.Add(domain.InspectAfter))
	return domain.ProcessActionEvent(domain.EventProcessActionStateChanged, a, by, now).
		From(string(domain.ActionRequested))
}
