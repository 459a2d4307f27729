-- +goose Up

-- Keys of tenants' data contain the tenant: references cannot cross tenants, and the rows of a tenant can be copied or
-- distributed by it. tables_test.go lists the tables. Foreign keys to tenants and principals go; procession doctor
-- finds rows without them.

-- Tables that get the column from their parents.
ALTER TABLE task_logs ADD COLUMN tenant_id uuid;
UPDATE task_logs l SET tenant_id = i.tenant_id FROM process_items i WHERE i.id = l.process_item_id;
ALTER TABLE process_index ADD COLUMN tenant_id uuid;
UPDATE process_index x SET tenant_id = p.tenant_id FROM processes p WHERE p.id = x.process_id;
ALTER TABLE business_artifact_index ADD COLUMN tenant_id uuid;
UPDATE business_artifact_index x SET tenant_id = a.tenant_id FROM business_artifacts a WHERE a.id = x.business_artifact_id;
ALTER TABLE document_links ADD COLUMN tenant_id uuid;
UPDATE document_links l SET tenant_id = d.tenant_id FROM documents d WHERE d.id = l.document_id;
ALTER TABLE engine_commands ADD COLUMN tenant_id uuid;
UPDATE engine_commands c SET tenant_id = r.tenant_id FROM engine_runs r WHERE r.id = c.engine_run_id;
ALTER TABLE worker_queues ADD COLUMN tenant_id uuid;
UPDATE worker_queues q SET tenant_id = w.tenant_id FROM workers w WHERE w.id = q.worker_id;
ALTER TABLE robot_files ADD COLUMN tenant_id uuid;
UPDATE robot_files f SET tenant_id = r.tenant_id FROM robots r WHERE r.id = f.robot_id;
ALTER TABLE webhook_attempts ADD COLUMN tenant_id uuid;
UPDATE webhook_attempts a SET tenant_id = d.tenant_id FROM webhook_deliveries d WHERE d.id = a.delivery_id;

-- Parents. Ids stay unique in the database: callers may choose the ids of processes, items, artifacts and workers.
ALTER TABLE process_items ADD UNIQUE (id, tenant_id);
ALTER TABLE documents ADD UNIQUE (id, tenant_id);
ALTER TABLE process_actions ADD UNIQUE (id, tenant_id);
ALTER TABLE business_artifact_actions ADD UNIQUE (id, tenant_id);
ALTER TABLE workers ADD UNIQUE (id, tenant_id);
ALTER TABLE robots ADD UNIQUE (id, tenant_id);
ALTER TABLE webhook_endpoints ADD UNIQUE (subscription_id, tenant_id);

ALTER TABLE process_relations
    DROP CONSTRAINT process_relations_pkey,
    ADD PRIMARY KEY (from_id, to_id, tenant_id);
ALTER TABLE process_items
    DROP CONSTRAINT process_items_thread_id_fkey,
    ADD FOREIGN KEY (thread_id, tenant_id) REFERENCES process_items (id, tenant_id);
ALTER TABLE task_logs
    DROP CONSTRAINT task_logs_process_item_id_fkey,
    DROP CONSTRAINT task_logs_pkey,
    ADD PRIMARY KEY (process_item_id, position, tenant_id),
    ADD FOREIGN KEY (process_item_id, tenant_id) REFERENCES process_items (id, tenant_id);
ALTER TABLE process_index
    DROP CONSTRAINT process_index_process_id_fkey,
    DROP CONSTRAINT process_index_pkey,
    ADD PRIMARY KEY (process_id, field, tenant_id),
    ADD FOREIGN KEY (process_id, tenant_id) REFERENCES processes (id, tenant_id) ON DELETE CASCADE;
ALTER TABLE business_artifact_index
    DROP CONSTRAINT business_artifact_index_business_artifact_id_fkey,
    DROP CONSTRAINT business_artifact_index_pkey,
    ADD PRIMARY KEY (business_artifact_id, field, tenant_id),
    ADD FOREIGN KEY (business_artifact_id, tenant_id) REFERENCES business_artifacts (id, tenant_id) ON DELETE CASCADE;
ALTER TABLE document_links
    DROP CONSTRAINT document_links_document_id_fkey,
    DROP CONSTRAINT document_links_pkey,
    ADD PRIMARY KEY (holder_id, slot, document_id, tenant_id),
    ADD FOREIGN KEY (document_id, tenant_id) REFERENCES documents (id, tenant_id) ON DELETE CASCADE;
ALTER TABLE document_embeddings DROP CONSTRAINT document_embeddings_tenant_id_fkey;

ALTER TABLE process_actions
    DROP CONSTRAINT process_actions_process_id_fkey,
    DROP CONSTRAINT process_actions_item_id_fkey,
    DROP CONSTRAINT process_actions_thread_id_fkey,
    ADD FOREIGN KEY (item_id, tenant_id) REFERENCES process_items (id, tenant_id),
    ADD FOREIGN KEY (thread_id, tenant_id) REFERENCES process_items (id, tenant_id);
ALTER TABLE business_artifact_actions
    DROP CONSTRAINT business_artifact_actions_process_id_fkey,
    ADD FOREIGN KEY (process_id, tenant_id) REFERENCES processes (id, tenant_id);
