// Package oasadmin is the server and the types of the administration API,
// generated from api/openapi/admin.yaml. Handlers implement
// StrictServerInterface.
package oasadmin

//go:generate ../../../bin/tools/oapi-codegen -templates ../../templates -config cfg.yaml ../../openapi/admin.yaml
