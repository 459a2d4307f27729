package apitest

import (
	"context"
	"errors"
	"time"

	"github.com/procession-dev/procession/domain"
)

// LostWorkflow is the part of a history at which Temporal does not answer.
const LostWorkflow = "lost"

// viewWorkflow stands for Temporal: every workflow waits for a failing activity, and has events before the first it shows.
func viewWorkflow(_ context.Context, q domain.WorkflowQuestion) (*domain.WorkflowView, error) {
	switch {
	case q.WorkflowID == LostWorkflow:
		return nil, errors.New("connection refused")
	case q.WorkflowID != q.Among[0]:
		return nil, nil //nolint:nilnil // Temporal does not know it
	}
	at := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	view := &domain.WorkflowView{
		WorkflowID: q.WorkflowID, RunID: "run", Type: "Loan", TaskQueue: "LOANS", Status: "Running", StartedAt: at, Length: 7,
		Waits:  []domain.WorkflowWait{{Kind: domain.WaitActivity, Name: "Transfer", Since: at, Attempt: 4, Message: "no answer"}},
		Older:  []byte("page 2"),
		Events: []domain.WorkflowEvent{{ID: 7, At: at, Kind: "ActivityTaskScheduled", Name: "Transfer"}},
	}
	if string(q.After) == "page 2" {
		view.Older, view.Events = nil, []domain.WorkflowEvent{{ID: 1, At: at, Kind: "WorkflowExecutionStarted", Name: "Loan"}}
	}
	return view, nil
}
