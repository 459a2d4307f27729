package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// findAssignee finds a person who may deal with an incident: the caller, an owner or administrator of its tenant, or an
// administrator of its process definition.
const findAssignee = `
SELECT p.id
  FROM principals p
 WHERE p.type = 'USER' AND p.disabled_at IS NULL
   AND CASE WHEN $6::uuid IS NOT NULL THEN p.id = $6 ELSE $7 <> '' AND email_key(p.email) = email_key($7) END
   AND (p.id = $8 OR EXISTS (SELECT 1 FROM tenant_users u
                               JOIN incidents i ON i.tenant_id = u.tenant_id
                              WHERE i.id = $5 AND ` + incidentInScope + ` AND u.principal_id = p.id AND u.disabled_at IS NULL
                                AND (u.role IN ('OWNER', 'ADMINISTRATOR')
                                  OR EXISTS (SELECT 1 FROM process_definition_grants g
                                              WHERE g.process_definition_id = i.process_definition_id AND g.permission = 'ADMINISTRATOR'
                                                AND g.grantee_id IN (SELECT p.id UNION ALL
                                                                     SELECT m.group_id FROM group_members m WHERE m.principal_id = p.id)))))`

const lockIncidentAlone = `
SELECT ` + incidentColumns + `
  FROM ` + fromIncidents + `
 WHERE i.id = $5 AND ` + incidentInScope + `
   FOR NO KEY UPDATE OF i`

// LockIncidentAlone locks an incident in the scope without its process and run, or returns NOT_FOUND. It returns the person that
// the key identifies too, nil for one who may not deal with the incident.
func (tx *Tx) LockIncidentAlone(
	ctx context.Context, scope AdministrationScope, id, caller uuid.UUID, assignee PrincipalKey,
) (*domain.Incident, *uuid.UUID, error) {
	var incident domain.Incident
	var person *uuid.UUID
	args := scope.args(id)
	queries := []pg.Query{pg.Q(lockIncidentAlone, args, oneIncident(&incident, &domain.EngineRun{}))}
	if !assignee.Empty() {
		queries = append(queries, pg.Q(findAssignee, append(args, assignee.ID, assignee.Email, caller), pg.IfAny(&person)))
	}
	if err := tx.Read(ctx, queries...); err != nil {
		return nil, nil, pg.NotFound(err, "incident")
	}
	tx.Found(id, incident.Version())
	return &incident, person, nil
}

const (
	ofCause = `
 WHERE tenant_id = $1 AND state = 'OPEN' AND fingerprint = $2 AND id <> $3`

	acknowledgeCause = `
UPDATE incidents
   SET changed_at = $4, acknowledged_at = $4, acknowledged_by = $5` + ofCause + ` AND acknowledged_at IS NULL`

	muteCause = `
UPDATE incidents
   SET changed_at = $4, muted_until = $5` + ofCause

	assignCause = `
UPDATE incidents
   SET changed_at = $4, assignee_id = $5` + ofCause

	putCauseMute = `
INSERT INTO incident_mutes (tenant_id, fingerprint, muted_until)
VALUES ($1, $2, $3)
    ON CONFLICT (fingerprint, tenant_id) DO UPDATE SET muted_until = excluded.muted_until`

	deleteCauseMute = `
DELETE FROM incident_mutes
 WHERE tenant_id = $1 AND fingerprint = $2`

	// forgetMutes deletes mutes that have ended.
	forgetMutes = `
DELETE FROM incident_mutes
 WHERE (fingerprint, tenant_id) IN (SELECT m.fingerprint, m.tenant_id FROM incident_mutes m
                                     WHERE m.muted_until < $1 ORDER BY m.muted_until LIMIT 100 FOR UPDATE SKIP LOCKED)`
)

// AcknowledgeCause acknowledges the other open incidents with the cause of i.
func (tx *Tx) AcknowledgeCause(i *domain.Incident) {
	tx.changeCause(acknowledgeCause, i, i.AcknowledgedBy)
}

// AssignCause assigns the other open incidents with the cause of i to its assignee.
func (tx *Tx) AssignCause(i *domain.Incident) { tx.changeCause(assignCause, i, i.AssigneeID) }

// MuteCause mutes the other incidents with the cause of i as i is, also those that open later.
func (tx *Tx) MuteCause(i *domain.Incident) {
	tx.changeCause(muteCause, i, i.MutedUntil)
	if i.MutedUntil == nil {
		tx.queue(deleteCauseMute, i.TenantID, i.Fingerprint)
		return
	}
	tx.queue(forgetMutes, i.ChangedAt)
	tx.queue(putCauseMute, i.TenantID, i.Fingerprint, i.MutedUntil)
}

func (tx *Tx) changeCause(sql string, i *domain.Incident, value any) {
	tx.queue(sql, i.TenantID, i.Fingerprint, i.ID, i.ChangedAt, value)
}

const (
	insertComment = `
INSERT INTO incident_comments (id, tenant_id, incident_id, author_id, text, created_at)
VALUES ($1, $2, $3, $4, $5, $6)`

	// maxComments bounds the listed comments of an incident.
	maxComments = 200

	listComments = `
SELECT c.id, c.tenant_id, c.incident_id, c.author_id, coalesce(n.name, p.name, ''), c.text, c.created_at
  FROM incident_comments c
  JOIN incidents i ON i.id = c.incident_id
  LEFT JOIN principals p ON p.id = c.author_id
  LEFT JOIN person_names n ON n.tenant_id = c.tenant_id AND n.principal_id = c.author_id
 WHERE c.incident_id = $5 AND ` + incidentInScope + `
 ORDER BY c.created_at DESC, c.id DESC
 LIMIT $6`
)

// InsertIncidentComment stores a comment.
func (tx *Tx) InsertIncidentComment(c domain.IncidentComment) {
	tx.queue(insertComment, c.ID, c.TenantID, c.IncidentID, c.AuthorID, c.Text, c.CreatedAt)
}

func selectComments(scope AdministrationScope, incident uuid.UUID, into *[]domain.IncidentComment) pg.Query {
	return pg.Q(listComments, scope.args(incident, maxComments), collectInto(into, scanComment))
}

func scanComment(row pgx.CollectableRow) (c domain.IncidentComment, err error) {
	return c, row.Scan(&c.ID, &c.TenantID, &c.IncidentID, &c.AuthorID, &c.AuthorName, &c.Text, &c.CreatedAt)
}
