package engine

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
)

// Bounds of the stored description of a failure: bytes of the message and of all, and
// causes. Temporal shows the rest as long as it keeps the history.
const (
	maxMessage = 1000
	maxFailure = 8000
	maxCauses  = 10
)

// readFailure returns the failure of a run as one line and as the chain of causes.
func (e *Engine) readFailure(
	ctx context.Context, namespace string, execution *commonpb.WorkflowExecution,
) (message, details string, err error) {
	events, err := e.closeEvents(ctx, namespace, execution)
	if err != nil {
		return "", "", fmt.Errorf("reading the failure of a workflow: %w", err)
	}
	for _, event := range events {
		if attributes := event.GetWorkflowExecutionFailedEventAttributes(); attributes != nil {
			failure := attributes.GetFailure()
			return rootMessage(failure), truncate(formatTrace(failure), maxFailure), nil
		}
	}
	return "the workflow timed out", "", nil
}

// rootMessage returns the messages of the failure and of its root cause.
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
	return truncate(message, maxMessage)
}

// formatTrace formats the messages, types and stack traces of the failure and its causes.
func formatTrace(f *failurepb.Failure) string {
	var details strings.Builder
	for depth := 0; f != nil && depth < maxCauses; depth++ {
		if depth > 0 {
			details.WriteString("\ncaused by: ")
		}
		if kind := f.GetApplicationFailureInfo().GetType(); kind != "" {
			details.WriteString(kind + ": ")
		}
		details.WriteString(f.GetMessage())
		if stack := strings.TrimSpace(f.GetStackTrace()); stack != "" {
			details.WriteString("\n" + stack)
		}
		f = f.GetCause()
	}
	return details.String()
}

// truncate shortens text to at most limit bytes at a character boundary, and makes it
// valid for PostgreSQL.
func truncate(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
