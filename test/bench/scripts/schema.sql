SET check_function_bodies = false;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE FUNCTION public.add_event_partition(lasting interval) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO '$user', 'public'
    SET lock_timeout TO '200ms'
    AS $$
BEGIN
    IF lasting IS NULL OR lasting < interval '1 day' THEN
        RAISE EXCEPTION 'an era lasts for a day at least' USING ERRCODE = 'invalid_parameter_value';
    END IF;
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
CREATE FUNCTION public.add_to_counts(from_era integer, from_xid xid8, to_era integer, to_xid xid8, only_ids uuid[] DEFAULT NULL::uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    e record;
BEGIN
    e := counted_events(from_era, from_xid, to_era, to_xid, NULL, NULL, only_ids);
    IF e.items IS NOT NULL OR e.deleted_processes IS NOT NULL THEN
        INSERT INTO item_counts SELECT * FROM item_changes(e.items, e.previous_states, e.states, e.deleted_processes)
            ON CONFLICT (tenant_id, process_definition_id, process_version, item_definition_id, item_definition_code, type,
                         task_state)
            DO UPDATE SET n = item_counts.n + excluded.n;
    END IF;
    IF e.touched_processes IS NOT NULL THEN
        INSERT INTO process_counts
        SELECT * FROM process_changes(e.touched_processes, e.new_processes, from_era, from_xid, to_era, to_xid)
            ON CONFLICT (tenant_id, process_definition_id, process_definition_code, process_version, state, items)
            DO UPDATE SET n = process_counts.n + excluded.n;
    END IF;
    IF e.artifacts IS NOT NULL THEN
        INSERT INTO artifact_counts SELECT * FROM artifact_changes(e.artifacts, e.artifact_numbers)
            ON CONFLICT (tenant_id, definition_id, definition_code) DO UPDATE SET n = artifact_counts.n + excluded.n;
    END IF;
END
$$;
CREATE TABLE public.artifact_counts (
    tenant_id uuid NOT NULL,
    definition_id uuid NOT NULL,
    definition_code text NOT NULL,
    n bigint NOT NULL
);
CREATE FUNCTION public.artifact_changes(artifacts uuid[], numbers bigint[]) RETURNS SETOF public.artifact_counts
    LANGUAGE plpgsql STABLE ROWS 20
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
BEGIN
    RETURN QUERY
    SELECT a.tenant_id, a.definition_id, a.definition_code, sum(c.n)::bigint
      FROM unnest(artifacts, numbers) c (id, n)
     CROSS JOIN LATERAL (SELECT a.tenant_id, a.definition_id, a.definition_code
                           FROM business_artifacts a WHERE a.id = c.id OFFSET 0) a
     GROUP BY 1, 2, 3
    HAVING sum(c.n) <> 0;
END
$$;
CREATE FUNCTION public.artifact_counts_now(tenants uuid[]) RETURNS SETOF public.artifact_counts
    LANGUAGE plpgsql STABLE ROWS 50
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    place counted_until;
    e     record;
BEGIN
    SELECT * INTO place FROM counted_until;
    e := counted_events(place.era, place.xid, 2147483647, '18446744073709551615',
                        '{BUSINESS_ARTIFACT.CREATED,BUSINESS_ARTIFACT.DELETED,BUSINESS_ARTIFACT.RESTORED}', tenants, NULL);
    RETURN QUERY SELECT c.* FROM artifact_counts c WHERE c.tenant_id = ANY(tenants);
    IF e.artifacts IS NOT NULL THEN
        RETURN QUERY SELECT * FROM artifact_changes(e.artifacts, e.artifact_numbers);
    END IF;
END
$$;
CREATE FUNCTION public.begin_event_era() RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM FROM event_ledger FOR UPDATE;
    IF NOT events_moved() THEN
        RETURN false;
    END IF;
    PERFORM begin_event_partition();
    RETURN true;
END
$$;
CREATE FUNCTION public.begin_event_partition() RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    begun integer;
BEGIN
    SELECT l.era + 1 INTO begun FROM event_ledger l FOR UPDATE;
    PERFORM make_event_partition(begun);
    EXECUTE format('ALTER TABLE ONLY events ALTER COLUMN era SET DEFAULT %s', begun);
    UPDATE event_ledger SET era = begun;
END
$$;
CREATE FUNCTION public.count_events(at_most integer) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    place  counted_until;
    bound  record;
    beyond record;
BEGIN
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
CREATE FUNCTION public.counted_events(from_era integer, from_xid xid8, to_era integer, to_xid xid8, types text[], tenants uuid[], only_ids uuid[], OUT items uuid[], OUT previous_states text[], OUT states text[], OUT deleted_processes uuid[], OUT new_processes uuid[], OUT touched_processes uuid[], OUT artifacts uuid[], OUT artifact_numbers bigint[]) RETURNS record
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION public.drop_event_partition(before timestamp with time zone, OUT of_era integer, OUT n bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO '$user', 'public'
    SET lock_timeout TO '200ms'
    AS $$
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
CREATE FUNCTION public.events_followed(of_tenant uuid, OUT era integer, OUT xid xid8, OUT "position" bigint) RETURNS record
    LANGUAGE sql STABLE
    AS $$
    SELECT f.era, f.xid, f.position
      FROM (SELECT c.era, c.xid, c.position FROM webhook_cursor c
             UNION ALL
            SELECT u.era, u.xid, 0 FROM counted_until u
             UNION ALL
            SELECT k.era, k.xid, k.position FROM webhook_backlogs k WHERE k.tenant_id = of_tenant) f
     ORDER BY 1, 2, 3 LIMIT 1
$$;
CREATE FUNCTION public.events_moved() RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
    SELECT EXISTS (SELECT 1 FROM events e
                    WHERE e.era = (SELECT l.era FROM event_ledger l)
                      AND e.xid >= pg_snapshot_xmax(pg_current_snapshot()))
$$;
CREATE FUNCTION public.finished_before(ids uuid[], before timestamp with time zone) RETURNS SETOF uuid
    LANGUAGE sql STABLE
    AS $$
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
CREATE TABLE public.item_counts (
    tenant_id uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    process_version uuid NOT NULL,
    item_definition_id uuid,
    item_definition_code text,
    type text NOT NULL,
    task_state text,
    n bigint NOT NULL
);
CREATE FUNCTION public.item_changes(items uuid[], previous_states text[], states text[], deleted_processes uuid[]) RETURNS SETOF public.item_counts
    LANGUAGE plpgsql STABLE ROWS 20
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_nestloop TO 'on'
    SET jit TO 'off'
    AS $$
BEGIN
    RETURN QUERY
    SELECT i.tenant_id, i.process_definition_id, p.process_version, i.item_definition_id, i.item_definition_code, i.type,
           s.task_state, sum(s.n)::bigint
      FROM (SELECT i.tenant_id, i.process_id, i.process_definition_id, i.item_definition_id, i.item_definition_code, i.type,
                   c.first_state, c.last_state, c.was, c.came
              FROM (SELECT s.id, max(s.state) FILTER (WHERE s.n < 0) AS first_state, bool_or(s.n < 0) AS was,
                           max(s.state) FILTER (WHERE s.n > 0) AS last_state, bool_or(s.n > 0) AS came
                      FROM (SELECT s.id, s.state, sum(s.n) AS n
                              FROM (SELECT e.id, e.state, 1 FROM unnest(items, states) e (id, state)
                                     UNION ALL
                                    SELECT e.id, e.state, -1 FROM unnest(items, previous_states) e (id, state)
                                     WHERE e.state IS NOT NULL) s (id, state, n)
                             GROUP BY 1, 2 HAVING sum(s.n) <> 0) s
                     GROUP BY 1) c
             CROSS JOIN LATERAL (SELECT i.tenant_id, i.process_id, i.process_definition_id, i.item_definition_id,
                                    i.item_definition_code, i.type, i.task_state
                               FROM process_items i
                              WHERE i.id = c.id OFFSET 0) i
             UNION ALL
            SELECT i.tenant_id, i.process_id, i.process_definition_id, i.item_definition_id, i.item_definition_code, i.type,
                   i.task_state, NULL, true, false
              FROM unnest(deleted_processes) d (id)
             CROSS JOIN LATERAL (SELECT i.tenant_id, i.process_id, i.process_definition_id, i.item_definition_id,
                                    i.item_definition_code, i.type, i.task_state
                               FROM process_items i
                              WHERE i.process_id = d.id OFFSET 0) i) i
     CROSS JOIN LATERAL (SELECT p.process_version FROM processes p WHERE p.id = i.process_id OFFSET 0) p
     CROSS JOIN LATERAL (VALUES (i.first_state, -1, i.was), (i.last_state, 1, i.came)) s (task_state, n, counts)
     WHERE s.counts
     GROUP BY 1, 2, 3, 4, 5, 6, 7
    HAVING sum(s.n) <> 0;
END
$$;
CREATE FUNCTION public.item_counts_now(tenants uuid[]) RETURNS SETOF public.item_counts
    LANGUAGE plpgsql STABLE ROWS 50
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    place counted_until;
    e     record;
BEGIN
    SELECT * INTO place FROM counted_until;
    e := counted_events(place.era, place.xid, 2147483647, '18446744073709551615',
                        '{PROCESS_ITEM.CREATED,PROCESS_ITEM.TASK_STATE_CHANGED,PROCESS.DELETED}', tenants, NULL);
    RETURN QUERY SELECT c.* FROM item_counts c WHERE c.tenant_id = ANY(tenants);
    IF e.items IS NOT NULL OR e.deleted_processes IS NOT NULL THEN
        RETURN QUERY SELECT * FROM item_changes(e.items, e.previous_states, e.states, e.deleted_processes);
    END IF;
END
$$;
CREATE FUNCTION public.keep_events() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('procession.removing_events', true) = pg_current_xact_id()::text THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'events are never changed: % refused', TG_OP
        USING ERRCODE = 'insufficient_privilege', HINT = 'procession purge removes old ones.';
END
$$;
CREATE FUNCTION public.keep_used_versions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    used uuid;
BEGIN
    LOCK TABLE processes IN SHARE ROW EXCLUSIVE MODE;
    SELECT g.process_definition_id INTO used
      FROM gone g
     WHERE EXISTS (SELECT 1 FROM processes p WHERE p.process_definition_id = g.process_definition_id)
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'process definition % has processes', used USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.make_event_partition(of_era integer) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    name text := 'events_' || of_era;
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING CONSTRAINTS INCLUDING STORAGE)', name);
    EXECUTE format('CREATE INDEX %I ON %I USING brin (id uuid_minmax_multi_ops) WITH (autosummarize = on)', name || '_id', name);
    EXECUTE format('CREATE TRIGGER keep_events BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
                        FOR EACH STATEMENT EXECUTE FUNCTION keep_events()', name);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name,
                   CASE WHEN EXISTS (SELECT 1 FROM event_partitions) THEN of_era::text ELSE 'MINVALUE' END, of_era + 1);
    INSERT INTO event_partitions (era, begins_at) VALUES (of_era, clock_timestamp());
END
$$;
CREATE FUNCTION public.old_deleted(of_tenant uuid, before timestamp with time zone, at_most integer, removing boolean, OUT processes bigint, OUT artifacts bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.old_event_partitions(before timestamp with time zone) RETURNS TABLE(of_era integer, n bigint)
    LANGUAGE plpgsql STABLE
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION public.old_events(of_tenant uuid, before timestamp with time zone, at_most integer, OUT n bigint, OUT era integer, OUT xid xid8, OUT "position" bigint, OUT first_kept timestamp with time zone) RETURNS record
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION public.old_processes(of_tenant uuid, before timestamp with time zone, INOUT after_at timestamp with time zone, INOUT after_id uuid, at_most integer, removing boolean, OUT looked bigint, OUT n bigint, OUT first_kept timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION public.place_delivery() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    SELECT e.era, e.xid, e.position INTO NEW.event_era, NEW.event_xid, NEW.event_position
      FROM events e WHERE e.id = NEW.event_id;
    RETURN NEW;
END
$$;
CREATE TABLE public.process_counts (
    tenant_id uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    process_definition_code text NOT NULL,
    process_version uuid NOT NULL,
    state text NOT NULL,
    item_definition_ids uuid[] NOT NULL,
    items uuid NOT NULL,
    n bigint NOT NULL
);
CREATE FUNCTION public.process_changes(touched uuid[], new uuid[], from_era integer, from_xid xid8, to_era integer, to_xid xid8) RETURNS SETOF public.process_counts
    LANGUAGE plpgsql STABLE ROWS 20
    SET jit TO 'off'
    AS $$
DECLARE
    old uuid[] := ARRAY(SELECT t.id FROM unnest(touched) t (id) EXCEPT SELECT n.id FROM unnest(new) n (id));
BEGIN
    RETURN QUERY
    SELECT a.tenant_id, a.process_definition_id, a.process_definition_code, a.process_version, a.state,
           a.item_definition_ids, md5(a.item_definition_ids::text)::uuid, sum(a.n)::bigint
      FROM (SELECT b.*, -1 AS n FROM processes_at(old, from_era, from_xid) b
             UNION ALL
            SELECT b.*, 1 FROM processes_at(touched, to_era, to_xid) b) a
     GROUP BY 1, 2, 3, 4, 5, 6
    HAVING sum(a.n) <> 0;
END
$$;
CREATE FUNCTION public.process_counts_now(tenants uuid[]) RETURNS SETOF public.process_counts
    LANGUAGE plpgsql STABLE ROWS 50
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS $$
DECLARE
    place counted_until;
    e     record;
BEGIN
    SELECT * INTO place FROM counted_until;
    e := counted_events(place.era, place.xid, 2147483647, '18446744073709551615',
                        '{PROCESS.CREATED,PROCESS.STATE_CHANGED,PROCESS.DELETED,PROCESS_ITEM.CREATED}', tenants, NULL);
    RETURN QUERY SELECT c.* FROM process_counts c WHERE c.tenant_id = ANY(tenants);
    IF e.touched_processes IS NOT NULL THEN
        RETURN QUERY SELECT * FROM process_changes(e.touched_processes, e.new_processes, place.era, place.xid,
                                                    2147483647, '18446744073709551615');
    END IF;
END
$$;
CREATE FUNCTION public.processes_at(ids uuid[], at_era integer, at_xid xid8) RETURNS TABLE(tenant_id uuid, process_definition_id uuid, process_definition_code text, process_version uuid, state text, item_definition_ids uuid[])
    LANGUAGE plpgsql STABLE
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_nestloop TO 'on'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION public.record_version_needs() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO version_needs (version, number, process_definition_id, tenant_id, task_queue, kind, action, workflow_type)
    SELECT n.* FROM needs_of_versions n WHERE n.version = NEW.version;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.recount_lists() RETURNS void
    LANGUAGE plpgsql
    SET enable_nestloop TO 'off'
    AS $$
DECLARE
    bound record;
BEGIN
    PERFORM FROM counted_until FOR UPDATE;
    SELECT l.era, pg_snapshot_xmin(pg_current_snapshot()) AS xid INTO bound FROM event_ledger l;
    DELETE FROM item_counts;
    DELETE FROM process_counts;
    DELETE FROM artifact_counts;
    INSERT INTO item_counts
    SELECT a.tenant_id, a.process_definition_id, a.process_version, a.item_definition_id, a.item_definition_code, a.type,
           a.task_state, sum(a.n)
      FROM (SELECT i.tenant_id, i.process_definition_id, p.process_version, i.item_definition_id, i.item_definition_code,
                   i.type, i.task_state, 1::bigint AS n
              FROM process_items i JOIN processes p ON p.id = i.process_id
             WHERE i.deleted_at IS NULL
             UNION ALL
            SELECT c.tenant_id, c.process_definition_id, c.process_version, c.item_definition_id, c.item_definition_code,
                   c.type, c.task_state, -c.n
              FROM counted_events(bound.era, bound.xid, 2147483647, '18446744073709551615', NULL, NULL, NULL) s,
                   item_changes(s.items, s.previous_states, s.states, s.deleted_processes) c) a
     GROUP BY 1, 2, 3, 4, 5, 6, 7
    HAVING sum(a.n) <> 0;
    INSERT INTO process_counts
    WITH since AS MATERIALIZED (
        SELECT s.touched_processes AS ids
          FROM counted_events(bound.era, bound.xid, 2147483647, '18446744073709551615', NULL, NULL, NULL) s
    )
    SELECT a.tenant_id, a.process_definition_id, a.process_definition_code, a.process_version, a.state,
           a.item_definition_ids, md5(a.item_definition_ids::text)::uuid, count(*)
      FROM (SELECT p.tenant_id, p.process_definition_id, p.process_definition_code, p.process_version, p.state,
                   coalesce(s.ids, '{}') AS item_definition_ids
              FROM processes p
              LEFT JOIN (SELECT i.process_id, array_agg(DISTINCT i.item_definition_id ORDER BY i.item_definition_id) AS ids
                           FROM process_items i WHERE i.item_definition_id IS NOT NULL GROUP BY 1) s ON s.process_id = p.id
             WHERE p.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM since, unnest(since.ids) t (id) WHERE t.id = p.id)
             UNION ALL
            SELECT b.* FROM since, processes_at(since.ids, bound.era, bound.xid) b) a
     GROUP BY 1, 2, 3, 4, 5, 6;
    INSERT INTO artifact_counts
    SELECT a.tenant_id, a.definition_id, a.definition_code, sum(a.n)
      FROM (SELECT b.tenant_id, b.definition_id, b.definition_code, 1::bigint AS n
              FROM business_artifacts b WHERE b.deleted_at IS NULL
             UNION ALL
            SELECT c.tenant_id, c.definition_id, c.definition_code, -c.n
              FROM counted_events(bound.era, bound.xid, 2147483647, '18446744073709551615', NULL, NULL, NULL) s,
                   artifact_changes(s.artifacts, s.artifact_numbers) c) a
     GROUP BY 1, 2, 3
    HAVING sum(a.n) <> 0;
    UPDATE counted_until SET era = bound.era, xid = bound.xid;
END
$$;
CREATE FUNCTION public.remove_aggregates(old_processes uuid[], old_artifacts uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    old_items   uuid[] := ARRAY(SELECT i.id FROM process_items i WHERE i.process_id = ANY(old_processes));
    old_actions uuid[] := ARRAY(SELECT x.id FROM process_actions x WHERE x.process_id = ANY(old_processes));
    old_runs    uuid[] := runs_of_processes(old_processes);
    place       counted_until;
BEGIN
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
CREATE FUNCTION public.remove_old_events(of_tenant uuid, before timestamp with time zone, at_most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO '$user', 'public'
    AS $$
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
CREATE FUNCTION public.runs_of_processes(ids uuid[]) RETURNS uuid[]
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
    SELECT ARRAY(SELECT r.id FROM engine_runs r WHERE r.owner_id = ANY(ids) AND r.kind <> 'TASK_ROBOT'
                  UNION ALL
                 SELECT r.id FROM process_actions x JOIN engine_runs r ON r.owner_id = x.id AND r.kind <> 'TASK_ROBOT'
                  WHERE x.process_id = ANY(ids)
                  UNION ALL
                 SELECT r.id FROM process_items i JOIN engine_runs r ON r.owner_id = i.id AND r.kind = 'TASK_ROBOT'
                  WHERE i.process_id = ANY(ids))
$$;
CREATE FUNCTION public.unfinished_processes(ids uuid[]) RETURNS uuid[]
    LANGUAGE sql STABLE
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS $$
    SELECT coalesce(array_agg(p.id), '{}')
      FROM processes p
     WHERE p.id = ANY(ids)
       AND (EXISTS (SELECT 1 FROM unnest(runs_of_processes(ARRAY[p.id])) o (id) JOIN engine_runs r ON r.id = o.id
                     WHERE r.closed_at IS NULL)
            OR EXISTS (SELECT 1 FROM events_followed(p.tenant_id) f, events e
                        WHERE e.process_id = p.id AND e.era >= f.era
                          AND (e.era, e.xid, e.position) > (f.era, f.xid, f.position)))
$$;
CREATE TABLE public.assistance_calls (
    item_id uuid NOT NULL,
    run integer NOT NULL,
    tenant_id uuid NOT NULL,
    request_id uuid NOT NULL,
    requested_by uuid NOT NULL,
    request json,
    messages json NOT NULL,
    asked_at timestamp with time zone NOT NULL,
    answer_text text,
    answer_value json,
    model text,
    finish_reason text,
    answered_at timestamp with time zone,
    CONSTRAINT assistance_calls_answer_value_check CHECK ((json_typeof(answer_value) = 'object'::text)),
    CONSTRAINT assistance_calls_check CHECK (((answered_at IS NULL) = (answer_text IS NULL))),
    CONSTRAINT assistance_calls_check1 CHECK (((answered_at IS NULL) = (request IS NOT NULL))),
    CONSTRAINT assistance_calls_messages_check CHECK ((json_typeof(messages) = 'array'::text)),
    CONSTRAINT assistance_calls_run_check CHECK ((run > 0))
);
CREATE TABLE public.assistance_usage (
    tenant_id uuid NOT NULL,
    day date NOT NULL,
    runs integer NOT NULL,
    CONSTRAINT assistance_usage_runs_check CHECK ((runs > 0))
);
CREATE TABLE public.availability_faults (
    process_version uuid NOT NULL,
    action_code text NOT NULL,
    tenant_id uuid NOT NULL,
    process_id uuid NOT NULL,
    message text NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL
);
CREATE TABLE public.business_artifact_actions (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    business_artifact_id uuid NOT NULL,
    action_id uuid NOT NULL,
    action_code text NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    input json,
    process_definition_id uuid,
    process_id uuid,
    created_definition_id uuid,
    created_definition_code text,
    created_artifact_id uuid,
    value json,
    document_id uuid,
    document_uri text,
    error text,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    errors json,
    input_valid boolean,
    input_errors json,
    CONSTRAINT business_artifact_actions_check CHECK (((status = 'REQUESTED'::text) = (finished_at IS NULL))),
    CONSTRAINT business_artifact_actions_check1 CHECK (((status <> 'REQUESTED'::text) OR (type = ANY (ARRAY['START_WORKFLOW'::text, 'DOWNLOADABLE'::text])))),
    CONSTRAINT business_artifact_actions_check2 CHECK (((document_id IS NULL) = (document_uri IS NULL))),
    CONSTRAINT business_artifact_actions_check3 CHECK (((error IS NULL) OR (status = 'ERROR'::text))),
    CONSTRAINT business_artifact_actions_errors_check CHECK (((errors IS NULL) OR (status = 'ERROR'::text))),
    CONSTRAINT business_artifact_actions_input_check CHECK ((json_typeof(input) = 'object'::text)),
    CONSTRAINT business_artifact_actions_status_check CHECK ((status = ANY (ARRAY['REQUESTED'::text, 'COMPLETED'::text, 'CANCELED'::text, 'ERROR'::text]))),
    CONSTRAINT business_artifact_actions_type_check CHECK ((type = ANY (ARRAY['START_WORKFLOW'::text, 'DOWNLOADABLE'::text, 'START_PROCESS'::text, 'CREATE_BUSINESS_ARTIFACT'::text]))),
    CONSTRAINT business_artifact_actions_value_check CHECK ((json_typeof(value) = 'object'::text))
);
CREATE TABLE public.business_artifact_definition_grants (
    business_artifact_definition_id uuid NOT NULL,
    permission text NOT NULL,
    grantee_id uuid NOT NULL,
    CONSTRAINT business_artifact_definition_grants_permission_check CHECK ((permission = ANY (ARRAY['VIEWER'::text, 'EDITOR'::text, 'MANAGER'::text])))
);
CREATE TABLE public.business_artifact_index (
    business_artifact_id uuid NOT NULL,
    definition_id uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    field text NOT NULL COLLATE pg_catalog."C",
    text_value text COLLATE pg_catalog."C",
    text_rest text COLLATE pg_catalog."C",
    text_folded text COLLATE pg_catalog."C",
    number_value numeric,
    date_value date,
    time_value timestamp with time zone,
    CONSTRAINT business_artifact_index_check CHECK (((text_rest IS NULL) OR (length(text_value) = 200))),
    CONSTRAINT business_artifact_index_check1 CHECK ((num_nonnulls(text_value, number_value, date_value) = 1)),
    CONSTRAINT business_artifact_index_check2 CHECK (((time_value IS NULL) OR (date_value IS NOT NULL))),
    CONSTRAINT business_artifact_index_text_value_check CHECK ((length(text_value) <= 200))
);
CREATE TABLE public.business_artifacts (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    definition_id uuid NOT NULL,
    definition_code text NOT NULL,
    data json,
    data_valid boolean,
    data_errors json,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    deleted_by uuid,
    CONSTRAINT business_artifacts_check CHECK (((data IS NULL) = (data_valid IS NULL))),
    CONSTRAINT business_artifacts_data_check CHECK ((json_typeof(data) = 'object'::text)),
    CONSTRAINT business_artifacts_deleted_check CHECK (((deleted_at IS NULL) = (deleted_by IS NULL)))
);
CREATE TABLE public.console_sessions (
    id uuid NOT NULL,
    secret_sha256 bytea NOT NULL,
    principal_id uuid NOT NULL,
    credential_sha256 bytea,
    issuer text,
    subject text,
    user_agent text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT console_sessions_check CHECK ((num_nonnulls(credential_sha256, issuer) = 1)),
    CONSTRAINT console_sessions_check1 CHECK (((issuer IS NULL) = (subject IS NULL))),
    CONSTRAINT console_sessions_credential_sha256_check CHECK ((octet_length(credential_sha256) = 32)),
    CONSTRAINT console_sessions_secret_sha256_check CHECK ((octet_length(secret_sha256) = 32))
);
CREATE TABLE public.counted_until (
    era integer NOT NULL,
    xid xid8 NOT NULL,
    singleton boolean DEFAULT true NOT NULL,
    CONSTRAINT counted_until_singleton_check CHECK (singleton)
);
CREATE TABLE public.credentials (
    id uuid NOT NULL,
    principal_id uuid NOT NULL,
    kind text NOT NULL,
    secret_sha256 bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    tenant_id uuid,
    name text DEFAULT ''::text NOT NULL,
    declared boolean DEFAULT false NOT NULL,
    CONSTRAINT credentials_kind_check CHECK ((kind = ANY (ARRAY['APPLICATION_SECRET'::text, 'PERSONAL_ACCESS_TOKEN'::text]))),
    CONSTRAINT credentials_name_check CHECK ((length(name) <= 50)),
    CONSTRAINT credentials_secret_sha256_check CHECK ((length(secret_sha256) = 32))
);
CREATE TABLE public.data_source_grants (
    data_source_id uuid NOT NULL,
    grantee_id uuid NOT NULL
);
CREATE TABLE public.data_source_runs (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    data_source_code text NOT NULL,
    requested_by uuid NOT NULL,
    state text NOT NULL,
    result json,
    error_code text,
    error_message text,
    created_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    checked json,
    CONSTRAINT data_source_runs_check CHECK (((state = 'PENDING'::text) = (finished_at IS NULL))),
    CONSTRAINT data_source_runs_check1 CHECK (((state = 'FAILED'::text) = (error_code IS NOT NULL))),
    CONSTRAINT data_source_runs_checked_check CHECK ((json_typeof(checked) = 'object'::text)),
    CONSTRAINT data_source_runs_result_check CHECK ((json_typeof(result) = 'object'::text)),
    CONSTRAINT data_source_runs_result_of_query_check CHECK (
CASE
    WHEN (checked IS NULL) THEN ((state = 'COMPLETED'::text) = (result IS NOT NULL))
    ELSE ((state = 'COMPLETED'::text) OR (result IS NULL))
END),
    CONSTRAINT data_source_runs_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'COMPLETED'::text, 'FAILED'::text])))
);
CREATE TABLE public.data_sources (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    code text NOT NULL,
    task_queue text NOT NULL,
    runner_id uuid NOT NULL,
    encryption_key text,
    CONSTRAINT data_sources_code_check CHECK (((length(code) >= 1) AND (length(code) <= 50))),
    CONSTRAINT data_sources_encryption_key_check CHECK (((length(encryption_key) >= 1) AND (length(encryption_key) <= 50))),
    CONSTRAINT data_sources_task_queue_check CHECK (((length(task_queue) >= 1) AND (length(task_queue) <= 255)))
);
CREATE TABLE public.document_embeddings (
    tenant_id uuid NOT NULL,
    sha256 bytea NOT NULL,
    model text NOT NULL,
    "position" integer NOT NULL,
    passage text NOT NULL,
    vector bytea,
    truncated boolean NOT NULL,
    CONSTRAINT document_embeddings_passage_check CHECK ((passage <> ''::text)),
    CONSTRAINT document_embeddings_position_check CHECK (("position" >= 0)),
    CONSTRAINT document_embeddings_sha256_check CHECK ((length(sha256) = 32))
);
CREATE TABLE public.document_links (
    holder_id uuid NOT NULL,
    slot text NOT NULL,
    document_id uuid NOT NULL,
    CONSTRAINT document_links_slot_check CHECK ((slot = ANY (ARRAY['METADATA'::text, 'ENTITY'::text, 'DATA'::text, 'CONTEXT_DATA'::text, 'MESSAGE_DATA'::text, 'RESULT'::text, 'ELEMENT'::text])))
);
CREATE TABLE public.documents (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    owner_kind text NOT NULL,
    owner_id uuid NOT NULL,
    blob_id uuid NOT NULL,
    name text NOT NULL,
    content_type text NOT NULL,
    size bigint NOT NULL,
    sha256 bytea NOT NULL,
    expires_at timestamp with time zone,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT documents_content_type_check CHECK (((length(content_type) >= 1) AND (length(content_type) <= 255))),
    CONSTRAINT documents_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
    CONSTRAINT documents_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['PROCESS'::text, 'BUSINESS_ARTIFACT'::text, 'PROCESS_ACTION'::text, 'BUSINESS_ARTIFACT_ACTION'::text, 'ROBOT'::text]))),
    CONSTRAINT documents_sha256_check CHECK ((length(sha256) = 32)),
    CONSTRAINT documents_size_check CHECK ((size >= 0))
);
CREATE TABLE public.encryption_key_reads (
    encryption_key_id uuid NOT NULL,
    principal_id uuid NOT NULL,
    read_on date NOT NULL
);
CREATE TABLE public.encryption_keys (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    code text NOT NULL,
    version integer NOT NULL,
    key_id text NOT NULL,
    sealed_value bytea,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT encryption_keys_check CHECK ((key_id =
CASE version
    WHEN 1 THEN code
    ELSE ((code || '.'::text) || version)
END)),
    CONSTRAINT encryption_keys_check1 CHECK (((sealed_value IS NULL) = (deleted_at IS NOT NULL))),
    CONSTRAINT encryption_keys_code_check CHECK (((length(code) >= 1) AND (length(code) <= 50))),
    CONSTRAINT encryption_keys_version_check CHECK ((version > 0))
);
CREATE TABLE public.engine_commands (
    "position" bigint NOT NULL,
    id uuid NOT NULL,
    engine_run_id uuid NOT NULL,
    order_key uuid NOT NULL,
    kind text NOT NULL,
    item_id uuid,
    item_type text,
    item_code text,
    data_code text,
    signal_shape text,
    created_at timestamp with time zone NOT NULL,
    not_before timestamp with time zone NOT NULL,
    leased_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    activity_token bytea,
    signal_name text,
    action_code text,
    signal_input json,
    CONSTRAINT engine_commands_activity_token_check CHECK (((length(activity_token) >= 1) AND (length(activity_token) <= 16384))),
    CONSTRAINT engine_commands_check CHECK (((kind <> 'SIGNAL'::text) OR (num_nulls(item_id, item_type, signal_shape) = 0))),
    CONSTRAINT engine_commands_check1 CHECK (((kind = 'COMPLETE_ACTIVITY'::text) = (activity_token IS NOT NULL))),
    CONSTRAINT engine_commands_kind_check CHECK ((kind = ANY (ARRAY['START'::text, 'RESTART'::text, 'SIGNAL'::text, 'SIGNAL_ACTION'::text, 'CANCEL'::text, 'TERMINATE'::text, 'COMPLETE_ACTIVITY'::text]))),
    CONSTRAINT engine_commands_signal_action_check CHECK ((num_nonnulls(signal_name, action_code) =
CASE kind
    WHEN 'SIGNAL_ACTION'::text THEN 2
    ELSE 0
END))
);
ALTER TABLE public.engine_commands ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.engine_commands_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.engine_grants (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    principal_id uuid NOT NULL,
    kind text NOT NULL,
    identifier text NOT NULL,
    issued_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    revoked_by uuid,
    read_only boolean DEFAULT false NOT NULL,
    CONSTRAINT engine_grants_check CHECK ((expires_at > issued_at)),
    CONSTRAINT engine_grants_check1 CHECK ((num_nulls(revoked_at, revoked_by) = ANY (ARRAY[0, 2]))),
    CONSTRAINT engine_grants_identifier_check CHECK (((length(identifier) >= 1) AND (length(identifier) <= 64))),
    CONSTRAINT engine_grants_kind_check CHECK ((kind = ANY (ARRAY['ENGINE_TOKEN'::text, 'ENGINE_CERTIFICATE'::text])))
);
CREATE TABLE public.engine_runs (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    kind text NOT NULL,
    owner_id uuid NOT NULL,
    namespace text NOT NULL,
    workflow_id text NOT NULL,
    run_id text DEFAULT ''::text NOT NULL,
    workflow_type text NOT NULL,
    task_queue text NOT NULL,
    state text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_active_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    action json,
    encryption_key_id text,
    robot json,
    data_source json,
    CONSTRAINT engine_runs_action_check CHECK (((kind = ANY (ARRAY['BUSINESS_ARTIFACT_ACTION'::text, 'PROCESS_ACTION'::text])) = (action IS NOT NULL))),
    CONSTRAINT engine_runs_check CHECK (((state = 'PENDING'::text) OR (run_id <> ''::text) OR (closed_at IS NOT NULL))),
    CONSTRAINT engine_runs_check1 CHECK (((closed_at IS NOT NULL) = (state = ANY (ARRAY['COMPLETED'::text, 'CANCELLED'::text, 'FAILED'::text])))),
    CONSTRAINT engine_runs_data_source_check CHECK (((kind = 'DATA_SOURCE'::text) = (data_source IS NOT NULL))),
    CONSTRAINT engine_runs_kind_check CHECK ((kind = ANY (ARRAY['PROCESS'::text, 'BUSINESS_ARTIFACT_ACTION'::text, 'PROCESS_ACTION'::text, 'TASK_ROBOT'::text, 'DATA_SOURCE'::text]))),
    CONSTRAINT engine_runs_robot_check CHECK (((kind = 'TASK_ROBOT'::text) = (robot IS NOT NULL))),
    CONSTRAINT engine_runs_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'COMPLETED'::text, 'CANCELLED'::text, 'FAILED'::text])))
);
CREATE TABLE public.engine_watermarks (
    namespace text NOT NULL,
    closed_at timestamp with time zone NOT NULL,
    due_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    leased_until timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    active_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    ends_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    full_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    far_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    swept_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    sweep_after uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL
);
CREATE TABLE public.event_ledger (
    era integer NOT NULL,
    singleton boolean DEFAULT true NOT NULL,
    CONSTRAINT event_ledger_singleton_check CHECK (singleton)
);
CREATE TABLE public.event_partitions (
    era integer NOT NULL,
    begins_at timestamp with time zone NOT NULL
);
CREATE TABLE public.events (
    "position" bigint NOT NULL,
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    process_id uuid,
    type text NOT NULL,
    process_state text,
    process_item_id uuid,
    item_type text,
    item_definition_code text,
    task_state text,
    actor_id uuid NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    era integer DEFAULT 1 NOT NULL,
    xid xid8 DEFAULT GREATEST(pg_current_xact_id(), (((((pg_snapshot_xmax(pg_current_snapshot()))::text)::bigint - 1))::text)::xid8) NOT NULL,
    request_id text,
    resource_kind text NOT NULL,
    resource_id uuid NOT NULL,
    previous_state text,
    state text,
    details json,
    CONSTRAINT events_details_check CHECK ((octet_length((details)::text) <= 16384)),
    CONSTRAINT events_request_id_check CHECK ((length(request_id) <= 128))
)
PARTITION BY RANGE (era);
CREATE SEQUENCE public.event_positions
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.event_positions OWNED BY public.events."position";
CREATE TABLE public.events_1 (
    "position" bigint DEFAULT NULL NOT NULL,
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    process_id uuid,
    type text NOT NULL,
    process_state text,
    process_item_id uuid,
    item_type text,
    item_definition_code text,
    task_state text,
    actor_id uuid NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    era integer DEFAULT NULL NOT NULL,
    xid xid8 DEFAULT NULL NOT NULL,
    request_id text,
    resource_kind text NOT NULL,
    resource_id uuid NOT NULL,
    previous_state text,
    state text,
    details json,
    CONSTRAINT events_details_check CHECK ((octet_length((details)::text) <= 16384)),
    CONSTRAINT events_request_id_check CHECK ((length(request_id) <= 128))
);
CREATE TABLE public.goose_db_version (
    id integer NOT NULL,
    version_id bigint NOT NULL,
    is_applied boolean NOT NULL,
    tstamp timestamp without time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.goose_db_version ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.goose_db_version_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.group_members (
    group_id uuid NOT NULL,
    principal_id uuid NOT NULL
);
CREATE TABLE public.groups (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    CONSTRAINT groups_code_check CHECK (((length(code) >= 1) AND (length(code) <= 50))),
    CONSTRAINT groups_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);
CREATE TABLE public.incidents (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    process_id uuid,
    engine_run_id uuid NOT NULL,
    run_id text NOT NULL,
    message text NOT NULL,
    failure text NOT NULL,
    state text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    resolved_at timestamp with time zone,
    CONSTRAINT incidents_check CHECK (((state = 'OPEN'::text) = (resolved_at IS NULL))),
    CONSTRAINT incidents_state_check CHECK ((state = ANY (ARRAY['OPEN'::text, 'RETRIED'::text, 'DISMISSED'::text])))
);
CREATE TABLE public.item_assistance (
    item_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    run integer NOT NULL,
    request_id uuid NOT NULL,
    requested_by uuid NOT NULL,
    state text NOT NULL,
    answer text NOT NULL,
    baseline json,
    embedding_pending integer DEFAULT 0 NOT NULL,
    embedding_processing integer DEFAULT 0 NOT NULL,
    model text,
    finish_reason text,
    error_code text,
    error_message text,
    answer_text text,
    answer_value json,
    drafted text[],
    documents json,
    started_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    dispatched boolean DEFAULT false NOT NULL,
    dispatch_at timestamp with time zone NOT NULL,
    CONSTRAINT item_assistance_answer_check CHECK ((answer = ANY (ARRAY['SUGGESTION'::text, 'DRAFT'::text]))),
    CONSTRAINT item_assistance_answer_value_check CHECK ((json_typeof(answer_value) = 'object'::text)),
    CONSTRAINT item_assistance_baseline_check CHECK ((json_typeof(baseline) = 'object'::text)),
    CONSTRAINT item_assistance_check CHECK (((state = 'PENDING'::text) = (finished_at IS NULL))),
    CONSTRAINT item_assistance_check1 CHECK (((state <> 'COMPLETED'::text) OR ((num_nulls(model, finish_reason, answer_text) = 0) AND (error_code IS NULL)))),
    CONSTRAINT item_assistance_check2 CHECK (((state <> 'FAILED'::text) OR ((error_code IS NOT NULL) AND (model IS NULL)))),
    CONSTRAINT item_assistance_documents_check CHECK ((json_typeof(documents) = 'array'::text)),
    CONSTRAINT item_assistance_embedding_pending_check CHECK ((embedding_pending >= 0)),
    CONSTRAINT item_assistance_embedding_processing_check CHECK ((embedding_processing >= 0)),
    CONSTRAINT item_assistance_run_check CHECK ((run > 0)),
    CONSTRAINT item_assistance_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'COMPLETED'::text, 'FAILED'::text])))
);
CREATE TABLE public.item_definition_grants (
    item_definition_id uuid NOT NULL,
    permission text NOT NULL,
    grantee_id uuid,
    CONSTRAINT item_definition_grants_permission_check CHECK ((permission = ANY (ARRAY['CANDIDATE'::text, 'VIEWER'::text])))
);
CREATE TABLE public.item_definition_versions (
    version uuid NOT NULL,
    item_definition_id uuid NOT NULL,
    process_version uuid NOT NULL,
    type text NOT NULL,
    name text NOT NULL,
    spec json NOT NULL,
    robot_code text,
    robot_operation text,
    CONSTRAINT item_definition_versions_check CHECK ((num_nulls(robot_code, robot_operation) = ANY (ARRAY[0, 2]))),
    CONSTRAINT item_definition_versions_check1 CHECK (((robot_code IS NULL) OR (type = 'TASK'::text))),
    CONSTRAINT item_definition_versions_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
    CONSTRAINT item_definition_versions_robot_code_check CHECK (((length(robot_code) >= 1) AND (length(robot_code) <= 50))),
    CONSTRAINT item_definition_versions_robot_operation_check CHECK (((length(robot_operation) >= 1) AND (length(robot_operation) <= 255))),
    CONSTRAINT item_definition_versions_type_check CHECK ((type = ANY (ARRAY['TASK'::text, 'MESSAGE'::text, 'THREAD'::text])))
);
CREATE TABLE public.item_definitions (
    id uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    code text NOT NULL,
    CONSTRAINT item_definitions_code_check CHECK (((length(code) >= 1) AND (length(code) <= 50)))
);
CREATE TABLE public.process_definition_versions (
    version uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    name text NOT NULL,
    workflow_type text,
    task_queue text,
    signal_shape text,
    runner_id uuid,
    spec json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    number integer NOT NULL,
    digest bytea NOT NULL,
    created_by uuid NOT NULL,
    encryption_key text,
    CONSTRAINT process_definition_versions_check CHECK ((num_nulls(workflow_type, task_queue, signal_shape, runner_id) = ANY (ARRAY[0, 4]))),
    CONSTRAINT process_definition_versions_check1 CHECK (((encryption_key IS NULL) OR (workflow_type IS NOT NULL))),
    CONSTRAINT process_definition_versions_encryption_key_check CHECK (((length(encryption_key) >= 1) AND (length(encryption_key) <= 50))),
    CONSTRAINT process_definition_versions_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
    CONSTRAINT process_definition_versions_number_check CHECK ((number > 0)),
    CONSTRAINT process_definition_versions_signal_shape_check CHECK ((signal_shape = ANY (ARRAY['A'::text, 'B'::text]))),
    CONSTRAINT process_definition_versions_task_queue_check CHECK (((length(task_queue) >= 1) AND (length(task_queue) <= 255))),
    CONSTRAINT process_definition_versions_workflow_type_check CHECK (((length(workflow_type) >= 1) AND (length(workflow_type) <= 255)))
);
CREATE TABLE public.process_definitions (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    code text NOT NULL,
    published_version uuid,
    CONSTRAINT process_definitions_code_check CHECK (((length(code) >= 1) AND (length(code) <= 50)))
);
CREATE VIEW public.needs_of_versions AS
 SELECT v.version,
    v.number,
    v.process_definition_id,
    d.tenant_id,
    n.task_queue,
    n.kind,
    n.action,
    n.workflow_type
   FROM ((public.process_definition_versions v
     JOIN public.process_definitions d ON ((d.id = v.process_definition_id)))
     CROSS JOIN LATERAL ( SELECT v.task_queue,
            'PROCESS'::text AS kind,
            ''::text AS action,
            v.workflow_type
        UNION ALL
         SELECT (a.value ->> 'taskQueue'::text),
            'USER_ACTION'::text,
            COALESCE((a.value ->> 'code'::text), ''::text) AS "coalesce",
            (a.value ->> 'workflowType'::text)
           FROM json_array_elements(
                CASE json_typeof((v.spec -> 'userActions'::text))
                    WHEN 'array'::text THEN (v.spec -> 'userActions'::text)
                    ELSE NULL::json
                END) a(value)) n)
  WHERE ((n.task_queue IS NOT NULL) AND (n.workflow_type IS NOT NULL));
