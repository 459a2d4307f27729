-- +goose Up

-- The names of definitions with their translations: the name, its language, and the translations by language. NULL for
-- versions without translations.
ALTER TABLE process_definition_versions
    ADD names jsonb;

ALTER TABLE item_definition_versions
    ADD names jsonb;
