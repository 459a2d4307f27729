-- +goose Up

-- How many items, processes and artifacts are not deleted, by what lists filter by and what rights are given on. The
-- numbers are those of a place in the event log: before all events from (era, xid) on. A total is made of them and of
-- what the events since then change, so that no request writes to them; see decision 82.
CREATE TABLE counted_until (
    era       integer NOT NULL,
    xid       xid8 NOT NULL,
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
);
INSERT INTO counted_until (era, xid) SELECT l.era, '0' FROM event_ledger l;

CREATE TABLE item_counts (
    tenant_id             uuid NOT NULL,
    process_definition_id uuid NOT NULL,
    process_version       uuid NOT NULL,
    item_definition_id    uuid,
    item_definition_code  text,
    type                  text NOT NULL,
    task_state            text,
    n                     bigint NOT NULL,
    UNIQUE NULLS NOT DISTINCT (tenant_id, process_definition_id, process_version, item_definition_id,
                               item_definition_code, type, task_state)
);

-- Processes are counted by which definitions their items have, in order, because a candidate sees a process once however
-- many of its items it sees. An index entry has room for a digest of them.
CREATE TABLE process_counts (
    tenant_id               uuid NOT NULL,
    process_definition_id   uuid NOT NULL,
    process_definition_code text NOT NULL,
    process_version         uuid NOT NULL,
    state                   text NOT NULL,
    item_definition_ids     uuid[] NOT NULL,
    items                   uuid NOT NULL,
    n                       bigint NOT NULL,
    UNIQUE (tenant_id, process_definition_id, process_definition_code, process_version, state, items)
);

CREATE TABLE artifact_counts (
    tenant_id       uuid NOT NULL,
    definition_id   uuid NOT NULL,
    definition_code text NOT NULL,
    n               bigint NOT NULL,
    UNIQUE (tenant_id, definition_id, definition_code)
);

-- What each event changes in item_counts. The changes of one item add up to the difference between its first and its
-- last state. Items that were removed have none.
CREATE VIEW item_changes AS
SELECT e.era, e.xid, e.process_id, i.tenant_id, i.process_definition_id, p.process_version, i.item_definition_id,
       i.item_definition_code, i.type, s.task_state, s.n
  FROM events e
 CROSS JOIN LATERAL (SELECT i.tenant_id, i.process_id, i.process_definition_id, i.item_definition_id,
                            i.item_definition_code, i.type
                       FROM process_items i WHERE i.id = e.process_item_id OFFSET 0) i
 CROSS JOIN LATERAL (SELECT p.process_version FROM processes p WHERE p.id = i.process_id OFFSET 0) p
 CROSS JOIN LATERAL (VALUES (e.previous_state, -1::bigint), (e.state, 1)) s (task_state, n)
 WHERE e.type = 'PROCESS_ITEM.CREATED' AND s.n > 0
    OR e.type = 'PROCESS_ITEM.TASK_STATE_CHANGED' AND e.previous_state IS NOT NULL
 UNION ALL
-- Items are deleted with their process, and do not change after that.
SELECT e.era, e.xid, e.process_id, i.tenant_id, i.process_definition_id, p.process_version, i.item_definition_id,
       i.item_definition_code, i.type, i.task_state, -1
  FROM events e
 CROSS JOIN LATERAL (SELECT p.process_version FROM processes p WHERE p.id = e.process_id OFFSET 0) p
 CROSS JOIN LATERAL (SELECT i.tenant_id, i.process_definition_id, i.item_definition_id, i.item_definition_code, i.type,
                            i.task_state
                       FROM process_items i WHERE i.process_id = e.process_id OFFSET 0) i
 WHERE e.type = 'PROCESS.DELETED';

CREATE VIEW artifact_changes AS
SELECT e.era, e.xid, e.resource_id AS artifact_id, a.tenant_id, a.definition_id, a.definition_code,
       CASE e.type WHEN 'BUSINESS_ARTIFACT.DELETED' THEN -1 ELSE 1 END::bigint AS n
  FROM events e
 CROSS JOIN LATERAL (SELECT a.tenant_id, a.definition_id, a.definition_code
                       FROM business_artifacts a WHERE a.id = e.resource_id OFFSET 0) a
 WHERE e.type IN ('BUSINESS_ARTIFACT.CREATED', 'BUSINESS_ARTIFACT.DELETED', 'BUSINESS_ARTIFACT.RESTORED');

-- The processes with events that change process_counts.
CREATE VIEW process_touches AS
SELECT e.era, e.xid, e.tenant_id, e.process_id
  FROM events e
 WHERE e.type IN ('PROCESS.CREATED', 'PROCESS.STATE_CHANGED', 'PROCESS.DELETED', 'PROCESS_ITEM.CREATED');

