package domain

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// AssistanceAnswer is the use of the answer of a model.
type AssistanceAnswer string

// The ways to use an answer.
const (
	// AssistanceSuggestion shows the answer next to the form.
	AssistanceSuggestion AssistanceAnswer = "SUGGESTION"
	// AssistanceDraft writes the answer into fields of the task's data.
	AssistanceDraft AssistanceAnswer = "DRAFT"
)

// Assistance configures how a model helps with the items of a definition
// (specification section 2.11). System and Prompt are templates; Documents and
// DraftFields are JSON Pointers into the data of the item. Only tasks have drafts.
type Assistance struct {
	System       string           `json:"system,omitempty"`
	Prompt       string           `json:"prompt"`
	Documents    []string         `json:"documents,omitempty"`
	Model        string           `json:"model,omitempty"`
	Temperature  *float64         `json:"temperature,omitempty"`
	OutputSchema json.RawMessage  `json:"outputSchema,omitempty"`
	Answer       AssistanceAnswer `json:"answer,omitempty"`
	DraftFields  []string         `json:"draftFields,omitempty"`
}

// Drafts reports whether the answer is written into the data of the task.
func (a *Assistance) Drafts() bool { return a.Answer == AssistanceDraft }

// AssistanceState is the state of a run of AI assistance (specification section
// 3.1).
type AssistanceState string

// The states of a run.
const (
	AssistancePending   AssistanceState = "PENDING"
	AssistanceCompleted AssistanceState = "COMPLETED"
	AssistanceFailed    AssistanceState = "FAILED"
)

type assistanceAction string

const (
	askAssistance      assistanceAction = "asked for with another requestId"
	completeAssistance assistanceAction = "the model has answered"
	failAssistance     assistanceAction = "it has not"
)

//nolint:gochecknoglobals // a constant table: Go has no constant maps
var assistanceTransitions = transitions[AssistanceState, assistanceAction]{
	{AssistancePending, askAssistance}:   {refusal: "another request for assistance with this process item is being worked on"},
	{AssistanceCompleted, askAssistance}: {to: AssistancePending},
	{AssistanceFailed, askAssistance}:    {to: AssistancePending},

	{AssistancePending, completeAssistance}:   {to: AssistanceCompleted},
	{AssistanceCompleted, completeAssistance}: {refusal: "the run is over"},
	{AssistanceFailed, completeAssistance}:    {refusal: "the run is over"},

	{AssistancePending, failAssistance}:   {to: AssistanceFailed},
	{AssistanceCompleted, failAssistance}: {refusal: "the run is over"},
	{AssistanceFailed, failAssistance}:    {refusal: "the run is over"},
}

// The error codes of failed runs, in addition to the provider's.
const (
	// AssistanceTimedOut is the code of a run that exceeded its time.
	AssistanceTimedOut = "TIMEOUT"
	// AssistanceDisabled: the operator has removed the provider since the run was requested.
	AssistanceDisabled = "FEATURE_DISABLED"
	// AssistanceBroken is the code of a failure of the service itself.
	AssistanceBroken = "INTERNAL"
)

// AssistanceKey identifies a run: runs are numbered per item.
type AssistanceKey struct {
	ItemID uuid.UUID `json:"itemId"`
	Run    int       `json:"run"`
}

// WorkflowID returns the id of the workflow that executes the run.
func (k AssistanceKey) WorkflowID() string { return fmt.Sprintf("assistance-%s-%d", k.ItemID, k.Run) }

// DueAssistance is a run ready to start. It must not be started after Deadline.
type DueAssistance struct {
	AssistanceKey
	Deadline time.Time
}

