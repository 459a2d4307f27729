-- +goose Up

-- What an endpoint that is held has no deliveries of yet: the events of its tenant after one place in the event log, up to
-- another one or, while that is NULL, up to what webhook_cursor has passed. See decision 89.
CREATE TABLE webhook_backlogs (
    -- The order in which an endpoint catches up.
    id                    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    subscription_id       uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    tenant_id             uuid NOT NULL,
    era                   integer NOT NULL,
    xid                   xid8 NOT NULL,
    position              bigint NOT NULL,
    until_era             integer,
    until_xid             xid8,
    until_position        bigint,
    -- The first event after the place, if it is known. Without it in the event log some were removed before they were told.
    next_event_id         uuid,
    -- The subscription as it was: a later change of it does not change which earlier events it is sent, and how.
    payload_version       text NOT NULL CHECK (payload_version IN ('A', 'B')),
    event_types           text[],
    process_definition_id uuid,
    -- The endpoint was disabled meanwhile: its deliveries are DROPPED.
    dropped               boolean NOT NULL DEFAULT false,
    CHECK ((until_era IS NULL) = (until_xid IS NULL) AND (until_era IS NULL) = (until_position IS NULL)),
    CHECK (NOT dropped OR until_xid IS NOT NULL)
);
CREATE INDEX webhook_backlogs_subscription ON webhook_backlogs (subscription_id, id);
-- An endpoint has one at most that is open.
CREATE UNIQUE INDEX webhook_backlogs_open ON webhook_backlogs (subscription_id) WHERE until_xid IS NULL;

-- When events were found to be removed of which the endpoint had no deliveries yet.
ALTER TABLE webhook_endpoints ADD COLUMN events_lost_at timestamptz;
