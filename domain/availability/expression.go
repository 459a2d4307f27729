package availability

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// MaxLength is the maximum length of an expression in characters.
const MaxLength = 4000

// Expression is a checked and compiled availability expression. It is safe for concurrent use.
type Expression struct {
	code  *gojq.Code
	needs needs
}

// reserved begins the names of variables that expressions cannot write.
const reserved = "$__"

// Parse reads an expression written as ${ ... }, with or without space around it. It returns an *Error for text
// that is not jq, for constructs that the package does not allow and for expressions that are never true or
// false.
func Parse(text string) (*Expression, error) {
	switch {
	case utf8.RuneCountInString(text) > MaxLength:
		return nil, &Error{Column: 1, Message: fmt.Sprintf("the expression is longer than %d characters", MaxLength)}
	case !utf8.ValidString(text):
		return nil, &Error{Column: 1, Message: "the expression is not valid UTF-8"}
	}
	start := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	body, opened := strings.CutPrefix(text[start:], "${")
	if !opened {
		return nil, &Error{Column: columnOf(text, start), Message: "an expression is written as ${ ... }: it begins with ${"}
	}
	start += len("${")
	body, closed := strings.CutSuffix(strings.TrimRight(body, " \t\r\n"), "}")
	if !closed {
		return nil, &Error{Column: columnOf(text, len(text)), Message: "an expression is written as ${ ... }: it ends with }"}
	}
	expression, err := parseBody(body)
	if err != nil {
		return nil, &Error{Column: columnOf(text, start+err.offset), Message: err.message}
	}
	return expression, nil
}

// Tasks returns the codes of the tasks that the expression names, in their order.
func (e *Expression) Tasks() []string { return slices.Sorted(maps.Keys(e.needs.codes)) }

// A refusal is an Error with a byte offset in the jq text as its place.
type refusal struct {
	offset  int
	message string
}

func parseBody(body string) (*Expression, *refusal) {
	tokens, fault := scanTokens(body)
	if fault != nil {
		return nil, fault
	}
	query, err := gojq.Parse(body)
	if err != nil {
		return nil, syntaxError(body, err)
	}
	c := newChecker(body, tokens)
	if fault := c.checkExpression(query); fault != nil {
		return nil, fault
	}
	code, err := gojq.Compile(query, c.compilerOptions()...)
	if err != nil {
		return nil, &refusal{message: err.Error()}
	}
	return &Expression{code: code, needs: c.needs}, nil
}

// syntaxError places the parser's message at the beginning of the token that it failed on.
func syntaxError(body string, err error) *refusal {
	syntax, ok := errors.AsType[*gojq.ParseError](err)
	if !ok {
		return &refusal{message: err.Error()}
	}
	if syntax.Token == "" && syntax.Offset >= len(body) {
		return &refusal{offset: len(body), message: err.Error()}
	}
	return &refusal{offset: max(syntax.Offset-len(syntax.Token), 0), message: err.Error()}
}

// columnOf converts a byte offset to a count of characters from 1.
func columnOf(text string, offset int) int {
	return utf8.RuneCountInString(text[:min(offset, len(text))]) + 1
}

// Evaluate reports whether the action is available in the process. It returns an error if the expression fails
// for this model, for example by a division by a number of tasks that is zero, or if its result is neither true
// nor false; the action must not be shown then. It also ends with the context, and returns its error.
func (e *Expression) Evaluate(ctx context.Context, m Model) (bool, error) {
	results := e.code.RunWithContext(ctx, e.needs.modelInput(m), float64(m.Now.UnixMicro())/1e6)
	first, ok := results.Next()
	if !ok {
		return false, errors.New("evaluating the availability expression: there is no result")
	}
	if err, failed := first.(error); failed {
		return false, fmt.Errorf("evaluating the availability expression: %w", err)
	}
	result, ok := first.(bool)
	if !ok {
		return false, fmt.Errorf("evaluating the availability expression: the result is of type %s, not boolean", gojq.TypeOf(first))
	}
	if _, more := results.Next(); more {
		return false, errors.New("evaluating the availability expression: there is more than one result")
	}
	return result, nil
}
