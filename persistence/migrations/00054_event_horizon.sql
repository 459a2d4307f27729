-- +goose Up

-- The order of the event log depends on the transactions that record events, and on no other transaction of the cluster. Such a
-- writer holds an advisory lock from before its first event takes a position until after its commit. The key is a class and
-- the lower half of the transaction id, which is assigned before the lock.

CREATE FUNCTION lock_event_writer() RETURNS boolean LANGUAGE sql AS $$
    SELECT pg_try_advisory_xact_lock_shared(1701209710, (pg_current_xact_id()::text::bigint << 32 >> 32)::integer)
$$;

-- The writers of this database, by the lower half of their transaction ids; pid is NULL for prepared transactions.
CREATE VIEW event_writers AS
SELECT l.objid::bigint AS transaction, l.pid
  FROM pg_locks l
 WHERE l.locktype = 'advisory' AND l.classid = 1701209710 AND l.objsubid = 2
   AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database());

-- Takes the lock, and returns the next position.
-- +goose StatementBegin
CREATE FUNCTION next_event_position() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    IF NOT lock_event_writer() THEN
        RAISE EXCEPTION 'another session holds the lock of this writer of events' USING ERRCODE = 'lock_not_available';
    END IF;
    RETURN nextval('event_positions');
END
$$;
-- +goose StatementEnd

-- Takes the lock, and returns the last transaction that has ended, or the current one if that is later. READ COMMITTED
-- has a new snapshot for the expression after the lock; later levels do not.
-- +goose StatementBegin
CREATE FUNCTION event_transaction() RETURNS xid8 LANGUAGE plpgsql AS $$
BEGIN
    IF NOT lock_event_writer() THEN
        RAISE EXCEPTION 'another session holds the lock of this writer of events' USING ERRCODE = 'lock_not_available';
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'events are recorded by READ COMMITTED transactions only' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    RETURN greatest(pg_current_xact_id(), (pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)::text::xid8);
END
$$;
-- +goose StatementEnd

-- The lock of the table waits for the transactions that have recorded events without the lock of a writer.
ALTER TABLE events
    ALTER COLUMN position SET DEFAULT next_event_position(),
    ALTER COLUMN xid SET DEFAULT event_transaction();

-- Returns the horizon of a statement with the snapshot seen: the events below it that the statement sees are all events
-- that will ever be before the last of them. Writers that are running, or have ended since the snapshot, bound it by their
-- transaction ids. All others record above every event in the snapshot: their transaction number is not lower than the last
-- transaction that has ended in it, and their positions are higher.
-- +goose StatementBegin
CREATE FUNCTION event_horizon(seen pg_snapshot) RETURNS xid8 LANGUAGE plpgsql AS $$
DECLARE
    writers bigint[];
    after   pg_snapshot;
BEGIN
    IF pg_snapshot_xmin(seen) = pg_snapshot_xmax(seen) THEN
        RETURN pg_snapshot_xmax(seen);
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RETURN pg_snapshot_xmin(seen);
    END IF;
    writers := ARRAY(SELECT w.transaction FROM event_writers w);
    -- A writer releases its lock after its transaction has ended. Taken after the locks, this snapshot tells
    -- transactions without a lock that have ended from those that have recorded no event.
    after := pg_current_snapshot();
    RETURN (SELECT coalesce(min(x.id), pg_snapshot_xmax(seen))
              FROM pg_snapshot_xip(seen) x (id)
             WHERE pg_visible_in_snapshot(x.id, after) OR x.id::text::bigint & 4294967295 = ANY(writers));
END
$$;
-- +goose StatementEnd

-- Returns the transaction number below which the log is final.
-- +goose StatementBegin
CREATE FUNCTION event_bound(seen pg_snapshot) RETURNS xid8 LANGUAGE plpgsql AS $$
BEGIN
    IF pg_snapshot_xmin(seen) = pg_snapshot_xmax(seen) THEN
        RETURN pg_snapshot_xmax(seen);
    END IF;
    -- A running transaction may still record at the last transaction that has ended.
    RETURN least(event_horizon(seen), (pg_snapshot_xmax(seen)::text::bigint - 1)::text::xid8);
END
$$;
-- +goose StatementEnd

-- Returns the place behind all events below the horizon, and ahead of all others.
-- +goose StatementBegin
CREATE FUNCTION event_end(seen pg_snapshot, OUT xid xid8, OUT "position" bigint) LANGUAGE plpgsql AS $$
BEGIN
    -- Positions that are taken after this, and by no writer below the horizon, are higher.
    "position" := coalesce(pg_sequence_last_value('event_positions'), 0);
    xid := event_horizon(seen);
    IF xid = pg_snapshot_xmax(seen) THEN
        xid := (xid::text::bigint - 1)::text::xid8;
    ELSE
        "position" := 0;
    END IF;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION count_events(at_most integer) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
    place  counted_until;
    bound  record;
    beyond record;
BEGIN
    -- Assigns no transaction id while the log has no new events.
    SELECT l.era, event_bound(pg_current_snapshot()) AS xid INTO bound FROM event_ledger l;
    SELECT * INTO place FROM counted_until;
    IF NOT EXISTS (SELECT 1 FROM events e
                    WHERE e.era >= place.era AND e.era <= bound.era
                      AND (e.era, e.xid) >= (place.era, place.xid) AND (e.era, e.xid) < (bound.era, bound.xid)) THEN
        RETURN false;
    END IF;
    SELECT * INTO place FROM counted_until FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT e.era, e.xid INTO beyond FROM events e
     WHERE e.era >= place.era AND e.era <= bound.era
       AND (e.era, e.xid) >= (place.era, place.xid) AND (e.era, e.xid) < (bound.era, bound.xid)
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
