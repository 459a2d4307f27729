-- +goose Up

-- unserved_since is the time of the first observation without a poller of workflow tasks of a queue that definitions need, NULL
-- while there is one. unserved_recorded tells that QUEUE.UNSERVED was recorded for the outage.
ALTER TABLE task_queue_observations
    ADD unserved_since timestamptz,
    ADD unserved_recorded boolean NOT NULL DEFAULT false,
    ADD CHECK (unserved_since IS NOT NULL OR NOT unserved_recorded);

-- The certificates of the installation. recorded_days is the smallest number of days before the expiry for which
-- CERTIFICATE.EXPIRING was recorded, NULL for none.
CREATE TABLE installation_certificates (
    name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 50),
    expires_at    timestamptz NOT NULL,
    recorded_days integer CHECK (recorded_days > 0),
    PRIMARY KEY (name, expires_at)
);

-- The position in the event log up to which receivers of notifications were found.
CREATE TABLE notification_cursor (
    era       integer NOT NULL,
    xid       xid8 NOT NULL,
    position  bigint NOT NULL,
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
) WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);
-- Notifications begin with new events.
INSERT INTO notification_cursor (era, xid, position)
SELECT l.era, pg_snapshot_xmin(pg_current_snapshot()), 0 FROM event_ledger l;

-- The receivers of notifications. receiver_id is the id of the manifest; event_types are names of payload version B.
CREATE TABLE notification_receivers (
    receiver_id uuid NOT NULL,
    tenant_id   uuid NOT NULL REFERENCES tenants (id),
    event_types text[] NOT NULL CHECK (cardinality(event_types) > 0),
    paused      boolean NOT NULL,
    PRIMARY KEY (receiver_id, tenant_id)
);
CREATE INDEX notification_receivers_tenant ON notification_receivers (tenant_id);

-- A problem that a receiver is told. subject_id is the incident, endpoint, queue, certificate or process. told_at is NULL until a
-- message tells the problem; recovered_at is the end of the problem, which a message tells before the row is deleted.
CREATE TABLE notification_problems (
    receiver_id  uuid NOT NULL,
    tenant_id    uuid NOT NULL,
    event_type   text NOT NULL,
    subject_id   uuid NOT NULL,
    process_id   uuid,
    details      json NOT NULL,
    occurred_at  timestamptz NOT NULL,
    told_at      timestamptz,
    recovered_at timestamptz,
    PRIMARY KEY (receiver_id, event_type, subject_id, tenant_id),
    FOREIGN KEY (receiver_id, tenant_id) REFERENCES notification_receivers (receiver_id, tenant_id) ON DELETE CASCADE
);
CREATE INDEX notification_problems_untold ON notification_problems (receiver_id, event_type, occurred_at)
 WHERE told_at IS NULL OR recovered_at IS NOT NULL;

-- The next message of a kind to a receiver. due_at is its earliest time, NULL while there is nothing to tell; paced_until is the
-- end of the interval after the previous message.
CREATE TABLE notification_turns (
    receiver_id uuid NOT NULL,
    tenant_id   uuid NOT NULL,
    event_type  text NOT NULL,
    due_at      timestamptz,
    paced_until timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (receiver_id, event_type, tenant_id),
    FOREIGN KEY (receiver_id, tenant_id) REFERENCES notification_receivers (receiver_id, tenant_id) ON DELETE CASCADE
);
CREATE INDEX notification_turns_due ON notification_turns (due_at) WHERE due_at IS NOT NULL;

-- The outbox of mails and chat messages, one row for each recipient. recipient is an address of a mail, '' for a chat message,
-- which is sent to the URL of the receiver at that time. receiver_id is NULL for mails that are no notifications. dedup_key makes
-- repeated insertions of a message harmless.
CREATE TABLE outbox_messages (
    id           uuid NOT NULL,
    tenant_id    uuid NOT NULL,
    channel      text NOT NULL CHECK (channel IN ('MAIL', 'CHAT')),
    receiver_id  uuid,
    recipient    text NOT NULL CHECK (length(recipient) <= 254),
    subject      text NOT NULL CHECK (length(subject) <= 500),
    body         text NOT NULL CHECK (length(body) <= 100000),
    html         text CHECK (length(html) <= 200000),
    dedup_key    text NOT NULL CHECK (length(dedup_key) BETWEEN 1 AND 200),
    state        text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'SENT', 'DEAD')),
    attempts     integer NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL,
    due_at       timestamptz NOT NULL,
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    finished_at  timestamptz,
    failure      text NOT NULL DEFAULT '' CHECK (length(failure) <= 500),
    PRIMARY KEY (id, tenant_id),
    UNIQUE (dedup_key, recipient, tenant_id),
    CHECK ((channel = 'CHAT') = (recipient = '')),
    CHECK (channel <> 'CHAT' OR receiver_id IS NOT NULL),
    CHECK ((finished_at IS NULL) = (state = 'PENDING'))
);
CREATE INDEX outbox_messages_due ON outbox_messages (channel, due_at) WHERE state = 'PENDING';
CREATE INDEX outbox_messages_finished ON outbox_messages (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX outbox_messages_receiver ON outbox_messages (receiver_id, created_at) WHERE receiver_id IS NOT NULL;

ALTER TABLE resources
    DROP CONSTRAINT resources_kind_check,
    ADD CONSTRAINT resources_kind_check CHECK (kind IN ('Tenant', 'User', 'Application', 'Group', 'DataStructure', 'EncryptionKey',
        'DataSource', 'ProcessDefinition', 'BusinessArtifactDefinition', 'WebhookSubscription', 'Robot', 'NotificationReceiver'));
