-- +goose Up

-- Searches for artifacts with a text in an indexed member. pg_trgm is an extension that the owner of a database may
-- create.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE INDEX business_artifact_index_words ON business_artifact_index USING gin ((
    coalesce(text_folded, text_value || coalesce(text_rest, ''), number_value::text,
       lpad(extract(year FROM date_value)::text, 4, '0') || '-' || lpad(extract(month FROM date_value)::text, 2, '0')
       || '-' || lpad(extract(day FROM date_value)::text, 2, '0'))) gin_trgm_ops);

-- Statistics of the expression, so that the index is used only for texts that few values contain.
ANALYZE business_artifact_index;
