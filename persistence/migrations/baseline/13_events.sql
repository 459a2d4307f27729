-- The event log: append-only, in the order of commits, partitioned by era. An era is a section of the log: its events
-- precede the events of the next era. A new era begins at intervals, and when the database moves to another cluster, where
-- transaction ids start over.

-- The current era.
CREATE TABLE event_ledger (
    era       integer NOT NULL,
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton)
);

INSERT INTO event_ledger (era) VALUES (1);

-- The eras that have a partition.
CREATE TABLE event_partitions (
    era       integer PRIMARY KEY,
    -- When the era began.
    begins_at timestamptz NOT NULL
);

-- Identity columns of partitions would be separate sequences.
CREATE SEQUENCE event_positions;

-- An event.
CREATE TABLE events (
    position             bigint NOT NULL DEFAULT nextval('event_positions'),
    id                   uuid NOT NULL,
    tenant_id            uuid NOT NULL,
    process_id           uuid,
    type                 text NOT NULL,
    process_state        text,
    process_item_id      uuid,
    item_type            text,
    item_definition_code text,
    task_state           text,
    actor_id             uuid NOT NULL,
    occurred_at          timestamptz NOT NULL,
    era                  integer NOT NULL DEFAULT 1,
    -- The last transaction that had ended when the event was recorded, or the recording transaction if that is later.
    -- No transaction still running records a lower value, and a transaction that waited for another one records no lower
    -- value than that one. Positions do not have this property: a later one may be committed first.
    xid                  xid8 NOT NULL DEFAULT greatest(
        pg_current_xact_id(), (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8),
    request_id           text CHECK (length(request_id) <= 128),
    resource_kind        text NOT NULL,
    resource_id          uuid NOT NULL,
    previous_state       text,
    state                text,
    details              json CHECK (octet_length(details::text) <= 16384),
    PRIMARY KEY (era, xid, position)
) PARTITION BY RANGE (era);
CREATE INDEX events_tenant ON events (tenant_id, era, xid, position);
CREATE INDEX events_process ON events (process_id, era, xid, position) WHERE process_id IS NOT NULL;
-- Events about a process are found by events_process.
CREATE INDEX events_resource ON events (resource_id, era, xid, position) WHERE resource_id IS DISTINCT FROM process_id;
-- Events are almost in the order of their times, so that a small index is sufficient.
CREATE INDEX events_time ON events USING brin (occurred_at) WITH (pages_per_range = 16, autosummarize = on);
-- Rare types and kinds. Events that every process records are found soon in the order of all events; leaving them out
-- makes recording cheaper.
CREATE INDEX events_type ON events (type, tenant_id, era, xid, position)
 WHERE type NOT IN ('PROCESS.CREATED', 'PROCESS.STATE_CHANGED', 'PROCESS_ITEM.CREATED', 'PROCESS_ITEM.TASK_STATE_CHANGED',
                    'PROCESS_ITEM.TASK_DATA_SAVED');
CREATE INDEX events_kind ON events (resource_kind, tenant_id, era, xid, position)
 WHERE resource_kind NOT IN ('PROCESS', 'PROCESS_ITEM');

ALTER SEQUENCE event_positions OWNED BY events.position;

-- Refuses changes of events. Deletions by remove_old_events pass: it sets a flag for its own transaction.
CREATE FUNCTION keep_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('procession.removing_events', true) = pg_current_xact_id()::text THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'events are never changed: % refused', TG_OP
        USING ERRCODE = 'insufficient_privilege', HINT = 'procession purge removes old ones.';
END
$$;
CREATE TRIGGER keep_events BEFORE UPDATE OR DELETE OR TRUNCATE ON events
    FOR EACH STATEMENT EXECUTE FUNCTION keep_events();

-- Creates the partition of an era.
CREATE FUNCTION make_event_partition(of_era integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text := 'events_' || of_era;
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING CONSTRAINTS INCLUDING STORAGE)', name);
    -- Almost all ids are in the order of the log. Only searches by id use this index.
    EXECUTE format('CREATE INDEX %I ON %I USING brin (id uuid_minmax_multi_ops) WITH (autosummarize = on)', name || '_id', name);
    EXECUTE format('CREATE TRIGGER keep_events BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
                        FOR EACH STATEMENT EXECUTE FUNCTION keep_events()', name);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', name,
                   CASE WHEN EXISTS (SELECT 1 FROM event_partitions) THEN of_era::text ELSE 'MINVALUE' END, of_era + 1);
    INSERT INTO event_partitions (era, begins_at) VALUES (of_era, clock_timestamp());
END
$$;
REVOKE EXECUTE ON FUNCTION make_event_partition FROM PUBLIC;

SELECT make_event_partition(1);

-- Begins an era. The lock waits for all transactions that have recorded events and blocks others until commit, so that the
-- events of earlier eras precede the new ones and their positions are final.
CREATE FUNCTION begin_event_partition() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    begun integer;
BEGIN
    SELECT l.era + 1 INTO begun FROM event_ledger l FOR UPDATE;
    PERFORM make_event_partition(begun);
    EXECUTE format('ALTER TABLE ONLY events ALTER COLUMN era SET DEFAULT %s', begun);
    UPDATE event_ledger SET era = begun;
END
$$;
REVOKE EXECUTE ON FUNCTION begin_event_partition FROM PUBLIC;

-- Begins an era if the current one has events and is older than lasting, at least a day. Waits 200 ms for locks, during
-- which recording of events waits too, and then fails with lock_not_available: call it in a transaction of its own. The role
-- of the service may call it.
CREATE FUNCTION add_event_partition(lasting interval) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '200ms' AS $$
BEGIN
    IF lasting IS NULL OR lasting < interval '1 day' THEN
        RAISE EXCEPTION 'an era lasts for a day at least' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- One at a time: sessions that read events would prevent each other from locking.
    IF NOT pg_try_advisory_xact_lock(hashtext('event_partitions')) THEN
        RETURN false;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM event_ledger l
                     JOIN event_partitions p ON p.era = l.era
                    WHERE p.begins_at <= clock_timestamp() - lasting
                      AND EXISTS (SELECT 1 FROM events e WHERE e.era = l.era)) THEN
        RETURN false;
    END IF;
    PERFORM begin_event_partition();
    RETURN true;
END
$$;
REVOKE EXECUTE ON FUNCTION add_event_partition FROM PUBLIC;

-- Reports whether the database was restored in another cluster: there are events that no transaction of this cluster can
-- have recorded.
CREATE FUNCTION events_moved() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT 1 FROM events e
                    WHERE e.era = (SELECT l.era FROM event_ledger l)
                      AND e.xid >= pg_snapshot_xmax(pg_current_snapshot()))
$$;

-- Begins an era if events_moved, and reports whether it did. For the owner of the database.
CREATE FUNCTION begin_event_era() RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM event_ledger FOR UPDATE;
    IF NOT events_moved() THEN
        RETURN false;
    END IF;
    PERFORM begin_event_partition();
    RETURN true;
END
$$;
REVOKE EXECUTE ON FUNCTION begin_event_era FROM PUBLIC;