CREATE TABLE public.oidc_subjects (
    issuer text NOT NULL,
    subject text NOT NULL,
    principal_id uuid NOT NULL,
    linked_at timestamp with time zone NOT NULL,
    CONSTRAINT oidc_subjects_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 2048))),
    CONSTRAINT oidc_subjects_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);
CREATE TABLE public.principals (
    id uuid NOT NULL,
    type text NOT NULL,
    name text NOT NULL,
    email text,
    tenant_id uuid,
    disabled_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    role text,
    operator boolean DEFAULT false NOT NULL,
    CONSTRAINT principals_check CHECK (((type = 'USER'::text) = (email IS NOT NULL))),
    CONSTRAINT principals_check1 CHECK (((type = 'APPLICATION'::text) = (tenant_id IS NOT NULL))),
    CONSTRAINT principals_check2 CHECK (((type = 'APPLICATION'::text) = (role IS NOT NULL))),
    CONSTRAINT principals_check3 CHECK (((NOT operator) OR (type = 'USER'::text))),
    CONSTRAINT principals_email_check CHECK ((email ~~ '%_@_%'::text)),
    CONSTRAINT principals_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
    CONSTRAINT principals_role_check CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMINISTRATOR'::text, 'MEMBER'::text]))),
    CONSTRAINT principals_type_check CHECK ((type = ANY (ARRAY['USER'::text, 'APPLICATION'::text, 'SYSTEM'::text])))
);
CREATE TABLE public.process_actions (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    process_id uuid NOT NULL,
    type text NOT NULL,
    status text NOT NULL,
    document_id uuid,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    action_id uuid NOT NULL,
    action_code text NOT NULL,
    started_definition_id uuid,
    started_process_id uuid,
    item_id uuid,
    thread_id uuid,
    signal_name text,
    document_uri text,
    error text,
    input json,
    input_valid boolean,
    input_errors json,
    errors json,
    CONSTRAINT process_actions_check CHECK (((status = 'REQUESTED'::text) = (finished_at IS NULL))),
    CONSTRAINT process_actions_check1 CHECK (((status <> 'REQUESTED'::text) OR (type = ANY (ARRAY['DOWNLOADABLE'::text, 'START_WORKFLOW'::text])))),
    CONSTRAINT process_actions_check2 CHECK (((document_id IS NULL) = (document_uri IS NULL))),
    CONSTRAINT process_actions_check3 CHECK (((document_id IS NULL) OR (type = 'DOWNLOADABLE'::text))),
    CONSTRAINT process_actions_check4 CHECK (((started_definition_id IS NULL) = (started_process_id IS NULL))),
    CONSTRAINT process_actions_check5 CHECK (((thread_id IS NULL) OR (item_id IS NOT NULL))),
    CONSTRAINT process_actions_check6 CHECK (((error IS NULL) OR (status = 'ERROR'::text))),
    CONSTRAINT process_actions_errors_check CHECK (((errors IS NULL) OR (status = 'ERROR'::text))),
    CONSTRAINT process_actions_input_check CHECK ((((input IS NULL) = (input_valid IS NULL)) AND ((input IS NULL) OR (type = 'SEND_WORKFLOW_SIGNAL'::text)))),
    CONSTRAINT process_actions_status_check CHECK ((status = ANY (ARRAY['REQUESTED'::text, 'COMPLETED'::text, 'CANCELED'::text, 'ERROR'::text]))),
    CONSTRAINT process_actions_type_check CHECK ((type = ANY (ARRAY['DOWNLOADABLE'::text, 'START_WORKFLOW'::text, 'START_RELATED_PROCESS'::text, 'CREATE_TASK'::text, 'CREATE_PROCESS_ITEM_MESSAGE'::text, 'CREATE_PROCESS_ITEM_THREAD'::text, 'SEND_WORKFLOW_SIGNAL'::text])))
);
CREATE TABLE public.process_definition_grants (
    process_definition_id uuid NOT NULL,
    permission text NOT NULL,
    grantee_id uuid NOT NULL,
    CONSTRAINT process_definition_grants_permission_check CHECK ((permission = ANY (ARRAY['INITIATOR'::text, 'VIEWER'::text, 'MANAGER'::text, 'ADMINISTRATOR'::text])))
);
CREATE TABLE public.process_definition_indexes (
    tenant_id uuid NOT NULL,
    field text NOT NULL,
    type text NOT NULL,
    process_definition_id uuid NOT NULL,
    CONSTRAINT process_definition_indexes_type_check CHECK ((type = ANY (ARRAY['STRING'::text, 'NUMBER'::text, 'DATE'::text])))
);
CREATE TABLE public.process_index (
    process_id uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    field text NOT NULL COLLATE pg_catalog."C",
    text_value text COLLATE pg_catalog."C",
    text_rest text COLLATE pg_catalog."C",
    text_folded text COLLATE pg_catalog."C",
    number_value numeric,
    date_value date,
    time_value timestamp with time zone,
    CONSTRAINT process_index_check CHECK (((text_rest IS NULL) OR (length(text_value) = 200))),
    CONSTRAINT process_index_check1 CHECK ((num_nonnulls(text_value, number_value, date_value) = 1)),
    CONSTRAINT process_index_check2 CHECK (((time_value IS NULL) OR (date_value IS NOT NULL))),
    CONSTRAINT process_index_text_value_check CHECK ((length(text_value) <= 200))
);
CREATE TABLE public.process_items (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    process_id uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    type text NOT NULL,
    item_definition_id uuid,
    item_version uuid,
    item_definition_code text,
    owner_id uuid,
    task_state text,
    task_data json,
    task_data_valid boolean,
    task_data_errors json,
    context_data json,
    context_data_valid boolean,
    context_data_errors json,
    message_text text,
    message_data json,
    message_data_valid boolean,
    message_data_errors json,
    message_data_code text,
    claimed_at timestamp with time zone,
    completed_at timestamp with time zone,
    cancelled_at timestamp with time zone,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    element_values json,
    activity_token bytea,
    thread_id uuid,
    deleted_at timestamp with time zone,
    deleted_by uuid,
    CONSTRAINT process_items_activity_token_check CHECK ((length(activity_token) > 0)),
    CONSTRAINT process_items_activity_token_size CHECK ((length(activity_token) <= 16384)),
    CONSTRAINT process_items_check CHECK (((type = 'TASK'::text) = (task_state IS NOT NULL))),
    CONSTRAINT process_items_check1 CHECK (((type = 'MESSAGE'::text) OR (item_definition_id IS NOT NULL))),
    CONSTRAINT process_items_check10 CHECK (((task_data IS NULL) = (task_data_valid IS NULL))),
    CONSTRAINT process_items_check11 CHECK (((context_data IS NULL) = (context_data_valid IS NULL))),
    CONSTRAINT process_items_check12 CHECK (((message_data IS NULL) = (message_data_valid IS NULL))),
    CONSTRAINT process_items_check13 CHECK (((message_data IS NULL) = (message_data_code IS NULL))),
    CONSTRAINT process_items_check14 CHECK (((type = 'TASK'::text) OR (num_nonnulls(element_values, activity_token) = 0))),
    CONSTRAINT process_items_check2 CHECK ((num_nulls(item_definition_id, item_version, item_definition_code) = ANY (ARRAY[0, 3]))),
    CONSTRAINT process_items_check3 CHECK (((type = 'TASK'::text) OR (num_nonnulls(task_data, context_data, claimed_at, completed_at, cancelled_at) = 0))),
    CONSTRAINT process_items_check4 CHECK (((type = 'MESSAGE'::text) OR (num_nonnulls(message_text, message_data, message_data_code) = 0))),
    CONSTRAINT process_items_check5 CHECK (((type <> 'MESSAGE'::text) OR (num_nonnulls(message_text, message_data) > 0))),
    CONSTRAINT process_items_check6 CHECK (((task_state IS DISTINCT FROM 'READY'::text) OR (owner_id IS NULL))),
    CONSTRAINT process_items_check7 CHECK (((task_state <> ALL (ARRAY['CLAIMED'::text, 'COMPLETED'::text])) OR (owner_id IS NOT NULL))),
    CONSTRAINT process_items_check8 CHECK (((task_state IS DISTINCT FROM 'COMPLETED'::text) OR (completed_at IS NOT NULL))),
    CONSTRAINT process_items_check9 CHECK (((task_state IS DISTINCT FROM 'CANCELLED'::text) OR (cancelled_at IS NOT NULL))),
    CONSTRAINT process_items_context_data_check CHECK ((json_typeof(context_data) = 'object'::text)),
    CONSTRAINT process_items_deleted_check CHECK ((((deleted_at IS NULL) = (deleted_by IS NULL)) AND ((deleted_at IS NULL) OR (task_state IS NULL) OR (task_state = ANY (ARRAY['COMPLETED'::text, 'CANCELLED'::text]))))),
    CONSTRAINT process_items_element_values_check CHECK ((json_typeof(element_values) = 'object'::text)),
    CONSTRAINT process_items_message_data_check CHECK ((json_typeof(message_data) = 'object'::text)),
    CONSTRAINT process_items_task_data_check CHECK ((json_typeof(task_data) = 'object'::text)),
    CONSTRAINT process_items_task_state_check CHECK ((task_state = ANY (ARRAY['READY'::text, 'CLAIMED'::text, 'COMPLETED'::text, 'CANCELLED'::text]))),
    CONSTRAINT process_items_thread_check CHECK (((thread_id IS NULL) OR (type <> 'THREAD'::text))),
    CONSTRAINT process_items_type_check CHECK ((type = ANY (ARRAY['TASK'::text, 'MESSAGE'::text, 'THREAD'::text])))
);
CREATE TABLE public.process_relations (
    tenant_id uuid NOT NULL,
    from_id uuid NOT NULL,
    to_id uuid NOT NULL,
    CONSTRAINT process_relations_check CHECK ((from_id <> to_id))
);
CREATE TABLE public.processes (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    process_version uuid NOT NULL,
    process_definition_code text NOT NULL,
    state text NOT NULL,
    initiator_id uuid NOT NULL,
    metadata json,
    metadata_valid boolean,
    metadata_errors json,
    entity json,
    entity_valid boolean,
    entity_errors json,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    subject text NOT NULL,
    element_values json,
    deleted_at timestamp with time zone,
    deleted_by uuid,
    CONSTRAINT processes_check CHECK (((metadata IS NULL) = (metadata_valid IS NULL))),
    CONSTRAINT processes_check1 CHECK (((entity IS NULL) = (entity_valid IS NULL))),
    CONSTRAINT processes_deleted_check CHECK ((((deleted_at IS NULL) = (deleted_by IS NULL)) AND ((deleted_at IS NULL) OR (state <> 'RUNNING'::text)))),
    CONSTRAINT processes_element_values_check CHECK ((json_typeof(element_values) = 'object'::text)),
    CONSTRAINT processes_entity_check CHECK ((json_typeof(entity) = 'object'::text)),
    CONSTRAINT processes_metadata_check CHECK ((json_typeof(metadata) = 'object'::text)),
    CONSTRAINT processes_state_check CHECK ((state = ANY (ARRAY['RUNNING'::text, 'COMPLETED'::text, 'CANCELLED'::text]))),
    CONSTRAINT processes_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);
