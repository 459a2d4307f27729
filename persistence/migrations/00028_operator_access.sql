-- +goose Up

-- What operators were issued to look into a namespace is beside what workers were.
ALTER TABLE engine_grants
    ADD COLUMN read_only boolean NOT NULL DEFAULT false;
