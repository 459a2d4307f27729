-- Counts of items, processes and artifacts that are not deleted, by the columns that lists filter by and rights depend on.
-- The counts are those at a position of the event log: before all events from (era, xid) on. A total is the sum of the
-- counts and of the changes by later events, so that requests do not write to the counts.

-- The position of the counts.
CREATE TABLE counted_until (
    era       integer NOT NULL,
    xid       xid8 NOT NULL,
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
);

INSERT INTO counted_until (era, xid)
SELECT l.era, pg_snapshot_xmin(pg_current_snapshot()) FROM event_ledger l;

-- Counts of items.
CREATE TABLE item_counts (
    tenant_id             uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    process_version       uuid NOT NULL,
    item_definition_id    uuid,
    item_definition_code  text,
    type                  text NOT NULL,
    task_state            text,
    n                     bigint NOT NULL,
    UNIQUE NULLS NOT DISTINCT (tenant_id, process_definition_id, process_version, item_definition_id, item_definition_code,
                               type, task_state)
);

-- Counts of processes, also by the set of the definitions of their items, because a candidate sees a process once however
-- many of its items are visible.
CREATE TABLE process_counts (
    tenant_id               uuid NOT NULL,
    process_definition_id   uuid NOT NULL,
    process_definition_code text NOT NULL,
    process_version         uuid NOT NULL,
    state                   text NOT NULL,
    item_definition_ids     uuid[] NOT NULL,
    -- A digest of item_definition_ids; index entries have a limited size.
    items                   uuid NOT NULL,
    n                       bigint NOT NULL,
    UNIQUE (tenant_id, process_definition_id, process_definition_code, process_version, state, items)
);

-- Counts of artifacts.
CREATE TABLE artifact_counts (
    tenant_id       uuid NOT NULL,
    definition_id   uuid NOT NULL,
    definition_code text NOT NULL,
    n               bigint NOT NULL,
    UNIQUE (tenant_id, definition_id, definition_code)
);

-- Returns the events between two positions that change counts: events of some types, tenants, or processes and artifacts;
-- NULL means all. Items and artifacts occur once for each event. Arrays without elements are NULL. Sections of the log are
-- compared by era too, because comparing rows prunes no partitions.
CREATE FUNCTION counted_events(from_era integer, from_xid xid8, to_era integer, to_xid xid8,
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

-- Returns the changes of item_counts by events. Removed items have none. The changes of an item add up to the difference
-- between its first and its last state, so there is at most one of each.
CREATE FUNCTION item_changes(items uuid[], previous_states text[], states text[], deleted_processes uuid[])
RETURNS SETOF item_counts
LANGUAGE plpgsql STABLE ROWS 20
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_nestloop = on SET jit = off AS $$
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
            -- Items are deleted with their process and do not change afterwards.
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

-- Returns processes as they were at a position of the event log, without processes that did not exist or were deleted.
CREATE FUNCTION processes_at(ids uuid[], at_era integer, at_xid xid8)
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

-- Returns the changes of process_counts between two positions by processes with events; some may be new.
CREATE FUNCTION process_changes(touched uuid[], new uuid[], from_era integer, from_xid xid8, to_era integer, to_xid xid8)
RETURNS SETOF process_counts
LANGUAGE plpgsql STABLE ROWS 20 SET jit = off AS $$
DECLARE
    -- New processes have no earlier count.
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

-- Returns the changes of artifact_counts by events.
CREATE FUNCTION artifact_changes(artifacts uuid[], numbers bigint[]) RETURNS SETOF artifact_counts
LANGUAGE plpgsql STABLE ROWS 20 SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
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

-- Returns the counts of tenants and the changes by later events.
CREATE FUNCTION item_counts_now(tenants uuid[]) RETURNS SETOF item_counts
LANGUAGE plpgsql STABLE ROWS 50 SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
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

-- Like item_counts_now, for processes.
CREATE FUNCTION process_counts_now(tenants uuid[]) RETURNS SETOF process_counts
LANGUAGE plpgsql STABLE ROWS 50 SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
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

-- Like item_counts_now, for artifacts.
CREATE FUNCTION artifact_counts_now(tenants uuid[]) RETURNS SETOF artifact_counts
LANGUAGE plpgsql STABLE ROWS 50 SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
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

-- Adds the changes by the events between two positions to the counts: all events, or events of some processes and artifacts.
-- The caller has locked counted_until.
CREATE FUNCTION add_to_counts(from_era integer, from_xid xid8, to_era integer, to_xid xid8, only_ids uuid[] DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql AS $$
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

-- Counts about at_most events with final positions, and reports whether there may be more. Does nothing while another
-- session counts.
CREATE FUNCTION count_events(at_most integer) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    place  counted_until;
    bound  record;
    beyond record;
BEGIN
    -- Assigns no transaction id while the log has no new events.
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

-- Counts everything. For use after rows were changed by hand. Each table is counted by one statement and so in one snapshot.
-- Without statistics, as after a restore, the planner would compare every process with every item.
CREATE FUNCTION recount_lists() RETURNS void LANGUAGE plpgsql
SET enable_nestloop = off AS $$
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
REVOKE EXECUTE ON FUNCTION recount_lists FROM PUBLIC;
