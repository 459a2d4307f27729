-- Removal of old data.

-- A turn of removal for a tenant and a kind of data; the zero id is for events without tenant. A row is locked while a part
-- is removed in one transaction, so that a replica that fails leaves no part half done, and replicas take different turns.
CREATE TABLE retention_turns (
    tenant_id uuid NOT NULL,
    kind      text NOT NULL CHECK (kind IN ('EVENTS', 'PROCESSES', 'DELETED', 'DELIVERIES', 'ASSISTANCE_CALLS')),
    due_at    timestamptz NOT NULL,
    -- Where the next part begins. Only processes are read in an order in which some remain.
    after_at  timestamptz NOT NULL DEFAULT '-infinity',
    after_id  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    -- Removed rows that no event reports yet.
    removed   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, kind)
);
CREATE INDEX retention_turns_due ON retention_turns (due_at);

-- The last position from which an event of a tenant was removed. A reader with an earlier cursor has missed events.
CREATE TABLE removed_events (
    tenant_id uuid PRIMARY KEY,
    era       integer NOT NULL,
    xid       xid8 NOT NULL,
    position  bigint NOT NULL
);

-- Returns the position up to which all followers of the log have read the events of a tenant.
CREATE FUNCTION events_followed(of_tenant uuid, OUT era integer, OUT xid xid8, OUT "position" bigint) LANGUAGE sql STABLE AS $$
    SELECT f.era, f.xid, f.position
      FROM (SELECT c.era, c.xid, c.position FROM webhook_cursor c
             UNION ALL
            SELECT u.era, u.xid, 0 FROM counted_until u
             UNION ALL
            SELECT k.era, k.xid, k.position FROM webhook_backlogs k WHERE k.tenant_id = of_tenant) f
     ORDER BY 1, 2, 3 LIMIT 1
$$;

-- Returns the number (up to at_most) of the first events of a tenant that can be removed, and the position of the last. The
-- log is removed from its beginning without gaps, up to the first event that is young, unread, or has a delivery.
-- first_kept is the time of that event, or NULL if at_most was reached first.
CREATE FUNCTION old_events(of_tenant uuid, before timestamptz, at_most integer,
                           OUT n bigint, OUT era integer, OUT xid xid8, OUT "position" bigint, OUT first_kept timestamptz)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off AS $$
DECLARE
    followed record;
    next     record;
BEGIN
    SELECT * INTO followed FROM events_followed(of_tenant);
    n := 0;
    FOR next IN
        SELECT e.era, e.xid, e.position, e.occurred_at,
               e.occurred_at >= before
               OR (e.era, e.xid, e.position) > (followed.era, followed.xid, followed.position)
               OR EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.event_id = e.id) AS stays
          FROM events e
         WHERE e.tenant_id = of_tenant
         ORDER BY e.era, e.xid, e.position
    LOOP
        EXIT WHEN n >= at_most;
        IF next.stays THEN
            first_kept := next.occurred_at;
            EXIT;
        END IF;
        n := n + 1;
        era := next.era;
        xid := next.xid;
        "position" := next.position;
    END LOOP;
END
$$;

-- Removes these events and returns their number.
CREATE FUNCTION remove_old_events(of_tenant uuid, before timestamptz, at_most integer) RETURNS bigint
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
REVOKE EXECUTE ON FUNCTION remove_old_events FROM PUBLIC;

