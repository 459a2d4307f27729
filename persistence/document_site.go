package persistence

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
)

// ProcessSite is a process that somebody wants to add a document to, and what
// decides about it.
type ProcessSite struct {
	Process domain.Process
	Rights  domain.ProcessRights
	// WorksOnTask is whether the caller owns an open task of the process.
	WorksOnTask bool
}

// Attach refuses the caller what domain.Process.Attach refuses.
func (s *ProcessSite) Attach() error { return s.Process.Attach(s.Rights, s.WorksOnTask) }

const (
	selectProcessSite = `
SELECT ` + processSummaryColumns + `,
       ` + managesProcess + `,
       EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id AND i.owner_id = $1 AND i.task_state IN ('READY', 'CLAIMED'))
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + visibleProcess

	shareProcessSite = selectProcessSite + `
   FOR SHARE OF p`
)

func processSite(sql string, caller domain.Caller, id uuid.UUID, site *ProcessSite) query {
	return query{sql, []any{caller.PrincipalID, caller.TenantIDs(), id}, one(
		append(processSummaryFields(&site.Process), &site.Rights.Manages, &site.WorksOnTask)...)}
}

// GetProcessSite returns a process that the caller sees, or NOT_FOUND.
func (r *Reader) GetProcessSite(ctx context.Context, caller domain.Caller, id uuid.UUID) (*ProcessSite, error) {
	var site ProcessSite
	err := r.read(ctx, processSite(selectProcessSite, caller, id, &site))
	if err != nil {
		return nil, translate("reading a process", notFound(err, "process"))
	}
	return &site, nil
}

// ShareProcessSite is GetProcessSite that keeps the process from being finished
// until the transaction ends.
func (tx *Tx) ShareProcessSite(ctx context.Context, caller domain.Caller, id uuid.UUID) (*ProcessSite, error) {
	var site ProcessSite
	if err := tx.read(ctx, processSite(shareProcessSite, caller, id, &site)); err != nil {
		return nil, notFound(err, "process")
	}
	return &site, nil
}

// ArtifactSite is a business artifact that somebody wants to add a document to.
type ArtifactSite struct {
	TenantID uuid.UUID
	Rights   domain.ArtifactRights
}

const (
	selectArtifactSite = `
SELECT a.tenant_id, ` + editsArtifact + `, ` + managesArtifact + `
  FROM business_artifacts a
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + visibleArtifact

	shareArtifactSite = selectArtifactSite + `
   FOR SHARE OF a`
)

func artifactSite(sql string, caller domain.Caller, id uuid.UUID, site *ArtifactSite) query {
	return query{sql, []any{caller.PrincipalID, caller.TenantIDs(), id}, one(
		&site.TenantID, &site.Rights.Edits, &site.Rights.Manages)}
}

// GetArtifactSite returns a business artifact that the caller sees, or NOT_FOUND.
func (r *Reader) GetArtifactSite(ctx context.Context, caller domain.Caller, id uuid.UUID) (*ArtifactSite, error) {
	var site ArtifactSite
	err := r.read(ctx, artifactSite(selectArtifactSite, caller, id, &site))
	if err != nil {
		return nil, translate("reading a business artifact", notFound(err, "business artifact"))
	}
	return &site, nil
}

// ShareArtifactSite is GetArtifactSite that keeps the artifact from being deleted
// until the transaction ends.
func (tx *Tx) ShareArtifactSite(ctx context.Context, caller domain.Caller, id uuid.UUID) (*ArtifactSite, error) {
	var site ArtifactSite
	if err := tx.read(ctx, artifactSite(shareArtifactSite, caller, id, &site)); err != nil {
		return nil, notFound(err, "business artifact")
	}
	return &site, nil
}

// ActionSite is a process together with an action that was invoked on it.
type ActionSite struct {
	Process domain.Process
	Rights  domain.ProcessRights
	// Action is nil when the process has none with the id.
	Action *domain.ProcessAction
}

const (
	selectActionSite = `
SELECT ` + processColumns + `, ` + managesProcess + `
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + visibleProcess

	selectProcessAction = `
SELECT x.id, x.process_id, x.type = 'DOWNLOADABLE', x.status
  FROM process_actions x
 WHERE x.process_id = $1 AND x.id = $2`

	lockProcessAction = selectProcessAction + `
   FOR UPDATE`
)

func actionSite(action string, caller domain.Caller, process, id uuid.UUID, site *ActionSite) []query {
	var found domain.ProcessAction
	return []query{
		{
			selectActionSite,
			[]any{caller.PrincipalID, caller.TenantIDs(), process},
			scanProcess(&site.Process, &site.Rights.Manages),
		},
		{action, []any{process, id}, func(rows pgx.Rows) error {
			err := one(&found.ID, &found.ProcessID, &found.Downloadable, &found.Status)(rows)
			if err == nil {
				site.Action = &found
			}
			return ignoreNoRows(err)
		}},
	}
}

// GetActionSite returns a process that the caller sees with an action of it, or
// NOT_FOUND for the process.
func (r *Reader) GetActionSite(
	ctx context.Context, caller domain.Caller, process, action uuid.UUID,
) (*ActionSite, error) {
	var site ActionSite
	if err := r.read(ctx, actionSite(selectProcessAction, caller, process, action, &site)...); err != nil {
		return nil, translate("reading an action of a process", notFound(err, "process"))
	}
	return &site, nil
}

// LockActionSite is GetActionSite with the action under lock.
func (tx *Tx) LockActionSite(
	ctx context.Context, caller domain.Caller, process, action uuid.UUID,
) (*ActionSite, error) {
	var site ActionSite
	if err := tx.read(ctx, actionSite(lockProcessAction, caller, process, action, &site)...); err != nil {
		return nil, notFound(err, "process")
	}
	return &site, nil
}

const deliverProcessAction = `
UPDATE process_actions
   SET status = $2, document_id = $3, last_modified_by = $4, last_modified_at = $5, finished_at = $5
 WHERE id = $1`

// DeliverProcessAction stores the end of an action that is under lock, together
// with its document.
func (tx *Tx) DeliverProcessAction(a *domain.ProcessAction, d *domain.Document) {
	tx.queue(deliverProcessAction, a.ID, a.Status, d.ID, d.CreatedBy, d.CreatedAt)
}
