-- +goose Up

-- A grant without a tenant is for the Temporal namespace of the service's own workflows.
ALTER TABLE engine_grants ALTER tenant_id DROP NOT NULL;
