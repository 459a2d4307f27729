package resource

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/procession-dev/procession/domain/jsontext"
)

// patternMessage is the keyword in which our schemas describe a pattern in words. Editors support it as well.
const patternMessage = "patternErrorMessage"

// A contract is the compiled JSON Schema of a kind.
type contract struct {
	schema *jsonschema.Schema
	// nodes are its subschemas by their location.
	nodes map[string]*jsonschema.Schema
}

// contracts compile the contract of each kind when it is first needed.
//
//nolint:gochecknoglobals // computed once
var contracts = func() map[Kind]func() (*contract, error) {
	m := map[Kind]func() (*contract, error){}
	for _, kind := range Kinds() {
		m[kind] = sync.OnceValues(func() (*contract, error) { return compileContract(kind) })
	}
	return m
}()

func compileContract(kind Kind) (*contract, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	compiler.ExtractAnnotations = true
	compiler.RegisterExtension(patternMessage, nil, wordings{})
	address := "schema:" + string(kind)
	text := Schema(kind)
	// The address of the published schema is relative, which is only valid where it is published.
	text = bytes.Replace(text, []byte(`"$id": "/schemas/procession/v1/`+string(kind)+`.json"`), []byte(`"$id": "`+address+`"`), 1)
	if err := compiler.AddResource(address, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("reading the schema of %s: %w", kind, err)
	}
	schema, err := compiler.Compile(address)
	if err != nil {
		return nil, fmt.Errorf("compiling the schema of %s: %w", kind, err)
	}
	c := &contract{schema: schema, nodes: map[string]*jsonschema.Schema{}}
	c.survey(schema)
	return c, nil
}

func (c *contract) survey(s *jsonschema.Schema) {
	if s == nil || c.nodes[s.Location] != nil {
		return
	}
	c.nodes[s.Location] = s
	for _, property := range s.Properties {
		c.survey(property)
	}
	if additional, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		c.survey(additional)
	}
	c.survey(s.Ref)
	c.survey(s.Items2020)
	c.survey(s.PropertyNames)
	c.survey(s.Not)
}

// check validates a document against the schema and reports one violation for each place.
func (c *contract) check(document any, r *report) error {
	err := c.schema.Validate(document)
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(err, &invalid):
		seen := map[string]bool{}
		c.collectLeaves(invalid, document, func(pointer, message string) {
			if !seen[pointer] {
				seen[pointer] = true
				r.add(pointer, "%s", message)
			}
		})
	case err != nil:
		return fmt.Errorf("validating a document: %w", err)
	}
	return nil
}

// collectLeaves reports the leaves of a tree of violations.
func (c *contract) collectLeaves(e *jsonschema.ValidationError, document any, report func(pointer, message string)) {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			c.collectLeaves(cause, document, report)
		}
		return
	}
	// The library escapes names as in a URL fragment.
	pointer, err := url.PathUnescape(e.InstanceLocation)
	if err != nil {
		pointer = e.InstanceLocation
	}
	location, keyword := path.Split(e.AbsoluteKeywordLocation)
	schema := c.nodes[strings.TrimSuffix(location, "/")]
	if schema == nil {
		report(pointer, e.Message)
		return
	}
	object, _ := valueAt(document, pointer).(map[string]any)
	switch keyword {
	case "required":
		for _, name := range schema.Required {
			if _, ok := object[name]; !ok {
				report(extendPointer(pointer, name), "is required")
			}
		}
	case "additionalProperties":
		for name := range object {
			if schema.Properties[name] == nil {
				report(extendPointer(pointer, name), unknownMember(schema, name))
			}
		}
	default:
		report(pointer, describeKeyword(schema, keyword, e.Message))
	}
}

// valueAt returns the value at a JSON Pointer that leads somewhere.
func valueAt(document any, pointer string) any {
	tokens, _ := jsontext.SplitPointer(pointer)
	for _, token := range tokens {
		switch container := document.(type) {
		case map[string]any:
			document = container[token]
		case []any:
			document = elementAt(container, token)
		}
	}
	return document
}

func elementAt(array []any, token string) any {
	if i, ok := jsontext.Index(token); ok && i < len(array) {
		return array[i]
	}
	return nil
}

// wordings contains the patternErrorMessage of a schema. As a keyword it accepts every value.
type wordings struct{ text string }

// Compile implements jsonschema.ExtCompiler.
func (wordings) Compile(_ jsonschema.CompilerContext, keywords map[string]any) (jsonschema.ExtSchema, error) {
	if text, ok := keywords[patternMessage].(string); ok {
		return wordings{text}, nil
	}
	return nil, nil
}

// Validate implements jsonschema.ExtSchema.
func (wordings) Validate(jsonschema.ValidationContext, any) error { return nil }
