-- +goose Up

-- The last day on which a principal read a key: a read is recorded once a day.
CREATE TABLE encryption_key_reads (
    encryption_key_id uuid NOT NULL REFERENCES encryption_keys ON DELETE CASCADE,
    principal_id      uuid NOT NULL REFERENCES principals ON DELETE CASCADE,
    read_on           date NOT NULL,
    PRIMARY KEY (encryption_key_id, principal_id)
);

-- An application has a limited number of workers.
CREATE INDEX workers_principal ON workers (principal_id, last_seen_at);

-- Registrations are deleted when they have expired.
ALTER TABLE worker_queues
    DROP CONSTRAINT worker_queues_worker_id_fkey,
    ADD CONSTRAINT worker_queues_worker_id_fkey FOREIGN KEY (worker_id) REFERENCES workers ON DELETE CASCADE;
