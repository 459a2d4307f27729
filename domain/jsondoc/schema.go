// Package jsondoc works on JSON documents as text: it validates them against
// JSON Schemas and patches them (RFC 6902), keeping numbers digit for digit and
// keys in the order they were sent.
package jsondoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/jsontext"
)

// Schema is a compiled JSON Schema, draft 4 to 2020-12 according to its $schema, 2020-12 without one. It is safe
// for concurrent use. The nil Schema accepts every document.
type Schema struct {
	compiled *jsonschema.Schema
	// source is the text that was compiled, in which dynamic references may be resolved.
	source json.RawMessage
	nodes  map[string]*jsonschema.Schema
	// subschemas are all subschemas. A location may be the one of two, in the schema of a draft.
	subschemas []*jsonschema.Schema
	chain      int
	// step is the maximum size of the location of a subschema in another one, in bytes.
	step int
	// patterns are the sizes of the patterns, in instructions.
	patterns map[*regexp.Regexp]int
	// idle are runs that no validation uses.
	idle chan *run
	// facts locates the subschemas in the source, for outlines.
	facts func() *facts
}

// maxIdle limits the runs of a schema that are kept.
const maxIdle = 4

// base is the address of a schema without an address of its own.
const base = "schema:document"

// Compile compiles a schema. It refuses references to anything outside the document except the drafts' own schemas,
// without fetching or reading files, and schemas that are too large or too expensive. A refusal is a *SchemaError.
func Compile(source json.RawMessage) (*Schema, error) {
	if len(source) == 0 {
		return nil, nil
	}
	foreign, err := checkSource(source)
	if err != nil {
		return nil, locateFault(source, err, fmt.Errorf("reading the schema: %w", err))
	}
	text, replaced := source, (*expressions)(nil)
	if foreign {
		if text, replaced, err = replacePatterns(source); err != nil {
			return nil, locateFault(source, err, fmt.Errorf("compiling the schema: %w", err))
		}
	}
	schema, err := compileSchema(text, replaced)
	if err != nil {
		return nil, locateFault(source, err, fmt.Errorf("compiling the schema: %w", err))
	}
	schema.source = source
	rewritten, err := resolveDynamic(text)
	if err == nil && rewritten != nil {
		schema, err = compileSchema(rewritten, replaced)
	}
	if err != nil {
		err = fmt.Errorf("following its dynamic references: %w", err)
		return nil, &SchemaError{Message: err.Error(), cause: fmt.Errorf("compiling the schema: %w", err)}
	}
	return schema, nil
}

// compileSchema compiles a schema that checkSource accepts, with stand-ins for the replaced patterns.
func compileSchema(source json.RawMessage, replaced *expressions) (schema *Schema, err error) {
	defer func() {
		// The library may panic on unexpected schemas.
		if r := recover(); r != nil {
			schema, err = nil, fmt.Errorf("it cannot be compiled: %v", r)
		}
	}()
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	c.LoadURL = loadDraft
	c.RegisterExtension(extension, nil, dialect{})
	if err := c.AddResource(base, bytes.NewReader(source)); err != nil {
		return nil, err
	}
	compiled, err := c.Compile(base)
	if err != nil {
		return nil, err
	}
	schema = &Schema{compiled: compiled, source: source, patterns: map[*regexp.Regexp]int{}, idle: make(chan *run, maxIdle)}
	schema.facts = sync.OnceValue(func() *facts { return newFacts(schema) })
	if err := schema.surveySchemas(replaced); err != nil {
		return nil, err
	}
	return schema, checkKeywords(schema.nodes)
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
	value, levels, err := decodeText(document)
	if err != nil {
		return result, fmt.Errorf("decoding a document: it %w", err)
	}
	if levels > jsontext.MaxDepth {
		return result, domain.InvalidBody("", jsontext.ErrDepth.Error())
	}
	var r reading
	r.measureValue(value, 0)
	if r.number != nil {
		return result, domain.InvalidBody(*r.number, jsontext.ErrNumber.Error())
	}
	if r.paths > maxPaths {
		return result, domain.InvalidBody("", errWork.Error())
	}
	settings := validationOptions{limit: MaxWork}
	for _, option := range options {
		option(&settings)
	}
	run := s.newRun()
	result.Errors, err = run.validateValue(value, levels, r.longest, settings)
	s.releaseRun(run)
	result.Valid = err == nil && len(result.Errors) == 0
	return result, err
}

// newRun returns a run for one validation.
func (s *Schema) newRun() *run {
	select {
	case r := <-s.idle:
		return r
	default:
		return newRun(s)
	}
}

func (s *Schema) releaseRun(r *run) {
	select {
	case s.idle <- r:
	default:
	}
}

// refusalOf returns the error of a validation that was aborted by a panic: the library panics on unexpected input.
func refusalOf(reason any) error {
	switch reason := reason.(type) {
	case stopped:
		return reason.err
	case error:
		for _, sentinel := range []error{errWork, errRegex} {
			if errors.Is(reason, sentinel) {
				return domain.InvalidBody("", sentinel.Error())
			}
		}
	}
	return domain.InvalidBody("", "cannot be checked against its schema")
}

// libraryResult returns the violations that the library found, nil if there are none.
func libraryResult(err error) (invalid *jsonschema.ValidationError, failure error) {
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
