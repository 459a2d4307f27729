package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/procession-dev/procession/domain"
)

// maxResult bounds, in bytes, the results that are read: they name a document and
// contain none.
const maxResult = 64 << 10

// result returns the result of a completed run, or nil when that is empty, too
// large or not JSON: a worker may return anything. A worker may also encrypt the
// result of a run that was started without encryption. A result that cannot be
// decrypted is nil, with the reason as text.
func (e *Engine) result(
	ctx context.Context, run domain.EngineRun, execution *commonpb.WorkflowExecution,
) (result json.RawMessage, why string, err error) {
	events, err := e.closeEvents(ctx, run.Namespace, execution)
	if err != nil {
		return nil, "", fmt.Errorf("reading what a workflow returned: %w", err)
	}
	for _, event := range events {
		payloads := event.GetWorkflowExecutionCompletedEventAttributes().GetResult().GetPayloads()
		if len(payloads) != 1 {
			continue
		}
		result, why, err := e.ReadResult(ctx, run.TenantID, payloads[0])
		if err != nil || why != "" || result != nil {
			return result, why, err
		}
	}
	return nil, "", nil
}

// ReadResult returns the JSON in what a workflow or an activity of a tenant's worker
// returned, decrypted where it is encrypted. It is nil for what is nothing, too much
// or no JSON, and for what cannot be decrypted, with why as the reason.
func (e *Engine) ReadResult(
	ctx context.Context, tenant uuid.UUID, returned *commonpb.Payload,
) (result json.RawMessage, why string, err error) {
	payload, err := e.decrypted(ctx, tenant, returned)
	if errors.Is(err, errUndecryptable) {
		return nil, "what the workflow returned cannot be read: " + err.Error(), nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading what a workflow returned: %w", err)
	}
	encoding := string(payload.GetMetadata()[converter.MetadataEncoding])
	text := payload.GetData()
	if encoding == converter.MetadataEncodingJSON && len(text) <= maxResult && json.Valid(text) {
		return text, "", nil
	}
	return nil, "", nil
}

// closeEvents returns the last event of a run that has ended.
func (e *Engine) closeEvents(
	ctx context.Context, namespace string, execution *commonpb.WorkflowExecution,
) ([]*historypb.HistoryEvent, error) {
	history, err := e.workflows.GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: namespace, Execution: execution,
		HistoryEventFilterType: enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
	})
	if err != nil {
		return nil, err
	}
	return history.GetHistory().GetEvents(), nil
}
