package deadline

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// maxRule is the maximum length of a rule in characters.
const maxRule = 2000

// Rule is a value of a definition: a constant, or an expression over the values of a process. It is safe for concurrent use.
type Rule struct {
	constant string
	code     *gojq.Code
}

// Values are the values that expressions read.
type Values struct {
	// Metadata, Entity, Data and ContextData are JSON objects, nil for none.
	Metadata, Entity, Data, ContextData json.RawMessage
	// CreatedAt and DueAt are the times of the process.
	CreatedAt time.Time
	DueAt     *time.Time
}

// Parse reads a rule: a jq expression in ${ }, or a constant. It returns an error with the reason for an expression that is not
// allowed.
func Parse(text string) (*Rule, error) {
	if utf8.RuneCountInString(text) > maxRule {
		return nil, fmt.Errorf("is longer than %d characters", maxRule)
	}
	body, isExpression := strings.CutPrefix(strings.TrimSpace(text), "${")
	if !isExpression {
		return &Rule{constant: text}, nil
	}
	body, closed := strings.CutSuffix(body, "}")
	if !closed {
		return nil, fmt.Errorf("an expression is written as ${ ... }: it ends with }")
	}
	query, err := gojq.Parse(body)
	if err != nil {
		return nil, fmt.Errorf("is not an expression of jq: %w", err)
	}
	c := checker{}
	if err := c.checkQuery(query); err != nil {
		return nil, err
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("is not an expression of jq: %w", err)
	}
	return &Rule{code: code}, nil
}

// IsConstant reports whether the rule has the same result for all values.
func (r *Rule) IsConstant() bool { return r.code == nil }

// Evaluate returns the result of the rule, "" for null and for an expression that fails on the values.
func (r *Rule) Evaluate(ctx context.Context, v *Values) string {
	if r.IsConstant() {
		return r.constant
	}
	result, ok := r.code.RunWithContext(ctx, v.model()).Next()
	text, isText := result.(string)
	if !ok || !isText {
		return ""
	}
	return text
}

func (v *Values) model() map[string]any {
	process := map[string]any{
		"metadata": decodeObject(v.Metadata), "entity": decodeObject(v.Entity),
		"createdAt": v.CreatedAt.UTC().Format(time.RFC3339), "dueAt": nil,
	}
	if v.DueAt != nil {
		process["dueAt"] = v.DueAt.UTC().Format(time.RFC3339)
	}
	return map[string]any{
		"process": process, "task": map[string]any{"data": decodeObject(v.Data), "contextData": decodeObject(v.ContextData)},
	}
}

// decodeObject decodes a value for gojq, nil for none.
func decodeObject(text json.RawMessage) any {
	if text == nil {
		return nil
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return convertNumbers(value)
}

// convertNumbers converts numbers to the types of gojq.
func convertNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if n, err := value.Int64(); err == nil && int64(int(n)) == n {
			return int(n)
		}
		if f, err := value.Float64(); err == nil {
			return f
		}
		return math.MaxFloat64
	case map[string]any:
		for name, member := range value {
			value[name] = convertNumbers(member)
		}
	case []any:
		for i, element := range value {
			value[i] = convertNumbers(element)
		}
	}
	return value
}
