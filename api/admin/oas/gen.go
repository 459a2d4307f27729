// Package oasadmin is the server and the types of the administration API,
// generated from api/openapi/admin.yaml. Handlers implement
// StrictServerInterface.
package oasadmin

//go:generate ../../../bin/tools/oapi-codegen -config cfg.yaml ../../openapi/admin.yaml

// The generated answers would escape <, > and & inside of JSON values, which
// are to come back as they were sent.
//go:generate gofmt -r "json.NewEncoder(&buf).Encode(a) -> encodeJSON(&buf, a)" -w oas.gen.go
