-- +goose Up

-- Namespaces in Temporal Cloud, as the service found or created them last.
CREATE TABLE cloud_namespaces (
    namespace   text PRIMARY KEY,
    -- The ids of the authorities of the service that the namespace accepts, NULL if it accepts API keys.
    authorities text[],
    -- The reason why the namespace is not ready.
    problem     text,
    checked_at  timestamptz NOT NULL
);

-- Applications with a service account in Temporal Cloud.
CREATE TABLE cloud_workers (
    id           uuid PRIMARY KEY,
    tenant_id    uuid NOT NULL REFERENCES tenants (id),
    principal_id uuid NOT NULL,
    cluster      text NOT NULL,
    namespace    text NOT NULL,
    -- The id of the service account, NULL until it exists.
    account_id   text,
    -- The number of keys that were created for it.
    generation   integer NOT NULL DEFAULT 0,
    due_at       timestamptz NOT NULL,
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    failures     integer NOT NULL DEFAULT 0,
    problem      text,
    UNIQUE (tenant_id, principal_id)
);

-- API keys of these service accounts by the ids of Temporal Cloud.
CREATE TABLE cloud_keys (
    id         text PRIMARY KEY,
    worker_id  uuid NOT NULL REFERENCES cloud_workers (id) ON DELETE CASCADE,
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX cloud_keys_worker ON cloud_keys (worker_id);
