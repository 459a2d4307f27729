-- +goose Up

-- The event log in partitions, one for each era, so that what is old is dropped and not deleted; see decision 92. Readers and
-- writers of events wait while this is done, which takes milliseconds: the migration before has prepared it. It waits for
-- them for half a second at a time.
-- +goose StatementBegin
DO $$
BEGIN
    PERFORM set_config('lock_timeout', '500ms', true);
    LOOP
        BEGIN
            LOCK TABLE events IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available THEN
            PERFORM pg_sleep(1);
        END;
    END LOOP;
    PERFORM set_config('lock_timeout', '0', true);
END
$$;
-- +goose StatementEnd

-- An era is a stretch of the event log: all its events come before those of the next one.
CREATE TABLE event_partitions (
    era       integer PRIMARY KEY,
    -- Since when events are recorded in it.
    begins_at timestamptz NOT NULL
);

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('procession.removing_events', true) = pg_current_xact_id()::text THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'events are never changed: % refused', TG_OP
        USING ERRCODE = 'insufficient_privilege', HINT = 'procession purge removes old ones.';
END
$$;
-- +goose StatementEnd

-- The present table becomes the first partition, and keeps its index of ids.
DROP TRIGGER complete_event ON events;
DROP FUNCTION complete_event();
DROP TRIGGER keep_events ON events;
DROP INDEX events_resource;
-- Identities of partitions would be their own.
CREATE SEQUENCE event_positions;
SELECT setval('event_positions', nextval('events_position_seq'));
ALTER TABLE events ALTER COLUMN position DROP IDENTITY;
ALTER TABLE events RENAME TO events_first;
ALTER INDEX events_pkey RENAME TO events_first_pkey;
ALTER INDEX events_tenant RENAME TO events_first_tenant;
ALTER INDEX events_process RENAME TO events_first_process;
ALTER INDEX events_time RENAME TO events_first_time;
ALTER INDEX events_type RENAME TO events_first_type;
ALTER INDEX events_kind RENAME TO events_first_kind;

