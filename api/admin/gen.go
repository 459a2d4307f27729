package admin

//go:generate ../../bin/tools/oapi-codegen -templates ../templates -config cfg.yaml ../openapi/admin.yaml
