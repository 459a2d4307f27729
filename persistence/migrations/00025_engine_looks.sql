-- +goose Up

-- When the ends of the workflows of a namespace are looked for next, and which replica does it: a row is leased for one
-- look. due_at is 'infinity' while no workflow runs there. The other columns are about the looks so far: closed_at is
-- the latest end that was seen, ends_at the same at the last look for ends of every kind, which was at full_at; far_at and
-- swept_at are the times of the last look that went back far and of the last sweep, which has read the runs up to
-- sweep_after.
ALTER TABLE engine_watermarks
    ADD COLUMN due_at       timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN leased_until timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN active_at    timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN ends_at      timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN full_at      timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN far_at       timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN swept_at     timestamptz NOT NULL DEFAULT 'epoch',
    ADD COLUMN sweep_after  uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
-- The release before has seen the ends of every kind up to closed_at.
UPDATE engine_watermarks SET ends_at = closed_at;
CREATE INDEX engine_watermarks_due ON engine_watermarks (due_at) WHERE due_at < 'infinity';

-- The sweep reads the running runs of a namespace by their ids. When they were last active is no longer a key, so that
-- noting it changes no index.
CREATE INDEX engine_runs_running ON engine_runs (namespace, id) WHERE state = 'RUNNING';
DROP INDEX engine_runs_open;
