-- +goose Up

-- Tenants with changes that may entitle an application to a service account in Temporal Cloud, or end its entitlement. One row per
-- tenant, until a replica has compared its service accounts; changes of one tenant are serialized already.
CREATE TABLE cloud_changes (
    tenant_id uuid PRIMARY KEY
);

-- True if the tenant changed while a replica works on the service account.
ALTER TABLE cloud_workers ADD changed boolean NOT NULL DEFAULT false;
CREATE INDEX cloud_workers_due ON cloud_workers (due_at);

-- The conflict awaits a replica that removes the row at the same time, so that no change is lost.
-- +goose StatementBegin
CREATE FUNCTION record_cloud_changes(tenants uuid[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO cloud_changes (tenant_id)
    SELECT DISTINCT t FROM unnest(tenants) t WHERE t IS NOT NULL ORDER BY t
        ON CONFLICT (tenant_id) DO UPDATE SET tenant_id = excluded.tenant_id;
$$;

CREATE FUNCTION record_cloud_resources() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM record_cloud_changes(ARRAY(SELECT c.tenant_id FROM changed c WHERE c.kind IN
        ('Application', 'BusinessArtifactDefinition', 'DataSource', 'ProcessDefinition', 'Robot')));
    RETURN NULL;
END;
$$;

CREATE FUNCTION record_cloud_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM record_cloud_changes(ARRAY(SELECT d.tenant_id FROM changed c JOIN process_definitions d ON d.id = c.process_definition_id));
    RETURN NULL;
END;
$$;

CREATE FUNCTION record_cloud_tenants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM record_cloud_changes(ARRAY(SELECT c.id FROM changed c));
    RETURN NULL;
END;
$$;

CREATE FUNCTION record_cloud_principals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM record_cloud_changes(ARRAY(SELECT c.tenant_id FROM changed c WHERE c.type = 'APPLICATION'));
    RETURN NULL;
END;
$$;

CREATE FUNCTION record_cloud_grants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM record_cloud_changes(ARRAY(SELECT c.tenant_id FROM changed c WHERE c.revoked_at IS NOT NULL AND c.kind = 'ENGINE_TOKEN'));
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER record_cloud_created AFTER INSERT ON resources
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_cloud_resources();
CREATE TRIGGER record_cloud_changed AFTER UPDATE ON resources
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_cloud_resources();
CREATE TRIGGER record_cloud_deleted AFTER DELETE ON resources
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_cloud_resources();
CREATE TRIGGER record_cloud_created AFTER INSERT ON process_definition_versions
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_cloud_versions();
CREATE TRIGGER record_cloud_deleted AFTER DELETE ON process_definition_versions
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_cloud_versions();
CREATE TRIGGER record_cloud_changed AFTER UPDATE ON tenants
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_cloud_tenants();
CREATE TRIGGER record_cloud_changed AFTER UPDATE ON principals
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_cloud_principals();
CREATE TRIGGER record_cloud_changed AFTER UPDATE ON engine_grants
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION record_cloud_grants();
