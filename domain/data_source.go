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

// DataSourceRunState is the state of a run.
type DataSourceRunState string

// The states of a run.
const (
	DataSourceRunPending   DataSourceRunState = "PENDING"
	DataSourceRunCompleted DataSourceRunState = "COMPLETED"
	DataSourceRunFailed    DataSourceRunState = "FAILED"
)

// The error codes of failed runs.
const (
	// DataSourceTimedOut: the worker did not answer in time.
	DataSourceTimedOut = "TIMEOUT"
	// DataSourceBroken is the code of a run in which the activity of the worker failed.
	DataSourceBroken = "FAILED"
	// DataSourceRefused is the code of a run that the worker answered with an error, which is the message of the
	// run.
	DataSourceRefused = "REFUSED"
	// DataSourceInvalidAnswer is the code of an answer that violates the contract.
	DataSourceInvalidAnswer = "INVALID_ANSWER"
)

const (
	// DataSourceQueryTime is how long a query waits for its answer.
	DataSourceQueryTime = 30 * time.Second
	// dataSourceQueryAttempts is how often a query is sent to a failing worker.
	dataSourceQueryAttempts = 3
	// DataSourceResultLifetime is how long the answer to a query can be read, from the creation of the query.
	DataSourceResultLifetime = 15 * time.Minute
	// MaxDataSourceQueries is how many queries of one principal may wait for their
	// answers.
	MaxDataSourceQueries = 10
	// MaxDataSourceResults is how many answers of one principal are kept.
	MaxDataSourceResults = 20
	// MaxDataSourcePage is how many items a page of an answer may have.
	MaxDataSourcePage = 100
	// MaxDataSourceRequest limits a request to a worker, in bytes of JSON.
	MaxDataSourceRequest = 64 << 10
)

// DataSourceRun is a request to a data source. Check contains the references to check, nil for a query. Page is set
// for completed queries, ErrorCode and ErrorMessage for failed runs. A run that is PENDING after Deadline has failed;
// see At.
type DataSourceRun struct {
	ID           uuid.UUID
	TenantID     uuid.UUID
	SourceCode   string
	RequestedBy  uuid.UUID
	Check        *ItemCheck
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

// DataSourceItem is an item as the worker described it. Value is the reference to the item in the value of a
// form, empty for an item whose id is not a UUID.
type DataSourceItem struct {
	Value      string          `json:"value,omitempty"`
	Properties json.RawMessage `json:"properties"`
}

// NewDataSourceQuery returns a query that waits for its answer.
func NewDataSourceQuery(id uuid.UUID, source *DataSource, by uuid.UUID, now time.Time) *DataSourceRun {
	return &DataSourceRun{
		ID: id, TenantID: source.TenantID, SourceCode: source.Code, RequestedBy: by,
		State: DataSourceRunPending, CreatedAt: now, Deadline: now.Add(DataSourceQueryTime),
	}
}

// AdmitDataSourceQuery refuses a query beyond the limit of pending queries of a principal.
func AdmitDataSourceQuery(pending int) error {
	if pending < MaxDataSourceQueries {
		return nil
	}
	return Conflict(CodeConflict, fmt.Sprintf(
		"%d queries are waiting for their answers, the most you may have at once: read their answers first", pending))
}

// Complete ends a run, a query with the page that it found.
func (r *DataSourceRun) Complete(page *DataSourcePage, now time.Time) {
	r.State, r.Page, r.FinishedAt = DataSourceRunCompleted, page, &now
}

// Fail ends a run without an answer.
func (r *DataSourceRun) Fail(code, message string, now time.Time) {
	r.State, r.ErrorCode, r.ErrorMessage, r.FinishedAt = DataSourceRunFailed, code, message, &now
}

// TimeOut ends a run that was not answered in time.
func (r *DataSourceRun) TimeOut(now time.Time) {
	r.Fail(DataSourceTimedOut, "the data source did not answer in time", now)
}

// At returns the run as of a time: an unanswered run fails at its deadline.
func (r *DataSourceRun) At(now time.Time) *DataSourceRun {
	if r.State != DataSourceRunPending || now.Before(r.Deadline) {
		return r
	}
	late := *r
	late.TimeOut(r.Deadline)
	return &late
}

// DataSourceRequest is the input of the workflow of a run: the activity and the task queue, the deadline and the
// number of attempts, 0 for no limit before the deadline, and the request.
type DataSourceRequest struct {
	Activity  string          `json:"activity"`
	TaskQueue string          `json:"taskQueue"`
	Deadline  time.Time       `json:"deadline"`
	Attempts  int             `json:"attempts,omitempty"`
	Request   json.RawMessage `json:"request"`
}

// DataSourceWorkflow is the type of the service's workflow that queries data sources.
const DataSourceWorkflow = "DataSource"

// NewDataSourceRun returns the run of the workflow that sends r to a data source.
func NewDataSourceRun(
	id uuid.UUID, r *DataSourceRun, source *DataSource, namespace string, request json.RawMessage,
) EngineRun {
	activity := DataSourceQueryActivity
	if r.Check != nil {
		activity = DataSourceValidateActivity
	}
	return EngineRun{
		ID: id, TenantID: r.TenantID, Kind: RunKindDataSource, OwnerID: r.ID, Namespace: namespace,
		WorkflowID: dataSourcePrefix + r.ID.String(), WorkflowType: DataSourceWorkflow, TaskQueue: DataSourceTaskQueue,
		State: RunPending, DataSource: &DataSourceRequest{
			Activity: activity, TaskQueue: source.TaskQueue, Deadline: r.Deadline,
			Attempts: dataSourceQueryAttempts, Request: request,
		},
	}
}

// DataSourceInput is the first argument of the service's workflow that queries data sources. The second is the
// input of the activity, as the worker receives it.
type DataSourceInput struct {
	// Run is the answered run, Tenant the owner of the keys that decrypt the answer.
	Run       uuid.UUID `json:"run"`
	Tenant    uuid.UUID `json:"tenant"`
	Activity  string    `json:"activity"`
	TaskQueue string    `json:"taskQueue"`
	Deadline  time.Time `json:"deadline"`
	// Attempts is how often a request is sent to a failing worker, 0 for no limit before the deadline.
	Attempts int `json:"attempts,omitempty"`
}
