-- +goose Up

-- Persons see the tokens that others issued for them. The columns are null for credentials of before, and seen_at and
-- last_used_at until that happens.
ALTER TABLE credentials
    ADD COLUMN issued_by    uuid,
    ADD COLUMN seen_at      timestamptz,
    ADD COLUMN last_used_at timestamptz;
