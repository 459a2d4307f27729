// Package oasa is the server and the types of version 2022-10-08, generated
// from api/openapi/shape_a.yaml. Handlers implement StrictServerInterface.
package oasa

//go:generate ../../../bin/tools/oapi-codegen -config cfg.yaml ../../openapi/shape_a.yaml

// The generated answers would escape <, > and & inside of JSON values, which
// are to come back as they were sent.
//go:generate gofmt -r "json.NewEncoder(&buf).Encode(a) -> encodeJSON(&buf, a)" -w oas.gen.go