CREATE TABLE public.removed_events (
    tenant_id uuid NOT NULL,
    era integer NOT NULL,
    xid xid8 NOT NULL,
    "position" bigint NOT NULL
);
CREATE TABLE public.resources (
    tenant_id uuid NOT NULL,
    kind text NOT NULL,
    code text NOT NULL,
    id uuid NOT NULL,
    labels jsonb NOT NULL,
    spec json NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    words text GENERATED ALWAYS AS (lower(((((code || '
'::text) || COALESCE((spec ->> 'name'::text), ''::text)) || '
'::text) || COALESCE((spec ->> 'email'::text), ''::text)))) STORED NOT NULL,
    CONSTRAINT resources_code_check CHECK (((length(code) >= 1) AND (length(code) <= 63))),
    CONSTRAINT resources_kind_check CHECK ((kind = ANY (ARRAY['Tenant'::text, 'User'::text, 'Application'::text, 'Group'::text, 'DataStructure'::text, 'EncryptionKey'::text, 'DataSource'::text, 'ProcessDefinition'::text, 'BusinessArtifactDefinition'::text, 'WebhookSubscription'::text, 'Robot'::text])))
);
CREATE TABLE public.retention_turns (
    tenant_id uuid NOT NULL,
    kind text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    after_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    after_id uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    removed bigint DEFAULT 0 NOT NULL,
    CONSTRAINT retention_turns_kind_check CHECK ((kind = ANY (ARRAY['EVENTS'::text, 'PROCESSES'::text, 'DELETED'::text, 'DELIVERIES'::text, 'ASSISTANCE_CALLS'::text])))
);
CREATE TABLE public.robot_environment (
    robot_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    sealed bytea NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    CONSTRAINT robot_environment_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255)))
);
CREATE TABLE public.robot_files (
    robot_id uuid NOT NULL,
    document_id uuid NOT NULL,
    asset_type text,
    version text,
    platform text,
    architecture text,
    CONSTRAINT robot_files_architecture_check CHECK ((architecture = ANY (ARRAY['X86_32'::text, 'X86_64'::text]))),
    CONSTRAINT robot_files_asset_type_check CHECK ((asset_type = ANY (ARRAY['PYTHON'::text, 'PYTHON_PIP'::text, 'NODEJS'::text]))),
    CONSTRAINT robot_files_check CHECK ((num_nulls(asset_type, version, platform, architecture) = ANY (ARRAY[0, 4]))),
    CONSTRAINT robot_files_platform_check CHECK ((platform = ANY (ARRAY['WINDOWS'::text, 'MAC_OS'::text, 'LINUX'::text]))),
    CONSTRAINT robot_files_version_check CHECK (((length(version) >= 1) AND (length(version) <= 50)))
);
CREATE TABLE public.robot_grants (
    robot_id uuid NOT NULL,
    grantee_id uuid NOT NULL
);
CREATE TABLE public.robots (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    code text NOT NULL,
    name text NOT NULL,
    description text,
    source_type text NOT NULL,
    workflow_type text,
    task_queue text,
    runner_id uuid,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    CONSTRAINT robots_check CHECK (((workflow_type IS NULL) OR (num_nulls(task_queue, runner_id) = 0))),
    CONSTRAINT robots_code_check CHECK (((length(code) >= 1) AND (length(code) <= 50))),
    CONSTRAINT robots_description_check CHECK (((length(description) >= 1) AND (length(description) <= 4000))),
    CONSTRAINT robots_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50))),
    CONSTRAINT robots_source_type_check CHECK ((source_type = ANY (ARRAY['PACKAGE'::text, 'ROBOT_FRAMEWORK_PYTHON_WHEEL'::text]))),
    CONSTRAINT robots_task_queue_check CHECK (((length(task_queue) >= 1) AND (length(task_queue) <= 255))),
    CONSTRAINT robots_workflow_type_check CHECK (((length(workflow_type) >= 1) AND (length(workflow_type) <= 255)))
);
CREATE TABLE public.signing_keys (
    id text NOT NULL,
    purpose text NOT NULL,
    public_pem text NOT NULL,
    sealed_private bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    retired_at timestamp with time zone,
    cross_pem text,
    distrusted_at timestamp with time zone,
    CONSTRAINT signing_keys_check CHECK (((distrusted_at IS NULL) OR (retired_at IS NOT NULL))),
    CONSTRAINT signing_keys_purpose_check CHECK ((purpose = ANY (ARRAY['ENGINE_TOKEN'::text, 'CERTIFICATE_AUTHORITY'::text])))
);
CREATE TABLE public.task_logs (
    process_item_id uuid NOT NULL,
    "position" bigint NOT NULL,
    id uuid NOT NULL,
    logged_at timestamp with time zone NOT NULL,
    message text NOT NULL,
    level text NOT NULL,
    CONSTRAINT task_logs_level_check CHECK ((level = ANY (ARRAY['INFO'::text, 'WARN'::text, 'ERROR'::text]))),
    CONSTRAINT task_logs_message_check CHECK (((length(message) >= 1) AND (length(message) <= 4000)))
);
ALTER TABLE public.task_logs ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.task_logs_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.task_queue_observations (
    tenant_id uuid NOT NULL,
    task_queue text NOT NULL,
    due_at timestamp with time zone NOT NULL,
    observed_at timestamp with time zone,
    pollers jsonb DEFAULT '[]'::jsonb NOT NULL,
    workflow_count bigint DEFAULT 0 NOT NULL,
    workflow_age interval DEFAULT '00:00:00'::interval NOT NULL,
    activity_count bigint DEFAULT 0 NOT NULL,
    activity_age interval DEFAULT '00:00:00'::interval NOT NULL,
    failed_at timestamp with time zone,
    failure text DEFAULT ''::text NOT NULL,
    CONSTRAINT task_queue_observations_check CHECK (((failed_at IS NULL) = (failure = ''::text))),
    CONSTRAINT task_queue_observations_task_queue_check CHECK (((length(task_queue) >= 1) AND (length(task_queue) <= 255)))
);
CREATE TABLE public.tenant_users (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    principal_id uuid NOT NULL,
    role text NOT NULL,
    metadata json,
    metadata_valid boolean,
    metadata_errors json,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    disabled_at timestamp with time zone,
    CONSTRAINT tenant_users_check CHECK (((metadata IS NULL) = (metadata_valid IS NULL))),
    CONSTRAINT tenant_users_role_check CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMINISTRATOR'::text, 'MEMBER'::text])))
);
CREATE TABLE public.tenants (
    id uuid NOT NULL,
    name text NOT NULL,
    plan text NOT NULL,
    namespace text NOT NULL,
    time_zone text DEFAULT 'Etc/UTC'::text NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    code text NOT NULL,
    user_metadata_schema json,
    CONSTRAINT tenants_code_check CHECK ((code ~ '^[a-z][a-z0-9-]{0,62}$'::text)),
    CONSTRAINT tenants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
    CONSTRAINT tenants_namespace_check CHECK (((namespace ~ '^[a-z][a-z0-9-]{0,62}$'::text) AND (namespace <> ALL (ARRAY['procession'::text, 'temporal-system'::text])))),
    CONSTRAINT tenants_plan_check CHECK ((plan = ANY (ARRAY['FREE'::text, 'PREMIUM'::text, 'UNLIMITED'::text])))
);
CREATE TABLE public.version_needs (
    version uuid NOT NULL,
    number integer NOT NULL,
    process_definition_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    task_queue text NOT NULL,
    kind text NOT NULL,
    action text NOT NULL,
    workflow_type text NOT NULL,
    CONSTRAINT version_needs_kind_check CHECK ((kind = ANY (ARRAY['PROCESS'::text, 'USER_ACTION'::text])))
);
CREATE TABLE public.webhook_attempts (
    delivery_id uuid NOT NULL,
    round integer NOT NULL,
    number integer NOT NULL,
    at timestamp with time zone NOT NULL,
    status integer NOT NULL,
    latency interval NOT NULL,
    failure text NOT NULL,
    detail text NOT NULL,
    answer text NOT NULL
);
CREATE TABLE public.webhook_backlogs (
    id bigint NOT NULL,
    subscription_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    era integer NOT NULL,
    xid xid8 NOT NULL,
    "position" bigint NOT NULL,
    until_era integer,
    until_xid xid8,
    until_position bigint,
    next_event_id uuid,
    payload_version text NOT NULL,
    event_types text[],
    process_definition_id uuid,
    dropped boolean DEFAULT false NOT NULL,
    CONSTRAINT webhook_backlogs_check CHECK ((((until_era IS NULL) = (until_xid IS NULL)) AND ((until_era IS NULL) = (until_position IS NULL)))),
    CONSTRAINT webhook_backlogs_check1 CHECK (((NOT dropped) OR (until_xid IS NOT NULL))),
    CONSTRAINT webhook_backlogs_payload_version_check CHECK ((payload_version = ANY (ARRAY['A'::text, 'B'::text])))
);
ALTER TABLE public.webhook_backlogs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_backlogs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_cursor (
    era integer NOT NULL,
    xid xid8 NOT NULL,
    "position" bigint NOT NULL,
    singleton boolean DEFAULT true NOT NULL,
    CONSTRAINT webhook_cursor_singleton_check CHECK (singleton)
);
CREATE TABLE public.webhook_deliveries (
    id uuid NOT NULL,
    sequence bigint NOT NULL,
    subscription_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    payload_version text NOT NULL,
    process_id uuid,
    state text NOT NULL,
    round integer DEFAULT 1 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    queued_at timestamp with time zone NOT NULL,
    leased_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    next_attempt_at timestamp with time zone,
    last_attempt_at timestamp with time zone,
    finished_at timestamp with time zone,
    event_era integer,
    event_xid xid8,
    event_position bigint,
    CONSTRAINT webhook_deliveries_check CHECK (((finished_at IS NULL) = (state = ANY (ARRAY['PENDING'::text, 'RETRYING'::text])))),
    CONSTRAINT webhook_deliveries_check1 CHECK (((next_attempt_at IS NOT NULL) = (state = 'RETRYING'::text))),
    CONSTRAINT webhook_deliveries_payload_version_check CHECK ((payload_version = ANY (ARRAY['A'::text, 'B'::text]))),
    CONSTRAINT webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'RETRYING'::text, 'DELIVERED'::text, 'DEAD'::text, 'DROPPED'::text])))
);
ALTER TABLE public.webhook_deliveries ALTER COLUMN sequence ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_deliveries_sequence_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.webhook_endpoints (
    subscription_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    url text NOT NULL,
    payload_version text NOT NULL,
    event_types text[],
    process_definition_id uuid,
    paused boolean NOT NULL,
    failing_since timestamp with time zone,
    failures integer DEFAULT 0 NOT NULL,
    held_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    disabled_at timestamp with time zone,
    disabled_reason text,
    events_lost_at timestamp with time zone,
    CONSTRAINT webhook_endpoints_check CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
    CONSTRAINT webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['GONE'::text, 'FAILING'::text]))),
    CONSTRAINT webhook_endpoints_payload_version_check CHECK ((payload_version = ANY (ARRAY['A'::text, 'B'::text]))),
    CONSTRAINT webhook_endpoints_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2000)))
);
CREATE TABLE public.webhook_secrets (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    subscription_id uuid NOT NULL,
    name text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT webhook_secrets_name_check CHECK (((length(name) >= 1) AND (length(name) <= 50)))
);
CREATE TABLE public.worker_queues (
    worker_id uuid NOT NULL,
    principal_id uuid NOT NULL,
    task_queue text NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    workflow_types text[] DEFAULT '{}'::text[] NOT NULL,
    activity_types text[] DEFAULT '{}'::text[] NOT NULL,
    live_since timestamp with time zone,
    CONSTRAINT worker_queues_task_queue_check CHECK (((length(task_queue) >= 1) AND (length(task_queue) <= 255)))
);
CREATE TABLE public.workers (
    id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    principal_id uuid NOT NULL,
    identity text NOT NULL,
    hostname text NOT NULL,
    ip text NOT NULL,
    installation_id uuid,
    workflow_types text[] NOT NULL,
    activity_types text[] NOT NULL,
    robot_ids uuid[] NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    created_by uuid NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_modified_by uuid NOT NULL,
    last_modified_at timestamp with time zone NOT NULL,
    CONSTRAINT workers_hostname_check CHECK (((length(hostname) >= 1) AND (length(hostname) <= 255))),
    CONSTRAINT workers_identity_check CHECK (((length(identity) >= 1) AND (length(identity) <= 255))),
    CONSTRAINT workers_ip_check CHECK (((length(ip) >= 7) AND (length(ip) <= 40)))
);
ALTER TABLE ONLY public.events ATTACH PARTITION public.events_1 FOR VALUES FROM (MINVALUE) TO (2);
ALTER TABLE ONLY public.events ALTER COLUMN "position" SET DEFAULT nextval('public.event_positions'::regclass);
ALTER TABLE ONLY public.artifact_counts
    ADD CONSTRAINT artifact_counts_tenant_id_definition_id_definition_code_key UNIQUE (tenant_id, definition_id, definition_code);
