// Package filter parses expressions that filter lists by indexed fields of data of business artifacts (B34) and of
// metadata of processes (B7).
package filter

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Operator is the comparison of a field with the operands.
type Operator string

// The operators, which apply to every type. Between includes both operands, Contains searches the value's text
// without regard to case, and In matches any of the operands. Texts are ordered by their Unicode code points.
const (
	Eq       Operator = "eq"
	Le       Operator = "le"
	Ge       Operator = "ge"
	Between  Operator = "between"
	Contains Operator = "contains"
	In       Operator = "in"
)

// maxOperands bounds the operands of one expression.
const maxOperands = 100

// Criterion is a parsed expression. Operands are in the form returned by Normalize: two for Between, one or more
// for In, one for the others.
type Criterion struct {
	Field    string
	Type     Type
	Operator Operator
	Operands []string
}

// Parse parses an expression: the name of a field, an operator and operands, with
// one space between them and each percent-encoded by itself:
//
//	AMOUNT between 10 20.5
//	NAME in Mary%20Ann Tom
//
// A plus stands for itself, and a space at the end is an empty operand. The index
// holds the fields by which lists can be filtered, with their types.
func Parse(text string, index map[string]Type) (Criterion, error) {
	tokens := strings.Split(text, " ")
	if len(tokens) < 3 {
		return Criterion{}, errors.New("must be a field, an operator and one or more operands, with one space between them")
	}
	if len(tokens)-2 > maxOperands {
		return Criterion{}, fmt.Errorf("has more than %d operands", maxOperands)
	}
	for i, token := range tokens {
		decoded, err := decodePercent(token)
		if err != nil {
			return Criterion{}, fmt.Errorf("part %d, %s, %w", i+1, quoteText(token), err)
		}
		tokens[i] = decoded
	}
	c := Criterion{Field: tokens[0], Operator: Operator(tokens[1]), Operands: tokens[2:]}
	fieldType, indexed := index[c.Field]
	if !indexed {
		return Criterion{}, fmt.Errorf("%s is not an indexed field", quoteText(c.Field))
	}
	c.Type = fieldType
	if err := c.check(); err != nil {
		return Criterion{}, err
	}
	for i, operand := range c.Operands {
		normal, err := Normalize(c.operandType(), operand)
		if err != nil {
			return Criterion{}, fmt.Errorf("operand %d of field %s, %s, %w", i+1, quoteText(c.Field), quoteText(operand), err)
		}
		c.Operands[i] = normal
	}
	return c, nil
}

// check checks the number of operands of the operator.
func (c Criterion) check() error {
	switch c.Operator {
	case Between:
		if len(c.Operands) != 2 {
			return fmt.Errorf("operator between needs 2 operands, not %d", len(c.Operands))
		}
	case Eq, Le, Ge, Contains:
		if len(c.Operands) != 1 {
			return fmt.Errorf("operator %s needs 1 operand, not %d: a space within it is written %%20", c.Operator, len(c.Operands))
		}
	case In:
	default:
		return fmt.Errorf("%s is not an operator: they are eq, le, ge, between, contains and in", quoteText(string(c.Operator)))
	}
	if c.Operator == Contains && c.Operands[0] == "" {
		return errors.New("operator contains needs an operand that is not empty")
	}
	return nil
}

// operandType returns the type of the operands. Contains compares texts, also with numbers and dates.
func (c Criterion) operandType() Type {
	if c.Operator == Contains && (c.Type == Number || c.Type == Date) {
		return String
	}
	return c.Type
}

// decodePercent undoes the percent-encoding of a part of an expression.
func decodePercent(token string) (string, error) {
	text, err := url.PathUnescape(token)
	switch {
	case err != nil:
		return "", errors.New("is not percent-encoded: a percent sign is written %25")
	case !utf8.ValidString(text):
		return "", errors.New("is not UTF-8")
	case strings.ContainsRune(text, 0):
		return "", errors.New("has a NUL character")
	}
	return text, nil
}

// maxShown limits how much of an expression a message quotes, in characters.
const maxShown = 50

// quoteText returns a part of an expression as quoted in a message.
func quoteText(text string) string {
	characters := 0
	for i := range text {
		if characters++; characters > maxShown {
			return strconv.Quote(text[:i]) + "…"
		}
	}
	return strconv.Quote(text)
}
