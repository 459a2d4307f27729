package engine

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
)

// Bounds, in bytes, of the stored description of a failure, and of the number of
// causes in it. The rest can be read in Temporal as long as the history is kept.
const (
	maxMessage = 1000
	maxFailure = 8000
	maxCauses  = 10
)

// failure returns why a run failed or timed out: one line, and the chain of
// causes.
func (e *Engine) failure(
	ctx context.Context, namespace string, execution *commonpb.WorkflowExecution,
) (message, story string, err error) {
	events, err := e.closeEvents(ctx, namespace, execution)
	if err != nil {
		return "", "", fmt.Errorf("reading why a workflow failed: %w", err)
	}
	for _, event := range events {
		if attributes := event.GetWorkflowExecutionFailedEventAttributes(); attributes != nil {
			failure := attributes.GetFailure()
			return rootMessage(failure), cut(trace(failure), maxFailure), nil
		}
	}
	return "the workflow timed out", "", nil
}

// rootMessage returns the message of the failure and that of its root cause.
func rootMessage(f *failurepb.Failure) string {
	root := f
	for range maxCauses {
		if root.GetCause() == nil {
			break
		}
		root = root.GetCause()
	}
	message := f.GetMessage()
	if root != f && root.GetMessage() != "" {
		message += ": " + root.GetMessage()
	}
	if message == "" {
		return "the workflow failed without a message"
	}
	return cut(message, maxMessage)
}

// trace returns the messages, types and stack traces of the failure and of its causes.
func trace(f *failurepb.Failure) string {
	var story strings.Builder
	for depth := 0; f != nil && depth < maxCauses; depth++ {
		if depth > 0 {
			story.WriteString("\ncaused by: ")
		}
		if kind := f.GetApplicationFailureInfo().GetType(); kind != "" {
			story.WriteString(kind + ": ")
		}
		story.WriteString(f.GetMessage())
		if stack := strings.TrimSpace(f.GetStackTrace()); stack != "" {
			story.WriteString("\n" + stack)
		}
		f = f.GetCause()
	}
	return story.String()
}

// cut shortens text to at most limit bytes, between two characters, and makes it
// valid for PostgreSQL.
func cut(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
