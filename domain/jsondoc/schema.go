// Package jsondoc works on JSON documents as text: it validates them against
// JSON Schemas and patches them (RFC 6902), keeping numbers digit for digit and
// keys in the order they were sent.
package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain"
)

// maxExponent bounds the exponent of a number that a schema looks at: beyond it
// arbitrary-precision comparison takes seconds or panics.
const maxExponent = 400

// Schema is a compiled JSON Schema, draft 4 to 2020-12 as its $schema says,
// 2020-12 when it says nothing. It is safe for concurrent use. The nil Schema
// accepts every document.
type Schema struct {
	compiled *jsonschema.Schema
}

// Compile compiles a schema. References to anything outside the document are
// refused: nothing is ever fetched or read from disk.
func Compile(source json.RawMessage) (schema *Schema, err error) {
	if len(source) == 0 {
		return nil, nil
	}
	defer func() {
		if r := recover(); r != nil {
			schema, err = nil, fmt.Errorf("compiling the schema: %v", r)
		}
	}()
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("remote reference %s is not allowed", url)
	}
	const base = "schema:document"
	if err := c.AddResource(base, bytes.NewReader(source)); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	compiled, err := c.Compile(base)
	if err != nil {
		return nil, fmt.Errorf("compiling the schema: %w", err)
	}
	return &Schema{compiled: compiled}, nil
}

// Validate holds an object against the schema. Violations do not make it fail:
// they are told in the result. It returns a VALIDATION error only when the
// document holds a number that cannot be compared.
func (s *Schema) Validate(document json.RawMessage) (domain.JSONValue, error) {
	result := domain.JSONValue{Valid: true, Value: document}
	if s == nil {
		return result, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return result, fmt.Errorf("decoding a document: %w", err)
	}
	if err := checkNumbers(value); err != nil {
		return result, err
	}
	violations, err := s.violations(value)
	if err != nil {
		return result, err
	}
	result.Errors = violations
	result.Valid = len(violations) == 0
	return result, nil
}

func (s *Schema) violations(value any) (found []domain.ValueError, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = domain.InvalidBody("", "the value cannot be checked against its schema")
		}
	}()
	var invalid *jsonschema.ValidationError
	if err := s.compiled.Validate(value); errors.As(err, &invalid) {
		collect(invalid, &found)
		return found, nil
	} else if err != nil {
		return nil, fmt.Errorf("validating a document: %w", err)
	}
	return nil, nil
}

// collect gathers the leaves of a tree of violations: they name the place and
// the keyword, the nodes above them only the way there.
func collect(e *jsonschema.ValidationError, found *[]domain.ValueError) {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			collect(cause, found)
		}
		return
	}
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	violation := domain.ValueError{PropertyPath: e.InstanceLocation, Type: keyword}
	if !slices.Contains(*found, violation) {
		*found = append(*found, violation)
	}
}

func checkNumbers(value any) error {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			if err := checkNumbers(member); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	case json.Number:
		_, exponent, found := strings.Cut(strings.ToLower(v.String()), "e")
		if !found {
			return nil
		}
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return domain.InvalidBody("", fmt.Sprintf("holds a number with an exponent beyond ±%d", maxExponent))
		}
	}
	return nil
}
