-- +goose Up

-- The manifests that applied documents have replaced or deleted. With resources, the current ones, they are the configuration
-- at any time since manifest_history_starts.
CREATE TABLE manifest_history (
    tenant_id   uuid NOT NULL,
    -- The event that replaced or deleted the manifest.
    event_id    uuid NOT NULL,
    resource_id uuid NOT NULL,
    kind        text NOT NULL,
    code        text NOT NULL,
    labels      jsonb NOT NULL,
    spec        json NOT NULL,
    -- The event that recorded the manifest, NULL for manifests that are older than the history.
    recorded_by uuid,
    -- The manifest was current from since on, and before until.
    since       timestamptz NOT NULL,
    until       timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, event_id)
);
CREATE INDEX manifest_history_until ON manifest_history (tenant_id, until, since, kind);
CREATE INDEX manifest_history_resource ON manifest_history (tenant_id, resource_id, until);

-- The times from which on the history is complete. A tenant without a row has a complete history.
CREATE TABLE manifest_history_starts (
    tenant_id uuid PRIMARY KEY,
    since     timestamptz NOT NULL
);
INSERT INTO manifest_history_starts (tenant_id, since) SELECT t.id, now() FROM tenants t;

ALTER TABLE resources
    -- The event that recorded the manifest, and its time. Later changes of last_modified_at may leave the manifest as it is.
    ADD manifest_event uuid,
    ADD manifest_since timestamptz;
UPDATE resources SET manifest_since = last_modified_at;

-- Records the manifest that an update replaces. Updates that keep the time of the last change, such as the erasure of a
-- person, are not recorded. The previous release names no event.
-- +goose StatementBegin
CREATE FUNCTION record_manifest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.last_modified_at = OLD.last_modified_at
       OR NEW.labels = OLD.labels AND NEW.spec::text = OLD.spec::text THEN
        NEW.manifest_event := OLD.manifest_event;
        NEW.manifest_since := OLD.manifest_since;
        RETURN NEW;
    END IF;
    IF NEW.manifest_event = OLD.manifest_event THEN
        NEW.manifest_event := NULL;
    END IF;
    NEW.manifest_since := NEW.last_modified_at;
    INSERT INTO manifest_history (tenant_id, event_id, resource_id, kind, code, labels, spec, recorded_by, since, until)
    VALUES (OLD.tenant_id, coalesce(NEW.manifest_event, gen_random_uuid()), OLD.id, OLD.kind, OLD.code, OLD.labels, OLD.spec,
            OLD.manifest_event, coalesce(OLD.manifest_since, OLD.last_modified_at), NEW.last_modified_at);
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER record_manifest BEFORE UPDATE ON resources FOR EACH ROW EXECUTE FUNCTION record_manifest();

-- Removes the personal data of a user from the history. The role of the service may call it.
-- +goose StatementBegin
CREATE FUNCTION erase_manifests(person uuid, name text, email text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    UPDATE manifest_history h
       SET labels = '{}',
           spec = (h.spec::jsonb - ARRAY['metadata', 'accessTokens']
                   || jsonb_build_object('name', erase_manifests.name, 'email', erase_manifests.email))::json
     WHERE h.kind = 'User' AND h.resource_id = erase_manifests.person
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION erase_manifests FROM PUBLIC;

-- Removes the manifests of a tenant that were replaced until a time, with the events that replaced them.
-- +goose StatementBegin
CREATE FUNCTION remove_old_manifests(of_tenant uuid, until timestamptz) RETURNS void LANGUAGE sql AS $$
    DELETE FROM manifest_history h WHERE h.tenant_id = of_tenant AND h.until <= remove_old_manifests.until;
    INSERT INTO manifest_history_starts AS s (tenant_id, since) VALUES (of_tenant, remove_old_manifests.until)
        ON CONFLICT (tenant_id) DO UPDATE SET since = greatest(s.since, excluded.since)
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION remove_old_manifests FROM PUBLIC;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION remove_old_events(of_tenant uuid, before timestamptz, at_most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    old     record;
    changed timestamptz;
    removed bigint;
BEGIN
    IF before IS NULL OR before > now() - interval '30 days' THEN
        RAISE EXCEPTION 'events are kept for 30 days at least' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    old := old_events(of_tenant, before, at_most);
    IF old.n = 0 THEN
        RETURN 0;
    END IF;
    PERFORM set_config('procession.removing_events', pg_current_xact_id()::text, true);
    WITH gone AS (
        DELETE FROM events e
         WHERE e.tenant_id = of_tenant AND e.era <= old.era AND (e.era, e.xid, e.position) <= (old.era, old.xid, old.position)
        RETURNING e.type, e.occurred_at
    )
    SELECT count(*), max(g.occurred_at) FILTER (WHERE g.type LIKE 'RESOURCE.%') INTO removed, changed FROM gone g;
    PERFORM set_config('procession.removing_events', '', true);
    IF changed IS NOT NULL THEN
        PERFORM remove_old_manifests(of_tenant, changed);
    END IF;
    INSERT INTO removed_events (tenant_id, era, xid, position) VALUES (of_tenant, old.era, old.xid, old.position)
        ON CONFLICT (tenant_id) DO UPDATE SET era = excluded.era, xid = excluded.xid, position = excluded.position;
    RETURN removed;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION drop_event_partition(before timestamptz, OUT of_era integer, OUT n bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
BEGIN
    IF before IS NULL OR before > now() - interval '30 days' THEN
        RAISE EXCEPTION 'events are kept for 30 days at least' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT pg_try_advisory_xact_lock(hashtext('event_partitions')) THEN
        RETURN;
    END IF;
    SELECT o.of_era, o.n INTO of_era, n FROM old_event_partitions(before) o LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    PERFORM remove_old_manifests(c.tenant_id, c.changed)
       FROM (SELECT e.tenant_id, max(e.occurred_at) AS changed FROM events e
              WHERE e.era <= drop_event_partition.of_era AND e.type IN ('RESOURCE.CREATED', 'RESOURCE.CHANGED', 'RESOURCE.DELETED')
              GROUP BY e.tenant_id) c;
    INSERT INTO removed_events (tenant_id, era, xid, position)
    SELECT t.id, e.era, e.xid, e.position
      FROM (SELECT id FROM tenants UNION ALL SELECT '00000000-0000-0000-0000-000000000000') t
     CROSS JOIN LATERAL (SELECT e.era, e.xid, e.position FROM events e WHERE e.tenant_id = t.id AND e.era <= drop_event_partition.of_era
                          ORDER BY e.era DESC, e.xid DESC, e.position DESC LIMIT 1) e
        ON CONFLICT (tenant_id) DO UPDATE SET era = excluded.era, xid = excluded.xid, position = excluded.position;
    DELETE FROM event_partitions p WHERE p.era = drop_event_partition.of_era;
    EXECUTE format('DROP TABLE %I', 'events_' || of_era);
END
$$;
-- +goose StatementEnd
