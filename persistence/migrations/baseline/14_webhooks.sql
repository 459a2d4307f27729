-- Webhooks.

-- The endpoint of a webhook subscription. failing_since, failures, held_until and the disabled columns describe the state of
-- the receiver; the others come from the manifest.
CREATE TABLE webhook_endpoints (
    subscription_id       uuid PRIMARY KEY,
    tenant_id             uuid NOT NULL REFERENCES tenants,
    url                   text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    payload_version       text NOT NULL CHECK (payload_version IN ('A', 'B')),
    -- NULL for all types of the payload version.
    event_types           text[],
    -- NULL for all definitions.
    process_definition_id uuid,
    paused                boolean NOT NULL,
    -- When the attempts began to fail, and the number of failures since.
    failing_since         timestamptz,
    failures              integer NOT NULL DEFAULT 0,
    -- No first attempts until then, after too many failures.
    held_until            timestamptz NOT NULL DEFAULT '-infinity',
    disabled_at           timestamptz,
    disabled_reason       text CHECK (disabled_reason IN ('GONE', 'FAILING')),
    -- When events were removed before deliveries were created from them.
    events_lost_at        timestamptz,
    CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhook_endpoints_tenant ON webhook_endpoints (tenant_id);

-- Secrets that sign webhooks, sealed.
CREATE TABLE webhook_secrets (
    id              uuid PRIMARY KEY,
    tenant_id       uuid NOT NULL REFERENCES tenants,
    subscription_id uuid NOT NULL,
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    sealed          bytea NOT NULL,
    created_at      timestamptz NOT NULL,
    expires_at      timestamptz
);
CREATE INDEX webhook_secrets_subscription ON webhook_secrets (subscription_id, created_at);

-- An event for an endpoint. sequence is the order of the event log.
CREATE TABLE webhook_deliveries (
    id              uuid PRIMARY KEY,
    sequence        bigint GENERATED ALWAYS AS IDENTITY,
    subscription_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    tenant_id       uuid NOT NULL,
    event_id        uuid NOT NULL,
    -- The name of the event type in the payload version.
    event_type      text NOT NULL,
    payload_version text NOT NULL CHECK (payload_version IN ('A', 'B')),
    process_id      uuid,
    state           text NOT NULL CHECK (state IN ('PENDING', 'RETRYING', 'DELIVERED', 'DEAD', 'DROPPED')),
    -- A replay begins a new round of attempts and abandons the previous one.
    round           integer NOT NULL DEFAULT 1,
    attempts        integer NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL,
    -- When the round began.
    queued_at       timestamptz NOT NULL,
    -- PENDING: a dispatcher has leased the delivery until then. RETRYING: a workflow is expected to retry it until then.
    leased_until    timestamptz NOT NULL DEFAULT '-infinity',
    next_attempt_at timestamptz,
    last_attempt_at timestamptz,
    finished_at     timestamptz,
    -- The position of the event in the event log; NULL if the event was removed before these columns existed.
    event_era       integer,
    event_xid       xid8,
    event_position  bigint,
    UNIQUE (event_id, subscription_id),
    CHECK ((finished_at IS NULL) = (state IN ('PENDING', 'RETRYING'))),
    CHECK ((next_attempt_at IS NOT NULL) = (state = 'RETRYING'))
);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (subscription_id, sequence) WHERE state = 'PENDING';
CREATE INDEX webhook_deliveries_process ON webhook_deliveries (subscription_id, process_id, sequence)
 WHERE state = 'PENDING';
CREATE INDEX webhook_deliveries_retrying ON webhook_deliveries (leased_until) WHERE state = 'RETRYING';
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (subscription_id, created_at)
 WHERE state IN ('RETRYING', 'DEAD', 'DROPPED');
CREATE INDEX webhook_deliveries_subscription ON webhook_deliveries (subscription_id, sequence);
CREATE INDEX webhook_deliveries_tenant ON webhook_deliveries (tenant_id, sequence);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (tenant_id, finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX webhook_deliveries_events ON webhook_deliveries USING brin (event_era) WITH (autosummarize = on);

-- Sets the position of the event of a delivery that was stored without it.
CREATE FUNCTION place_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT e.era, e.xid, e.position INTO NEW.event_era, NEW.event_xid, NEW.event_position
      FROM events e WHERE e.id = NEW.event_id;
    RETURN NEW;
END
$$;
CREATE TRIGGER place_delivery BEFORE INSERT ON webhook_deliveries
    FOR EACH ROW WHEN (NEW.event_xid IS NULL) EXECUTE FUNCTION place_delivery();

-- An attempt to deliver.
CREATE TABLE webhook_attempts (
    delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
    round       integer NOT NULL,
    number      integer NOT NULL,
    at          timestamptz NOT NULL,
    status      integer NOT NULL,
    latency     interval NOT NULL,
    failure     text NOT NULL,
    detail      text NOT NULL,
    -- The beginning of the body of the response.
    answer      text NOT NULL,
    PRIMARY KEY (delivery_id, round, number)
);

-- The position up to which deliveries were created. One replica at a time advances it.
CREATE TABLE webhook_cursor (
    era       integer NOT NULL,
    xid       xid8 NOT NULL,
    position  bigint NOT NULL,
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
);

-- Events from before are not delivered.
INSERT INTO webhook_cursor (era, xid, position)
SELECT l.era, pg_current_xact_id(), 0 FROM event_ledger l;

-- Events that a backed-off endpoint has no deliveries of yet: the events of its tenant after a position, up to another
-- position or, while that is NULL, up to webhook_cursor.
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
    -- The first event after the position, if known. If the event log lacks it, events were removed undelivered.
    next_event_id         uuid,
    -- The subscription as it was. Later changes do not affect earlier events.
    payload_version       text NOT NULL CHECK (payload_version IN ('A', 'B')),
    event_types           text[],
    process_definition_id uuid,
    -- The endpoint was disabled meanwhile; its deliveries are DROPPED.
    dropped               boolean NOT NULL DEFAULT false,
    CHECK (((until_era IS NULL) = (until_xid IS NULL)) AND ((until_era IS NULL) = (until_position IS NULL))),
    CHECK (NOT dropped OR until_xid IS NOT NULL)
);
CREATE INDEX webhook_backlogs_subscription ON webhook_backlogs (subscription_id, id);
-- An endpoint has at most one open backlog.
CREATE UNIQUE INDEX webhook_backlogs_open ON webhook_backlogs (subscription_id) WHERE until_xid IS NULL;
-- Endpoints that have caught up with the event log.
CREATE INDEX webhook_backlogs_place ON webhook_backlogs (era, xid, position) WHERE until_xid IS NULL;