-- Returns the runs of processes, of their actions and of their tasks.
CREATE FUNCTION runs_of_processes(ids uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SET enable_seqscan = off SET jit = off AS $$
    SELECT ARRAY(SELECT r.id FROM engine_runs r WHERE r.owner_id = ANY(ids) AND r.kind <> 'TASK_ROBOT'
                  UNION ALL
                 SELECT r.id FROM process_actions x JOIN engine_runs r ON r.owner_id = x.id AND r.kind <> 'TASK_ROBOT'
                  WHERE x.process_id = ANY(ids)
                  UNION ALL
                 SELECT r.id FROM process_items i JOIN engine_runs r ON r.owner_id = i.id AND r.kind = 'TASK_ROBOT'
                  WHERE i.process_id = ANY(ids))
$$;

-- Returns the processes that have workflows that have not ended, or events that followers have not read.
CREATE FUNCTION unfinished_processes(ids uuid[]) RETURNS uuid[]
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

-- Returns the processes that are finished, have no work in progress and were not changed since a time.
CREATE FUNCTION finished_before(ids uuid[], before timestamptz) RETURNS SETOF uuid LANGUAGE sql STABLE AS $$
    SELECT p.id
      FROM processes p
     WHERE p.id = ANY(ids)
       AND p.state <> 'RUNNING'
       AND p.last_modified_at < before
       AND coalesce(p.deleted_at, '-infinity') < before
       AND NOT EXISTS (SELECT 1 FROM process_items i
                        WHERE i.process_id = p.id AND (i.task_state IN ('READY', 'CLAIMED') OR i.last_modified_at >= before))
       AND NOT EXISTS (SELECT 1 FROM process_actions x
                        WHERE x.process_id = p.id AND (x.status = 'REQUESTED' OR x.last_modified_at >= before))
       AND p.id <> ALL(unfinished_processes(ARRAY[p.id]))
$$;

-- Removes processes and artifacts, which the caller has locked, with all their data. The blobs of documents are removed later
-- by the sweep.
CREATE FUNCTION remove_aggregates(old_processes uuid[], old_artifacts uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    old_items   uuid[] := ARRAY(SELECT i.id FROM process_items i WHERE i.process_id = ANY(old_processes));
    old_actions uuid[] := ARRAY(SELECT x.id FROM process_actions x WHERE x.process_id = ANY(old_processes));
    old_runs    uuid[] := runs_of_processes(old_processes);
    place       counted_until;
BEGIN
    -- First count all events of the removed rows, then subtract the rows: events of removed rows are not counted.
    SELECT * INTO place FROM counted_until FOR UPDATE;
    PERFORM add_to_counts(place.era, place.xid, 2147483647, '18446744073709551615', old_processes || old_artifacts);
    INSERT INTO item_counts
    SELECT i.tenant_id, i.process_definition_id, p.process_version, i.item_definition_id, i.item_definition_code, i.type,
           i.task_state, -count(*)
      FROM process_items i
      JOIN processes p ON p.id = i.process_id
     WHERE i.id = ANY(old_items) AND i.deleted_at IS NULL
     GROUP BY 1, 2, 3, 4, 5, 6, 7
        ON CONFLICT (tenant_id, process_definition_id, process_version, item_definition_id, item_definition_code, type,
                     task_state)
        DO UPDATE SET n = item_counts.n + excluded.n;
    INSERT INTO process_counts
    SELECT c.tenant_id, c.process_definition_id, c.process_definition_code, c.process_version, c.state,
           c.item_definition_ids, md5(c.item_definition_ids::text)::uuid, -count(*)
      FROM processes_at(old_processes, 2147483647, '18446744073709551615') c
     GROUP BY 1, 2, 3, 4, 5, 6
        ON CONFLICT (tenant_id, process_definition_id, process_definition_code, process_version, state, items)
        DO UPDATE SET n = process_counts.n + excluded.n;
    INSERT INTO artifact_counts
    SELECT a.tenant_id, a.definition_id, a.definition_code, -count(*)
      FROM business_artifacts a
     WHERE a.id = ANY(old_artifacts) AND a.deleted_at IS NULL
     GROUP BY 1, 2, 3
        ON CONFLICT (tenant_id, definition_id, definition_code) DO UPDATE SET n = artifact_counts.n + excluded.n;

    -- Actions that started the processes stay, without a reference.
    UPDATE process_actions SET started_definition_id = NULL, started_process_id = NULL
     WHERE started_process_id = ANY(old_processes);
    UPDATE business_artifact_actions SET process_definition_id = NULL, process_id = NULL WHERE process_id = ANY(old_processes);
    DELETE FROM documents
     WHERE owner_id = ANY(old_processes) AND owner_kind = 'PROCESS'
        OR owner_id = ANY(old_actions) AND owner_kind = 'PROCESS_ACTION'
        OR owner_id = ANY(old_artifacts) AND owner_kind = 'BUSINESS_ARTIFACT'
        OR owner_id = ANY(ARRAY(SELECT x.id FROM business_artifact_actions x WHERE x.business_artifact_id = ANY(old_artifacts)))
           AND owner_kind = 'BUSINESS_ARTIFACT_ACTION';
    DELETE FROM engine_commands WHERE engine_run_id = ANY(old_runs);
    DELETE FROM incidents WHERE engine_run_id = ANY(old_runs) OR process_id = ANY(old_processes);
    DELETE FROM engine_runs WHERE id = ANY(old_runs);
    DELETE FROM availability_faults WHERE process_id = ANY(old_processes);
    DELETE FROM process_relations WHERE from_id = ANY(old_processes) OR to_id = ANY(old_processes);
    DELETE FROM process_actions WHERE id = ANY(old_actions);
    DELETE FROM assistance_calls WHERE item_id = ANY(old_items);
    DELETE FROM item_assistance WHERE item_id = ANY(old_items);
    DELETE FROM task_logs WHERE process_item_id = ANY(old_items);
    DELETE FROM process_items WHERE id = ANY(old_items);
    DELETE FROM processes WHERE id = ANY(old_processes);
    DELETE FROM business_artifacts WHERE id = ANY(old_artifacts);
END
$$;

-- Reads the next processes of a tenant, up to at_most, in the order of creation, and finds those that were finished before a
-- time; removes them if removing. Returns how many it read and found, where to continue, and the time of creation of the
-- first that remains.
CREATE FUNCTION old_processes(of_tenant uuid, before timestamptz, INOUT after_at timestamptz, INOUT after_id uuid,
                              at_most integer, removing boolean,
                              OUT looked bigint, OUT n bigint, OUT first_kept timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    next   uuid[];
    found_ uuid[];
BEGIN
    SELECT coalesce(array_agg(w.id ORDER BY w.created_at, w.id), '{}') INTO next
      FROM (SELECT p.id, p.created_at
              FROM processes p
             WHERE p.tenant_id = of_tenant AND p.created_at < before AND (p.created_at, p.id) > (after_at, after_id)
             ORDER BY p.created_at, p.id LIMIT at_most) w;
    found_ := ARRAY(SELECT finished_before(next, before));
    IF removing THEN
        -- The second check sees changes committed before the lock.
        found_ := ARRAY(SELECT p.id FROM processes p WHERE p.id = ANY(found_) ORDER BY p.id FOR UPDATE SKIP LOCKED);
        found_ := ARRAY(SELECT finished_before(found_, before));
    END IF;
    looked := cardinality(next);
    n := cardinality(found_);
    SELECT min(p.created_at) INTO first_kept FROM processes p WHERE p.id = ANY(next) AND p.id <> ALL(found_);
    SELECT p.created_at, p.id INTO after_at, after_id FROM processes p WHERE p.id = next[looked] AND looked > 0;
    IF removing AND n > 0 THEN
        PERFORM remove_aggregates(found_, '{}');
    END IF;
END
$$;

-- Finds up to at_most processes and artifacts each of a tenant that were deleted before a time, in the order of deletion;
-- removes them if removing.
CREATE FUNCTION old_deleted(of_tenant uuid, before timestamptz, at_most integer, removing boolean,
                            OUT processes bigint, OUT artifacts bigint)
LANGUAGE plpgsql AS $$
DECLARE
    old_processes uuid[];
    old_artifacts uuid[];
BEGIN
    SELECT coalesce(array_agg(o.id), '{}') INTO old_processes
      FROM (SELECT p.id FROM processes p
             WHERE p.tenant_id = of_tenant AND p.deleted_at < before
               AND p.id <> ALL(unfinished_processes(ARRAY[p.id]))
             ORDER BY p.deleted_at, p.id LIMIT at_most) o;
    SELECT coalesce(array_agg(o.id), '{}') INTO old_artifacts
      FROM (SELECT a.id FROM business_artifacts a
             WHERE a.tenant_id = of_tenant AND a.deleted_at < before ORDER BY a.deleted_at, a.id LIMIT at_most) o;
    IF removing THEN
        -- An artifact may have been restored in the meantime.
        old_processes := ARRAY(SELECT p.id FROM processes p WHERE p.id = ANY(old_processes) ORDER BY p.id FOR UPDATE SKIP LOCKED);
        old_artifacts := ARRAY(SELECT a.id FROM business_artifacts a
                                WHERE a.id = ANY(old_artifacts) AND a.deleted_at < before
                                ORDER BY a.id FOR UPDATE SKIP LOCKED);
    END IF;
    processes := cardinality(old_processes);
    artifacts := cardinality(old_artifacts);
    IF removing AND processes + artifacts > 0 THEN
        PERFORM remove_aggregates(old_processes, old_artifacts);
    END IF;
END
$$;

-- Returns the first eras whose events can all be removed, with the estimated number of their events. The first era with an
-- event that is young, unread or has a delivery remains, and so do all later eras; the last era always remains.
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

-- Drops the first of these partitions, and returns its era and its estimated number of events, or NULL if there is none.
-- Writes removed_events for each tenant. Waits for locks like add_event_partition.
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
REVOKE EXECUTE ON FUNCTION drop_event_partition FROM PUBLIC;
