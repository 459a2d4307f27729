// Package oasb is the server and the types of version 2024-06-14, generated
// from api/openapi/shape_b.yaml. Handlers implement StrictServerInterface.
package oasb

//go:generate ../../../bin/tools/oapi-codegen -templates ../../templates -config cfg.yaml ../../openapi/shape_b.yaml
