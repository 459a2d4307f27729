-- +goose Up

-- Lists in the order of these times are read along the definitions of which the caller sees tasks, as those in the order of
-- the last change. Tasks without the time are found in the order in which they were created.
CREATE INDEX process_items_claimed ON process_items (item_definition_id, claimed_at, id) WHERE claimed_at IS NOT NULL;
CREATE INDEX process_items_completed ON process_items (item_definition_id, completed_at, id) WHERE completed_at IS NOT NULL;
CREATE INDEX process_items_cancelled ON process_items (item_definition_id, cancelled_at, id) WHERE cancelled_at IS NOT NULL;
