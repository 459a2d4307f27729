-- +goose Up

-- A worker may serve several task queues, with other workflows on each. It has been live on one without a gap since
-- live_since, NULL where that was not noted.
ALTER TABLE worker_queues
    ADD COLUMN workflow_types text[] NOT NULL DEFAULT '{}',
    ADD COLUMN activity_types text[] NOT NULL DEFAULT '{}',
    ADD COLUMN live_since     timestamptz;
UPDATE worker_queues q
   SET workflow_types = w.workflow_types, activity_types = w.activity_types
  FROM workers w
 WHERE w.id = q.worker_id
   AND NOT EXISTS (SELECT 1 FROM worker_queues o WHERE o.worker_id = q.worker_id AND o.task_queue <> q.task_queue);
CREATE INDEX worker_queues_worker ON worker_queues (worker_id);
CREATE INDEX worker_queues_seen ON worker_queues (last_seen_at);
CREATE INDEX workers_seen ON workers (tenant_id, last_seen_at, id);

-- Which versions running processes are pinned to.
CREATE INDEX processes_running ON processes (process_version) WHERE state = 'RUNNING';

-- What was last seen of a task queue in Temporal. The rest stays as it was when an attempt to look fails.
CREATE TABLE task_queue_observations (
    tenant_id      uuid NOT NULL REFERENCES tenants ON DELETE CASCADE,
    task_queue     text NOT NULL CHECK (length(task_queue) BETWEEN 1 AND 255),
    -- From then on a replica may look again. One that is about to look moves it on, so that no other does too.
    due_at         timestamptz NOT NULL,
    observed_at    timestamptz,
    pollers        jsonb NOT NULL DEFAULT '[]',
    workflow_count bigint NOT NULL DEFAULT 0,
    workflow_age   interval NOT NULL DEFAULT '0',
    activity_count bigint NOT NULL DEFAULT 0,
    activity_age   interval NOT NULL DEFAULT '0',
    failed_at      timestamptz,
    failure        text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant_id, task_queue),
    CHECK ((failed_at IS NULL) = (failure = ''))
);
CREATE INDEX task_queue_observations_due ON task_queue_observations (due_at);
