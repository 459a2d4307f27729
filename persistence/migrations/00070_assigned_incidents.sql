-- +goose Up

-- The open incidents that are assigned.
CREATE INDEX incidents_assigned ON incidents (assignee_id) WHERE state = 'OPEN' AND assignee_id IS NOT NULL;
