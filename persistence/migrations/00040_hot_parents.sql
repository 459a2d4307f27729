-- +goose Up

-- A foreign key locks the parent's row for each child that is written, and writes that lock to the log. Tenants, people and
-- definitions are the parents of everything that is created at the same time, so those of the tables that grow with the work go.
-- Tenants and principals are never deleted; the statements that write children have just read them. procession doctor finds
-- children without a parent.
ALTER TABLE processes
    DROP CONSTRAINT processes_tenant_id_fkey,
    DROP CONSTRAINT processes_initiator_id_fkey,
    DROP CONSTRAINT processes_process_version_process_definition_id_fkey;
ALTER TABLE process_items
    DROP CONSTRAINT process_items_owner_id_fkey,
    DROP CONSTRAINT process_items_process_definition_id_fkey,
    DROP CONSTRAINT process_items_item_version_item_definition_id_fkey;
ALTER TABLE engine_runs DROP CONSTRAINT engine_runs_tenant_id_fkey;
ALTER TABLE process_actions DROP CONSTRAINT process_actions_tenant_id_fkey;
ALTER TABLE business_artifacts DROP CONSTRAINT business_artifacts_tenant_id_fkey;
ALTER TABLE documents DROP CONSTRAINT documents_tenant_id_fkey;
ALTER TABLE incidents DROP CONSTRAINT incidents_tenant_id_fkey;
ALTER TABLE item_assistance
    DROP CONSTRAINT item_assistance_tenant_id_fkey,
    DROP CONSTRAINT item_assistance_requested_by_fkey;
ALTER TABLE assistance_calls
    DROP CONSTRAINT assistance_calls_tenant_id_fkey,
    DROP CONSTRAINT assistance_calls_requested_by_fkey;
ALTER TABLE data_source_runs
    DROP CONSTRAINT data_source_runs_tenant_id_fkey,
    DROP CONSTRAINT data_source_runs_requested_by_fkey;

-- Definitions with processes keep their versions. The lock waits for transactions that are creating processes, and holds up
-- others until the end of this one; they look their version up when they insert.
-- +goose StatementBegin
CREATE FUNCTION keep_used_versions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    used uuid;
BEGIN
    LOCK TABLE processes IN SHARE ROW EXCLUSIVE MODE;
    SELECT g.process_definition_id INTO used
      FROM gone g
     WHERE EXISTS (SELECT 1 FROM processes p WHERE p.process_definition_id = g.process_definition_id)
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'process definition % has processes', used USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER keep_used_versions AFTER DELETE ON process_definition_versions
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION keep_used_versions();
