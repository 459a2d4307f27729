-- +goose Up

-- The people that a message mentions and that may read it.
ALTER TABLE process_items ADD mentions uuid[];
-- People are mentioned by the part of their address before the @.
CREATE INDEX principals_mention ON principals (split_part(email_key(email), '@', 1)) WHERE email IS NOT NULL;
