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

// maxResult bounds results, in bytes: they name a document instead of containing it.
const maxResult = 64 << 10

// readRunResult returns the result of a completed run as ReadResult does. Workers may
// encrypt the result of a run that was started without encryption.
func (e *Engine) readRunResult(
	ctx context.Context, run domain.EngineRun, execution *commonpb.WorkflowExecution,
) (result json.RawMessage, problem string, err error) {
	events, err := e.closeEvents(ctx, run.Namespace, execution)
	if err != nil {
		return nil, "", fmt.Errorf("reading the result of a workflow: %w", err)
	}
	for _, event := range events {
		payloads := event.GetWorkflowExecutionCompletedEventAttributes().GetResult().GetPayloads()
		if len(payloads) != 1 {
			continue
		}
		result, problem, err := e.ReadResult(ctx, run.TenantID, payloads[0])
		if err != nil || problem != "" || result != nil {
			return result, problem, err
		}
	}
	return nil, "", nil
}

// ReadResult returns the decrypted JSON result of a workflow or activity of a tenant's
// worker. The result is nil if it is empty, too large, or not JSON, and if it cannot be
// decrypted; problem then describes the error.
func (e *Engine) ReadResult(
	ctx context.Context, tenant uuid.UUID, returned *commonpb.Payload,
) (result json.RawMessage, problem string, err error) {
	payload, err := e.decryptPayload(ctx, tenant, returned)
	if errors.Is(err, errUndecryptable) {
		return nil, "the result of the workflow cannot be read: " + err.Error(), nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading the result of a workflow: %w", err)
	}
	encoding := string(payload.GetMetadata()[converter.MetadataEncoding])
	text := payload.GetData()
	if encoding == converter.MetadataEncodingJSON && len(text) <= maxResult && json.Valid(text) {
		return text, "", nil
	}
	return nil, "", nil
}

// closeEvents returns the last event of an ended run.
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