-- Definitions are deleted with the faults of their versions by the service.
ALTER TABLE availability_faults
    DROP CONSTRAINT availability_faults_tenant_id_fkey,
    DROP CONSTRAINT availability_faults_process_version_fkey,
    DROP CONSTRAINT availability_faults_process_id_fkey,
    DROP CONSTRAINT availability_faults_pkey,
    ADD PRIMARY KEY (process_version, action_code, tenant_id),
    ADD FOREIGN KEY (process_id, tenant_id) REFERENCES processes (id, tenant_id);

ALTER TABLE engine_commands
    DROP CONSTRAINT engine_commands_engine_run_id_fkey,
    DROP CONSTRAINT engine_commands_id_key,
    ALTER COLUMN tenant_id SET NOT NULL,
    ADD UNIQUE (id, tenant_id);
ALTER TABLE incidents
    DROP CONSTRAINT incidents_engine_run_id_fkey,
    DROP CONSTRAINT incidents_process_id_fkey,
    DROP CONSTRAINT incidents_pkey,
    ADD PRIMARY KEY (id, tenant_id);
ALTER TABLE engine_runs
    DROP CONSTRAINT engine_runs_pkey,
    ADD PRIMARY KEY (id, tenant_id);
ALTER TABLE engine_commands ADD FOREIGN KEY (engine_run_id, tenant_id) REFERENCES engine_runs (id, tenant_id);
ALTER TABLE incidents
    ADD FOREIGN KEY (engine_run_id, tenant_id) REFERENCES engine_runs (id, tenant_id),
    ADD FOREIGN KEY (process_id, tenant_id) REFERENCES processes (id, tenant_id);
ALTER TABLE worker_queues
    DROP CONSTRAINT worker_queues_worker_id_fkey,
    DROP CONSTRAINT worker_queues_principal_id_fkey,
    DROP CONSTRAINT worker_queues_pkey,
    ADD PRIMARY KEY (principal_id, task_queue, worker_id, tenant_id),
    ADD FOREIGN KEY (worker_id, tenant_id) REFERENCES workers (id, tenant_id) ON DELETE CASCADE;
ALTER TABLE workers
    DROP CONSTRAINT workers_tenant_id_fkey,
    DROP CONSTRAINT workers_principal_id_fkey;
ALTER TABLE task_queue_observations DROP CONSTRAINT task_queue_observations_tenant_id_fkey;

ALTER TABLE robot_files
    DROP CONSTRAINT robot_files_robot_id_fkey,
    DROP CONSTRAINT robot_files_document_id_fkey,
    DROP CONSTRAINT robot_files_document_id_key,
    ADD PRIMARY KEY (document_id, tenant_id),
    ADD FOREIGN KEY (robot_id, tenant_id) REFERENCES robots (id, tenant_id) ON DELETE CASCADE,
    ADD FOREIGN KEY (document_id, tenant_id) REFERENCES documents (id, tenant_id);
ALTER TABLE data_source_runs
    DROP CONSTRAINT data_source_runs_pkey,
    ADD PRIMARY KEY (id, tenant_id);
ALTER TABLE item_assistance
    DROP CONSTRAINT item_assistance_item_id_fkey,
    DROP CONSTRAINT item_assistance_pkey,
    ADD PRIMARY KEY (item_id, tenant_id),
    ADD FOREIGN KEY (item_id, tenant_id) REFERENCES process_items (id, tenant_id);
ALTER TABLE assistance_calls
    DROP CONSTRAINT assistance_calls_item_id_fkey,
    DROP CONSTRAINT assistance_calls_pkey,
    ADD PRIMARY KEY (item_id, run, tenant_id),
    ADD FOREIGN KEY (item_id, tenant_id) REFERENCES process_items (id, tenant_id);
ALTER TABLE assistance_usage DROP CONSTRAINT assistance_usage_tenant_id_fkey;

ALTER TABLE webhook_attempts
    DROP CONSTRAINT webhook_attempts_delivery_id_fkey,
    DROP CONSTRAINT webhook_attempts_pkey,
    ADD PRIMARY KEY (delivery_id, round, number, tenant_id);
ALTER TABLE webhook_deliveries
    DROP CONSTRAINT webhook_deliveries_subscription_id_fkey,
    DROP CONSTRAINT webhook_deliveries_pkey,
    ADD PRIMARY KEY (id, tenant_id),
    ADD FOREIGN KEY (subscription_id, tenant_id) REFERENCES webhook_endpoints (subscription_id, tenant_id) ON DELETE CASCADE;
ALTER TABLE webhook_attempts
    ADD FOREIGN KEY (delivery_id, tenant_id) REFERENCES webhook_deliveries (id, tenant_id) ON DELETE CASCADE;
ALTER TABLE webhook_backlogs
    DROP CONSTRAINT webhook_backlogs_subscription_id_fkey,
    DROP CONSTRAINT webhook_backlogs_pkey,
    ADD PRIMARY KEY (id, tenant_id),
    ADD FOREIGN KEY (subscription_id, tenant_id) REFERENCES webhook_endpoints (subscription_id, tenant_id) ON DELETE CASCADE;

-- The index of a tenant's events is a key of theirs.
ALTER TABLE events ADD CONSTRAINT events_tenant_key UNIQUE (tenant_id, era, xid, position);
DROP INDEX events_tenant;