ALTER TABLE ONLY public.assistance_calls
    ADD CONSTRAINT assistance_calls_pkey PRIMARY KEY (item_id, run);
ALTER TABLE ONLY public.assistance_usage
    ADD CONSTRAINT assistance_usage_pkey PRIMARY KEY (tenant_id);
ALTER TABLE ONLY public.availability_faults
    ADD CONSTRAINT availability_faults_pkey PRIMARY KEY (process_version, action_code);
ALTER TABLE ONLY public.business_artifact_actions
    ADD CONSTRAINT business_artifact_actions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.business_artifact_definition_grants
    ADD CONSTRAINT business_artifact_definition_grants_pkey PRIMARY KEY (grantee_id, permission, business_artifact_definition_id);
ALTER TABLE ONLY public.business_artifact_index
    ADD CONSTRAINT business_artifact_index_pkey PRIMARY KEY (business_artifact_id, field);
ALTER TABLE ONLY public.business_artifacts
    ADD CONSTRAINT business_artifacts_id_tenant_id_key UNIQUE (id, tenant_id);
ALTER TABLE ONLY public.business_artifacts
    ADD CONSTRAINT business_artifacts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_secret_sha256_key UNIQUE (secret_sha256);
ALTER TABLE ONLY public.counted_until
    ADD CONSTRAINT counted_until_pkey PRIMARY KEY (singleton);
ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_secret_sha256_principal_id_tenant_id_key UNIQUE NULLS NOT DISTINCT (secret_sha256, principal_id, tenant_id);
ALTER TABLE ONLY public.data_source_grants
    ADD CONSTRAINT data_source_grants_pkey PRIMARY KEY (grantee_id, data_source_id);
