package app

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/kuflowref"
	"github.com/procession-dev/procession/persistence"
)

// actionResult contains the used part of the result of an action's workflow (engine contract, section 6).
type actionResult struct {
	Downloadable *struct {
		DocumentURI string `json:"documentUri"`
	} `json:"downloadable"`
}

// endArtifactAction ends an action as its workflow ended. The workflow of a
// DOWNLOADABLE returns the document.
func endArtifactAction(
	ctx context.Context, tx *persistence.Tx, locked *persistence.LockedRun, c domain.RunEnd, now time.Time,
) (domain.Events, error) {
	a := locked.ArtifactAction
	if a.Status != domain.ActionRequested {
		return nil, nil
	}
	if c.Status == domain.RunCompleted && a.Type == domain.ArtifactActionDownloadable {
		found, err := keepResult(ctx, tx, a, c.Result, now)
		if err != nil {
			return nil, err
		}
		if !found {
			c.Status = domain.RunFailed
			c.Message = cmp.Or(c.Message, "the workflow returned no document of the business artifact")
		}
	}
	events := endAction(tx, &a.Action, locked.Run, c, now)
	return append(events, storeArtifactActionEnd(tx, a, domain.SystemPrincipalID(), now)), nil
}

// storeArtifactActionEnd stores that an action has left REQUESTED.
func storeArtifactActionEnd(
	tx *persistence.Tx, a *domain.BusinessArtifactAction, by uuid.UUID, now time.Time,
) domain.Event {
	tx.EndArtifactAction(a)
	return domain.ArtifactActionEvent(domain.EventArtifactActionStateChanged, a, by, now).
		From(string(domain.ActionRequested))
}

// resultDocument returns the document that a result names, "" for a result of another form.
func resultDocument(result json.RawMessage) string {
	var returned actionResult
	if err := json.Unmarshal(result, &returned); err != nil || returned.Downloadable == nil {
		return ""
	}
	return returned.Downloadable.DocumentURI
}

// keepResult gives the action the document that the result names, and reports
// whether that is one of the action's artifact.
func keepResult(
	ctx context.Context, tx *persistence.Tx, a *domain.BusinessArtifactAction, result json.RawMessage, now time.Time,
) (bool, error) {
	uri, ok := kuflowref.ParseDocumentURI(resultDocument(result))
	if !ok || uri.Owner != kuflowref.OwnerBusinessArtifact || uri.OwnerID != a.ArtifactID {
		return false, nil
	}
	document, err := tx.LockArtifactDocument(ctx, a.ArtifactID, uri.DocumentID)
	if err != nil || document == nil {
		return false, err
	}
	a.Deliver(document.ID, DocumentURI(document))
	tx.KeepDocument(document.ID, now.Add(domain.DocumentOfArtifactAction.Lifetime()))
	return true, nil
}