// AssistanceRun is the latest run of an item (specification section 2.11). Model
// and FinishReason are set for completed runs, ErrorCode and ErrorMessage for
// failed ones.
type AssistanceRun struct {
	AssistanceKey
	TenantID    uuid.UUID
	RequestID   uuid.UUID
	RequestedBy uuid.UUID
	State       AssistanceState
	// EmbeddingPending is how many passages are yet to be embedded, EmbeddingProcessing how many are being
	// embedded.
	EmbeddingPending    int
	EmbeddingProcessing int
	Model               string
	FinishReason        string
	ErrorCode           string
	ErrorMessage        string
	StartedAt           time.Time
	Deadline            time.Time
	FinishedAt          *time.Time
	// Answer is the use of the answer.
	Answer AssistanceAnswer
	// Text is the answer of a completed run. Value is the answer as an object, if the definition has a schema
	// for answers.
	Text  string
	Value json.RawMessage
	// Drafted are the pointers of the fields into which the answer was written.
	Drafted []string
	// Documents are the documents that were read or failed to be read.
	Documents []AssistedDocument
	// Baseline maps the pointers of the draft fields to their values at the beginning of the run; absent fields
	// are left out.
	Baseline map[string]json.RawMessage
}

// AssistedDocument is the result of a run for a document.
type AssistedDocument struct {
	Name string `json:"name"`
	// Passages is the number of passages to choose from.
	Passages int `json:"passages"`
	// Truncated reports whether the document has more text than was read.
	Truncated bool `json:"truncated,omitempty"`
	// Problem is the reason why the document has no text, "" when it has.
	Problem string `json:"problem,omitempty"`
	// SHA256 is nil for a document that does not exist.
	SHA256 []byte `json:"sha256,omitempty"`
}

// Admit reports whether a request begins a new run, given the latest run, nil when there is none (specification
// section 3.3). While the latest run is PENDING, requests other than its own are refused with AI_RUN_PENDING.
func (r *AssistanceRun) Admit(request uuid.UUID) (bool, error) {
	switch {
	case r == nil:
		return true, nil
	case r.RequestID == request:
		return false, nil
	}
	if _, err := assistanceTransitions.next(r.State, askAssistance); err != nil {
		var refusal *Error
		errors.As(err, &refusal)
		return false, Conflict(CodeAIRunPending, refusal.Message)
	}
	return true, nil
}

// Complete ends a PENDING run with its answer and reports whether it was PENDING. The failures of earlier
// attempts are cleared.
func (r *AssistanceRun) Complete(model, finishReason string, now time.Time) bool {
	if !r.end(completeAssistance, now) {
		return false
	}
	r.Model, r.FinishReason, r.ErrorCode, r.ErrorMessage = model, finishReason, "", ""
	return true
}

// Fail ends a PENDING run without an answer and reports whether it was PENDING. code is AssistanceTimedOut,
// AssistanceDisabled or AssistanceBroken; "" stands for the fault that was last recorded on the run.
func (r *AssistanceRun) Fail(code string, now time.Time) bool {
	noted := r.ErrorMessage
	if code == "" {
		code = r.ErrorCode
	}
	if code == "" {
		code = AssistanceBroken
	}
	if !r.end(failAssistance, now) {
		return false
	}
	switch {
	case code == r.ErrorCode && noted != "":
	case code == AssistanceTimedOut && noted != "":
		r.ErrorMessage = "the run took too long; last, " + noted
	case code == AssistanceTimedOut:
		r.ErrorMessage = "the run took too long"
	case code == AssistanceDisabled:
		r.ErrorMessage = "AI assistance is not available any more"
	default:
		r.ErrorMessage = "the service could not carry the run out"
	}
	r.ErrorCode = code
	return true
}

func (r *AssistanceRun) end(action assistanceAction, now time.Time) bool {
	to, err := assistanceTransitions.next(r.State, action)
	if err != nil {
		return false
	}
	r.State, r.FinishedAt = to, &now
	return true
}

// CheckMayAssist refuses callers that may not request assistance for an item: its owner, its candidates and
// Managers may.
func (i *ProcessItem) CheckMayAssist(rights ItemRights, by uuid.UUID) error {
	if rights.Manages || rights.Candidate || i.ownedBy(by) {
		return nil
	}
	return Denied("only the owner, a candidate or a Manager may ask for assistance")
}

const (
	minRetryAfter = 2
	maxRetryAfter = 30
)

// RetryAfterSeconds returns how long clients should wait before they ask again. It grows with the age of the run.
func (r *AssistanceRun) RetryAfterSeconds(now time.Time) int {
	return min(max(int(now.Sub(r.StartedAt).Seconds())/4, minRetryAfter), maxRetryAfter)
}
