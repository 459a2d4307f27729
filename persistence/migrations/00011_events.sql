-- +goose Up

-- The ledger of events: who did what, when, to which resource. It is append-only, and read in the order of commits.

-- The ledger as a whole. An era ends when the database moves to another cluster, whose transactions are counted anew:
-- procession migrate notices it.
CREATE TABLE event_ledger (
    era       integer NOT NULL,
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
);
INSERT INTO event_ledger (era) VALUES (1);

ALTER TABLE events
    ADD COLUMN era            integer NOT NULL DEFAULT 1,
    -- The last transaction that had ended when the event was recorded, or the one that records it if that is later. No
    -- transaction that is yet to end records an earlier one, and who records after waiting for another to end records
    -- no earlier one than that; see decision 28. Positions alone do not tell: a later one may commit first.
    ADD COLUMN xid            xid8 NOT NULL DEFAULT greatest(
        pg_current_xact_id(), (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8),
    ADD COLUMN request_id     text CHECK (length(request_id) <= 128),
    ADD COLUMN resource_kind  text,
    ADD COLUMN resource_id    uuid,
    ADD COLUMN previous_state text,
    ADD COLUMN state          text,
    ADD COLUMN details        json CHECK (octet_length(details::text) <= 16384),
    ALTER COLUMN process_id DROP NOT NULL;

UPDATE events
   SET resource_kind = CASE WHEN process_item_id IS NULL THEN 'PROCESS' ELSE 'PROCESS_ITEM' END,
       resource_id = coalesce(process_item_id, process_id), state = coalesce(task_state, process_state);

ALTER TABLE events
    ALTER COLUMN resource_kind SET NOT NULL,
    ALTER COLUMN resource_id SET NOT NULL,
    DROP CONSTRAINT events_pkey,
    ADD PRIMARY KEY (era, xid, position);
DROP INDEX events_process;
CREATE INDEX events_tenant ON events (tenant_id, era, xid, position);
CREATE INDEX events_process ON events (process_id, era, xid, position) WHERE process_id IS NOT NULL;
CREATE INDEX events_resource ON events (resource_id, era, xid, position);
-- Events come nearly in the order of their times, so that this tells which blocks to look at for next to nothing.
CREATE INDEX events_time ON events USING brin (occurred_at) WITH (pages_per_range = 16, autosummarize = on);

-- The release before knows nothing of resources.
-- +goose StatementBegin
CREATE FUNCTION complete_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.resource_kind := CASE WHEN NEW.process_item_id IS NULL THEN 'PROCESS' ELSE 'PROCESS_ITEM' END;
    NEW.resource_id := coalesce(NEW.process_item_id, NEW.process_id);
    NEW.state := coalesce(NEW.task_state, NEW.process_state);
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER complete_event BEFORE INSERT ON events
    FOR EACH ROW WHEN (NEW.resource_id IS NULL) EXECUTE FUNCTION complete_event();

-- What was recorded stays as it is, for the owner of the table too. Old events go through remove_events, which is for
-- operators: it says so to the trigger, for the one statement.
-- +goose StatementBegin
CREATE FUNCTION keep_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('procession.removing_events', true) = pg_current_xact_id()::text THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'events are never changed: % refused', TG_OP
        USING ERRCODE = 'insufficient_privilege', HINT = 'remove_events(before, at_most) removes old ones.';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER keep_events BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION keep_events();

-- Removes up to at_most of the events from before a time that is at least 30 days ago, the oldest first, and records for
-- each tenant how many went. It returns how many it removed.
-- +goose StatementBegin
CREATE FUNCTION remove_events(before timestamptz, at_most integer DEFAULT 100000) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    removed bigint;
BEGIN
    IF before IS NULL OR before > now() - interval '30 days' THEN
        RAISE EXCEPTION 'events are kept for 30 days at least' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM set_config('procession.removing_events', pg_current_xact_id()::text, true);
    WITH old AS (
        SELECT e.era, e.xid, e.position FROM events e
         WHERE e.occurred_at < before ORDER BY e.era, e.xid, e.position LIMIT at_most
    ), gone AS (
        DELETE FROM events e USING old o
         WHERE e.era = o.era AND e.xid = o.xid AND e.position = o.position
        RETURNING e.tenant_id
    ), noted AS (
        INSERT INTO events (id, tenant_id, type, resource_kind, resource_id, details, actor_id, occurred_at)
        SELECT gen_random_uuid(), g.tenant_id, 'EVENTS.REMOVED', 'TENANT', g.tenant_id,
               json_build_object('count', count(*)::text, 'before', before::text, 'databaseRole', session_user),
               '01970000-0000-7000-8000-000000000001', now()
          FROM gone g GROUP BY g.tenant_id
    )
    SELECT count(*) INTO removed FROM gone;
    PERFORM set_config('procession.removing_events', '', true);
    RETURN removed;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION remove_events(timestamptz, integer) FROM PUBLIC;

-- Whether the database has come here from another cluster: there are events then that no transaction of this cluster can
-- have recorded.
-- +goose StatementBegin
CREATE FUNCTION events_moved() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM events e
                    WHERE e.era = (SELECT l.era FROM event_ledger l)
                      AND e.xid >= pg_snapshot_xmax(pg_current_snapshot()))
$$;
-- +goose StatementEnd

-- Begins an era if events_moved. It is for the owner, and reports whether it did.
-- +goose StatementBegin
CREATE FUNCTION begin_event_era() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    begun integer;
BEGIN
    PERFORM FROM event_ledger FOR UPDATE;
    IF NOT events_moved() THEN
        RETURN false;
    END IF;
    UPDATE event_ledger SET era = era + 1 RETURNING era INTO begun;
    EXECUTE format('ALTER TABLE events ALTER COLUMN era SET DEFAULT %s', begun);
    RETURN true;
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION begin_event_era() FROM PUBLIC;
