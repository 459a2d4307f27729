// Package openapi holds the contracts of the REST interface as OpenAPI
// documents. They are the source: the servers in the oas packages are generated
// from them, requests are validated against them, and clients can read them.
package openapi

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// The names of the documents within Files.
const (
	ShapeA = "shape_a.yaml" // version 2022-10-08
	ShapeB = "shape_b.yaml" // version 2024-06-14
	Admin  = "admin.yaml"   // administration, version 1
)

// Files holds the sources of the documents that are served under /openapi/.
//
//go:embed *.yaml
var Files embed.FS

// Published returns the document with the given name as clients get it: as OpenAPI
// 3.1, where it has webhooks. The sources are OpenAPI 3.0, which the generator and the
// validation of requests are made for and which has no webhooks; there they are under
// x-webhooks. Everything else means the same in both.
func Published(name string) ([]byte, error) {
	source, err := Files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading contract: %w", err)
	}
	if !bytes.Contains(source, []byte("\nx-webhooks:\n")) {
		return source, nil
	}
	published := bytes.Replace(source, []byte("openapi: 3.0.3\n"), []byte("openapi: 3.1.0\n"), 1)
	return bytes.Replace(published, []byte("\nx-webhooks:\n"), []byte("\nwebhooks:\n"), 1), nil
}

// Load returns the document with the given name, parsed and checked. All callers
// share it and must not change it.
func Load(name string) (*openapi3.T, error) {
	load, ok := documents[name]
	if !ok {
		return nil, fmt.Errorf("reading contract %s: %w", name, fs.ErrNotExist)
	}
	return load()
}

//nolint:gochecknoglobals // parsing one takes a tenth of a second
var documents = map[string]func() (*openapi3.T, error){
	ShapeA: once(ShapeA), ShapeB: once(ShapeB), Admin: once(Admin),
}

func once(name string) func() (*openapi3.T, error) {
	return sync.OnceValues(func() (*openapi3.T, error) { return parse(name) })
}

func parse(name string) (*openapi3.T, error) {
	data, err := Files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading contract: %w", err)
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(data)
	if err != nil {
		return nil, fmt.Errorf("parsing contract %s: %w", name, err)
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, fmt.Errorf("checking contract %s: %w", name, err)
	}
	return doc, nil
}

// Webhooks returns the requests that the service sends to subscribers, from x-webhooks of the document with the given
// name: a document with a path for each.
func Webhooks(name string) (*openapi3.T, error) {
	doc, err := Load(name)
	if err != nil {
		return nil, err
	}
	described, _ := doc.Extensions["x-webhooks"].(map[string]any)
	if len(described) == 0 {
		return &openapi3.T{Paths: openapi3.NewPaths()}, nil
	}
	paths := map[string]any{}
	for event, item := range described {
		paths["/"+event] = item
	}
	source, err := json.Marshal(map[string]any{
		"openapi": doc.OpenAPI, "info": doc.Info, "paths": paths, "components": doc.Components,
	})
	if err != nil {
		return nil, fmt.Errorf("reading webhooks of contract %s: %w", name, err)
	}
	hooks, err := openapi3.NewLoader().LoadFromData(source)
	if err != nil {
		return nil, fmt.Errorf("reading webhooks of contract %s: %w", name, err)
	}
	return hooks, nil
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
