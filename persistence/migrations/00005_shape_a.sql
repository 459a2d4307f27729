-- +goose Up

-- What version 2022-10-08 shows of processes and tasks beside what they have in common with newer ones.

ALTER TABLE processes
    ADD COLUMN subject        text CHECK (length(subject) BETWEEN 1 AND 255),
    -- The values of elements by their codes, NULL when there are none.
    ADD COLUMN element_values json CHECK (json_typeof(element_values) = 'object');

UPDATE processes p
   SET subject = v.name
  FROM process_definition_versions v
 WHERE v.version = p.process_version;

ALTER TABLE processes
    ALTER COLUMN subject SET NOT NULL;

ALTER TABLE process_items
    ADD COLUMN element_values json CHECK (json_typeof(element_values) = 'object'),
    -- Of an activity to complete when the task is.
    ADD COLUMN activity_token bytea CHECK (length(activity_token) > 0),
    ADD CHECK (type = 'TASK' OR num_nonnulls(element_values, activity_token) = 0);

ALTER TABLE document_links
    DROP CONSTRAINT document_links_slot_check,
    ADD CONSTRAINT document_links_slot_check
        CHECK (slot IN ('METADATA', 'ENTITY', 'DATA', 'CONTEXT_DATA', 'MESSAGE_DATA', 'RESULT', 'ELEMENT'));
