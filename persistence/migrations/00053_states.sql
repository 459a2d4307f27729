-- +goose Up

-- An update that changes an indexed column writes an entry to every index of its table. The columns of items and processes
-- that change with their state are therefore indexed in narrow tables of their own, and an update of an item or a process
-- writes no index of the wide table (heap-only tuples). Triggers copy the columns in the transaction of the change.

-- The state of an item. The columns are named as in process_items, so that conditions on items apply to both.
CREATE TABLE item_states (
    tenant_id             uuid NOT NULL,
    id                    uuid NOT NULL,
    process_id            uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    item_definition_id    uuid,
    created_at            timestamptz NOT NULL,
    last_modified_at      timestamptz NOT NULL,
    task_state            text,
    owner_id              uuid,
    claimed_at            timestamptz,
    completed_at          timestamptz,
    cancelled_at          timestamptz,
    deleted_at            timestamptz,
    PRIMARY KEY (id, tenant_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000);

-- The state of a process.
CREATE TABLE process_states (
    tenant_id             uuid NOT NULL,
    id                    uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    process_version       uuid NOT NULL,
    initiator_id          uuid NOT NULL,
    created_at            timestamptz NOT NULL,
    last_modified_at      timestamptz NOT NULL,
    state                 text NOT NULL,
    deleted_at            timestamptz,
    PRIMARY KEY (id, tenant_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
        autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000);

-- +goose StatementBegin
CREATE FUNCTION copy_item_state() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        UPDATE item_states
           SET last_modified_at = NEW.last_modified_at, task_state = NEW.task_state, owner_id = NEW.owner_id,
               claimed_at = NEW.claimed_at, completed_at = NEW.completed_at, cancelled_at = NEW.cancelled_at,
               deleted_at = NEW.deleted_at
         WHERE id = NEW.id;
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM item_states WHERE id = OLD.id;
    ELSIF TG_OP = 'TRUNCATE' THEN
        TRUNCATE item_states;
    ELSE
        INSERT INTO item_states
        VALUES (NEW.tenant_id, NEW.id, NEW.process_id, NEW.process_definition_id, NEW.item_definition_id, NEW.created_at,
                NEW.last_modified_at, NEW.task_state, NEW.owner_id, NEW.claimed_at, NEW.completed_at, NEW.cancelled_at,
                NEW.deleted_at);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION copy_process_state() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        UPDATE process_states
           SET initiator_id = NEW.initiator_id, last_modified_at = NEW.last_modified_at, state = NEW.state,
               deleted_at = NEW.deleted_at
         WHERE id = NEW.id;
    ELSIF TG_OP = 'DELETE' THEN
        DELETE FROM process_states WHERE id = OLD.id;
    ELSIF TG_OP = 'TRUNCATE' THEN
        TRUNCATE process_states;
    ELSE
        INSERT INTO process_states
        VALUES (NEW.tenant_id, NEW.id, NEW.process_definition_id, NEW.process_version, NEW.initiator_id,
                NEW.created_at, NEW.last_modified_at, NEW.state, NEW.deleted_at);
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- A trigger locks its table against writes until the copy is complete. The triggers also run for replicated rows, so that
-- the states are never copied from another database.
CREATE TRIGGER copy_state AFTER INSERT OR UPDATE OR DELETE ON process_items FOR EACH ROW EXECUTE FUNCTION copy_item_state();
CREATE TRIGGER clear_states AFTER TRUNCATE ON process_items FOR EACH STATEMENT EXECUTE FUNCTION copy_item_state();
CREATE TRIGGER copy_state AFTER INSERT OR UPDATE OR DELETE ON processes FOR EACH ROW EXECUTE FUNCTION copy_process_state();
CREATE TRIGGER clear_states AFTER TRUNCATE ON processes FOR EACH STATEMENT EXECUTE FUNCTION copy_process_state();
ALTER TABLE process_items ENABLE ALWAYS TRIGGER copy_state, ENABLE ALWAYS TRIGGER clear_states;
ALTER TABLE processes ENABLE ALWAYS TRIGGER copy_state, ENABLE ALWAYS TRIGGER clear_states;
INSERT INTO item_states
SELECT tenant_id, id, process_id, process_definition_id, item_definition_id, created_at, last_modified_at, task_state,
       owner_id, claimed_at, completed_at, cancelled_at, deleted_at
  FROM process_items;
INSERT INTO process_states
SELECT tenant_id, id, process_definition_id, process_version, initiator_id, created_at, last_modified_at, state, deleted_at
  FROM processes;

-- Lists by time of change read these indexes for each visible definition.
CREATE INDEX item_states_modified ON item_states (item_definition_id, last_modified_at, id)
 WHERE item_definition_id IS NOT NULL;
CREATE INDEX item_states_undefined_modified ON item_states (process_definition_id, last_modified_at, id)
 WHERE item_definition_id IS NULL;
CREATE INDEX process_states_modified ON process_states (process_definition_id, last_modified_at, id);
-- Tasks without the time are listed in the order of creation.
CREATE INDEX item_states_claimed ON item_states (item_definition_id, claimed_at, id) WHERE claimed_at IS NOT NULL;
CREATE INDEX item_states_completed ON item_states (item_definition_id, completed_at, id) WHERE completed_at IS NOT NULL;
CREATE INDEX item_states_cancelled ON item_states (item_definition_id, cancelled_at, id) WHERE cancelled_at IS NOT NULL;
-- Lists of open tasks; these are few compared with all tasks.
CREATE INDEX item_states_open ON item_states (tenant_id, created_at, id) WHERE task_state IN ('READY', 'CLAIMED');
CREATE INDEX item_states_own
    ON item_states (owner_id, task_state, created_at, id) INCLUDE (item_definition_id, process_id)
 WHERE owner_id IS NOT NULL;
-- The versions that running processes are pinned to.
CREATE INDEX process_states_running ON process_states (process_version) WHERE state = 'RUNNING';

DROP INDEX process_items_modified, process_items_undefined_modified, process_items_claimed, process_items_completed,
    process_items_cancelled, process_items_open, process_items_own, processes_modified, processes_running;
-- Free space on each page for new versions of its rows.
ALTER TABLE process_items SET (fillfactor = 85);
ALTER TABLE processes SET (fillfactor = 90);
