-- +goose Up
-- Data of the client for the workflow of a process.
ALTER TABLE engine_runs
    ADD COLUMN extras json CHECK (json_typeof(extras) = 'object'),
    ADD CHECK (extras IS NULL OR kind = 'PROCESS');
