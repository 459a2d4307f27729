-- +goose Up

-- The open incidents of a person.
CREATE INDEX incidents_assigned ON incidents (assignee_id) WHERE state = 'OPEN' AND assignee_id IS NOT NULL;
