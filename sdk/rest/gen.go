// Package rest is the client of the REST API, generated from its contract: one
// method for each operation, and the types of bodies and parameters. Methods
// return HTTP responses. procession.Client adds credentials, retries and errors;
// procession.Decode decodes responses.
package rest

//go:generate ../../bin/tools/oapi-codegen -templates ../../api/templates -config cfg.yaml ../../api/openapi/shape_b.yaml
