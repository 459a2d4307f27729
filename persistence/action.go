package persistence

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

// actionColumns are the columns common to actions x on processes and on business artifacts.
const actionColumns = `x.id, x.tenant_id, x.status, x.action_id, x.action_code,
       x.document_id, coalesce(x.document_uri, ''), coalesce(x.error, ''), x.errors, x.finished_at,
       x.created_by, x.created_at, x.last_modified_by, x.last_modified_at,
       x.document_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = x.document_id),
       (SELECT d.expires_at FROM documents d WHERE d.id = x.document_id)`

// actionRow is a row of actions, to be converted to a domain.Action.
type actionRow struct {
	action domain.Action
	// startedDefinition and started are not part of actionColumns.
	startedDefinition, started *uuid.UUID
	expiresAt                  *time.Time
}

// fields returns the destinations of actionColumns.
func (r *actionRow) fields() []any {
	a := &r.action
	return []any{
		&a.ID, &a.TenantID, &a.Status, &a.Definition.ID, &a.Definition.Code,
		&a.DocumentID, &a.DocumentURI, &a.Failure, &a.Errors, &a.FinishedAt,
		&a.CreatedBy, &a.CreatedAt, &a.LastModifiedBy, &a.LastModifiedAt, &a.DocumentExpired, &r.expiresAt,
	}
}

// read converts the row to a domain.Action. now decides whether its document has expired.
func (r *actionRow) read(now time.Time) domain.Action {
	a := r.action
	a.DocumentExpired = a.DocumentExpired || r.expiresAt != nil && !r.expiresAt.After(now)
	if r.startedDefinition != nil && r.started != nil {
		a.Started = &domain.StartedProcess{DefinitionID: *r.startedDefinition, ID: *r.started}
	}
	return a
}

// storeDetails returns the errors of an action as stored in a column, NULL for none.
func storeDetails(details []domain.Detail) any {
	if len(details) == 0 {
		return nil
	}
	return details
}

// startedBy returns the columns for the process that an action started.
func startedBy(a *domain.Action) (definition, process *uuid.UUID) {
	if a.Started == nil {
		return nil, nil
	}
	return &a.Started.DefinitionID, &a.Started.ID
}

const (
	setActionEnd = `
   SET status = $2, document_id = $3, document_uri = nullif($4, ''), error = nullif($5, ''),
       last_modified_by = $6, last_modified_at = $7, finished_at = $8
 WHERE id = $1`

	endArtifactAction = `
UPDATE business_artifact_actions` + setActionEnd

	endProcessAction = `
UPDATE process_actions` + setActionEnd
)

// EndArtifactAction stores the outcome of an action on a business artifact that is under lock.
func (tx *Tx) EndArtifactAction(a *domain.BusinessArtifactAction) {
	tx.endAction(endArtifactAction, &a.Action)
}

// EndProcessAction stores the outcome of an action on a process that is under lock.
func (tx *Tx) EndProcessAction(a *domain.ProcessAction) { tx.endAction(endProcessAction, &a.Action) }

func (tx *Tx) endAction(statement string, a *domain.Action) {
	tx.queue(statement, a.ID, a.Status, a.DocumentID, a.DocumentURI, a.Failure,
		a.LastModifiedBy, a.LastModifiedAt, a.FinishedAt)
}
