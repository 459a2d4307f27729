-- +goose Up

-- Endpoints that have caught up with the event log are found by where they are.
CREATE INDEX webhook_backlogs_place ON webhook_backlogs (era, xid, position) WHERE until_xid IS NULL;
