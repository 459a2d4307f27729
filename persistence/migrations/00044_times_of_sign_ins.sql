-- +goose Up

-- When the user of a session last proved who they are; null for sessions of before, which are as old as their sign-in.
ALTER TABLE console_sessions ADD COLUMN authenticated_at timestamptz;