ALTER TABLE ONLY public.data_source_runs
    ADD CONSTRAINT data_source_runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.data_sources
    ADD CONSTRAINT data_sources_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.data_sources
    ADD CONSTRAINT data_sources_tenant_id_code_key UNIQUE (tenant_id, code);
ALTER TABLE ONLY public.document_embeddings
    ADD CONSTRAINT document_embeddings_pkey PRIMARY KEY (tenant_id, sha256, model, "position");
ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_pkey PRIMARY KEY (holder_id, slot, document_id);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.encryption_key_reads
    ADD CONSTRAINT encryption_key_reads_pkey PRIMARY KEY (encryption_key_id, principal_id);
ALTER TABLE ONLY public.encryption_keys
    ADD CONSTRAINT encryption_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.encryption_keys
    ADD CONSTRAINT encryption_keys_tenant_id_code_version_key UNIQUE (tenant_id, code, version);
ALTER TABLE ONLY public.encryption_keys
    ADD CONSTRAINT encryption_keys_tenant_id_key_id_key UNIQUE (tenant_id, key_id);
ALTER TABLE ONLY public.engine_commands
    ADD CONSTRAINT engine_commands_id_key UNIQUE (id);
ALTER TABLE ONLY public.engine_commands
    ADD CONSTRAINT engine_commands_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY public.engine_grants
    ADD CONSTRAINT engine_grants_identifier_key UNIQUE (identifier);
