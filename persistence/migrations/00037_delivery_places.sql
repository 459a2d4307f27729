-- +goose NO TRANSACTION
-- +goose Up

-- Each part is committed for itself, so that the service goes on meanwhile, and can be carried out again.

-- Where the event of a delivery is in the event log. Events are found by their places: an id says nothing of where they are.
-- NULL for deliveries whose events had been removed before there were these columns.
ALTER TABLE webhook_deliveries
    ADD COLUMN IF NOT EXISTS event_era      integer,
    ADD COLUMN IF NOT EXISTS event_xid      xid8,
    ADD COLUMN IF NOT EXISTS event_position bigint;

-- The release before stores deliveries without the places.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION place_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    SELECT e.era, e.xid, e.position INTO NEW.event_era, NEW.event_xid, NEW.event_position
      FROM events e WHERE e.id = NEW.event_id;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE OR REPLACE TRIGGER place_delivery BEFORE INSERT ON webhook_deliveries
    FOR EACH ROW WHEN (NEW.event_xid IS NULL) EXECUTE FUNCTION place_delivery();

-- +goose StatementBegin
DO $$
DECLARE
    after uuid := '00000000-0000-0000-0000-000000000000';
BEGIN
    LOOP
        WITH part AS MATERIALIZED (
            SELECT d.id, d.event_id, d.event_xid FROM webhook_deliveries d WHERE d.id > after ORDER BY d.id LIMIT 2000
        ), placed AS (
            UPDATE webhook_deliveries d
               SET event_era = e.era, event_xid = e.xid, event_position = e.position
              FROM part p
              JOIN events e ON e.id = p.event_id
             WHERE d.id = p.id AND p.event_xid IS NULL
        )
        SELECT p.id INTO after FROM part p ORDER BY p.id DESC LIMIT 1;
        EXIT WHEN after IS NULL;
        COMMIT;
    END LOOP;
END
$$;
-- +goose StatementEnd

-- The next migration makes a partition of the table of events. What takes long for that is done here, while the service goes on.
DROP INDEX CONCURRENTLY IF EXISTS events_first_resource;
CREATE INDEX CONCURRENTLY events_first_resource ON events (resource_id, era, xid, position)
 WHERE resource_id IS DISTINCT FROM process_id;
ALTER TABLE events DROP CONSTRAINT IF EXISTS events_first_era;
-- +goose StatementBegin
DO $$
BEGIN
    EXECUTE format('ALTER TABLE events ADD CONSTRAINT events_first_era CHECK (era <= %s) NOT VALID', (SELECT l.era FROM event_ledger l));
END
$$;
-- +goose StatementEnd
ALTER TABLE events VALIDATE CONSTRAINT events_first_era;
