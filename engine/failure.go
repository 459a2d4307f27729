package engine

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
)

// Bounds, in bytes, of what is kept of a failure, and of how many causes deep
// it is told. The rest is in Temporal as long as the history is.
const (
	maxMessage = 1000
	maxFailure = 8000
	maxCauses  = 10
)

// failure returns why a run that has failed or timed out did so: one line, and
// the whole story.
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
			return rootMessage(failure), cut(tell(failure), maxFailure), nil
		}
	}
	return "the workflow timed out", "", nil
}

// rootMessage is the message of the failure and that of what began it all.
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

func tell(f *failurepb.Failure) string {
	var story strings.Builder
	for depth := 0; f != nil && depth < maxCauses; depth++ {
		if depth > 0 {
			story.WriteString("\ncaused by: ")
		}
		if kind := f.GetApplicationFailureInfo().GetType(); kind != "" {
			story.WriteString(kind + ": ")
		}
		story.WriteString(f.GetMessage())
		if trace := strings.TrimSpace(f.GetStackTrace()); trace != "" {
			story.WriteString("\n" + trace)
		}
		f = f.GetCause()
	}
	return story.String()
}

// cut shortens text to at most limit bytes, between two characters, and makes it
// something PostgreSQL can store.
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
