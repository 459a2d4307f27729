-- +goose Up

-- Who is told of events, made from the WebhookSubscription documents. The disabled columns and failing_since are what the
-- service found out about the receiver, and no part of the document.
CREATE TABLE webhook_endpoints (
    subscription_id       uuid PRIMARY KEY,
    tenant_id             uuid NOT NULL REFERENCES tenants,
    url                   text NOT NULL CHECK (length(url) BETWEEN 1 AND 2000),
    payload_version       text NOT NULL CHECK (payload_version IN ('A', 'B')),
    -- NULL for all that the payload version has.
    event_types           text[],
    -- NULL for all definitions.
    process_definition_id uuid,
    paused                boolean NOT NULL,
    -- Since when no attempt has succeeded, and how many have failed since.
    failing_since         timestamptz,
    failures              integer NOT NULL DEFAULT 0,
    -- Until then there are no first attempts: the receiver has failed too often.
    held_until            timestamptz NOT NULL DEFAULT '-infinity',
    disabled_at           timestamptz,
    disabled_reason       text CHECK (disabled_reason IN ('GONE', 'FAILING')),
    CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhook_endpoints_tenant ON webhook_endpoints (tenant_id);

INSERT INTO webhook_endpoints (subscription_id, tenant_id, url, payload_version, event_types, process_definition_id, paused)
SELECT r.id, r.tenant_id, r.spec ->> 'url', coalesce(r.spec ->> 'payloadVersion', 'B'),
       CASE WHEN r.spec -> 'eventTypes' IS NOT NULL
            THEN ARRAY(SELECT json_array_elements_text(r.spec -> 'eventTypes')) END,
       d.id, coalesce((r.spec ->> 'paused')::boolean, false)
  FROM resources r
  LEFT JOIN process_definitions d ON d.tenant_id = r.tenant_id AND d.code = r.spec ->> 'processDefinition'
 WHERE r.kind = 'WebhookSubscription';

-- One event for one endpoint. sequence is the order in which the ledger has them.
CREATE TABLE webhook_deliveries (
    id              uuid PRIMARY KEY,
    sequence        bigint GENERATED ALWAYS AS IDENTITY,
    subscription_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
    tenant_id       uuid NOT NULL,
    event_id        uuid NOT NULL,
    -- What the subscriber is told, as the payload version calls it.
    event_type      text NOT NULL,
    payload_version text NOT NULL CHECK (payload_version IN ('A', 'B')),
    process_id      uuid,
    state           text NOT NULL CHECK (state IN ('PENDING', 'RETRYING', 'DELIVERED', 'DEAD', 'DROPPED')),
    -- A replay begins a new round of attempts. What is left of the round before comes to nothing.
    round           integer NOT NULL DEFAULT 1,
    attempts        integer NOT NULL DEFAULT 0,
    created_at      timestamptz NOT NULL,
    -- When the round began.
    queued_at       timestamptz NOT NULL,
    -- While PENDING: until then a dispatcher is at work on the delivery; one that died lets go of it so. While RETRYING:
    -- until then a workflow is trusted to retry it.
    leased_until    timestamptz NOT NULL DEFAULT '-infinity',
    next_attempt_at timestamptz,
    last_attempt_at timestamptz,
    finished_at     timestamptz,
    UNIQUE (event_id, subscription_id),
    CHECK ((finished_at IS NULL) = (state IN ('PENDING', 'RETRYING'))),
    CHECK ((next_attempt_at IS NOT NULL) = (state = 'RETRYING'))
);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (subscription_id, sequence) WHERE state = 'PENDING';
CREATE INDEX webhook_deliveries_process ON webhook_deliveries (subscription_id, process_id, sequence) WHERE state = 'PENDING';
CREATE INDEX webhook_deliveries_retrying ON webhook_deliveries (leased_until) WHERE state = 'RETRYING';
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (subscription_id, created_at)
    WHERE state IN ('RETRYING', 'DEAD', 'DROPPED');
CREATE INDEX webhook_deliveries_subscription ON webhook_deliveries (subscription_id, sequence);
CREATE INDEX webhook_deliveries_tenant ON webhook_deliveries (tenant_id, sequence);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE webhook_attempts (
    delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
    round       integer NOT NULL,
    number      integer NOT NULL,
    at          timestamptz NOT NULL,
    status      integer NOT NULL,
    latency     interval NOT NULL,
    failure     text NOT NULL,
    detail      text NOT NULL,
    -- How the body of the answer begins.
    answer      text NOT NULL,
    PRIMARY KEY (delivery_id, round, number)
);

-- Up to where the ledger has been read for deliveries. One replica at a time reads on.
CREATE TABLE webhook_cursor (
    era       integer NOT NULL,
    xid       xid8 NOT NULL,
    position  bigint NOT NULL,
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
);
-- What happened before there were deliveries is told to nobody.
INSERT INTO webhook_cursor (era, xid, position)
SELECT l.era, pg_current_xact_id(), 0 FROM event_ledger l;
