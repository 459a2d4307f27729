-- Keys of the service and of tenants. Private values are sealed with a key encryption key that is not in the database.

-- Keys that sign engine tokens and certificates.
CREATE TABLE signing_keys (
    id             text PRIMARY KEY,
    purpose        text NOT NULL CHECK (purpose IN ('ENGINE_TOKEN', 'CERTIFICATE_AUTHORITY')),
    public_pem     text NOT NULL,
    sealed_private bytea NOT NULL,
    created_at     timestamptz NOT NULL,
    retired_at     timestamptz,
    -- The certificate that the previous authority issued for the key of this one.
    cross_pem      text,
    distrusted_at  timestamptz,
    CHECK (distrusted_at IS NULL OR retired_at IS NOT NULL)
);
CREATE UNIQUE INDEX signing_keys_active ON signing_keys (purpose) WHERE retired_at IS NULL;

-- Keys that encrypt the payloads of workflows. A row outlives its value, because workers cache keys by their id: a key id
-- never gets another value.
CREATE TABLE encryption_keys (
    id           uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL REFERENCES tenants,
    code         text NOT NULL CHECK (length(code) BETWEEN 1 AND 50),
    version      integer NOT NULL CHECK (version > 0),
    key_id       text NOT NULL,
    sealed_value bytea,
    created_by   uuid NOT NULL,
    created_at   timestamptz NOT NULL,
    deleted_at   timestamptz,
    UNIQUE (tenant_id, code, version),
    UNIQUE (tenant_id, key_id),
    CHECK (key_id = CASE version WHEN 1 THEN code ELSE code || '.' || version END),
    CHECK ((sealed_value IS NULL) = (deleted_at IS NOT NULL))
);

-- The last day on which a principal read a key. Reads are recorded once a day.
CREATE TABLE encryption_key_reads (
    encryption_key_id uuid NOT NULL REFERENCES encryption_keys ON DELETE CASCADE,
    principal_id      uuid NOT NULL REFERENCES principals ON DELETE CASCADE,
    read_on           date NOT NULL,
    PRIMARY KEY (encryption_key_id, principal_id)
);
