-- +goose Up

-- What was issued for the engine, so that it can be revoked: never the token or the private key itself. Rows go some
-- time after what they describe has expired.

CREATE TABLE engine_grants (
    id           uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL REFERENCES tenants,
    principal_id uuid NOT NULL REFERENCES principals,
    kind         text NOT NULL CHECK (kind IN ('ENGINE_TOKEN', 'ENGINE_CERTIFICATE')),
    -- The jti of a token, the serial number of a certificate in hexadecimal.
    identifier   text NOT NULL UNIQUE CHECK (length(identifier) BETWEEN 1 AND 64),
    issued_at    timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL CHECK (expires_at > issued_at),
    revoked_at   timestamptz,
    revoked_by   uuid REFERENCES principals,
    CHECK (num_nulls(revoked_at, revoked_by) IN (0, 2))
);
CREATE INDEX engine_grants_tenant ON engine_grants (tenant_id, issued_at, id);
CREATE INDEX engine_grants_principal ON engine_grants (principal_id, issued_at);
CREATE INDEX engine_grants_expiry ON engine_grants (expires_at);
CREATE INDEX engine_grants_revoked ON engine_grants (expires_at) WHERE revoked_at IS NOT NULL;

-- cross_pem is the certificate that the authority before issued for the key of this one.
ALTER TABLE signing_keys
    ADD COLUMN cross_pem text,
    ADD COLUMN distrusted_at timestamptz,
    ADD CHECK (distrusted_at IS NULL OR retired_at IS NOT NULL);
