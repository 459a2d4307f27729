// Package client calls the administration API of a service. It is generated
// from the document that the server is generated from, api/openapi/admin.yaml.
package client

//go:generate ../../../bin/tools/oapi-codegen -templates ../../templates -config cfg.yaml ../../openapi/admin.yaml
