-- The cluster of a command's namespace, so that the commands of one that does not answer are not read. The task queue that a
-- workflow waits for, if it is not the workflow's own. An index of open incidents for their numbers.

-- +goose Up
ALTER TABLE engine_commands ADD COLUMN cluster text NOT NULL DEFAULT '';
UPDATE engine_commands c SET cluster = t.cluster FROM tenants t WHERE t.id = c.tenant_id AND t.cluster <> '';
DROP INDEX engine_commands_due;
CREATE INDEX engine_commands_due ON engine_commands (cluster, not_before, position);
ALTER TABLE engine_runs ADD COLUMN unserved_queue text;
CREATE INDEX incidents_open ON incidents (tenant_id, kind, muted_until) WHERE state = 'OPEN';
