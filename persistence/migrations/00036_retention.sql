-- +goose Up

-- What is removed because of its age. There is a turn for each kind of data and each tenant that has a bound for it; the
-- zero id stands for the events of no tenant. A turn is locked while a part of its rows is removed, in one transaction, so
-- that nothing is left half done wherever a replica dies, and replicas that look for work find different turns.
CREATE TABLE retention_turns (
    tenant_id uuid NOT NULL,
    kind      text NOT NULL CHECK (kind IN ('EVENTS', 'PROCESSES', 'DELETED', 'DELIVERIES', 'ASSISTANCE_CALLS')),
    due_at    timestamptz NOT NULL,
    -- Where the next part begins. Only processes are read in an order in which some stay.
    after_at  timestamptz NOT NULL DEFAULT '-infinity',
    after_id  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    -- What was removed, and no event says so yet.
    removed   bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (tenant_id, kind)
);
CREATE INDEX retention_turns_due ON retention_turns (due_at);

-- The last place of the log from which an event of a tenant was removed: who comes back with an earlier one has missed some.
CREATE TABLE removed_events (
    tenant_id uuid PRIMARY KEY,
    era       integer NOT NULL,
    xid       xid8 NOT NULL,
    position  bigint NOT NULL
);

-- What is removed is found by its tenant.
CREATE INDEX webhook_deliveries_old ON webhook_deliveries (tenant_id, finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX processes_deleted_at ON processes (tenant_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX business_artifacts_deleted_at ON business_artifacts (tenant_id, deleted_at, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX incidents_process ON incidents (process_id);
DROP INDEX processes_deleted;

-- The place up to which all that follows the log has read the events of a tenant.
-- +goose StatementBegin
CREATE FUNCTION events_followed(of_tenant uuid, OUT era integer, OUT xid xid8, OUT "position" bigint) LANGUAGE sql STABLE AS $$
    SELECT f.era, f.xid, f.position
      FROM (SELECT c.era, c.xid, c.position FROM webhook_cursor c
             UNION ALL
            SELECT u.era, u.xid, 0 FROM counted_until u
             UNION ALL
            SELECT k.era, k.xid, k.position FROM webhook_backlogs k WHERE k.tenant_id = of_tenant) f
     ORDER BY 1, 2, 3 LIMIT 1
$$;
-- +goose StatementEnd

-- The first events of a tenant that can be removed: how many, at_most of them, and the place of the last. The log is removed
-- from its beginning, without holes, up to the first event that has to stay: one that is young, of which a delivery is kept,
-- or that is yet to be read. first_kept is when that happened, NULL if at_most was reached before.
-- +goose StatementBegin
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
-- +goose StatementEnd

-- Removes these events and returns how many they are. It takes the place of remove_events.
-- +goose StatementBegin
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
     WHERE e.tenant_id = of_tenant AND (e.era, e.xid, e.position) <= (old.era, old.xid, old.position);
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM set_config('procession.removing_events', '', true);
    INSERT INTO removed_events (tenant_id, era, xid, position) VALUES (of_tenant, old.era, old.xid, old.position)
        ON CONFLICT (tenant_id) DO UPDATE SET era = excluded.era, xid = excluded.xid, position = excluded.position;
    RETURN removed;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION remove_old_events(uuid, timestamptz, integer) FROM PUBLIC;
DROP FUNCTION remove_events(timestamptz, integer);

-- The runs of processes, and of their actions and tasks.
-- +goose StatementBegin
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
-- +goose StatementEnd

-- Those of some processes with workflows that have not ended, or with events that are yet to be read.
-- +goose StatementBegin
CREATE FUNCTION unfinished_processes(ids uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE SET enable_seqscan = off SET jit = off AS $$
    SELECT coalesce(array_agg(p.id), '{}')
      FROM processes p
     WHERE p.id = ANY(ids)
       AND (EXISTS (SELECT 1 FROM unnest(runs_of_processes(ARRAY[p.id])) o (id) JOIN engine_runs r ON r.id = o.id
                     WHERE r.closed_at IS NULL)
            OR EXISTS (SELECT 1 FROM events_followed(p.tenant_id) f, events e
                        WHERE e.process_id = p.id AND (e.era, e.xid, e.position) > (f.era, f.xid, f.position)))
$$;
-- +goose StatementEnd

-- Those of some processes that are finished, with nothing in progress in them, and have not changed since a time.
-- +goose StatementBegin
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
-- +goose StatementEnd

-- Removes processes and artifacts, which the caller has locked, with all that they have. The bytes of documents go later,
-- with the sweep.
-- +goose StatementBegin
CREATE FUNCTION remove_aggregates(old_processes uuid[], old_artifacts uuid[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    old_items   uuid[] := ARRAY(SELECT i.id FROM process_items i WHERE i.process_id = ANY(old_processes));
    old_actions uuid[] := ARRAY(SELECT x.id FROM process_actions x WHERE x.process_id = ANY(old_processes));
    old_runs    uuid[] := runs_of_processes(old_processes);
    place       counted_until;
BEGIN
    -- All events of what is removed are counted first, and then it is taken out of the numbers: events of what is not there
    -- count for nothing.
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

    -- What others started or attached stays, without saying where.
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
-- +goose StatementEnd

-- Looks at the next processes of a tenant, at_most of them, in the order in which they were created, and finds those that
-- were finished before a time; when removing, it removes them. It returns how many it looked at and found, where to go on,
-- and when the first was created that it did not find.
-- +goose StatementBegin
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
        -- What came before the lock is seen by the second look.
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
-- +goose StatementEnd

-- Finds at_most processes, and as many artifacts, of a tenant that were deleted before a time, those first that were deleted
-- first; when removing, it removes them. It takes the place of remove_deleted.
-- +goose StatementBegin
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
        -- An artifact may have been restored meanwhile.
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
-- +goose StatementEnd
DROP FUNCTION remove_deleted(timestamptz, integer);
