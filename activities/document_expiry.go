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
	// ExpireDocumentsName is the name under which Temporal knows ExpireDocuments.
	ExpireDocumentsName = "ExpireDocuments"
	// SweepDocumentsName is the name under which Temporal knows SweepDocuments.
	SweepDocumentsName = "SweepDocuments"
)

const (
	// documentBatch is how many documents are dealt with between two heartbeats.
	documentBatch = 500
	// checkedDocuments is how many documents of all a sweep looks up in the storage.
	checkedDocuments = 10_000
	// toldForeign is how many names of what is not ours the log gets.
	toldForeign = 10
)

// documentCounts are what this process has done about documents.
type documentCounts struct{ expired, swept, lost atomic.Uint64 }

// DocumentStats are what this process has done about documents since it began.
type DocumentStats struct {
	// Expired documents were deleted.
	Expired uint64
	// Swept counts bytes without a document that were deleted.
	Swept uint64
	// Lost counts documents whose bytes were found missing, each time that they
	// were.
	Lost uint64
}

// DocumentStats returns the counts.
func (a *Activities) DocumentStats() DocumentStats {
	return DocumentStats{
		Expired: a.documents.expired.Load(), Swept: a.documents.swept.Load(), Lost: a.documents.lost.Load(),
	}
}

// ExpireDocumentsResult tells how many documents were deleted.
type ExpireDocumentsResult struct {
	Deleted int `json:"deleted"`
}

// ExpireDocuments deletes all documents that have expired, and the passages of
// those that are no more.
func (a *Activities) ExpireDocuments(ctx context.Context) (ExpireDocumentsResult, error) {
	var result ExpireDocumentsResult
	err := inBatches(ctx, documentBatch, func() (int, error) {
		deleted, err := a.o.App.ExpireDocuments(ctx, documentBatch)
		result.Deleted += deleted
		a.documents.expired.Add(uint64(deleted)) //nolint:gosec // it is not negative
		return deleted, err
	})
	if err != nil {
		return result, fmt.Errorf("expiring documents: %w", err)
	}
	if err := a.o.App.ForgetUnusedPassages(ctx); err != nil {
		return result, fmt.Errorf("forgetting passages of documents: %w", err)
	}
	return result, nil
}

// SweepDocumentsInput tells where the search for lost documents is to go on.
type SweepDocumentsInput struct {
	CheckAfter uuid.UUID `json:"checkAfter"`
}

// SweepDocumentsResult tells what was found, and where the search for lost
// documents is to go on next time.
type SweepDocumentsResult struct {
	Removed    int       `json:"removed"`
	Lost       int       `json:"lost"`
	CheckAfter uuid.UUID `json:"checkAfter"`
}

// sweepProgress is how far a sweep has got, for another attempt.
type sweepProgress struct {
	Result SweepDocumentsResult `json:"result"`
	// Cursor is that of the storage, Checked how many documents were looked up.
	Cursor  string `json:"cursor"`
	Swept   bool   `json:"swept"`
	Checked int    `json:"checked"`
}

// SweepDocuments goes through the whole storage and deletes what has no document.
// Then it looks for documents that have lost their bytes, among some of all
// documents: the next sweep goes on from there. Those are told in the log.
func (a *Activities) SweepDocuments(ctx context.Context, in SweepDocumentsInput) (SweepDocumentsResult, error) {
	p := sweepProgress{Result: SweepDocumentsResult{CheckAfter: in.CheckAfter}}
	if activity.HasHeartbeatDetails(ctx) {
		var earlier sweepProgress
		// What cannot be read of an earlier attempt is done again.
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
		a.tellForeign(ctx, found)
		p.Result.Removed += found.Removed
		p.Cursor, p.Swept = found.Next, found.Next == ""
		activity.RecordHeartbeat(ctx, p)
	}
	for p.Checked < checkedDocuments {
		lost, next, err := a.o.App.FindLostDocuments(ctx, p.Result.CheckAfter, documentBatch)
		if err != nil {
			return p.Result, fmt.Errorf("looking for lost documents: %w", err)
		}
		for i := range lost {
			a.o.Logger.ErrorContext(ctx, "the bytes of a document are missing or cut off",
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

func (a *Activities) tellForeign(ctx context.Context, found app.Sweep) {
	for _, name := range found.Foreign[:min(len(found.Foreign), toldForeign)] {
		a.o.Logger.WarnContext(ctx, "the storage of documents holds something foreign", slog.String("name", name))
	}
}
