package engine

import (
	"context"
	"encoding/json"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
)

// maxResult bounds, in bytes, the results that are read: they name a document
// and hold none.
const maxResult = 64 << 10

// result returns what a run that has completed returned, or nil when that is
// nothing, too much, encrypted or no JSON: a worker may return what it likes.
func (e *Engine) result(
	ctx context.Context, namespace string, execution *commonpb.WorkflowExecution,
) (json.RawMessage, error) {
	events, err := e.closeEvents(ctx, namespace, execution)
	if err != nil {
		return nil, fmt.Errorf("reading what a workflow returned: %w", err)
	}
	for _, event := range events {
		payloads := event.GetWorkflowExecutionCompletedEventAttributes().GetResult().GetPayloads()
		if len(payloads) != 1 {
			continue
		}
		encoding := string(payloads[0].GetMetadata()[converter.MetadataEncoding])
		text := payloads[0].GetData()
		if encoding == converter.MetadataEncodingJSON && len(text) <= maxResult && json.Valid(text) {
			return text, nil
		}
	}
	return nil, nil
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
