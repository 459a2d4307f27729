package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/itchyny/gojq"
)

// queryTimeout bounds the evaluation of a jq expression.
const queryTimeout = 10 * time.Second

// compileQuery prepares a jq expression. It has no access to the environment.
func compileQuery(expression string) (*gojq.Code, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, fmt.Errorf("reading the jq expression: %w", err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("compiling the jq expression: %w", err)
	}
	return code, nil
}

// runQuery writes the results of a jq expression for a JSON value, one per line: strings
// without quotes, other values as compact JSON. Unmodified numbers keep their digits.
func runQuery(ctx context.Context, w io.Writer, query *gojq.Code, text json.RawMessage) error {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	results := query.RunWithContext(ctx, value)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			if halted, ok := errors.AsType[*gojq.HaltError](err); ok && halted.Value() == nil {
				return nil
			}
			return fmt.Errorf("running the jq expression: %w", err)
		}
		if err := writeResult(w, result); err != nil {
			return err
		}
	}
}

func writeResult(w io.Writer, result any) error {
	if text, isText := result.(string); isText {
		_, err := fmt.Fprintln(w, text)
		return err
	}
	text, err := gojq.Marshal(result)
	if err != nil {
		return fmt.Errorf("writing the result of the jq expression: %w", err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
