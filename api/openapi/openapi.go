// Package openapi contains the contracts of the REST interface as OpenAPI 3.1
// documents. Servers and clients are generated from them, requests are validated
// against them, and clients download them. tools/bundle joins a document from the
// folder of the same name, with a file for each resource.
package openapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"
)

// The names of the documents within Files.
const (
	ShapeA = "shape_a.yaml" // version 2022-10-08
	ShapeB = "shape_b.yaml" // version 2024-06-14
	Admin  = "admin.yaml"   // administration, version 1
)

// Files contains the documents that are served under /openapi/.
//
//go:embed *.yaml
var Files embed.FS

// YAML returns the document with the given name.
func YAML(name string) ([]byte, error) {
	text, err := Files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading contract: %w", err)
	}
	return text, nil
}

// JSON returns the document with the given name as JSON. All callers share it and must
// not change it.
func JSON(name string) ([]byte, error) {
	document, ok := documents[name]
	if !ok {
		return nil, fmt.Errorf("reading contract %s: %w", name, fs.ErrNotExist)
	}
	return document.json()
}

// Load returns the document with the given name, parsed and checked. All callers
// share it and must not change it.
func Load(name string) (*openapi3.T, error) {
	document, ok := documents[name]
	if !ok {
		return nil, fmt.Errorf("reading contract %s: %w", name, fs.ErrNotExist)
	}
	return document.load()
}

// document reads a contract in two forms, each once: that takes a tenth of a second.
type document struct {
	load func() (*openapi3.T, error)
	json func() ([]byte, error)
}

//nolint:gochecknoglobals // read once
var documents = map[string]document{ShapeA: readOnce(ShapeA), ShapeB: readOnce(ShapeB), Admin: readOnce(Admin)}

func readOnce(name string) document {
	return document{
		load: sync.OnceValues(func() (*openapi3.T, error) { return parseDocument(name) }),
		json: sync.OnceValues(func() ([]byte, error) { return convertToJSON(name) }),
	}
}

func convertToJSON(name string) ([]byte, error) {
	text, err := YAML(name)
	if err != nil {
		return nil, err
	}
	var content map[string]any
	if err := yaml.Unmarshal(text, &content); err != nil {
		return nil, fmt.Errorf("parsing contract %s: %w", name, err)
	}
	converted, err := json.Marshal(content)
	if err != nil {
		return nil, fmt.Errorf("converting contract %s: %w", name, err)
	}
	return converted, nil
}

func parseDocument(name string) (*openapi3.T, error) {
	data, err := YAML(name)
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(data)
	if err != nil {
		return nil, fmt.Errorf("parsing contract %s: %w", name, err)
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, fmt.Errorf("checking contract %s: %w", name, err)
	}
	selectValidator(doc)
	return doc, nil
}

// selectValidator declares the document as OpenAPI 3.0 for the validator of requests.
// With a later version the library compiles a JSON Schema for every value and reports
// violations without their keyword. Its validator of 3.0 supports the keywords that
// the documents use, except that a schema without keywords refuses null.
func selectValidator(doc *openapi3.T) {
	doc.OpenAPI = "3.0.3"
	for _, schema := range doc.Components.Schemas {
		for _, member := range schema.Value.Properties {
			if member.Ref == "" && member.Value.IsEmpty() {
				member.Value.Nullable = true
			}
		}
	}
}

// AtLeastOneOf returns the members that x-at-least-one-of of a schema lists, or nil. An
// object must have at least one of them. From anyOf, generators would make a union with
// an unknown type.
func AtLeastOneOf(schema *openapi3.Schema) []string {
	values, _ := schema.Extensions["x-at-least-one-of"].([]any)
	var names []string
	for _, v := range values {
		names = append(names, fmt.Sprint(v))
	}
	return names
}

// Permitted returns the callers whom an operation is permitted, from its x-permitted.
func Permitted(op *openapi3.Operation) ([]string, error) {
	var permitted []string
	values, ok := op.Extensions["x-permitted"].([]any)
	if !ok {
		return nil, fmt.Errorf("operation %s has no list x-permitted", op.OperationID)
	}
	for _, v := range values {
		permitted = append(permitted, fmt.Sprint(v))
	}
	return permitted, nil
}
