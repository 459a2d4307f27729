-- +goose Up

-- Sessions of browsers. A session is good for as long as what it was opened with: a credential, of which the hash is kept,
-- or the subject of an OpenID Connect issuer. The cookie holds a secret, of which the hash is kept too.
CREATE TABLE console_sessions (
    id                uuid PRIMARY KEY,
    secret_sha256     bytea NOT NULL UNIQUE CHECK (octet_length(secret_sha256) = 32),
    principal_id      uuid NOT NULL REFERENCES principals (id) ON DELETE CASCADE,
    credential_sha256 bytea CHECK (octet_length(credential_sha256) = 32),
    issuer            text,
    subject           text,
    user_agent        text NOT NULL,
    created_at        timestamptz NOT NULL,
    last_used_at      timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    CHECK (num_nonnulls(credential_sha256, issuer) = 1),
    CHECK ((issuer IS NULL) = (subject IS NULL))
);

CREATE INDEX console_sessions_principal ON console_sessions (principal_id, last_used_at DESC);
CREATE INDEX console_sessions_expiry ON console_sessions (expires_at);
