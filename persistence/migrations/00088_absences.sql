-- +goose Up

ALTER TABLE resources
    DROP CONSTRAINT resources_kind_check,
    ADD CONSTRAINT resources_kind_check CHECK (kind IN ('Tenant', 'User', 'Application', 'Group', 'DataStructure', 'EncryptionKey',
        'DataSource', 'Calendar', 'ProcessDefinition', 'BusinessArtifactDefinition', 'WebhookSubscription', 'Robot', 'NotificationReceiver',
        'Absence'));

-- The times in which a user carries out the tasks of another one, who is absent.
CREATE TABLE absences (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL REFERENCES tenants (id),
    principal_id uuid NOT NULL REFERENCES principals (id),
    substitute_id uuid NOT NULL REFERENCES principals (id),
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id),
    CHECK (ends_at > starts_at),
    CHECK (substitute_id <> principal_id)
);

CREATE INDEX absences_of_substitute ON absences (substitute_id, tenant_id, principal_id, ends_at);
CREATE INDEX absences_of_principal ON absences (principal_id, tenant_id, ends_at);

-- The person who completed a task for its absent owner. The previous release leaves it when a task is reopened.
ALTER TABLE process_items ADD COLUMN substitute_id uuid;

CREATE INDEX process_items_substituted ON process_items (substitute_id) WHERE substitute_id IS NOT NULL;