ALTER TABLE ONLY public.engine_grants
    ADD CONSTRAINT engine_grants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.engine_runs
    ADD CONSTRAINT engine_runs_namespace_workflow_id_key UNIQUE (namespace, workflow_id);
ALTER TABLE ONLY public.engine_runs
    ADD CONSTRAINT engine_runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.engine_watermarks
    ADD CONSTRAINT engine_watermarks_pkey PRIMARY KEY (namespace);
ALTER TABLE ONLY public.event_ledger
    ADD CONSTRAINT event_ledger_pkey PRIMARY KEY (singleton);
ALTER TABLE ONLY public.event_partitions
    ADD CONSTRAINT event_partitions_pkey PRIMARY KEY (era);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (era, xid, "position");
ALTER TABLE ONLY public.events_1
    ADD CONSTRAINT events_1_pkey PRIMARY KEY (era, xid, "position");
ALTER TABLE ONLY public.goose_db_version
    ADD CONSTRAINT goose_db_version_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_pkey PRIMARY KEY (principal_id, group_id);
ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_tenant_id_code_key UNIQUE (tenant_id, code);
ALTER TABLE ONLY public.incidents
    ADD CONSTRAINT incidents_engine_run_id_run_id_key UNIQUE (engine_run_id, run_id);
ALTER TABLE ONLY public.incidents
    ADD CONSTRAINT incidents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.item_assistance
    ADD CONSTRAINT item_assistance_pkey PRIMARY KEY (item_id);
ALTER TABLE ONLY public.item_counts
    ADD CONSTRAINT item_counts_tenant_id_process_definition_id_process_version_key UNIQUE NULLS NOT DISTINCT (tenant_id, process_definition_id, process_version, item_definition_id, item_definition_code, type, task_state);
ALTER TABLE ONLY public.item_definition_grants
    ADD CONSTRAINT item_definition_grants_grantee_id_permission_item_definitio_key UNIQUE NULLS NOT DISTINCT (grantee_id, permission, item_definition_id);
ALTER TABLE ONLY public.item_definition_versions
    ADD CONSTRAINT item_definition_versions_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.item_definition_versions
    ADD CONSTRAINT item_definition_versions_process_version_item_definition_id_key UNIQUE (process_version, item_definition_id);
ALTER TABLE ONLY public.item_definition_versions
    ADD CONSTRAINT item_definition_versions_version_item_definition_id_key UNIQUE (version, item_definition_id);
ALTER TABLE ONLY public.item_definitions
    ADD CONSTRAINT item_definitions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.item_definitions
    ADD CONSTRAINT item_definitions_process_definition_id_code_key UNIQUE (process_definition_id, code);
ALTER TABLE ONLY public.oidc_subjects
    ADD CONSTRAINT oidc_subjects_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.oidc_subjects
    ADD CONSTRAINT oidc_subjects_principal_id_issuer_key UNIQUE (principal_id, issuer);
ALTER TABLE ONLY public.principals
    ADD CONSTRAINT principals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.process_actions
    ADD CONSTRAINT process_actions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.process_counts
    ADD CONSTRAINT process_counts_tenant_id_process_definition_id_process_defi_key UNIQUE (tenant_id, process_definition_id, process_definition_code, process_version, state, items);
ALTER TABLE ONLY public.process_definition_grants
    ADD CONSTRAINT process_definition_grants_pkey PRIMARY KEY (grantee_id, permission, process_definition_id);
ALTER TABLE ONLY public.process_definition_indexes
    ADD CONSTRAINT process_definition_indexes_pkey PRIMARY KEY (tenant_id, field, type, process_definition_id);
ALTER TABLE ONLY public.process_definition_versions
    ADD CONSTRAINT process_definition_versions_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.process_definition_versions
    ADD CONSTRAINT process_definition_versions_process_definition_id_number_key UNIQUE (process_definition_id, number);
ALTER TABLE ONLY public.process_definition_versions
    ADD CONSTRAINT process_definition_versions_version_process_definition_id_key UNIQUE (version, process_definition_id);
ALTER TABLE ONLY public.process_definitions
    ADD CONSTRAINT process_definitions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.process_definitions
    ADD CONSTRAINT process_definitions_tenant_id_code_key UNIQUE (tenant_id, code);
ALTER TABLE ONLY public.process_index
    ADD CONSTRAINT process_index_pkey PRIMARY KEY (process_id, field);
ALTER TABLE ONLY public.process_items
    ADD CONSTRAINT process_items_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.process_relations
    ADD CONSTRAINT process_relations_pkey PRIMARY KEY (from_id, to_id);
ALTER TABLE ONLY public.processes
    ADD CONSTRAINT processes_id_tenant_id_key UNIQUE (id, tenant_id);
ALTER TABLE ONLY public.processes
    ADD CONSTRAINT processes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.removed_events
    ADD CONSTRAINT removed_events_pkey PRIMARY KEY (tenant_id);
ALTER TABLE ONLY public.resources
    ADD CONSTRAINT resources_pkey PRIMARY KEY (tenant_id, kind, code);
ALTER TABLE ONLY public.resources
    ADD CONSTRAINT resources_tenant_id_kind_id_key UNIQUE (tenant_id, kind, id);
ALTER TABLE ONLY public.retention_turns
    ADD CONSTRAINT retention_turns_pkey PRIMARY KEY (tenant_id, kind);
ALTER TABLE ONLY public.robot_environment
    ADD CONSTRAINT robot_environment_pkey PRIMARY KEY (robot_id, name);
ALTER TABLE ONLY public.robot_files
    ADD CONSTRAINT robot_files_document_id_key UNIQUE (document_id);
ALTER TABLE ONLY public.robot_files
    ADD CONSTRAINT robot_files_robot_id_asset_type_version_platform_architectu_key UNIQUE NULLS NOT DISTINCT (robot_id, asset_type, version, platform, architecture);
ALTER TABLE ONLY public.robot_grants
    ADD CONSTRAINT robot_grants_pkey PRIMARY KEY (grantee_id, robot_id);
ALTER TABLE ONLY public.robots
    ADD CONSTRAINT robots_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.robots
    ADD CONSTRAINT robots_tenant_id_code_key UNIQUE (tenant_id, code);
ALTER TABLE ONLY public.signing_keys
    ADD CONSTRAINT signing_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.task_logs
    ADD CONSTRAINT task_logs_pkey PRIMARY KEY (process_item_id, "position");
ALTER TABLE ONLY public.task_logs
    ADD CONSTRAINT task_logs_process_item_id_id_key UNIQUE (process_item_id, id);
ALTER TABLE ONLY public.task_queue_observations
    ADD CONSTRAINT task_queue_observations_pkey PRIMARY KEY (tenant_id, task_queue);
