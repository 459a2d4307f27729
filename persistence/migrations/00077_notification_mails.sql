-- +goose Up

-- The choice of a person for mails about a kind of notification; without a row the default of the kind applies.
CREATE TABLE notification_choices (
    principal_id uuid NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('ASSIGNED', 'MENTIONED', 'MESSAGE', 'CLAIMABLE', 'DUE_SOON', 'OVERDUE', 'FINISHED')),
    mail         text NOT NULL CHECK (mail IN ('AT_ONCE', 'DIGEST', 'NEVER')),
    PRIMARY KEY (principal_id, kind)
);

-- mail_due_at is the time of the mail about a notification, NULL for none or a mail that was written. A digest is due at once, and its
-- time is then planned in the time zone of the person.
ALTER TABLE person_notifications
    ADD mail_due_at timestamptz,
    ADD mail_digest boolean NOT NULL DEFAULT false;
CREATE INDEX person_notifications_mail ON person_notifications (mail_due_at) WHERE mail_due_at IS NOT NULL;

-- The address of RFC 8058 that ends mails of the kind, NULL for mails without one.
ALTER TABLE outbox_messages ADD unsubscribe text CHECK (length(unsubscribe) <= 1000);
