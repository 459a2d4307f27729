package notifications

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	lockMailTurn = `
SELECT n.recipient_id, n.tenant_id, coalesce(u.email, '') AS email, coalesce(u.locale, '') AS locale,
       coalesce(u.time_zone, t.time_zone) AS time_zone, t.name AS tenant_name
  FROM person_notifications n
  JOIN principals u ON u.id = n.recipient_id
  JOIN tenants t ON t.id = n.tenant_id
 WHERE n.mail_due_at <= $1
 ORDER BY n.mail_due_at
 LIMIT 1
   FOR NO KEY UPDATE OF n SKIP LOCKED`

	// lockMailEntries skips entries that another replica is writing about, or that were read meanwhile.
	lockMailEntries = `
SELECT n.event_id, n.kind, n.process_id, n.item_id, n.created_at, n.read_at, n.mail_digest, coalesce(aname.name, a.name, ''),
       ` + pg.NameOfT + `, ` + pg.NameOfV + `
  FROM person_notifications n
  JOIN processes p ON p.id = n.process_id
  JOIN process_definition_versions v ON v.version = p.process_version
  LEFT JOIN process_items i ON i.id = n.item_id
  LEFT JOIN item_definition_versions t ON t.version = i.item_version
  LEFT JOIN principals a ON a.id = n.actor_id
  LEFT JOIN person_names aname ON aname.tenant_id = n.tenant_id AND aname.principal_id = n.actor_id
 WHERE n.recipient_id = $1 AND n.tenant_id = $2 AND n.mail_due_at <= $3
 ORDER BY n.position
 LIMIT $4
   FOR NO KEY UPDATE OF n SKIP LOCKED`

	planDigest = `
UPDATE person_notifications
   SET mail_due_at = $4, mail_digest = false
 WHERE recipient_id = $1 AND tenant_id = $2 AND event_id = ANY($3)`

	finishMail = `
UPDATE person_notifications
   SET mail_due_at = NULL
 WHERE recipient_id = $1 AND tenant_id = $2 AND event_id = ANY($3)`

	// dropMails forgets mails about processes that were removed.
	dropMails = `
UPDATE person_notifications
   SET mail_due_at = NULL
 WHERE recipient_id = $1 AND tenant_id = $2 AND mail_due_at <= $3`

	listChoices = `SELECT c.kind, c.mail FROM notification_choices c WHERE c.principal_id = $1`

	putChoice = `
INSERT INTO notification_choices (principal_id, kind, mail)
SELECT u.id, $2, $3 FROM principals u WHERE u.id = $1 AND u.type = 'USER'
    ON CONFLICT (principal_id, kind) DO UPDATE SET mail = excluded.mail`

	// dropUnwanted forgets the mails of a kind that are not written yet.
	dropUnwanted = `
UPDATE person_notifications
   SET mail_due_at = NULL
 WHERE recipient_id = $1 AND kind = $2 AND mail_due_at IS NOT NULL`
)

// MailTurn is a person with due mails in a tenant.
type MailTurn struct {
	RecipientID, TenantID uuid.UUID
	Email, Locale         string
	TimeZone, TenantName  string
}

// MailEntry is a notification that a mail is due about. Digest is set until the time of the mail is planned.
type MailEntry struct {
	domain.Notification

	Digest         bool
	DefinitionName translation.Name
}

// LockMailTurn locks the oldest notification with a due mail and returns its person, nil for none.
func LockMailTurn(ctx context.Context, tx *persistence.Tx, now time.Time) (*MailTurn, error) {
	var due []MailTurn
	if err := tx.Read(ctx, pg.Q(lockMailTurn, []any{now}, pg.Into(&due))); err != nil || len(due) == 0 {
		return nil, err
	}
	return &due[0], nil
}

// Entries locks the notifications of a turn with due mails, at most domain.MailListed.
func (t *MailTurn) Entries(ctx context.Context, tx *persistence.Tx, now time.Time) ([]MailEntry, error) {
	var entries []MailEntry
	err := tx.Read(ctx, pg.Q(lockMailEntries, []any{t.RecipientID, t.TenantID, now, domain.MailListed}, func(rows pgx.Rows) (err error) {
		entries, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (e MailEntry, err error) {
			err = row.Scan(&e.ID, &e.Kind, &e.ProcessID, &e.ItemID, &e.CreatedAt, &e.ReadAt, &e.Digest, &e.ActorName, &e.ItemName, &e.DefinitionName)
			return e, err
		})
		return err
	}))
	return entries, err
}

// Plan makes the mail about digests due at a time.
func (t *MailTurn) Plan(tx *persistence.Tx, ids []uuid.UUID, at time.Time) {
	exec(tx, planDigest, t.RecipientID, t.TenantID, ids, at)
}

// Finish ends the mails about notifications.
func (t *MailTurn) Finish(tx *persistence.Tx, ids []uuid.UUID) {
	exec(tx, finishMail, t.RecipientID, t.TenantID, ids)
}

// Drop ends all due mails of the turn.
func (t *MailTurn) Drop(tx *persistence.Tx, now time.Time) {
	exec(tx, dropMails, t.RecipientID, t.TenantID, now)
}

// ListChoices returns the choices of a person for mails, with the defaults.
func ListChoices(ctx context.Context, r *persistence.Reader, person uuid.UUID) (map[domain.NotificationKind]domain.MailChoice, error) {
	choices := map[domain.NotificationKind]domain.MailChoice{}
	for _, kind := range domain.NotificationKinds() {
		choices[kind] = kind.DefaultMail()
	}
	err := r.Read(ctx, pg.Q(listChoices, []any{person}, func(rows pgx.Rows) error {
		var kind domain.NotificationKind
		var choice domain.MailChoice
		_, err := pgx.ForEachRow(rows, []any{&kind, &choice}, func() error {
			choices[kind] = choice
			return nil
		})
		return err
	}))
	return choices, pg.Translate("reading choices of mails", err)
}

// PutChoice stores the choice of a person for mails about a kind. Mails of the kind that are not written yet are not sent.
func PutChoice(tx *persistence.Tx, person uuid.UUID, kind domain.NotificationKind, choice domain.MailChoice) {
	exec(tx, putChoice, person, kind, choice)
	if choice == domain.MailNever {
		exec(tx, dropUnwanted, person, kind)
	}
}
