// Package oasa is the server and the types of version 2022-10-08, generated
// from api/openapi/shape_a.yaml. Handlers implement StrictServerInterface.
package oasa

//go:generate ../../../bin/tools/oapi-codegen -templates ../../templates -config cfg.yaml ../../openapi/shape_a.yaml
