-- +goose Up

-- Several tenants may share a Temporal namespace. The ids of their workflows then begin with the code of the tenant.
ALTER TABLE tenants
    ADD shared_namespace boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT tenants_namespace_key;
CREATE UNIQUE INDEX tenants_namespace_key ON tenants (namespace) WHERE NOT shared_namespace;
CREATE INDEX tenants_shared_namespace ON tenants (namespace) WHERE shared_namespace;
