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
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

// Schema is a compiled JSON Schema, draft 4 to 2020-12 according to its $schema, 2020-12 without one. It is safe
// for concurrent use. The nil Schema accepts every document.
type Schema struct {
	compiled *jsonschema.Schema
	nodes    map[string]*jsonschema.Schema
	chain    int
	// mu guards meter and the circumstances in dialect: the library has no place for the state of one
	// validation.
	mu      sync.Mutex
	meter   *meter
	dialect *dialect
}

// base is the address of a schema without an address of its own.
const base = "schema:document"

// Compile compiles a schema. It refuses references to anything outside the document except the drafts' own
// schemas: nothing is fetched or read from disk. It also refuses schemas that are too large or too expensive. A
// refusal is a *SchemaError.
func Compile(source json.RawMessage) (*Schema, error) {
	if len(source) == 0 {
		return nil, nil
	}
	if err := checkSource(source); err != nil {
		return nil, fault(source, err, fmt.Errorf("reading the schema: %w", err))
	}
	schema, err := compile(source)
	if err != nil {
		return nil, fault(source, err, fmt.Errorf("compiling the schema: %w", err))
	}
	rewritten, err := static(source)
	if err == nil && rewritten != nil {
		schema, err = compile(rewritten)
	}
	if err != nil {
		err = fmt.Errorf("following its dynamic references: %w", err)
		return nil, &SchemaError{Message: err.Error(), cause: fmt.Errorf("compiling the schema: %w", err)}
	}
	return schema, nil
}

// compile compiles a schema that checkSource accepts.
func compile(source json.RawMessage) (schema *Schema, err error) {
	defer func() {
		// The library may panic on unexpected schemas.
		if r := recover(); r != nil {
			schema, err = nil, fmt.Errorf("it cannot be compiled: %v", r)
		}
	}()
	m, d := &meter{}, &dialect{}
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, &outsideError{url}
	}
	c.RegisterExtension("meter", nil, m)
	c.RegisterExtension(extension, nil, d)
	if err := c.AddResource(base, bytes.NewReader(source)); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(base)
	if err != nil {
		return nil, err
	}
	nodes, chain, err := survey(compiled)
	if err != nil {
		return nil, err
	}
	if err := checkKeywords(nodes); err != nil {
		return nil, err
	}
	return &Schema{compiled: compiled, nodes: nodes, chain: chain, meter: m, dialect: d}, nil
}

// Validate checks an object against the schema. Violations are not errors: the
// result lists them, sorted by path and keyword, at most maxViolations of them. It returns a VALIDATION error only when the document cannot be
// checked: it has a number that cannot be compared, is nested too deeply or
// takes too much work.
func (s *Schema) Validate(document json.RawMessage, options ...Option) (domain.JSONValue, error) {
	result := domain.JSONValue{Valid: true, Value: document}
	if s == nil {
		return result, nil
	}
	value, levels, err := decode(document)
	if err != nil {
		return result, fmt.Errorf("decoding a document: it %w", err)
	}
	if levels > jsontext.MaxDepth {
		return result, domain.InvalidBody("", jsontext.ErrDepth.Error())
	}
	var r reading
	r.measure(value, "")
	if r.number != nil {
		return result, domain.InvalidBody(*r.number, jsontext.ErrNumber.Error())
	}
	if r.paths > maxPaths {
		return result, domain.InvalidBody("", errWork.Error())
	}
	var now circumstances
	for _, option := range options {
		option(&now)
	}
	invalid, err := s.run(value, levels, now)
	if err != nil {
		return result, err
	}
	if invalid != nil {
		result.Errors = s.violations(invalid, value)
		result.Valid = false
	}
	return result, nil
}

// run validates a value with the given nesting under the meter. It returns nil for a valid value.
func (s *Schema) run(value any, levels int, now circumstances) (invalid *jsonschema.ValidationError, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter.start(levels * s.chain)
	s.dialect.now = now
	defer func() {
		s.dialect.now = circumstances{}
		// The library may panic on unexpected input, and the meter panics because the library has no other way
		// to stop a validation.
		if r := recover(); r != nil {
			invalid, err = nil, domain.InvalidBody("", "cannot be checked against its schema")
			if panicked, ok := r.(error); ok && errors.Is(panicked, errWork) {
				err = domain.InvalidBody("", errWork.Error())
			}
		}
	}()
	err = s.compiled.Validate(value)
	var loop jsonschema.InfiniteLoopError
	switch {
	case errors.As(err, &invalid):
		return invalid, nil
	case errors.As(err, &loop):
		return nil, domain.InvalidBody("", "cannot be checked against its schema, which refers to itself without end")
	case err != nil:
		return nil, fmt.Errorf("validating a document: %w", err)
	}
	return nil, nil
}
