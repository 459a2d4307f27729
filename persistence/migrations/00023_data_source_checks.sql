-- +goose Up

-- What a run checks: references in a value of a resource. It is NULL for queries, which alone have results.
ALTER TABLE data_source_runs
    ADD COLUMN checked json CHECK (json_typeof(checked) = 'object'),
    DROP CONSTRAINT data_source_runs_check2,
    ADD CONSTRAINT data_source_runs_result_of_query_check
        CHECK (CASE WHEN checked IS NULL THEN (state = 'COMPLETED') = (result IS NOT NULL)
                    ELSE state = 'COMPLETED' OR result IS NULL END);
