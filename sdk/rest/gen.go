// Package rest is the client of the REST API, generated from its contract: one
// method for each operation, and the types of what goes over the wire. Its
// methods return plain HTTP responses. procession.Client adds credentials,
// retries and errors to it, and procession.Decode reads what it returns.
package rest

//go:generate ../../bin/tools/oapi-codegen -templates ../../api/templates -config cfg.yaml ../../api/openapi/shape_b.yaml