CREATE TABLE events (LIKE events_first INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY RANGE (era);
ALTER TABLE events DROP CONSTRAINT IF EXISTS events_first_era;
ALTER TABLE events ADD PRIMARY KEY (era, xid, position);
CREATE INDEX events_tenant ON events (tenant_id, era, xid, position);
CREATE INDEX events_process ON events (process_id, era, xid, position) WHERE process_id IS NOT NULL;
-- Events about a process are found by the index of processes.
CREATE INDEX events_resource ON events (resource_id, era, xid, position) WHERE resource_id IS DISTINCT FROM process_id;
CREATE INDEX events_time ON events USING brin (occurred_at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX events_type ON events (type, tenant_id, era, xid, position)
 WHERE type NOT IN ('PROCESS.CREATED', 'PROCESS.STATE_CHANGED', 'PROCESS_ITEM.CREATED', 'PROCESS_ITEM.TASK_STATE_CHANGED',
                    'PROCESS_ITEM.TASK_DATA_SAVED');
CREATE INDEX events_kind ON events (resource_kind, tenant_id, era, xid, position)
 WHERE resource_kind NOT IN ('PROCESS', 'PROCESS_ITEM');
CREATE TRIGGER keep_events BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION keep_events();
ALTER TABLE events ALTER COLUMN position SET DEFAULT nextval('event_positions');
ALTER SEQUENCE event_positions OWNED BY events.position;

-- Makes the partition of an era.
-- +goose StatementBegin
CREATE FUNCTION make_event_partition(of_era integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text := 'events_' || of_era;
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING CONSTRAINTS INCLUDING STORAGE)', name);
    -- Nearly all ids are made in the order of the log. Lists are searched for ids, and nothing else.
    EXECUTE format('CREATE INDEX %I ON %I USING brin (id uuid_minmax_multi_ops) WITH (autosummarize = on)', name || '_id', name);
    EXECUTE format('CREATE TRIGGER keep_events BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
                        FOR EACH STATEMENT EXECUTE FUNCTION keep_events()', name);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name,
                   CASE WHEN EXISTS (SELECT 1 FROM event_partitions) THEN of_era::text ELSE 'MINVALUE' END, of_era + 1);
    INSERT INTO event_partitions (era, begins_at) VALUES (of_era, clock_timestamp());
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION make_event_partition(integer) FROM PUBLIC;

-- Begins an era. The lock waits for all transactions that have recorded events, and lets no others go on before the commit:
-- so all events of the eras before come before those of this one, and their places are final.
-- +goose StatementBegin
CREATE FUNCTION begin_event_partition() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    begun integer;
BEGIN
    SELECT l.era + 1 INTO begun FROM event_ledger l FOR UPDATE;
    PERFORM make_event_partition(begun);
    EXECUTE format('ALTER TABLE ONLY events ALTER COLUMN era SET DEFAULT %s', begun);
    UPDATE event_ledger SET era = begun;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION begin_event_partition() FROM PUBLIC;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION begin_event_era() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM event_ledger FOR UPDATE;
    IF NOT events_moved() THEN
        RETURN false;
    END IF;
    PERFORM begin_event_partition();
    RETURN true;
END
$$;
-- +goose StatementEnd

-- What reads a stretch of the log compares the era too: comparing rows of columns leaves out no partition.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION counted_events(from_era integer, from_xid xid8, to_era integer, to_xid xid8,
                               types text[], tenants uuid[], only_ids uuid[],
                               OUT items uuid[], OUT previous_states text[], OUT states text[], OUT deleted_processes uuid[],
                               OUT new_processes uuid[], OUT touched_processes uuid[], OUT artifacts uuid[],
                               OUT artifact_numbers bigint[])
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
BEGIN
    SELECT array_agg(e.process_item_id) FILTER (WHERE e.of_item),
           array_agg(e.previous_state) FILTER (WHERE e.of_item),
           array_agg(e.state) FILTER (WHERE e.of_item),
           array_agg(e.process_id) FILTER (WHERE e.type = 'PROCESS.DELETED'),
           array_agg(e.process_id) FILTER (WHERE e.type = 'PROCESS.CREATED'),
           array_agg(DISTINCT e.process_id) FILTER (WHERE e.of_process),
           array_agg(e.resource_id) FILTER (WHERE e.of_artifact),
           array_agg(CASE e.type WHEN 'BUSINESS_ARTIFACT.DELETED' THEN -1 ELSE 1 END::bigint) FILTER (WHERE e.of_artifact)
      INTO items, previous_states, states, deleted_processes, new_processes, touched_processes, artifacts, artifact_numbers
      FROM (SELECT e.type, e.process_id, e.process_item_id, e.resource_id, e.state,
                   CASE WHEN e.type <> 'PROCESS_ITEM.CREATED' THEN e.previous_state END AS previous_state,
                   e.type = 'PROCESS_ITEM.TASK_STATE_CHANGED' AND e.previous_state IS NOT NULL
                   OR e.type = 'PROCESS_ITEM.CREATED' AS of_item,
                   e.type IN ('PROCESS_ITEM.CREATED', 'PROCESS.CREATED', 'PROCESS.STATE_CHANGED', 'PROCESS.DELETED') AS of_process,
                   e.type IN ('BUSINESS_ARTIFACT.CREATED', 'BUSINESS_ARTIFACT.DELETED',
                              'BUSINESS_ARTIFACT.RESTORED') AS of_artifact
              FROM events e
             WHERE e.era >= from_era AND (e.era, e.xid) >= (from_era, from_xid)
               AND e.era <= to_era AND (e.era, e.xid) < (to_era, to_xid)
               AND (types IS NULL OR e.type = ANY(types))
               AND (tenants IS NULL OR e.tenant_id = ANY(tenants))
               AND (only_ids IS NULL OR e.process_id = ANY(only_ids) OR e.resource_id = ANY(only_ids))
            OFFSET 0) e;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION processes_at(ids uuid[], at_era integer, at_xid xid8)
RETURNS TABLE (tenant_id uuid, process_definition_id uuid, process_definition_code text, process_version uuid, state text,
               item_definition_ids uuid[])
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_nestloop = on SET jit = off AS $$
BEGIN
    RETURN QUERY
    SELECT p.tenant_id, p.process_definition_id, p.process_definition_code, p.process_version,
           coalesce((SELECT e.previous_state FROM events e
                      WHERE e.process_id = p.id AND e.era >= at_era AND (e.era, e.xid) >= (at_era, at_xid)
                        AND e.type = 'PROCESS.STATE_CHANGED' AND e.previous_state IS NOT NULL
                      ORDER BY e.era, e.xid, e.position LIMIT 1), p.state),
           ARRAY(SELECT DISTINCT i.item_definition_id FROM process_items i
                  WHERE i.process_id = p.id AND i.item_definition_id IS NOT NULL
                    AND NOT i.id = ANY(ARRAY(SELECT e.process_item_id FROM events e
                                              WHERE e.process_id = p.id AND e.era >= at_era AND (e.era, e.xid) >= (at_era, at_xid)
                                                AND e.type = 'PROCESS_ITEM.CREATED'))
                  ORDER BY 1)
      FROM processes p
     WHERE p.id = ANY(ids)
       AND NOT EXISTS (SELECT 1 FROM events e
                        WHERE e.process_id = p.id AND e.era >= at_era AND (e.era, e.xid) >= (at_era, at_xid)
                          AND e.type = 'PROCESS.CREATED')
       AND (p.deleted_at IS NULL
            OR EXISTS (SELECT 1 FROM events e
                        WHERE e.process_id = p.id AND e.era >= at_era AND (e.era, e.xid) >= (at_era, at_xid)
                          AND e.type = 'PROCESS.DELETED'));
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_events(at_most integer) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    place  counted_until;
    bound  record;
    beyond record;
BEGIN
    -- Without a transaction id, as long as there is nothing to count.
    SELECT l.era, pg_snapshot_xmin(pg_current_snapshot()) AS xid INTO bound FROM event_ledger l;
    SELECT * INTO place FROM counted_until;
    IF NOT EXISTS (SELECT 1 FROM events e
                    WHERE e.era >= place.era AND e.era <= bound.era
                      AND (e.era, e.xid) >= (place.era, place.xid) AND (e.era, e.xid) < (bound.era, bound.xid)) THEN
        RETURN false;
    END IF;
    SELECT * INTO place FROM counted_until FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT e.era, e.xid INTO beyond FROM events e
     WHERE e.era >= place.era AND e.era <= bound.era
       AND (e.era, e.xid) >= (place.era, place.xid) AND (e.era, e.xid) < (bound.era, bound.xid)
     ORDER BY e.era, e.xid, e.position OFFSET at_most LIMIT 1;
    IF FOUND THEN
        -- The events of one transaction are counted together.
        bound := beyond;
        IF (bound.era, bound.xid) = (place.era, place.xid) THEN
            bound.xid := (place.xid::text::numeric + 1)::text::xid8;
        END IF;
        PERFORM add_to_counts(place.era, place.xid, bound.era, bound.xid);
        UPDATE counted_until SET era = bound.era, xid = bound.xid;
        RETURN true;
    END IF;
    PERFORM add_to_counts(place.era, place.xid, bound.era, bound.xid);
    UPDATE counted_until SET era = bound.era, xid = bound.xid;
    RETURN false;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION unfinished_processes(ids uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SET enable_seqscan = off SET jit = off AS $$
    SELECT coalesce(array_agg(p.id), '{}')
      FROM processes p
     WHERE p.id = ANY(ids)
       AND (EXISTS (SELECT 1 FROM unnest(runs_of_processes(ARRAY[p.id])) o (id) JOIN engine_runs r ON r.id = o.id
                     WHERE r.closed_at IS NULL)
            OR EXISTS (SELECT 1 FROM events_followed(p.tenant_id) f, events e
                        WHERE e.process_id = p.id AND e.era >= f.era
                          AND (e.era, e.xid, e.position) > (f.era, f.xid, f.position)))
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION remove_old_events(of_tenant uuid, before timestamptz, at_most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    old     record;
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
    DELETE FROM events e
     WHERE e.tenant_id = of_tenant AND e.era <= old.era AND (e.era, e.xid, e.position) <= (old.era, old.xid, old.position);
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM set_config('procession.removing_events', '', true);
    INSERT INTO removed_events (tenant_id, era, xid, position) VALUES (of_tenant, old.era, old.xid, old.position)
        ON CONFLICT (tenant_id) DO UPDATE SET era = excluded.era, xid = excluded.xid, position = excluded.position;
    RETURN removed;
END
$$;
-- +goose StatementEnd

-- Begins an era if there are events in the last one, and it has lasted for so long, a day at least. It waits 200 ms for locks,
-- during which events wait to be recorded, and then fails with lock_not_available: it is for a transaction of its own. The role of
-- the service may call it.
-- +goose StatementBegin
CREATE FUNCTION add_event_partition(lasting interval) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
BEGIN
    IF lasting IS NULL OR lasting < interval '1 day' THEN
        RAISE EXCEPTION 'an era lasts for a day at least' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- One at a time: those that look at events would keep each other from the lock.
    IF NOT pg_try_advisory_xact_lock(hashtext('event_partitions')) THEN
        RETURN false;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM event_ledger l
                     JOIN event_partitions p ON p.era = l.era
                    WHERE p.begins_at <= clock_timestamp() - lasting
                      AND EXISTS (SELECT 1 FROM events e WHERE e.era = l.era)) THEN
        RETURN false;
    END IF;
    PERFORM begin_event_partition();
    RETURN true;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION add_event_partition(interval) FROM PUBLIC;

-- The first eras whose events can all be removed, and how many events each has, about. The first era stays, and all after it,
-- that has an event that is young, that is yet to be read, or of which a delivery is kept; so does the last era.
-- +goose StatementBegin
CREATE FUNCTION old_event_partitions(before timestamptz) RETURNS TABLE (of_era integer, n bigint)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
    after_era integer := -1;
BEGIN
    FOR of_era, n IN
        SELECT p.era, greatest(c.reltuples, 0)::bigint
          FROM event_partitions p
          LEFT JOIN pg_class c ON c.oid = to_regclass('events_' || p.era)
         WHERE p.era < (SELECT l.era FROM event_ledger l)
         ORDER BY p.era
    LOOP
        EXIT WHEN EXISTS (SELECT 1 FROM events e WHERE e.era > after_era AND e.era <= of_era AND e.occurred_at >= before)
            OR EXISTS (SELECT 1 FROM webhook_cursor c, events e
                        WHERE e.era > after_era AND e.era <= of_era
                          AND (e.era, e.xid, e.position) > (c.era, c.xid, c.position))
            OR EXISTS (SELECT 1 FROM counted_until u, events e
                        WHERE e.era > after_era AND e.era <= of_era AND (e.era, e.xid) >= (u.era, u.xid))
            OR EXISTS (SELECT 1 FROM webhook_backlogs k
                        WHERE k.era <= of_era
                          AND EXISTS (SELECT 1 FROM events e
                                       WHERE e.tenant_id = k.tenant_id AND e.era > after_era AND e.era <= of_era
                                         AND (e.era, e.xid, e.position) > (k.era, k.xid, k.position)))
            OR EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_era <= of_era);
        RETURN NEXT;
        after_era := of_era;
    END LOOP;
END
$$;
-- +goose StatementEnd
CREATE INDEX webhook_deliveries_events ON webhook_deliveries USING brin (event_era) WITH (autosummarize = on);

-- Drops the first of these partitions, and returns its era and how many events it had, about; NULL when there is none.
-- removed_events says for each tenant up to where. It waits for locks as add_event_partition does.
-- +goose StatementBegin
CREATE FUNCTION drop_event_partition(before timestamptz, OUT of_era integer, OUT n bigint)
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
REVOKE EXECUTE ON FUNCTION drop_event_partition(timestamptz) FROM PUBLIC;

-- +goose StatementBegin
DO $$
DECLARE
    era_now integer := (SELECT l.era FROM event_ledger l);
    granted record;
BEGIN
    -- Roles that might record events and remove old ones still may.
    FOR granted IN
        SELECT g.rolname AS role, a.privilege_type = 'INSERT' AS records
          FROM pg_class c, aclexplode(c.relacl) a JOIN pg_roles g ON g.oid = a.grantee
         WHERE c.oid = 'events_first'::regclass AND a.grantee <> c.relowner AND a.privilege_type IN ('SELECT', 'INSERT')
    LOOP
        EXECUTE format('GRANT SELECT ON events, event_partitions TO %I', granted.role);
        IF granted.records THEN
            EXECUTE format('GRANT INSERT ON events TO %I', granted.role);
            EXECUTE format('GRANT USAGE ON SEQUENCE event_positions TO %I', granted.role);
            EXECUTE format('GRANT EXECUTE ON FUNCTION add_event_partition(interval) TO %I', granted.role);
        END IF;
        EXECUTE format('REVOKE ALL ON events_first FROM %I', granted.role);
    END LOOP;
    FOR granted IN
        SELECT g.rolname AS role
          FROM pg_proc f, aclexplode(f.proacl) a JOIN pg_roles g ON g.oid = a.grantee
         WHERE f.oid = 'remove_old_events(uuid, timestamptz, integer)'::regprocedure AND a.grantee <> f.proowner
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION drop_event_partition(timestamptz) TO %I', granted.role);
    END LOOP;

    IF NOT EXISTS (SELECT 1 FROM events_first) THEN
        DROP TABLE events_first;
        PERFORM make_event_partition(era_now);
        RETURN;
    END IF;
    EXECUTE format('ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM (MINVALUE) TO (%s)', era_now + 1);
    ALTER TABLE events_first DROP CONSTRAINT IF EXISTS events_first_era;
    CREATE TRIGGER keep_events BEFORE UPDATE OR DELETE OR TRUNCATE ON events_first
        FOR EACH STATEMENT EXECUTE FUNCTION keep_events();
    EXECUTE format('ALTER TABLE events_first RENAME TO %I', 'events_' || era_now);
    INSERT INTO event_partitions (era, begins_at) VALUES (era_now, '-infinity');
    PERFORM begin_event_partition();
END
$$;
-- +goose StatementEnd
