-- +goose Up

ALTER TABLE resources
    DROP CONSTRAINT resources_kind_check,
    ADD CONSTRAINT resources_kind_check CHECK (kind IN ('Tenant', 'User', 'Application', 'Group', 'DataStructure', 'EncryptionKey',
        'DataSource', 'Calendar', 'ProcessDefinition', 'BusinessArtifactDefinition', 'WebhookSubscription', 'Robot', 'NotificationReceiver'));

-- The code of the calendar of due dates.
ALTER TABLE process_definition_versions ADD calendar text CHECK (length(calendar) BETWEEN 1 AND 50);
