package app

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/reference"
	"github.com/procession-dev/procession/persistence"
)

// actionResult is what the workflow of an action returns (engine contract,
// section 6), as far as it matters.
type actionResult struct {
	Downloadable *struct {
		DocumentURI string `json:"documentUri"`
	} `json:"downloadable"`
}

// endWithWorkflow ends an action as its workflow ended. An end that comes after
// the action's own is dropped.
func (s *Service) endWithWorkflow(
	ctx context.Context, tx *persistence.Tx, locked *persistence.LockedRun, c domain.Closing, now time.Time,
) error {
	a, by := locked.Action, domain.SystemPrincipalID()
	if a.Status != domain.ActionRequested {
		return nil
	}
	if c.Status == domain.RunCompleted && a.Type == domain.ArtifactActionDownloadable {
		found, err := keepResult(ctx, tx, a, c.Result, now)
		if err != nil {
			return err
		}
		if !found {
			c.Status = domain.RunFailed
			c.Message = cmp.Or(c.Message, "the workflow returned no document of the business artifact")
		}
	}
	switch c.Status {
	case domain.RunFailed:
		a.Fail(c.Message, by, now)
		tx.InsertIncident(domain.NewIncident(newID(), locked.Run, c, now))
	case domain.RunCancelled:
		a.Cancel(by, now)
	case domain.RunCompleted, domain.RunPending, domain.RunRunning:
		a.Complete(by, now)
	}
	tx.EndArtifactAction(a)
	return nil
}

// delivered is the document that a result names. A worker may return what it
// likes: what does not fit names none.
func delivered(result json.RawMessage) string {
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
	uri, ok := reference.ParseDocumentURI(delivered(result))
	if !ok || uri.Owner != reference.OwnerBusinessArtifact || uri.OwnerID != a.ArtifactID {
		return false, nil
	}
	document, err := tx.LockArtifactDocument(ctx, a.ArtifactID, uri.DocumentID)
	if err != nil || document == nil {
		return false, err
	}
	a.DocumentID = &document.ID
	a.DocumentURI = DocumentURI(document)
	tx.KeepDocument(document.ID, now.Add(domain.DocumentOfArtifactAction.Lifetime()))
	return true, nil
}
