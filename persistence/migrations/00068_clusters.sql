-- +goose Up

-- Tenants in additional Temporal clusters. Namespaces of Temporal Cloud have a dot.
ALTER TABLE tenants
    ADD cluster text NOT NULL DEFAULT '' CHECK (cluster ~ '^([a-z][a-z0-9-]{0,62})?$'),
    DROP CONSTRAINT tenants_namespace_check,
    ADD CONSTRAINT tenants_namespace_check
        CHECK (namespace ~ '^[a-z][a-z0-9-]{0,62}(\.[a-z0-9]{1,32})?$' AND namespace NOT IN ('procession', 'temporal-system'));
