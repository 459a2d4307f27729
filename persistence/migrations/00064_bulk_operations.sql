-- +goose Up

-- An operation that is repeated for each of a fixed selection of resources. A workflow of the service carries it out, which is
-- due to be started, or to show progress, at due_at. The row is deleted at expires_at. created_by is a principal.
CREATE TABLE bulk_operations (
    id         uuid NOT NULL,
    tenant_id  uuid NOT NULL,
    kind       text NOT NULL,
    filter     json NOT NULL,
    parameters json NOT NULL,
    reason     text NOT NULL DEFAULT '' CHECK (length(reason) <= 500),
    state      text NOT NULL CHECK (state IN ('PREVIEW', 'RUNNING', 'STOPPED', 'COMPLETED')),
    created_by uuid NOT NULL,
    -- The credential of the author had the rights of an operator.
    operator   boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    ended_at   timestamptz,
    selected   integer NOT NULL DEFAULT 0,
    forecast   json NOT NULL DEFAULT '[]',
    sample     json,
    done       integer NOT NULL DEFAULT 0,
    refused    integer NOT NULL DEFAULT 0,
    due_at     timestamptz,
    expires_at timestamptz,
    PRIMARY KEY (id, tenant_id),
    CHECK ((state = 'PREVIEW') = (started_at IS NULL)),
    CHECK ((state IN ('STOPPED', 'COMPLETED')) = (ended_at IS NOT NULL)),
    CHECK ((state = 'RUNNING') = (due_at IS NOT NULL)),
    CHECK ((state = 'RUNNING') = (expires_at IS NULL)),
    CHECK (done + refused <= selected)
);
CREATE INDEX bulk_operations_tenant ON bulk_operations (tenant_id, created_at);
CREATE INDEX bulk_operations_author ON bulk_operations (created_by, created_at);
CREATE INDEX bulk_operations_due ON bulk_operations (due_at) WHERE state = 'RUNNING';
CREATE INDEX bulk_operations_expires ON bulk_operations (expires_at) WHERE expires_at IS NOT NULL;

-- A resource of a bulk operation: a process, a task or an incident, which may be deleted by now.
CREATE TABLE bulk_operation_items (
    operation_id uuid NOT NULL,
    tenant_id    uuid NOT NULL,
    target_id    uuid NOT NULL,
    state        text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'DONE', 'REFUSED')),
    code         text,
    message      text,
    ended_at     timestamptz,
    PRIMARY KEY (operation_id, target_id, tenant_id),
    FOREIGN KEY (operation_id, tenant_id) REFERENCES bulk_operations (id, tenant_id) ON DELETE CASCADE,
    CHECK ((state = 'PENDING') = (ended_at IS NULL)),
    CHECK ((state = 'REFUSED') = (code IS NOT NULL))
);
CREATE INDEX bulk_operation_items_state ON bulk_operation_items (operation_id, state, target_id);
