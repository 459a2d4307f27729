-- +goose Up

-- The description of a definition with its translations, as names has its name.
ALTER TABLE process_definition_versions ADD COLUMN description jsonb;
