-- Rows of a database at the baseline: two tenants with the same kinds of rows. Ids end with the number of the tenant.
DO $$
DECLARE
    n   integer;
    u   text;
    now timestamptz := '2026-01-02 03:04:05+00';
    sys uuid := '01970000-0000-7000-8000-000000000001';
BEGIN
    FOR n IN 1..2 LOOP
        u := '-0000-4000-8000-00000000000' || n;
        INSERT INTO tenants (id, name, plan, namespace, code, created_by, created_at, last_modified_by, last_modified_at)
        VALUES (('000000a1' || u)::uuid, 'Tenant', 'FREE', 'tenant-' || n, 'tenant-' || n, sys, now, sys, now);
        INSERT INTO principals (id, type, name, email, created_at)
        VALUES (('000000a2' || u)::uuid, 'USER', 'User', n || '@example.org', now);
        INSERT INTO principals (id, type, name, tenant_id, role, created_at)
        VALUES (('000000a3' || u)::uuid, 'APPLICATION', 'Worker', ('000000a1' || u)::uuid, 'MEMBER', now);
        INSERT INTO groups (id, tenant_id, code, name) VALUES (('000000a4' || u)::uuid, ('000000a1' || u)::uuid, 'GROUP', 'Group');
        INSERT INTO group_members VALUES (('000000a4' || u)::uuid, ('000000a2' || u)::uuid);
        INSERT INTO process_definitions (id, tenant_id, code) VALUES (('000000b1' || u)::uuid, ('000000a1' || u)::uuid, 'LOAN');
        INSERT INTO process_definition_versions (version, process_definition_id, name, spec, created_at, number, digest, created_by)
        VALUES (('000000b2' || u)::uuid, ('000000b1' || u)::uuid, 'Loan', '{}', now, 1, '', sys);
        INSERT INTO item_definitions VALUES (('000000b3' || u)::uuid, ('000000b1' || u)::uuid, 'TASK');
        INSERT INTO item_definition_versions (version, item_definition_id, process_version, type, name, spec)
        VALUES (('000000b4' || u)::uuid, ('000000b3' || u)::uuid, ('000000b2' || u)::uuid, 'TASK', 'Task', '{}');
        INSERT INTO process_definition_grants VALUES (('000000b1' || u)::uuid, 'VIEWER', ('000000a4' || u)::uuid);
        INSERT INTO item_definition_grants VALUES (('000000b3' || u)::uuid, 'CANDIDATE', ('000000a4' || u)::uuid);

        INSERT INTO processes (id, tenant_id, process_definition_id, process_version, process_definition_code, state, initiator_id,
                               subject, metadata, metadata_valid, created_by, created_at, last_modified_by, last_modified_at)
        SELECT (p || u)::uuid, ('000000a1' || u)::uuid, ('000000b1' || u)::uuid, ('000000b2' || u)::uuid, 'LOAN', 'RUNNING',
               ('000000a2' || u)::uuid, 'Loan', '{}', true, sys, now, sys, now
          FROM unnest(ARRAY['000000c1', '000000c2']) p;
        INSERT INTO process_relations VALUES (('000000a1' || u)::uuid, ('000000c1' || u)::uuid, ('000000c2' || u)::uuid);
        INSERT INTO process_index (process_id, process_definition_id, field, number_value)
        VALUES (('000000c1' || u)::uuid, ('000000b1' || u)::uuid, 'amount', 1);
        INSERT INTO process_items (id, tenant_id, process_id, process_definition_id, type, item_definition_id, item_version,
                                   item_definition_code, owner_id, task_state, claimed_at, completed_at, created_by, created_at,
                                   last_modified_by, last_modified_at)
        SELECT (i || u)::uuid, ('000000a1' || u)::uuid, ('000000c1' || u)::uuid, ('000000b1' || u)::uuid, 'TASK',
               ('000000b3' || u)::uuid, ('000000b4' || u)::uuid, 'TASK', CASE WHEN s <> 'READY' THEN ('000000a2' || u)::uuid END, s,
               CASE WHEN s <> 'READY' THEN now END, CASE WHEN s = 'COMPLETED' THEN now END, sys, now, sys, now + interval '1 hour'
          FROM (VALUES ('000000d1', 'READY'), ('000000d2', 'CLAIMED'), ('000000d3', 'COMPLETED')) v (i, s);
        INSERT INTO process_items (id, tenant_id, process_id, process_definition_id, type, item_definition_id, item_version,
                                   item_definition_code, created_by, created_at, last_modified_by, last_modified_at)
        VALUES (('000000d4' || u)::uuid, ('000000a1' || u)::uuid, ('000000c1' || u)::uuid, ('000000b1' || u)::uuid, 'THREAD',
                ('000000b3' || u)::uuid, ('000000b4' || u)::uuid, 'THREAD', sys, now, sys, now);
        INSERT INTO process_items (id, tenant_id, process_id, process_definition_id, type, message_text, thread_id, created_by,
                                   created_at, last_modified_by, last_modified_at)
        VALUES (('000000d5' || u)::uuid, ('000000a1' || u)::uuid, ('000000c1' || u)::uuid, ('000000b1' || u)::uuid, 'MESSAGE', 'Text',
                ('000000d4' || u)::uuid, sys, now, sys, now);
        INSERT INTO task_logs (process_item_id, id, logged_at, message, level)
        VALUES (('000000d1' || u)::uuid, gen_random_uuid(), now, 'Message', 'INFO');

        INSERT INTO business_artifacts (id, tenant_id, definition_id, definition_code, created_by, created_at, last_modified_by,
                                        last_modified_at)
        VALUES (('000000e1' || u)::uuid, ('000000a1' || u)::uuid, ('000000b5' || u)::uuid, 'CUSTOMER', sys, now, sys, now);
        INSERT INTO business_artifact_definition_grants VALUES (('000000b5' || u)::uuid, 'VIEWER', ('000000a4' || u)::uuid);
        INSERT INTO business_artifact_index (business_artifact_id, definition_id, created_at, field, text_value)
        VALUES (('000000e1' || u)::uuid, ('000000b5' || u)::uuid, now, 'name', 'Smith');
        INSERT INTO documents (id, tenant_id, owner_kind, owner_id, blob_id, name, content_type, size, sha256, created_by, created_at)
        SELECT (d || u)::uuid, ('000000a1' || u)::uuid, k, (o || u)::uuid, gen_random_uuid(), 'a.pdf', 'application/pdf', 1,
               sha256('a'), sys, now
          FROM (VALUES ('000000f1', 'PROCESS', '000000c1'), ('000000f2', 'ROBOT', '000000ac')) v (d, k, o);
        INSERT INTO document_links VALUES (('000000d1' || u)::uuid, 'DATA', ('000000f1' || u)::uuid);
        INSERT INTO process_actions (id, tenant_id, process_id, type, status, created_by, created_at, last_modified_by, last_modified_at,
                                     finished_at, action_id, action_code, item_id, thread_id)
        VALUES (('000000e2' || u)::uuid, ('000000a1' || u)::uuid, ('000000c1' || u)::uuid, 'CREATE_PROCESS_ITEM_MESSAGE', 'COMPLETED',
                sys, now, sys, now, now, gen_random_uuid(), 'WRITE', ('000000d5' || u)::uuid, ('000000d4' || u)::uuid);
        INSERT INTO business_artifact_actions (id, tenant_id, business_artifact_id, action_id, action_code, type, status,
                                               process_definition_id, process_id, created_by, created_at, last_modified_by,
                                               last_modified_at, finished_at)
        VALUES (('000000e3' || u)::uuid, ('000000a1' || u)::uuid, ('000000e1' || u)::uuid, gen_random_uuid(), 'START', 'START_PROCESS',
                'COMPLETED', ('000000b1' || u)::uuid, ('000000c2' || u)::uuid, sys, now, sys, now, now);
        INSERT INTO availability_faults VALUES (('000000b2' || u)::uuid, 'WRITE', ('000000a1' || u)::uuid, ('000000c1' || u)::uuid,
                                                'fault', now, now);
        INSERT INTO engine_runs (id, tenant_id, kind, owner_id, namespace, workflow_id, run_id, workflow_type, task_queue, state,
                                 created_at, last_active_at)
        VALUES (('00000091' || u)::uuid, ('000000a1' || u)::uuid, 'PROCESS', ('000000c1' || u)::uuid, 'tenant-' || n, 'process', 'run',
                'Loan', 'loan', 'RUNNING', now, now);
        INSERT INTO engine_commands (id, engine_run_id, order_key, kind, created_at, not_before)
        VALUES (gen_random_uuid(), ('00000091' || u)::uuid, ('000000c1' || u)::uuid, 'CANCEL', now, now);
        INSERT INTO incidents (id, tenant_id, process_id, engine_run_id, run_id, message, failure, state, created_at)
        VALUES (gen_random_uuid(), ('000000a1' || u)::uuid, ('000000c1' || u)::uuid, ('00000091' || u)::uuid, 'run', 'm', 'f', 'OPEN', now);
        INSERT INTO workers (id, tenant_id, principal_id, identity, hostname, ip, workflow_types, activity_types, robot_ids,
                             last_seen_at, created_by, created_at, last_modified_by, last_modified_at)
        VALUES (('00000092' || u)::uuid, ('000000a1' || u)::uuid, ('000000a3' || u)::uuid, 'worker', 'host', '127.0.0.1', '{}', '{}', '{}',
                now, sys, now, sys, now);
        INSERT INTO worker_queues (worker_id, principal_id, task_queue, last_seen_at)
        VALUES (('00000092' || u)::uuid, ('000000a3' || u)::uuid, 'loan', now);
        INSERT INTO robots (id, tenant_id, code, name, source_type, created_by, created_at, last_modified_by, last_modified_at)
        VALUES (('000000ac' || u)::uuid, ('000000a1' || u)::uuid, 'ROBOT', 'Robot', 'PACKAGE', sys, now, sys, now);
        INSERT INTO robot_files (robot_id, document_id) VALUES (('000000ac' || u)::uuid, ('000000f2' || u)::uuid);
        INSERT INTO item_assistance (item_id, tenant_id, run, request_id, requested_by, state, answer, started_at, deadline, dispatch_at)
        VALUES (('000000d1' || u)::uuid, ('000000a1' || u)::uuid, 1, gen_random_uuid(), sys, 'PENDING', 'DRAFT', now, now, now);
        INSERT INTO assistance_calls (item_id, run, tenant_id, request_id, requested_by, request, messages, asked_at)
        VALUES (('000000d1' || u)::uuid, 1, ('000000a1' || u)::uuid, gen_random_uuid(), sys, '{}', '[]', now);
        INSERT INTO events (id, tenant_id, process_id, type, actor_id, occurred_at, resource_kind, resource_id)
        VALUES (('00000093' || u)::uuid, ('000000a1' || u)::uuid, ('000000c1' || u)::uuid, 'PROCESS.CREATED', sys, now, 'PROCESS',
                ('000000c1' || u)::uuid);
        INSERT INTO webhook_endpoints (subscription_id, tenant_id, url, payload_version, paused)
        VALUES (('00000094' || u)::uuid, ('000000a1' || u)::uuid, 'https://example.org', 'B', false);
        INSERT INTO webhook_deliveries (id, subscription_id, tenant_id, event_id, event_type, payload_version, state, created_at, queued_at)
        VALUES (('00000095' || u)::uuid, ('00000094' || u)::uuid, ('000000a1' || u)::uuid, ('00000093' || u)::uuid, 'PROCESS.CREATED', 'B',
                'PENDING', now, now);
        INSERT INTO webhook_attempts VALUES (('00000095' || u)::uuid, 1, 1, now, 500, '1 second', '', '', '');
        INSERT INTO webhook_backlogs (subscription_id, tenant_id, era, xid, position, payload_version)
        VALUES (('00000094' || u)::uuid, ('000000a1' || u)::uuid, 1, '1', 0, 'B');
    END LOOP;
END
$$;
