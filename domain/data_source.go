package domain

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// DataSource provides items for forms to choose from. A worker that RunnerID runs on TaskQueue answers its
// queries.
type DataSource struct {
	ID        uuid.UUID
	TenantID  uuid.UUID
	Code      string
	TaskQueue string
	RunnerID  uuid.UUID
	// EncryptionKey is the code of the key that encrypts payloads, empty for plain payloads.
	EncryptionKey string
}

// DataSourceQueryActivity is the activity of the worker that answers queries.
const DataSourceQueryActivity = "KuFlow_DataSource_RunQuery"

// DataSourceRunState is how far a run has got.
type DataSourceRunState string

// The states of a run.
const (
	DataSourceRunPending   DataSourceRunState = "PENDING"
	DataSourceRunCompleted DataSourceRunState = "COMPLETED"
	DataSourceRunFailed    DataSourceRunState = "FAILED"
)

// The error codes of failed runs.
const (
	// DataSourceTimedOut says that the worker did not answer in time.
	DataSourceTimedOut = "TIMEOUT"
	// DataSourceBroken says that the activity of the worker failed.
	DataSourceBroken = "FAILED"
	// DataSourceRefused says that the worker answered with an error, which is the
	// message of the run.
	DataSourceRefused = "REFUSED"
	// DataSourceInvalidAnswer says that the answer is none that the contract allows.
	DataSourceInvalidAnswer = "INVALID_ANSWER"
)

const (
	// DataSourceQueryTime is how long a query waits for its answer.
	DataSourceQueryTime = 30 * time.Second
	// dataSourceQueryAttempts is how often a failing worker is asked a query.
	dataSourceQueryAttempts = 3
	// DataSourceResultLifetime is how long the answer to a query can be read, from
	// when it was asked.
	DataSourceResultLifetime = 15 * time.Minute
	// MaxDataSourceQueries is how many queries of one principal may wait for their
	// answers.
	MaxDataSourceQueries = 10
	// MaxDataSourceResults is how many answers of one principal are kept.
	MaxDataSourceResults = 20
	// MaxDataSourcePage is how many items a page of an answer may have.
	MaxDataSourcePage = 100
	// MaxDataSourceRequest bounds what a worker is asked, in bytes of JSON.
	MaxDataSourceRequest = 64 << 10
)

// DataSourceRun is something that a data source is asked. Page is set for
// completed queries, ErrorCode and ErrorMessage for failed runs. A run that is
// PENDING after Deadline has failed; see At.
type DataSourceRun struct {
	ID           uuid.UUID
	TenantID     uuid.UUID
	SourceCode   string
	RequestedBy  uuid.UUID
	State        DataSourceRunState
	Page         *DataSourcePage
	ErrorCode    string
	ErrorMessage string
	CreatedAt    time.Time
	Deadline     time.Time
	FinishedAt   *time.Time
}

// DataSourcePage is a page of the items that a query found.
type DataSourcePage struct {
	Number        int              `json:"number"`
	Size          int              `json:"size"`
	TotalElements int64            `json:"totalElements"`
	TotalPages    int              `json:"totalPages"`
	Items         []DataSourceItem `json:"items"`
}

// DataSourceItem is an item as the worker described it. Value is the reference
// that a value of a form names it by, empty for an item whose id is no UUID.
type DataSourceItem struct {
	Value      string          `json:"value,omitempty"`
	Properties json.RawMessage `json:"properties"`
}

// NewDataSourceQuery is a query that waits for its answer.
func NewDataSourceQuery(id uuid.UUID, source *DataSource, by uuid.UUID, now time.Time) *DataSourceRun {
	return &DataSourceRun{
		ID: id, TenantID: source.TenantID, SourceCode: source.Code, RequestedBy: by,
		State: DataSourceRunPending, CreatedAt: now, Deadline: now.Add(DataSourceQueryTime),
	}
}

// AdmitDataSourceQuery refuses a query of a principal more than may wait for an
// answer.
func AdmitDataSourceQuery(pending int) error {
	if pending < MaxDataSourceQueries {
		return nil
	}
	return Conflict(CodeConflict, fmt.Sprintf(
		"%d queries of yours wait for their answers, which is what you may have at once: read their answers first", pending))
}

// Complete ends a query with the page that it found.
func (r *DataSourceRun) Complete(page *DataSourcePage, now time.Time) {
	r.State, r.Page, r.FinishedAt = DataSourceRunCompleted, page, &now
}

// Fail ends a run without an answer.
func (r *DataSourceRun) Fail(code, message string, now time.Time) {
	r.State, r.ErrorCode, r.ErrorMessage, r.FinishedAt = DataSourceRunFailed, code, message, &now
}

// At returns the run as it is at a time: one whose deadline has passed without an
// answer has failed.
func (r *DataSourceRun) At(now time.Time) *DataSourceRun {
	if r.State != DataSourceRunPending || now.Before(r.Deadline) {
		return r
	}
	late := *r
	late.Fail(DataSourceTimedOut, "the data source did not answer in time", r.Deadline)
	return &late
}

// DataSourceRequest is what the workflow of a run is told when it starts: whom to
// ask for which activity, until when and how often, 0 for as often as there is
// time, and what to ask.
type DataSourceRequest struct {
	Activity  string          `json:"activity"`
	TaskQueue string          `json:"taskQueue"`
	Deadline  time.Time       `json:"deadline"`
	Attempts  int             `json:"attempts,omitempty"`
	Request   json.RawMessage `json:"request"`
}

// DataSourceWorkflow is the type of the service's workflow that asks data sources.
const DataSourceWorkflow = "DataSource"

// NewDataSourceRun is the run of the workflow that asks a data source for r.
func NewDataSourceRun(
	id uuid.UUID, r *DataSourceRun, source *DataSource, namespace string, request json.RawMessage,
) EngineRun {
	return EngineRun{
		ID: id, TenantID: r.TenantID, Kind: RunKindDataSource, OwnerID: r.ID, Namespace: namespace,
		WorkflowID: "data-source-" + r.ID.String(), WorkflowType: DataSourceWorkflow, TaskQueue: DataSourceTaskQueue,
		State: RunPending, DataSource: &DataSourceRequest{
			Activity: DataSourceQueryActivity, TaskQueue: source.TaskQueue, Deadline: r.Deadline,
			Attempts: dataSourceQueryAttempts, Request: request,
		},
	}
}

// DataSourceInput is the first argument of the service's workflow that asks data
// sources. The second is what the activity is given, as the worker is to get it.
type DataSourceInput struct {
	// Run is what the answer is noted for, Tenant whose keys decrypt it.
	Run       uuid.UUID `json:"run"`
	Tenant    uuid.UUID `json:"tenant"`
	Activity  string    `json:"activity"`
	TaskQueue string    `json:"taskQueue"`
	Deadline  time.Time `json:"deadline"`
	// Attempts is how often a failing worker is asked, 0 for as often as there is
	// time.
	Attempts int `json:"attempts,omitempty"`
}
