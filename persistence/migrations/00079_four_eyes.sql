-- +goose Up

-- The codes of the tasks of a process that one person must not do together with a task of the definition.
ALTER TABLE item_definition_versions ADD COLUMN opposed_codes text[] NOT NULL DEFAULT '{}';
