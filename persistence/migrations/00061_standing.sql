-- +goose Up

-- Processes with a workflow that Temporal has not started.
CREATE INDEX engine_runs_pending ON engine_runs (tenant_id) WHERE kind = 'PROCESS' AND state = 'PENDING';