-- The functions below read the events since a place, of which the planner expects many and there are few.

-- What processes were at a place in the event log, those left out that were not there or deleted.
-- +goose StatementBegin
CREATE FUNCTION processes_at(ids uuid[], at_era integer, at_xid xid8)
RETURNS TABLE (tenant_id uuid, process_definition_id uuid, process_definition_code text, process_version uuid, state text,
               item_definition_ids uuid[])
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET jit = off AS $$
BEGIN
    RETURN QUERY
    SELECT p.tenant_id, p.process_definition_id, p.process_definition_code, p.process_version,
           coalesce((SELECT e.previous_state FROM events e
                      WHERE e.process_id = p.id AND (e.era, e.xid) >= (at_era, at_xid)
                        AND e.type = 'PROCESS.STATE_CHANGED' AND e.previous_state IS NOT NULL
                      ORDER BY e.era, e.xid, e.position LIMIT 1), p.state),
           ARRAY(SELECT DISTINCT i.item_definition_id FROM process_items i
                  WHERE i.process_id = p.id AND i.item_definition_id IS NOT NULL
                    AND NOT i.id = ANY(ARRAY(SELECT e.process_item_id FROM events e
                                              WHERE e.process_id = p.id AND (e.era, e.xid) >= (at_era, at_xid)
                                                AND e.type = 'PROCESS_ITEM.CREATED'))
                  ORDER BY 1)
      FROM processes p
     WHERE p.id = ANY(ids)
       AND NOT EXISTS (SELECT 1 FROM events e
                        WHERE e.process_id = p.id AND (e.era, e.xid) >= (at_era, at_xid) AND e.type = 'PROCESS.CREATED')
       AND (p.deleted_at IS NULL
            OR EXISTS (SELECT 1 FROM events e
                        WHERE e.process_id = p.id AND (e.era, e.xid) >= (at_era, at_xid) AND e.type = 'PROCESS.DELETED'));
END
$$;
-- +goose StatementEnd

-- The rows of item_counts of tenants, and what the events since then change.
-- +goose StatementBegin
CREATE FUNCTION item_counts_now(tenants uuid[]) RETURNS SETOF item_counts
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    place counted_until;
BEGIN
    SELECT * INTO place FROM counted_until;
    RETURN QUERY
    SELECT c.* FROM item_counts c WHERE c.tenant_id = ANY(tenants)
     UNION ALL
    SELECT c.tenant_id, c.process_definition_id, c.process_version, c.item_definition_id, c.item_definition_code, c.type,
           c.task_state, c.n
      FROM item_changes c
     WHERE (c.era, c.xid) >= (place.era, place.xid) AND c.tenant_id = ANY(tenants);
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION process_counts_now(tenants uuid[]) RETURNS SETOF process_counts
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    place   counted_until;
    touched uuid[];
BEGIN
    SELECT * INTO place FROM counted_until;
    touched := ARRAY(SELECT DISTINCT t.process_id FROM process_touches t
                      WHERE (t.era, t.xid) >= (place.era, place.xid) AND t.tenant_id = ANY(tenants));
    RETURN QUERY SELECT c.* FROM process_counts c WHERE c.tenant_id = ANY(tenants);
    IF cardinality(touched) > 0 THEN
        RETURN QUERY
        SELECT a.tenant_id, a.process_definition_id, a.process_definition_code, a.process_version, a.state,
               a.item_definition_ids, a.tenant_id, a.n
          FROM (SELECT b.*, -1::bigint AS n FROM processes_at(touched, place.era, place.xid) b
                 UNION ALL
                SELECT b.*, 1 FROM processes_at(touched, 2147483647, '18446744073709551615') b) a;
    END IF;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION artifact_counts_now(tenants uuid[]) RETURNS SETOF artifact_counts
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    place counted_until;
BEGIN
    SELECT * INTO place FROM counted_until;
    RETURN QUERY
    SELECT c.* FROM artifact_counts c WHERE c.tenant_id = ANY(tenants)
     UNION ALL
    SELECT c.tenant_id, c.definition_id, c.definition_code, c.n
      FROM artifact_changes c
     WHERE (c.era, c.xid) >= (place.era, place.xid) AND c.tenant_id = ANY(tenants);
END
$$;
-- +goose StatementEnd

