-- +goose Up

ALTER TABLE engine_watermarks RENAME COLUMN far_at TO wide_at;
-- The time since which scans of the namespace fail, NULL while they succeed.
ALTER TABLE engine_watermarks ADD failing_since timestamptz;

-- The finding of the last inspection of a running workflow, NULL for a workflow that continues by itself or waits for people.
-- finding_at is the time of its last change. inspect_at is the time of the next inspection, NULL until the workflow is used.
ALTER TABLE engine_runs
    ADD finding text CHECK (finding IN ('STUCK', 'UNSERVED', 'WAITING_FOR_SIGNAL')),
    ADD finding_at timestamptz,
    ADD inspect_at timestamptz,
    ADD CHECK (finding IS NULL OR finding_at IS NOT NULL);
-- The first inspections are spread over an hour.
UPDATE engine_runs SET inspect_at = now() + random() * interval '1 hour' WHERE state = 'RUNNING';
CREATE INDEX engine_runs_inspection ON engine_runs (namespace, inspect_at) WHERE inspect_at IS NOT NULL;
CREATE INDEX engine_runs_findings ON engine_runs (tenant_id, finding) WHERE finding IS NOT NULL;
CREATE INDEX engine_runs_failed ON engine_runs (tenant_id) WHERE kind = 'PROCESS' AND state = 'FAILED';

-- An incident of the kind FAILURE is the end of a run; the others are problems of a running workflow. fingerprint is equal for
-- incidents with the same cause. assignee_id is a principal.
ALTER TABLE incidents
    ADD kind text NOT NULL DEFAULT 'FAILURE' CHECK (kind IN ('FAILURE', 'WORKFLOW_TASK', 'ACTIVITY', 'NO_WAIT')),
    ADD activity text NOT NULL DEFAULT '',
    ADD attempts integer NOT NULL DEFAULT 1 CHECK (attempts >= 1),
    ADD worker text NOT NULL DEFAULT '',
    ADD fingerprint text NOT NULL DEFAULT '',
    ADD acknowledged_at timestamptz,
    ADD acknowledged_by uuid,
    ADD muted_until timestamptz,
    ADD assignee_id uuid,
    ADD CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL)),
    DROP CONSTRAINT incidents_state_check,
    DROP CONSTRAINT incidents_engine_run_id_run_id_key,
    ADD CONSTRAINT incidents_state_check CHECK (state IN ('OPEN', 'RETRIED', 'DISMISSED', 'RESOLVED'));
UPDATE incidents SET fingerprint = md5(message);
CREATE INDEX incidents_run ON incidents (engine_run_id);
-- A run has at most one open problem.
CREATE UNIQUE INDEX incidents_problem ON incidents (engine_run_id) WHERE kind <> 'FAILURE' AND state = 'OPEN';
CREATE INDEX incidents_fingerprint ON incidents (tenant_id, state, fingerprint, created_at);

-- A comment on an incident. author_id is a principal.
CREATE TABLE incident_comments (
    id          uuid NOT NULL,
    tenant_id   uuid NOT NULL,
    incident_id uuid NOT NULL,
    author_id   uuid NOT NULL,
    text        text NOT NULL CHECK (length(text) BETWEEN 1 AND 4000),
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (id, tenant_id),
    FOREIGN KEY (incident_id, tenant_id) REFERENCES incidents (id, tenant_id) ON DELETE CASCADE
);
CREATE INDEX incident_comments_incident ON incident_comments (incident_id, created_at);
