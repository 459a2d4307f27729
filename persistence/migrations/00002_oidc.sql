-- +goose Up

-- Which user a subject of an OpenID Connect issuer is. A user is at most one subject of an issuer: an address that the
-- issuer gives to somebody else later lets nobody in.
CREATE TABLE oidc_subjects (
    issuer       text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 2048),
    subject      text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    principal_id uuid NOT NULL REFERENCES principals,
    linked_at    timestamptz NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (principal_id, issuer)
);
