package assistance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/procession-dev/procession/domain/jsondoc"
)

// withoutThoughts returns an answer without the reasoning that some models write before it.
func withoutThoughts(text string) string {
	trimmed := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(trimmed, "<think>"); ok {
		if _, after, closed := strings.Cut(rest, "</think>"); closed {
			return strings.TrimSpace(after)
		}
	}
	return trimmed
}

// parseObject parses the object of an answer, which may be fenced or surrounded by words.
func parseObject(text string, schema json.RawMessage) (json.RawMessage, error) {
	compiled, err := jsondoc.CompileCached(schema)
	if err != nil {
		return nil, &Error{Code: CodeRefused, Message: "the schema of the answer is not valid", Cause: err}
	}
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return nil, &Error{Code: CodeInvalidAnswer, Message: "the answer is not a JSON object"}
	}
	var value bytes.Buffer
	if err := json.Compact(&value, []byte(text[start:end+1])); err != nil {
		return nil, &Error{Code: CodeInvalidAnswer, Message: "the answer is not a JSON object", Cause: err}
	}
	checked, err := compiled.Validate(value.Bytes())
	if err != nil {
		return nil, &Error{Code: CodeInvalidAnswer, Message: "the answer cannot be held against its schema", Cause: err}
	}
	if !checked.Valid {
		message := "the answer does not fit its schema"
		if len(checked.Errors) > 0 {
			message += fmt.Sprintf(": %s at %q", checked.Errors[0].Type, checked.Errors[0].PropertyPath)
		}
		return nil, &Error{Code: CodeInvalidAnswer, Message: message}
	}
	return value.Bytes(), nil
}
