// Package oasb is the server and the types of version 2024-06-14, generated
// from api/openapi/shape_b.yaml. Handlers implement StrictServerInterface.
package oasb

//go:generate ../../../bin/tools/oapi-codegen -config cfg.yaml ../../openapi/shape_b.yaml

// The generated answers would escape <, > and & inside of JSON values, which
// are to come back as they were sent.
//go:generate gofmt -r "json.NewEncoder(&buf).Encode(a) -> encodeJSON(&buf, a)" -w oas.gen.go