-- Adds what the events from one place of the log to another change to the numbers: all events, or those of some
-- processes and artifacts. The caller has locked the row of counted_until.
-- +goose StatementBegin
CREATE FUNCTION add_to_counts(from_era integer, from_xid xid8, to_era integer, to_xid xid8, only_ids uuid[] DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    touched uuid[];
BEGIN
    INSERT INTO item_counts
    SELECT c.tenant_id, c.process_definition_id, c.process_version, c.item_definition_id, c.item_definition_code, c.type,
           c.task_state, sum(c.n)
      FROM item_changes c
     WHERE (c.era, c.xid) >= (from_era, from_xid) AND (c.era, c.xid) < (to_era, to_xid)
       AND (only_ids IS NULL OR c.process_id = ANY(only_ids))
     GROUP BY 1, 2, 3, 4, 5, 6, 7
    HAVING sum(c.n) <> 0
        ON CONFLICT (tenant_id, process_definition_id, process_version, item_definition_id, item_definition_code, type,
                     task_state)
        DO UPDATE SET n = item_counts.n + excluded.n;

    touched := ARRAY(SELECT DISTINCT t.process_id FROM process_touches t
                      WHERE (t.era, t.xid) >= (from_era, from_xid) AND (t.era, t.xid) < (to_era, to_xid)
                        AND (only_ids IS NULL OR t.process_id = ANY(only_ids)));
    INSERT INTO process_counts
    SELECT a.tenant_id, a.process_definition_id, a.process_definition_code, a.process_version, a.state,
           a.item_definition_ids, md5(a.item_definition_ids::text)::uuid, sum(a.n)
      FROM (SELECT b.*, -1::bigint AS n FROM processes_at(touched, from_era, from_xid) b
             UNION ALL
            SELECT b.*, 1 FROM processes_at(touched, to_era, to_xid) b) a
     GROUP BY 1, 2, 3, 4, 5, 6
    HAVING sum(a.n) <> 0
        ON CONFLICT (tenant_id, process_definition_id, process_definition_code, process_version, state, items)
        DO UPDATE SET n = process_counts.n + excluded.n;

    INSERT INTO artifact_counts
    SELECT c.tenant_id, c.definition_id, c.definition_code, sum(c.n)
      FROM artifact_changes c
     WHERE (c.era, c.xid) >= (from_era, from_xid) AND (c.era, c.xid) < (to_era, to_xid)
       AND (only_ids IS NULL OR c.artifact_id = ANY(only_ids))
     GROUP BY 1, 2, 3
    HAVING sum(c.n) <> 0
        ON CONFLICT (tenant_id, definition_id, definition_code) DO UPDATE SET n = artifact_counts.n + excluded.n;
END
$$;
-- +goose StatementEnd

-- Counts about at_most of the events whose place is final, and reports whether there may be more. It does nothing while
-- another session counts.
-- +goose StatementBegin
CREATE FUNCTION count_events(at_most integer) RETURNS boolean
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
                    WHERE (e.era, e.xid) >= (place.era, place.xid) AND (e.era, e.xid) < (bound.era, bound.xid)) THEN
        RETURN false;
    END IF;
    SELECT * INTO place FROM counted_until FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT e.era, e.xid INTO beyond FROM events e
     WHERE (e.era, e.xid) >= (place.era, place.xid) AND (e.era, e.xid) < (bound.era, bound.xid)
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

-- Counts everything: when this is installed, and after rows were changed by hand.
-- +goose StatementBegin
CREATE FUNCTION recount_lists() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    bound   record;
    touched uuid[];
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
              FROM item_changes c WHERE (c.era, c.xid) >= (bound.era, bound.xid)) a
     GROUP BY 1, 2, 3, 4, 5, 6, 7
    HAVING sum(a.n) <> 0;

    touched := ARRAY(SELECT DISTINCT t.process_id FROM process_touches t WHERE (t.era, t.xid) >= (bound.era, bound.xid));
    INSERT INTO process_counts
    SELECT a.tenant_id, a.process_definition_id, a.process_definition_code, a.process_version, a.state,
           a.item_definition_ids, md5(a.item_definition_ids::text)::uuid, count(*)
      FROM (SELECT p.tenant_id, p.process_definition_id, p.process_definition_code, p.process_version, p.state,
                   coalesce(s.ids, '{}') AS item_definition_ids
              FROM processes p
              LEFT JOIN (SELECT i.process_id, array_agg(DISTINCT i.item_definition_id ORDER BY i.item_definition_id) AS ids
                           FROM process_items i WHERE i.item_definition_id IS NOT NULL GROUP BY 1) s ON s.process_id = p.id
             WHERE p.deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM unnest(touched) t (id) WHERE t.id = p.id)
             UNION ALL
            SELECT b.* FROM processes_at(touched, bound.era, bound.xid) b) a
     GROUP BY 1, 2, 3, 4, 5, 6;

    INSERT INTO artifact_counts
    SELECT a.tenant_id, a.definition_id, a.definition_code, sum(a.n)
      FROM (SELECT b.tenant_id, b.definition_id, b.definition_code, 1::bigint AS n
              FROM business_artifacts b WHERE b.deleted_at IS NULL
             UNION ALL
            SELECT c.tenant_id, c.definition_id, c.definition_code, -c.n
              FROM artifact_changes c WHERE (c.era, c.xid) >= (bound.era, bound.xid)) a
     GROUP BY 1, 2, 3
    HAVING sum(a.n) <> 0;
    UPDATE counted_until SET era = bound.era, xid = bound.xid;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION recount_lists() FROM PUBLIC;
