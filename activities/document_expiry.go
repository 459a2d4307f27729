package activities

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"

	"github.com/procession-dev/procession/app"
)

const (
	// ExpireDocumentsName is the activity type of ExpireDocuments in Temporal.
	ExpireDocumentsName = "ExpireDocuments"
	// SweepDocumentsName is the activity type of SweepDocuments in Temporal.
	SweepDocumentsName = "SweepDocuments"
)

const (
	// documentBatch is the number of documents processed between two heartbeats.
	documentBatch = 500
	// checkedDocuments is the number of documents that a sweep looks up in the blob store.
	checkedDocuments = 10_000
	// loggedForeign is the number of logged names of foreign blobs.
	loggedForeign = 10
)

// documentCounts counts the results of expiry and sweeps in this process.
type documentCounts struct{ expired, swept, lost atomic.Uint64 }

// DocumentStats counts the results of expiry and sweeps since this process
// started.
type DocumentStats struct {
	// Expired counts expired documents that were deleted.
	Expired uint64
	// Swept counts blobs without a document that were deleted.
	Swept uint64
	// Lost counts documents with missing or truncated bytes, once per check.
	Lost uint64
}

// DocumentStats returns the counts.
func (a *Activities) DocumentStats() DocumentStats {
	return DocumentStats{
		Expired: a.documents.expired.Load(), Swept: a.documents.swept.Load(), Lost: a.documents.lost.Load(),
	}
}

// ExpireDocumentsResult is the number of deleted documents.
type ExpireDocumentsResult struct {
	Deleted int `json:"deleted"`
}

// ExpireDocuments deletes all documents that have expired, and the passages of
// deleted documents.
func (a *Activities) ExpireDocuments(ctx context.Context) (ExpireDocumentsResult, error) {
	var result ExpireDocumentsResult
	err := runInBatches(ctx, func() (bool, error) {
		deleted, err := a.o.App.ExpireDocuments(ctx, documentBatch)
		result.Deleted += deleted
		a.documents.expired.Add(uint64(deleted)) //nolint:gosec // it is not negative
		return deleted >= documentBatch, err
	})
	if err != nil {
		return result, fmt.Errorf("expiring documents: %w", err)
	}
	if err := a.o.App.ForgetUnusedPassages(ctx); err != nil {
		return result, fmt.Errorf("deleting passages of documents: %w", err)
	}
	return result, nil
}

// SweepDocumentsInput is the position from which the search for lost documents
// continues.
type SweepDocumentsInput struct {
	CheckAfter uuid.UUID `json:"checkAfter"`
}

// SweepDocumentsResult contains the counts of a sweep, and the position from
// which the next one searches for lost documents.
type SweepDocumentsResult struct {
	Removed    int       `json:"removed"`
	Lost       int       `json:"lost"`
	CheckAfter uuid.UUID `json:"checkAfter"`
}

// sweepProgress is the progress of a sweep, kept for the next attempt.
type sweepProgress struct {
	Result SweepDocumentsResult `json:"result"`
	// Cursor is the position in the blob store, Checked the number of checked
	// documents.
	Cursor  string `json:"cursor"`
	Swept   bool   `json:"swept"`
	Checked int    `json:"checked"`
}

// SweepDocuments reads the whole blob store and deletes blobs without a document.
// Then it checks a part of the documents and logs missing or truncated bytes; the next
// sweep continues from there.
func (a *Activities) SweepDocuments(ctx context.Context, in SweepDocumentsInput) (SweepDocumentsResult, error) {
	p := sweepProgress{Result: SweepDocumentsResult{CheckAfter: in.CheckAfter}}
	if activity.HasHeartbeatDetails(ctx) {
		var earlier sweepProgress
		// Unreadable progress of an earlier attempt is ignored.
		if activity.GetHeartbeatDetails(ctx, &earlier) == nil {
			p = earlier
		}
	}
	for !p.Swept {
		found, err := a.o.App.SweepDocuments(ctx, p.Cursor, documentBatch)
		a.documents.swept.Add(uint64(found.Removed)) //nolint:gosec // it is not negative
		if err != nil {
			return p.Result, fmt.Errorf("sweeping documents: %w", err)
		}
		a.logForeign(ctx, found)
		p.Result.Removed += found.Removed
		p.Cursor, p.Swept = found.Next, found.Next == ""
		activity.RecordHeartbeat(ctx, p)
	}
	for p.Checked < checkedDocuments {
		lost, next, err := a.o.App.FindLostDocuments(ctx, p.Result.CheckAfter, documentBatch)
		if err != nil {
			return p.Result, fmt.Errorf("finding lost documents: %w", err)
		}
		for i := range lost {
			a.o.Logger.ErrorContext(ctx, "document bytes are missing or truncated",
				slog.String("document", lost[i].ID.String()), slog.String("tenant", lost[i].TenantID.String()))
		}
		a.documents.lost.Add(uint64(len(lost)))
		p.Result.Lost += len(lost)
		p.Result.CheckAfter, p.Checked = next, p.Checked+documentBatch
		if next == uuid.Nil {
			break
		}
		activity.RecordHeartbeat(ctx, p)
	}
	return p.Result, nil
}

func (a *Activities) logForeign(ctx context.Context, found app.Sweep) {
	for _, name := range found.Foreign[:min(len(found.Foreign), loggedForeign)] {
		a.o.Logger.WarnContext(ctx, "blob store contains a foreign blob", slog.String("name", name))
	}
}
