-- +goose Up

-- How many runs of assistance a tenant has begun on a day (UTC), the latest on which it began any.
CREATE TABLE assistance_usage (
    tenant_id uuid PRIMARY KEY REFERENCES tenants,
    day       date NOT NULL,
    runs      integer NOT NULL CHECK (runs > 0)
);
CREATE INDEX item_assistance_pending ON item_assistance (tenant_id) WHERE state = 'PENDING';

-- What the temporary documents of a tenant add up to is read from the index.
CREATE INDEX documents_temporary ON documents (tenant_id) INCLUDE (expires_at, owner_kind, created_by, size)
 WHERE expires_at IS NOT NULL;