ALTER TABLE ONLY public.tenant_users
    ADD CONSTRAINT tenant_users_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tenant_users
    ADD CONSTRAINT tenant_users_tenant_id_principal_id_key UNIQUE (tenant_id, principal_id);
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_code_key UNIQUE (code);
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_namespace_key UNIQUE (namespace);
ALTER TABLE ONLY public.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_pkey PRIMARY KEY (delivery_id, round, number);
ALTER TABLE ONLY public.webhook_backlogs
    ADD CONSTRAINT webhook_backlogs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_cursor
    ADD CONSTRAINT webhook_cursor_pkey PRIMARY KEY (singleton);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_event_id_subscription_id_key UNIQUE (event_id, subscription_id);
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (subscription_id);
ALTER TABLE ONLY public.webhook_secrets
    ADD CONSTRAINT webhook_secrets_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.worker_queues
    ADD CONSTRAINT worker_queues_pkey PRIMARY KEY (principal_id, task_queue, worker_id);
ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_tenant_id_identity_key UNIQUE (tenant_id, identity);
CREATE INDEX assistance_calls_tenant ON public.assistance_calls USING btree (tenant_id, asked_at);
CREATE INDEX availability_faults_last ON public.availability_faults USING btree (tenant_id, last_at);
CREATE INDEX availability_faults_process ON public.availability_faults USING btree (process_id);
CREATE INDEX business_artifact_actions_artifact ON public.business_artifact_actions USING btree (business_artifact_id);
CREATE INDEX business_artifact_actions_started ON public.business_artifact_actions USING btree (process_id) WHERE (process_id IS NOT NULL);
CREATE INDEX business_artifact_definition_grants_definition ON public.business_artifact_definition_grants USING btree (business_artifact_definition_id);
CREATE INDEX business_artifact_index_date ON public.business_artifact_index USING btree (definition_id, field, date_value, created_at, business_artifact_id) WHERE (date_value IS NOT NULL);
CREATE INDEX business_artifact_index_number ON public.business_artifact_index USING btree (definition_id, field, number_value, created_at, business_artifact_id) WHERE (number_value IS NOT NULL);
CREATE INDEX business_artifact_index_text ON public.business_artifact_index USING btree (definition_id, field, text_value, created_at, business_artifact_id) WHERE (text_value IS NOT NULL);
CREATE INDEX business_artifact_index_words ON public.business_artifact_index USING gin (COALESCE(text_folded, (text_value || COALESCE(text_rest, ''::text)), (number_value)::text, ((((lpad((EXTRACT(year FROM date_value))::text, 4, '0'::text) || '-'::text) || lpad((EXTRACT(month FROM date_value))::text, 2, '0'::text)) || '-'::text) || lpad((EXTRACT(day FROM date_value))::text, 2, '0'::text))) public.gin_trgm_ops);
CREATE INDEX business_artifacts_created ON public.business_artifacts USING btree (tenant_id, created_at, id) INCLUDE (definition_id);
CREATE INDEX business_artifacts_definition ON public.business_artifacts USING btree (tenant_id, definition_id, created_at, id);
CREATE INDEX business_artifacts_deleted ON public.business_artifacts USING btree (id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX business_artifacts_deleted_at ON public.business_artifacts USING btree (tenant_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX business_artifacts_modified ON public.business_artifacts USING btree (tenant_id, definition_id, last_modified_at, id);
CREATE INDEX console_sessions_expiry ON public.console_sessions USING btree (expires_at);
CREATE INDEX console_sessions_principal ON public.console_sessions USING btree (principal_id, last_used_at DESC);
CREATE INDEX credentials_principal ON public.credentials USING btree (principal_id);
CREATE INDEX data_source_grants_source ON public.data_source_grants USING btree (data_source_id);
CREATE INDEX data_source_runs_created ON public.data_source_runs USING btree (created_at);
CREATE INDEX data_source_runs_of ON public.data_source_runs USING btree (requested_by, created_at);
CREATE INDEX document_embeddings_missing ON public.document_embeddings USING btree (tenant_id, sha256, model, "position") WHERE (vector IS NULL);
CREATE INDEX document_links_document ON public.document_links USING btree (document_id);
CREATE INDEX documents_blob ON public.documents USING btree (tenant_id, blob_id);
CREATE INDEX documents_content ON public.documents USING btree (tenant_id, sha256);
CREATE INDEX documents_expiry ON public.documents USING btree (expires_at, id) WHERE (expires_at IS NOT NULL);
CREATE INDEX documents_owner ON public.documents USING btree (owner_id);
CREATE INDEX documents_temporary ON public.documents USING btree (tenant_id) INCLUDE (expires_at, owner_kind, created_by, size) WHERE (expires_at IS NOT NULL);
CREATE INDEX engine_commands_due ON public.engine_commands USING btree (not_before, "position");
CREATE INDEX engine_commands_order ON public.engine_commands USING btree (order_key, "position");
CREATE INDEX engine_grants_expiry ON public.engine_grants USING btree (expires_at);
CREATE INDEX engine_grants_principal ON public.engine_grants USING btree (principal_id, issued_at);
CREATE INDEX engine_grants_revoked ON public.engine_grants USING btree (expires_at) WHERE (revoked_at IS NOT NULL);
CREATE INDEX engine_grants_tenant ON public.engine_grants USING btree (tenant_id, issued_at, id);
CREATE INDEX engine_runs_encryption_key ON public.engine_runs USING btree (tenant_id, encryption_key_id) WHERE (encryption_key_id IS NOT NULL);
CREATE UNIQUE INDEX engine_runs_owner ON public.engine_runs USING btree (owner_id, kind) WHERE (kind <> 'TASK_ROBOT'::text);
CREATE INDEX engine_runs_running ON public.engine_runs USING btree (namespace, id) WHERE (state = 'RUNNING'::text);
CREATE INDEX engine_runs_task ON public.engine_runs USING btree (owner_id) WHERE (kind = 'TASK_ROBOT'::text);
CREATE INDEX engine_watermarks_due ON public.engine_watermarks USING btree (due_at) WHERE (due_at < 'infinity'::timestamp with time zone);
CREATE INDEX events_1_id ON public.events_1 USING brin (id uuid_minmax_multi_ops) WITH (autosummarize='on');
CREATE INDEX events_time ON ONLY public.events USING brin (occurred_at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX events_1_occurred_at_idx ON public.events_1 USING brin (occurred_at) WITH (pages_per_range='16', autosummarize='on');
CREATE INDEX events_process ON ONLY public.events USING btree (process_id, era, xid, "position") WHERE (process_id IS NOT NULL);
CREATE INDEX events_1_process_id_era_xid_position_idx ON public.events_1 USING btree (process_id, era, xid, "position") WHERE (process_id IS NOT NULL);
CREATE INDEX events_resource ON ONLY public.events USING btree (resource_id, era, xid, "position") WHERE (resource_id IS DISTINCT FROM process_id);
CREATE INDEX events_1_resource_id_era_xid_position_idx ON public.events_1 USING btree (resource_id, era, xid, "position") WHERE (resource_id IS DISTINCT FROM process_id);
CREATE INDEX events_kind ON ONLY public.events USING btree (resource_kind, tenant_id, era, xid, "position") WHERE (resource_kind <> ALL (ARRAY['PROCESS'::text, 'PROCESS_ITEM'::text]));
CREATE INDEX events_1_resource_kind_tenant_id_era_xid_position_idx ON public.events_1 USING btree (resource_kind, tenant_id, era, xid, "position") WHERE (resource_kind <> ALL (ARRAY['PROCESS'::text, 'PROCESS_ITEM'::text]));
CREATE INDEX events_tenant ON ONLY public.events USING btree (tenant_id, era, xid, "position");
CREATE INDEX events_1_tenant_id_era_xid_position_idx ON public.events_1 USING btree (tenant_id, era, xid, "position");
CREATE INDEX events_type ON ONLY public.events USING btree (type, tenant_id, era, xid, "position") WHERE (type <> ALL (ARRAY['PROCESS.CREATED'::text, 'PROCESS.STATE_CHANGED'::text, 'PROCESS_ITEM.CREATED'::text, 'PROCESS_ITEM.TASK_STATE_CHANGED'::text, 'PROCESS_ITEM.TASK_DATA_SAVED'::text]));
CREATE INDEX events_1_type_tenant_id_era_xid_position_idx ON public.events_1 USING btree (type, tenant_id, era, xid, "position") WHERE (type <> ALL (ARRAY['PROCESS.CREATED'::text, 'PROCESS.STATE_CHANGED'::text, 'PROCESS_ITEM.CREATED'::text, 'PROCESS_ITEM.TASK_STATE_CHANGED'::text, 'PROCESS_ITEM.TASK_DATA_SAVED'::text]));
CREATE INDEX incidents_process ON public.incidents USING btree (process_id);
CREATE INDEX incidents_state ON public.incidents USING btree (state, created_at, id);
CREATE INDEX incidents_tenant ON public.incidents USING btree (tenant_id, state, created_at, id);
CREATE INDEX item_assistance_deadline ON public.item_assistance USING btree (deadline) WHERE (state = 'PENDING'::text);
CREATE INDEX item_assistance_pending ON public.item_assistance USING btree (tenant_id) WHERE (state = 'PENDING'::text);
CREATE INDEX item_assistance_waiting ON public.item_assistance USING btree (dispatch_at) WHERE ((state = 'PENDING'::text) AND (NOT dispatched));
CREATE UNIQUE INDEX principals_email ON public.principals USING btree (lower(email));
CREATE INDEX principals_tenant ON public.principals USING btree (tenant_id) WHERE (tenant_id IS NOT NULL);
CREATE INDEX process_actions_item ON public.process_actions USING btree (item_id) WHERE (item_id IS NOT NULL);
CREATE INDEX process_actions_process ON public.process_actions USING btree (process_id, created_at, id);
CREATE INDEX process_actions_started ON public.process_actions USING btree (started_process_id) WHERE (started_process_id IS NOT NULL);
CREATE INDEX process_actions_thread ON public.process_actions USING btree (thread_id) WHERE (thread_id IS NOT NULL);
CREATE INDEX process_definition_versions_number ON public.process_definition_versions USING btree (process_definition_id, number DESC);
CREATE INDEX process_definition_versions_queue ON public.process_definition_versions USING btree (task_queue);
CREATE INDEX process_definition_versions_runner ON public.process_definition_versions USING btree (runner_id);
CREATE INDEX process_index_date ON public.process_index USING btree (process_definition_id, field, date_value);
CREATE INDEX process_index_number ON public.process_index USING btree (process_definition_id, field, number_value);
CREATE INDEX process_index_text ON public.process_index USING btree (process_definition_id, field, text_value);
CREATE INDEX process_items_cancelled ON public.process_items USING btree (item_definition_id, cancelled_at, id) WHERE (cancelled_at IS NOT NULL);
CREATE INDEX process_items_claimed ON public.process_items USING btree (item_definition_id, claimed_at, id) WHERE (claimed_at IS NOT NULL);
CREATE INDEX process_items_completed ON public.process_items USING btree (item_definition_id, completed_at, id) WHERE (completed_at IS NOT NULL);
CREATE INDEX process_items_created ON public.process_items USING btree (tenant_id, created_at, id);
CREATE INDEX process_items_definition ON public.process_items USING btree (item_definition_id, created_at, id);
CREATE INDEX process_items_deleted ON public.process_items USING btree (tenant_id, created_at, id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX process_items_modified ON public.process_items USING btree (item_definition_id, last_modified_at, id);
CREATE INDEX process_items_open ON public.process_items USING btree (tenant_id, created_at, id) WHERE (task_state = ANY (ARRAY['READY'::text, 'CLAIMED'::text]));
CREATE INDEX process_items_own ON public.process_items USING btree (owner_id, task_state, created_at, id) INCLUDE (item_definition_id, process_id) WHERE (owner_id IS NOT NULL);
CREATE INDEX process_items_process ON public.process_items USING btree (process_id, created_at, id);
CREATE INDEX process_items_thread ON public.process_items USING btree (thread_id, created_at, id) WHERE (thread_id IS NOT NULL);
CREATE INDEX process_items_undefined ON public.process_items USING btree (process_definition_id, created_at, id) WHERE (item_definition_id IS NULL);
CREATE INDEX process_items_undefined_modified ON public.process_items USING btree (process_definition_id, last_modified_at, id) WHERE (item_definition_id IS NULL);
CREATE INDEX process_relations_to ON public.process_relations USING btree (to_id);
CREATE INDEX processes_created ON public.processes USING btree (tenant_id, created_at, id);
CREATE INDEX processes_definition ON public.processes USING btree (process_definition_id, created_at, id);
CREATE INDEX processes_deleted_at ON public.processes USING btree (tenant_id, deleted_at, id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX processes_deleted_created ON public.processes USING btree (tenant_id, created_at, id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX processes_initiator ON public.processes USING btree (initiator_id, created_at, id);
CREATE INDEX processes_modified ON public.processes USING btree (process_definition_id, last_modified_at, id);
CREATE INDEX processes_running ON public.processes USING btree (process_version) WHERE (state = 'RUNNING'::text);
CREATE INDEX retention_turns_due ON public.retention_turns USING btree (due_at);
CREATE INDEX robot_grants_robot ON public.robot_grants USING btree (robot_id);
CREATE INDEX robots_created ON public.robots USING btree (tenant_id, created_at, id);
CREATE UNIQUE INDEX signing_keys_active ON public.signing_keys USING btree (purpose) WHERE (retired_at IS NULL);
CREATE INDEX task_queue_observations_due ON public.task_queue_observations USING btree (due_at);
CREATE INDEX tenant_users_principal ON public.tenant_users USING btree (principal_id);
CREATE INDEX version_needs_queue ON public.version_needs USING btree (tenant_id, task_queue);
CREATE INDEX version_needs_version ON public.version_needs USING btree (version);
CREATE UNIQUE INDEX webhook_backlogs_open ON public.webhook_backlogs USING btree (subscription_id) WHERE (until_xid IS NULL);
CREATE INDEX webhook_backlogs_place ON public.webhook_backlogs USING btree (era, xid, "position") WHERE (until_xid IS NULL);
CREATE INDEX webhook_backlogs_subscription ON public.webhook_backlogs USING btree (subscription_id, id);
CREATE INDEX webhook_deliveries_events ON public.webhook_deliveries USING brin (event_era) WITH (autosummarize='on');
CREATE INDEX webhook_deliveries_failed ON public.webhook_deliveries USING btree (subscription_id, created_at) WHERE (state = ANY (ARRAY['RETRYING'::text, 'DEAD'::text, 'DROPPED'::text]));
CREATE INDEX webhook_deliveries_finished ON public.webhook_deliveries USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX webhook_deliveries_old ON public.webhook_deliveries USING btree (tenant_id, finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX webhook_deliveries_pending ON public.webhook_deliveries USING btree (subscription_id, sequence) WHERE (state = 'PENDING'::text);
CREATE INDEX webhook_deliveries_process ON public.webhook_deliveries USING btree (subscription_id, process_id, sequence) WHERE (state = 'PENDING'::text);
CREATE INDEX webhook_deliveries_retrying ON public.webhook_deliveries USING btree (leased_until) WHERE (state = 'RETRYING'::text);
CREATE INDEX webhook_deliveries_subscription ON public.webhook_deliveries USING btree (subscription_id, sequence);
CREATE INDEX webhook_deliveries_tenant ON public.webhook_deliveries USING btree (tenant_id, sequence);
CREATE INDEX webhook_endpoints_tenant ON public.webhook_endpoints USING btree (tenant_id);
CREATE INDEX webhook_secrets_subscription ON public.webhook_secrets USING btree (subscription_id, created_at);
CREATE INDEX worker_queues_seen ON public.worker_queues USING btree (last_seen_at);
CREATE INDEX worker_queues_worker ON public.worker_queues USING btree (worker_id);
CREATE INDEX workers_principal ON public.workers USING btree (principal_id, last_seen_at);
CREATE INDEX workers_seen ON public.workers USING btree (tenant_id, last_seen_at, id);
ALTER INDEX public.events_time ATTACH PARTITION public.events_1_occurred_at_idx;
ALTER INDEX public.events_pkey ATTACH PARTITION public.events_1_pkey;
ALTER INDEX public.events_process ATTACH PARTITION public.events_1_process_id_era_xid_position_idx;
ALTER INDEX public.events_resource ATTACH PARTITION public.events_1_resource_id_era_xid_position_idx;
ALTER INDEX public.events_kind ATTACH PARTITION public.events_1_resource_kind_tenant_id_era_xid_position_idx;
ALTER INDEX public.events_tenant ATTACH PARTITION public.events_1_tenant_id_era_xid_position_idx;
ALTER INDEX public.events_type ATTACH PARTITION public.events_1_type_tenant_id_era_xid_position_idx;
CREATE TRIGGER keep_events BEFORE DELETE OR UPDATE OR TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION public.keep_events();
CREATE TRIGGER keep_events BEFORE DELETE OR UPDATE OR TRUNCATE ON public.events_1 FOR EACH STATEMENT EXECUTE FUNCTION public.keep_events();
CREATE TRIGGER keep_used_versions AFTER DELETE ON public.process_definition_versions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.keep_used_versions();
CREATE TRIGGER place_delivery BEFORE INSERT ON public.webhook_deliveries FOR EACH ROW WHEN ((new.event_xid IS NULL)) EXECUTE FUNCTION public.place_delivery();
CREATE TRIGGER record_version_needs AFTER INSERT ON public.process_definition_versions FOR EACH ROW EXECUTE FUNCTION public.record_version_needs();
ALTER TABLE ONLY public.assistance_calls
    ADD CONSTRAINT assistance_calls_item_id_fkey FOREIGN KEY (item_id) REFERENCES public.process_items(id);
ALTER TABLE ONLY public.assistance_usage
    ADD CONSTRAINT assistance_usage_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.availability_faults
    ADD CONSTRAINT availability_faults_process_id_fkey FOREIGN KEY (process_id) REFERENCES public.processes(id);
ALTER TABLE ONLY public.availability_faults
    ADD CONSTRAINT availability_faults_process_version_fkey FOREIGN KEY (process_version) REFERENCES public.process_definition_versions(version) ON DELETE CASCADE;
ALTER TABLE ONLY public.availability_faults
    ADD CONSTRAINT availability_faults_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.business_artifact_actions
    ADD CONSTRAINT business_artifact_actions_business_artifact_id_tenant_id_fkey FOREIGN KEY (business_artifact_id, tenant_id) REFERENCES public.business_artifacts(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.business_artifact_actions
    ADD CONSTRAINT business_artifact_actions_process_id_fkey FOREIGN KEY (process_id) REFERENCES public.processes(id);
ALTER TABLE ONLY public.business_artifact_index
    ADD CONSTRAINT business_artifact_index_business_artifact_id_fkey FOREIGN KEY (business_artifact_id) REFERENCES public.business_artifacts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.principals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.credentials
    ADD CONSTRAINT credentials_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.data_source_grants
    ADD CONSTRAINT data_source_grants_data_source_id_fkey FOREIGN KEY (data_source_id) REFERENCES public.data_sources(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.data_sources
    ADD CONSTRAINT data_sources_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.data_sources
    ADD CONSTRAINT data_sources_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.document_embeddings
    ADD CONSTRAINT document_embeddings_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.encryption_key_reads
    ADD CONSTRAINT encryption_key_reads_encryption_key_id_fkey FOREIGN KEY (encryption_key_id) REFERENCES public.encryption_keys(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.encryption_key_reads
    ADD CONSTRAINT encryption_key_reads_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.principals(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.encryption_keys
    ADD CONSTRAINT encryption_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.engine_commands
    ADD CONSTRAINT engine_commands_engine_run_id_fkey FOREIGN KEY (engine_run_id) REFERENCES public.engine_runs(id);
ALTER TABLE ONLY public.engine_grants
    ADD CONSTRAINT engine_grants_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.engine_grants
    ADD CONSTRAINT engine_grants_revoked_by_fkey FOREIGN KEY (revoked_by) REFERENCES public.principals(id);
ALTER TABLE ONLY public.engine_grants
    ADD CONSTRAINT engine_grants_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.engine_runs
    ADD CONSTRAINT engine_runs_tenant_id_encryption_key_id_fkey FOREIGN KEY (tenant_id, encryption_key_id) REFERENCES public.encryption_keys(tenant_id, key_id);
ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id);
ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.incidents
    ADD CONSTRAINT incidents_engine_run_id_fkey FOREIGN KEY (engine_run_id) REFERENCES public.engine_runs(id);
ALTER TABLE ONLY public.incidents
    ADD CONSTRAINT incidents_process_id_fkey FOREIGN KEY (process_id) REFERENCES public.processes(id);
ALTER TABLE ONLY public.item_assistance
    ADD CONSTRAINT item_assistance_item_id_fkey FOREIGN KEY (item_id) REFERENCES public.process_items(id);
ALTER TABLE ONLY public.item_definition_grants
    ADD CONSTRAINT item_definition_grants_item_definition_id_fkey FOREIGN KEY (item_definition_id) REFERENCES public.item_definitions(id);
ALTER TABLE ONLY public.item_definition_versions
    ADD CONSTRAINT item_definition_versions_item_definition_id_fkey FOREIGN KEY (item_definition_id) REFERENCES public.item_definitions(id);
ALTER TABLE ONLY public.item_definition_versions
    ADD CONSTRAINT item_definition_versions_process_version_fkey FOREIGN KEY (process_version) REFERENCES public.process_definition_versions(version);
ALTER TABLE ONLY public.item_definitions
    ADD CONSTRAINT item_definitions_process_definition_id_fkey FOREIGN KEY (process_definition_id) REFERENCES public.process_definitions(id);
ALTER TABLE ONLY public.oidc_subjects
    ADD CONSTRAINT oidc_subjects_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.principals
    ADD CONSTRAINT principals_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.process_actions
    ADD CONSTRAINT process_actions_item_id_fkey FOREIGN KEY (item_id) REFERENCES public.process_items(id);
ALTER TABLE ONLY public.process_actions
    ADD CONSTRAINT process_actions_process_id_fkey FOREIGN KEY (process_id) REFERENCES public.processes(id);
ALTER TABLE ONLY public.process_actions
    ADD CONSTRAINT process_actions_process_id_tenant_id_fkey FOREIGN KEY (process_id, tenant_id) REFERENCES public.processes(id, tenant_id);
ALTER TABLE ONLY public.process_actions
    ADD CONSTRAINT process_actions_started_process_id_tenant_id_fkey FOREIGN KEY (started_process_id, tenant_id) REFERENCES public.processes(id, tenant_id);
ALTER TABLE ONLY public.process_actions
    ADD CONSTRAINT process_actions_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES public.process_items(id);
ALTER TABLE ONLY public.process_definition_grants
    ADD CONSTRAINT process_definition_grants_process_definition_id_fkey FOREIGN KEY (process_definition_id) REFERENCES public.process_definitions(id);
ALTER TABLE ONLY public.process_definition_indexes
    ADD CONSTRAINT process_definition_indexes_process_definition_id_fkey FOREIGN KEY (process_definition_id) REFERENCES public.process_definitions(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.process_definition_indexes
    ADD CONSTRAINT process_definition_indexes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.process_definition_versions
    ADD CONSTRAINT process_definition_versions_process_definition_id_fkey FOREIGN KEY (process_definition_id) REFERENCES public.process_definitions(id);
ALTER TABLE ONLY public.process_definition_versions
    ADD CONSTRAINT process_definition_versions_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.process_definitions
    ADD CONSTRAINT process_definitions_published_version_id_fkey FOREIGN KEY (published_version, id) REFERENCES public.process_definition_versions(version, process_definition_id);
ALTER TABLE ONLY public.process_definitions
    ADD CONSTRAINT process_definitions_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.process_index
    ADD CONSTRAINT process_index_process_id_fkey FOREIGN KEY (process_id) REFERENCES public.processes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.process_items
    ADD CONSTRAINT process_items_process_id_tenant_id_fkey FOREIGN KEY (process_id, tenant_id) REFERENCES public.processes(id, tenant_id);
ALTER TABLE ONLY public.process_items
    ADD CONSTRAINT process_items_thread_id_fkey FOREIGN KEY (thread_id) REFERENCES public.process_items(id);
ALTER TABLE ONLY public.process_relations
    ADD CONSTRAINT process_relations_from_id_tenant_id_fkey FOREIGN KEY (from_id, tenant_id) REFERENCES public.processes(id, tenant_id);
ALTER TABLE ONLY public.process_relations
    ADD CONSTRAINT process_relations_to_id_tenant_id_fkey FOREIGN KEY (to_id, tenant_id) REFERENCES public.processes(id, tenant_id);
ALTER TABLE ONLY public.resources
    ADD CONSTRAINT resources_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.robot_environment
    ADD CONSTRAINT robot_environment_robot_id_fkey FOREIGN KEY (robot_id) REFERENCES public.robots(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.robot_files
    ADD CONSTRAINT robot_files_document_id_fkey FOREIGN KEY (document_id) REFERENCES public.documents(id);
ALTER TABLE ONLY public.robot_files
    ADD CONSTRAINT robot_files_robot_id_fkey FOREIGN KEY (robot_id) REFERENCES public.robots(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.robot_grants
    ADD CONSTRAINT robot_grants_robot_id_fkey FOREIGN KEY (robot_id) REFERENCES public.robots(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.robots
    ADD CONSTRAINT robots_runner_id_fkey FOREIGN KEY (runner_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.robots
    ADD CONSTRAINT robots_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.task_logs
    ADD CONSTRAINT task_logs_process_item_id_fkey FOREIGN KEY (process_item_id) REFERENCES public.process_items(id);
ALTER TABLE ONLY public.task_queue_observations
    ADD CONSTRAINT task_queue_observations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.tenant_users
    ADD CONSTRAINT tenant_users_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.tenant_users
    ADD CONSTRAINT tenant_users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.version_needs
    ADD CONSTRAINT version_needs_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.version_needs
    ADD CONSTRAINT version_needs_version_process_definition_id_fkey FOREIGN KEY (version, process_definition_id) REFERENCES public.process_definition_versions(version, process_definition_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_attempts
    ADD CONSTRAINT webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES public.webhook_deliveries(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_backlogs
    ADD CONSTRAINT webhook_backlogs_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.webhook_endpoints(subscription_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_deliveries
    ADD CONSTRAINT webhook_deliveries_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.webhook_endpoints(subscription_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.webhook_secrets
    ADD CONSTRAINT webhook_secrets_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
ALTER TABLE ONLY public.worker_queues
    ADD CONSTRAINT worker_queues_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.worker_queues
    ADD CONSTRAINT worker_queues_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES public.workers(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_principal_id_fkey FOREIGN KEY (principal_id) REFERENCES public.principals(id);
ALTER TABLE ONLY public.workers
    ADD CONSTRAINT workers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES public.tenants(id);
