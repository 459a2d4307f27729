// Package oasadmin is the types of the administration API, generated from
// api/openapi/admin.yaml. The server in api/admin and the client use them.
package oasadmin

//go:generate ../../../bin/tools/oapi-codegen -config cfg.yaml ../../openapi/admin.yaml
