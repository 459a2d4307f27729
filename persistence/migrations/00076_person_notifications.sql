-- +goose Up

-- Notifications of people, written in the background from the event log: one for each event and recipient. Positions follow the order
-- in which they become visible, because one transaction at a time writes.
CREATE TABLE person_notifications (
    recipient_id uuid NOT NULL,
    event_id     uuid NOT NULL,
    tenant_id    uuid NOT NULL,
    position     bigint GENERATED ALWAYS AS IDENTITY,
    kind         text NOT NULL CHECK (kind IN ('ASSIGNED', 'MENTIONED', 'MESSAGE', 'CLAIMABLE', 'DUE_SOON', 'OVERDUE', 'FINISHED')),
    process_id   uuid NOT NULL,
    item_id      uuid,
    actor_id     uuid NOT NULL,
    created_at   timestamptz NOT NULL,
    read_at      timestamptz,
    PRIMARY KEY (recipient_id, event_id, tenant_id)
);
CREATE UNIQUE INDEX person_notifications_position ON person_notifications (position);
CREATE INDEX person_notifications_listed ON person_notifications (recipient_id, position);
CREATE INDEX person_notifications_unread ON person_notifications (recipient_id, position) WHERE read_at IS NULL;

-- The number of tasks of an item definition that became claimable, and the time of the last one. Candidates are told by these numbers:
-- there is no row for each task and candidate.
CREATE TABLE claimable_tasks (
    item_definition_id uuid NOT NULL,
    tenant_id          uuid NOT NULL,
    tasks              bigint NOT NULL,
    last_at            timestamptz NOT NULL,
    PRIMARY KEY (item_definition_id, tenant_id)
) WITH (fillfactor = 50);

-- The number of tasks of an item definition that a person has been told.
CREATE TABLE claimable_marks (
    principal_id       uuid NOT NULL,
    item_definition_id uuid NOT NULL,
    tenant_id          uuid NOT NULL,
    tasks              bigint NOT NULL,
    PRIMARY KEY (principal_id, item_definition_id, tenant_id)
);

-- The position in the event log up to which notifications of people are written.
CREATE TABLE person_notification_cursor (
    era       integer NOT NULL,
    xid       xid8 NOT NULL,
    position  bigint NOT NULL,
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
-- Notifications begin with new events.
INSERT INTO person_notification_cursor (era, xid, position)
SELECT l.era, pg_snapshot_xmin(pg_current_snapshot()), 0 FROM event_ledger l;