SELECT recount_lists();

-- Which of the items that a principal owns are of definitions on which it has no right is read from the index alone.
CREATE INDEX process_items_owned ON process_items (owner_id, created_at, id) INCLUDE (item_definition_id, process_id)
 WHERE owner_id IS NOT NULL;
DROP INDEX process_items_owner;

-- As before, but what is removed is counted first.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION remove_deleted(before timestamptz, at_most integer DEFAULT 1000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    old_processes uuid[];
    old_items     uuid[];
    old_actions   uuid[];
    old_runs      uuid[];
    old_artifacts uuid[];
    place         counted_until;
BEGIN
    IF before IS NULL OR before > now() THEN
        RAISE EXCEPTION 'before must be in the past' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    SELECT coalesce(array_agg(o.id), '{}') INTO old_processes
      FROM (SELECT p.id FROM processes p
             WHERE p.deleted_at < before
               AND NOT EXISTS (SELECT 1 FROM engine_runs r
                                WHERE r.closed_at IS NULL
                                  AND (r.owner_id = p.id
                                       OR r.owner_id IN (SELECT x.id FROM process_actions x WHERE x.process_id = p.id)
                                       OR r.owner_id IN (SELECT i.id FROM process_items i WHERE i.process_id = p.id)))
             ORDER BY p.deleted_at, p.id LIMIT at_most FOR UPDATE OF p SKIP LOCKED) o;
    SELECT coalesce(array_agg(o.id), '{}') INTO old_artifacts
      FROM (SELECT a.id FROM business_artifacts a
             WHERE a.deleted_at < before ORDER BY a.deleted_at, a.id LIMIT at_most FOR UPDATE SKIP LOCKED) o;
    old_items := ARRAY(SELECT i.id FROM process_items i WHERE i.process_id = ANY(old_processes));
    old_actions := ARRAY(SELECT x.id FROM process_actions x WHERE x.process_id = ANY(old_processes));
    old_runs := ARRAY(SELECT r.id FROM engine_runs r WHERE r.owner_id = ANY(old_processes || old_items || old_actions));

    -- What is removed has no part in the numbers after its last event, and events of what is not there count for nothing.
    SELECT * INTO place FROM counted_until FOR UPDATE;
    PERFORM add_to_counts(place.era, place.xid, 2147483647, '18446744073709551615', old_processes || old_artifacts);

    INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, details, actor_id, occurred_at)
    SELECT gen_random_uuid(), g.tenant_id, 'DELETED.REMOVED', 'TENANT', g.tenant_id,
           json_build_object('processes', sum(g.processes)::text, 'businessArtifacts', sum(g.artifacts)::text,
                             'before', before::text, 'databaseRole', session_user),
           '01970000-0000-7000-8000-000000000001', now()
      FROM (SELECT p.tenant_id, 1 AS processes, 0 AS artifacts FROM processes p WHERE p.id = ANY(old_processes)
             UNION ALL
            SELECT a.tenant_id, 0, 1 FROM business_artifacts a WHERE a.id = ANY(old_artifacts)) g
     GROUP BY g.tenant_id;

    -- What others started or attached stays, without saying where.
    UPDATE process_actions SET started_definition_id = NULL, started_process_id = NULL
     WHERE started_process_id = ANY(old_processes);
    UPDATE business_artifact_actions SET process_definition_id = NULL, process_id = NULL WHERE process_id = ANY(old_processes);
    DELETE FROM documents
     WHERE owner_kind = 'PROCESS' AND owner_id = ANY(old_processes)
        OR owner_kind = 'PROCESS_ACTION' AND owner_id = ANY(old_actions)
        OR owner_kind = 'BUSINESS_ARTIFACT' AND owner_id = ANY(old_artifacts)
        OR owner_kind = 'BUSINESS_ARTIFACT_ACTION'
           AND owner_id IN (SELECT x.id FROM business_artifact_actions x WHERE x.business_artifact_id = ANY(old_artifacts));
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
    RETURN cardinality(old_processes) + cardinality(old_artifacts);
END
$$;
-- +goose StatementEnd
