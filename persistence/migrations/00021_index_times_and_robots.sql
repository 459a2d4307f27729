-- +goose Up

-- Dates with a time keep it: date_value is the day that is written there, time_value the moment, and text_folded the
-- value as it was written, in capitals. Rows without text_folded are days, or were written by the previous release, which
-- takes text_folded away where it changes a date; what time_value holds beside them counts for nothing.
ALTER TABLE process_index ADD COLUMN time_value timestamptz CHECK (time_value IS NULL OR date_value IS NOT NULL);
ALTER TABLE business_artifact_index ADD COLUMN time_value timestamptz CHECK (time_value IS NULL OR date_value IS NOT NULL);

-- The times of what is indexed already are in the values themselves. Values that PostgreSQL cannot read stay days until
-- they are saved again.
-- +goose StatementBegin
CREATE FUNCTION pg_temp.date_written(document json, field text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    written text;
    moment  timestamptz;
BEGIN
    written := upper(document ->> field);
    IF length(written) > 10 THEN
        moment := written::timestamptz;
        RETURN written;
    END IF;
    RETURN NULL;
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END $$;
-- +goose StatementEnd

UPDATE process_index x
   SET text_folded = v.written, time_value = v.written::timestamptz
  FROM (SELECT x.process_id, x.field, pg_temp.date_written(p.metadata, x.field) AS written
          FROM process_index x
          JOIN processes p ON p.id = x.process_id
         WHERE x.date_value IS NOT NULL OFFSET 0) v
 WHERE v.written IS NOT NULL AND x.process_id = v.process_id AND x.field = v.field;

UPDATE business_artifact_index x
   SET text_folded = v.written, time_value = v.written::timestamptz
  FROM (SELECT x.business_artifact_id, x.field, pg_temp.date_written(a.data, x.field) AS written
          FROM business_artifact_index x
          JOIN business_artifacts a ON a.id = x.business_artifact_id
         WHERE x.date_value IS NOT NULL OFFSET 0) v
 WHERE v.written IS NOT NULL AND x.business_artifact_id = v.business_artifact_id AND x.field = v.field;

DROP FUNCTION pg_temp.date_written(json, text);

-- Robots may be wheels of Robot Framework.
ALTER TABLE robots
    DROP CONSTRAINT robots_source_type_check,
    ADD CONSTRAINT robots_source_type_check CHECK (source_type IN ('PACKAGE', 'ROBOT_FRAMEWORK_PYTHON_WHEEL'));
