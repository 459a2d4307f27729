-- +goose Up

-- What kept an action from being carried out within its invocation, for the caller. Inputs that are older are valid.
ALTER TABLE process_actions
    ADD COLUMN errors json,
    ADD CONSTRAINT process_actions_errors_check CHECK (errors IS NULL OR status = 'ERROR');
ALTER TABLE business_artifact_actions
    ADD COLUMN errors json,
    ADD COLUMN input_valid boolean,
    ADD COLUMN input_errors json,
    ADD CONSTRAINT business_artifact_actions_errors_check CHECK (errors IS NULL OR status = 'ERROR');
