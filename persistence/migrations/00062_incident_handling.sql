-- +goose Up

-- changed_at is the time of the last change by a person, NULL for none.
ALTER TABLE incidents ADD changed_at timestamptz;
-- The rows that retention removes, in their order.
CREATE INDEX incidents_closed ON incidents (tenant_id, resolved_at) WHERE state <> 'OPEN';

-- The causes with a mute. Incidents of such a cause are muted when they open.
CREATE TABLE incident_mutes (
    tenant_id   uuid NOT NULL,
    fingerprint text NOT NULL,
    muted_until timestamptz NOT NULL,
    PRIMARY KEY (fingerprint, tenant_id)
);
CREATE INDEX incident_mutes_end ON incident_mutes (muted_until);

ALTER TABLE retention_turns
    DROP CONSTRAINT retention_turns_kind_check,
    ADD CONSTRAINT retention_turns_kind_check
        CHECK (kind IN ('EVENTS', 'PROCESSES', 'DELETED', 'DELIVERIES', 'ASSISTANCE_CALLS', 'INCIDENTS'));
