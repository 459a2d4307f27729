-- +goose Up

-- The process definition of an incident, for administrators of single definitions, and the type of its workflow, for searches. They
-- never change.
ALTER TABLE incidents
    ADD process_definition_id uuid,
    ADD workflow_type text NOT NULL DEFAULT '';
UPDATE incidents i
   SET process_definition_id = (SELECT p.process_definition_id FROM processes p WHERE p.id = i.process_id AND p.tenant_id = i.tenant_id),
       workflow_type = coalesce((SELECT r.workflow_type FROM engine_runs r
                                  WHERE r.id = i.engine_run_id AND r.tenant_id = i.tenant_id), '');

-- +goose StatementBegin
CREATE FUNCTION describe_incident() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.process_definition_id := (SELECT p.process_definition_id FROM processes p WHERE p.id = NEW.process_id AND p.tenant_id = NEW.tenant_id);
    NEW.workflow_type := coalesce((SELECT r.workflow_type FROM engine_runs r
                                    WHERE r.id = NEW.engine_run_id AND r.tenant_id = NEW.tenant_id), '');
    RETURN NEW;
END;
$$;
-- +goose StatementEnd
CREATE TRIGGER describe_incident BEFORE INSERT ON incidents FOR EACH ROW EXECUTE FUNCTION describe_incident();

CREATE INDEX incidents_definition ON incidents (process_definition_id, state, created_at, id) INCLUDE (tenant_id, fingerprint);
CREATE INDEX incidents_words ON incidents USING gin (search_key(workflow_type || ' ' || message) gin_trgm_ops);
