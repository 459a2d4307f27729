// Package useractions holds the user actions REPORT and NUDGE of the process LOAN as Temporal workflows and the
// activities they use. It knows the service by the engine contract (names and payloads in this file) and by the REST
// API, and nothing else.
package useractions

import "github.com/google/uuid"

// Workflow types that the definition LOAN names. Both run on the queue of the loans.
const (
	ReportWorkflow = "LoanReportWorkflow"
	NudgeWorkflow  = "LoanNudgeWorkflow"
)

// Activity types. Each does all that it is about in one go: documents and the data of people have no place in a
// workflow's history.
const (
	activityUploadReport = "Loan_uploadReport"
	activityRemind       = "Loan_remind"
)

// ActionRequest is the one argument that the service starts the workflow of a user action with, as far as it is used
// here. UserActionID is the id of the action that was invoked, which the upload calls userActionValueId.
type ActionRequest struct {
	ProcessID    uuid.UUID `json:"processId"`
	UserActionID uuid.UUID `json:"userActionId"`
}

// ActionResponse is a workflow's result.
type ActionResponse struct {
	Message string `json:"message"`
}
