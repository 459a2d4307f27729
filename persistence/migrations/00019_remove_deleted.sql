-- +goose Up

-- What refers to a process or an item is found when that is removed.
CREATE INDEX process_actions_started ON process_actions (started_process_id) WHERE started_process_id IS NOT NULL;
CREATE INDEX process_actions_item ON process_actions (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX process_actions_thread ON process_actions (thread_id) WHERE thread_id IS NOT NULL;
CREATE INDEX business_artifact_actions_started ON business_artifact_actions (process_id) WHERE process_id IS NOT NULL;
CREATE INDEX availability_faults_process ON availability_faults (process_id);
CREATE INDEX processes_deleted ON processes (deleted_at) WHERE deleted_at IS NOT NULL;

-- Removes up to at_most processes and as many artifacts that were deleted before a time, those first that were deleted
-- first, with all that they have, and records for each tenant how many went. Processes whose workflows have not ended
-- stay. It returns how many it removed. The bytes of documents go later, with the sweep.
-- +goose StatementBegin
CREATE FUNCTION remove_deleted(before timestamptz, at_most integer DEFAULT 1000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    old_processes uuid[];
    old_items     uuid[];
    old_actions   uuid[];
    old_runs      uuid[];
    old_artifacts uuid[];
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
REVOKE EXECUTE ON FUNCTION remove_deleted(timestamptz, integer) FROM PUBLIC;
