// Package openapi holds the contracts of the REST interface as OpenAPI
// documents. They are the source: the servers in the oas packages are generated
// from them, requests are validated against them, and clients can read them.
package openapi

import (
	"embed"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
)

// The names of the documents within Files.
const (
	ShapeA = "shape_a.yaml" // version 2022-10-08
	ShapeB = "shape_b.yaml" // version 2024-06-14
	Admin  = "admin.yaml"   // administration, version 1
)

// Files holds the documents as they are served under /openapi/.
//
//go:embed *.yaml
var Files embed.FS

// Load parses and checks the document with the given name. Each call returns a
// document of its own.
func Load(name string) (*openapi3.T, error) {
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
