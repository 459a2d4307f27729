-- +goose Up

-- When the membership of a user was disabled: it lets the user into this tenant no longer, and its rights and tasks stay
-- as they are. principals.disabled_at shuts a person out of every tenant.
ALTER TABLE tenant_users
    ADD COLUMN disabled_at timestamptz;
