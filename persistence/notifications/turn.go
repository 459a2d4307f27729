package notifications

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// Turn is a message of a kind that is due to a receiver. Spec is the JSON of the receiver's manifest, SubscriptionID the id of its
// webhook subscription, nil if it has none.
type Turn struct {
	ReceiverID, TenantID uuid.UUID
	EventType            string
	ReceiverCode         string
	Spec                 json.RawMessage
	TenantName, TimeZone string
	SubscriptionID       *uuid.UUID
}

// Problem is a problem that a message tells. Message is the message of an incident, Definition the code of the definition of its
// process. Opened and Recovered count all problems to tell.
type Problem struct {
	SubjectID           uuid.UUID
	Details             map[string]string
	OccurredAt          time.Time
	RecoveredAt         *time.Time
	Message, Definition string
	Opened, Recovered   int
}

const (
	lockTurn = `
SELECT t.receiver_id, t.tenant_id, t.event_type, r.code AS receiver_code, r.spec, n.name AS tenant_name, n.time_zone,
       (SELECT s.id FROM resources s
         WHERE s.tenant_id = r.tenant_id AND s.kind = 'WebhookSubscription' AND s.code = r.spec ->> 'webhookSubscription') AS subscription_id
  FROM notification_turns t
  JOIN resources r ON r.tenant_id = t.tenant_id AND r.kind = 'NotificationReceiver' AND r.id = t.receiver_id
  JOIN tenants n ON n.id = t.tenant_id
 WHERE t.due_at <= $1
 ORDER BY t.due_at
 LIMIT 1
   FOR NO KEY UPDATE OF t SKIP LOCKED`

	// isMuted is true of a problem p with a muted incident at $4.
	isMuted = `(p.event_type = '` + domain.ProblemIncident + `'
            AND EXISTS (SELECT 1 FROM incidents m WHERE m.id = p.subject_id AND m.tenant_id = p.tenant_id AND m.muted_until > $4))`

	ofTurn = `p.receiver_id = $1 AND p.tenant_id = $2 AND p.event_type = $3`

	listProblems = `
SELECT p.subject_id, p.details, p.occurred_at, p.recovered_at, coalesce(i.message, '') AS message, coalesce(d.code, '') AS definition,
       count(*) FILTER (WHERE p.told_at IS NULL) OVER () AS opened,
       count(*) FILTER (WHERE p.recovered_at IS NOT NULL) OVER () AS recovered
  FROM notification_problems p
  LEFT JOIN incidents i ON i.id = p.subject_id AND i.tenant_id = p.tenant_id
  LEFT JOIN processes c ON c.id = p.process_id
  LEFT JOIN process_definitions d ON d.id = c.process_definition_id
 WHERE ` + ofTurn + ` AND (p.told_at IS NULL OR p.recovered_at IS NOT NULL) AND NOT ` + isMuted + `
 ORDER BY p.told_at IS NOT NULL, p.occurred_at, p.subject_id
 LIMIT $5`

	deleteTold = `
DELETE FROM notification_problems p
 WHERE ` + ofTurn + ` AND p.recovered_at IS NOT NULL`

	markTold = `
UPDATE notification_problems p
   SET told_at = $4
 WHERE ` + ofTurn + ` AND p.told_at IS NULL AND NOT ` + isMuted

	// finishTurn makes the turn due again when the first mute of a problem that is not told ends.
	finishTurn = `
UPDATE notification_turns t
   SET paced_until = greatest(t.paced_until, $5),
       due_at = (SELECT greatest(min(m.muted_until), $5)
                   FROM notification_problems p
                   JOIN incidents m ON m.id = p.subject_id AND m.tenant_id = p.tenant_id
                  WHERE ` + ofTurn + ` AND p.told_at IS NULL AND m.muted_until > $4
                 HAVING count(*) > 0)
 WHERE t.receiver_id = $1 AND t.tenant_id = $2 AND t.event_type = $3`

	endTurn = `
UPDATE notification_turns
   SET due_at = $4, paced_until = greatest(paced_until, $5)
 WHERE receiver_id = $1 AND tenant_id = $2 AND event_type = $3`
)

// LockTurn locks the oldest due turn, or returns nil.
func LockTurn(ctx context.Context, tx *persistence.Tx, now time.Time) (*Turn, error) {
	var due []Turn
	if err := tx.Read(ctx, pg.Q(lockTurn, []any{now}, pg.Into(&due))); err != nil || len(due) == 0 {
		return nil, err
	}
	return &due[0], nil
}

// Problems returns the first limit problems of a locked turn.
func (t *Turn) Problems(ctx context.Context, tx *persistence.Tx, now time.Time, limit int) ([]Problem, error) {
	var problems []Problem
	err := tx.Read(ctx, pg.Q(listProblems, []any{t.ReceiverID, t.TenantID, t.EventType, now, limit}, pg.Into(&problems)))
	return problems, err
}

// Finish marks the problems of a locked turn as told, except muted ones. The next message of its kind waits until pacedUntil.
func (t *Turn) Finish(tx *persistence.Tx, now, pacedUntil time.Time) {
	exec(tx, deleteTold, t.ReceiverID, t.TenantID, t.EventType)
	exec(tx, markTold, t.ReceiverID, t.TenantID, t.EventType, now)
	exec(tx, finishTurn, t.ReceiverID, t.TenantID, t.EventType, now, pacedUntil)
}

// Postpone makes a locked turn due at a time.
func (t *Turn) Postpone(tx *persistence.Tx, until time.Time) {
	exec(tx, endTurn, t.ReceiverID, t.TenantID, t.EventType, until, time.Time{})
}
