// Package outbox stores outgoing mails and chat messages until they are accepted or dead.
package outbox

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	enqueueMessage = `
INSERT INTO outbox_messages (id, tenant_id, channel, receiver_id, recipient, subject, body, html, dedup_key, created_at, due_at, unsubscribe)
SELECT gen_random_uuid(), $1, $2, $3, r.recipient, $5, $6, nullif($7::text, ''), $8, $9, $9, nullif($10::text, '')
  FROM unnest($4::text[]) AS r (recipient)
    ON CONFLICT (dedup_key, recipient, tenant_id) DO NOTHING`

	// An attempt counts from its lease on: a message that kills the service is not attempted without end.
	claimMessages = `
WITH due AS (
    SELECT m.id, m.tenant_id
      FROM outbox_messages m
     WHERE m.state = 'PENDING' AND m.channel = ANY($1) AND m.due_at <= $2 AND m.leased_until <= $2
     ORDER BY m.due_at
     LIMIT $4
       FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE outbox_messages m
   SET leased_until = $3, attempts = m.attempts + 1
  FROM due d
 WHERE m.id = d.id AND m.tenant_id = d.tenant_id
RETURNING m.id, m.tenant_id, m.channel, m.recipient, m.subject, m.body, coalesce(m.html, '') AS html, coalesce(m.unsubscribe, '') AS unsubscribe, m.attempts, m.created_at,
          coalesce((SELECT r.spec ->> 'url' FROM resources r
                     WHERE r.tenant_id = m.tenant_id AND r.kind = 'NotificationReceiver' AND r.id = m.receiver_id), '') AS url`

	// A failure counts only for the last lease, an acceptance always.
	recordResults = `
UPDATE outbox_messages m
   SET state = a.state, due_at = coalesce(a.due_at, m.due_at), leased_until = '-infinity', failure = a.failure,
       finished_at = CASE WHEN a.state = 'PENDING' THEN NULL ELSE a.at END
  FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::text[])
       AS a (id, tenant_id, attempt, state, at, due_at, failure)
 WHERE m.id = a.id AND m.tenant_id = a.tenant_id
   AND m.state <> 'SENT'
   AND (a.state = 'SENT' OR m.state = 'PENDING' AND m.attempts = a.attempt)`

	expireMessages = `
UPDATE outbox_messages
   SET state = 'DEAD', finished_at = $2, failure = CASE failure WHEN '' THEN 'it was not sent in time' ELSE failure END
 WHERE (id, tenant_id) IN (SELECT m.id, m.tenant_id FROM outbox_messages m
                            WHERE m.state = 'PENDING' AND m.channel = ANY($4) AND m.due_at < $1 AND m.created_at < $1 AND m.leased_until <= $2
                            ORDER BY m.due_at LIMIT $3 FOR UPDATE SKIP LOCKED)`

	deleteFinished = `
DELETE FROM outbox_messages
 WHERE (id, tenant_id) IN (SELECT m.id, m.tenant_id FROM outbox_messages m
                            WHERE m.finished_at < $1 ORDER BY m.finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)`

	countMessages = `
SELECT m.channel, count(*) FILTER (WHERE m.state = 'PENDING'), min(m.created_at) FILTER (WHERE m.state = 'PENDING'),
       count(*) FILTER (WHERE m.state = 'DEAD')
  FROM outbox_messages m
 WHERE m.state = 'PENDING' OR m.state = 'DEAD' AND m.finished_at > $1
 GROUP BY m.channel`
)

// deletedAtOnce bounds the messages that one claim ends or deletes.
const deletedAtOnce = 1000

// Enqueue stores a message for each recipient with the commit of the transaction.
func Enqueue(tx *persistence.Tx, m domain.OutgoingMessage, now time.Time) {
	recipients := m.Recipients
	if m.Channel == domain.ChannelChat {
		recipients = []string{""}
	}
	tx.QueueQuery(pg.Q(enqueueMessage, []any{
		m.TenantID, m.Channel, m.ReceiverID, recipients, domain.CutText(m.Subject, domain.MessageSubjectLength),
		domain.CutText(m.Body, domain.MessageBodyLength), m.HTML, m.DedupKey, now, m.Unsubscribe,
	}, pg.None))
}

// Claim leases at most limit due messages of the channels. It ends messages of all channels after their lifetime, and deletes
// finished ones after their retention.
func Claim(
	ctx context.Context, db *persistence.DB, channels []domain.MessageChannel, now, until time.Time, limit int,
) ([]domain.DueMessage, error) {
	var due []domain.DueMessage
	err := db.Send(ctx, []pg.Query{
		pg.Q(deleteFinished, []any{now.Add(-domain.MessageRetention), deletedAtOnce}, pg.None),
		pg.Q(expireMessages, []any{now.Add(-domain.MessageLifetime), now, deletedAtOnce, domain.MessageChannels()}, pg.None),
		pg.Q(claimMessages, []any{channels, now, until, limit}, pg.Into(&due)),
	})
	return due, pg.Translate("claiming outgoing messages", err)
}

// Record stores the results of attempts. It may be repeated.
func Record(ctx context.Context, db *persistence.DB, results []domain.MessageResult) error {
	n := len(results)
	if n == 0 {
		return nil
	}
	ids, tenants, attempts, states := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]int, n), make([]string, n)
	at, due, failures := make([]time.Time, n), make([]*time.Time, n), make([]string, n)
	for i := range results {
		r := &results[i]
		ids[i], tenants[i], attempts[i], states[i] = r.ID, r.TenantID, r.Attempt, string(r.State())
		at[i], failures[i] = r.At, domain.CutText(r.Failure, failureLength)
		if !r.DueAt.IsZero() {
			due[i] = &r.DueAt
		}
	}
	err := db.Send(ctx, []pg.Query{pg.Q(recordResults, []any{ids, tenants, attempts, states, at, due, failures}, pg.None)})
	return pg.Translate("recording outgoing messages", err)
}

// failureLength bounds the stored texts of failures, in characters.
const failureLength = 500

// Backlog counts messages of a channel. Pending messages wait, the oldest since Since; Dead ones were given up recently.
type Backlog struct {
	Pending, Dead int64
	Since         *time.Time
}

// Count returns the backlogs of the channels, with the messages that were given up after a time.
func Count(ctx context.Context, r *persistence.Reader, deadAfter time.Time) (map[domain.MessageChannel]Backlog, error) {
	found := map[domain.MessageChannel]Backlog{}
	err := r.Read(ctx, pg.Q(countMessages, []any{deadAfter}, func(rows pgx.Rows) error {
		var channel domain.MessageChannel
		var b Backlog
		_, err := pgx.ForEachRow(rows, []any{&channel, &b.Pending, &b.Since, &b.Dead}, func() error {
			found[channel] = b
			return nil
		})
		return err
	}))
	return found, pg.Translate("counting outgoing messages", err)
}
