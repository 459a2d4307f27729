package app

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// endProcessAction ends an action as its workflow ended. The workflow of a
// DOWNLOADABLE has uploaded the document by then, which completed the action.
func endProcessAction(tx *persistence.Tx, locked *persistence.LockedRun, c domain.Closing, now time.Time) {
	a := locked.ProcessAction
	if a.Status != domain.ActionRequested {
		return
	}
	if c.Status == domain.RunCompleted && a.Type == domain.ProcessActionDownloadable {
		c.Status = domain.RunFailed
		c.Message = "the workflow ended without uploading a document"
	}
	endAs(tx, &a.Action, locked.Run, c, now)
	storeProcessActionEnd(tx, a, domain.SystemPrincipalID(), now)
}

// storeProcessActionEnd stores that an action has got out of REQUESTED, and that
// this happened.
func storeProcessActionEnd(tx *persistence.Tx, a *domain.ProcessAction, by uuid.UUID, now time.Time) {
	tx.EndProcessAction(a)
	tx.Record(domain.ProcessActionEvent(domain.EventProcessActionStateChanged, a, by, now).
		From(string(domain.ActionRequested)))
}
