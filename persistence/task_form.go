package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// TaskForms is an item with forms to render.
type TaskForms struct {
	Item           *domain.ProcessItem
	ProcessVersion uuid.UUID
	// Subject is the subject of the process, "" when it has none.
	Subject string
	// Profile is the profile of the caller.
	Profile domain.Profile
}

const getTaskForms = `
SELECT ` + itemColumns + `, ` + itemProcessVersion + `, coalesce(p.subject, ''), coalesce(c.locale, ''), coalesce(c.time_zone, '')
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
  JOIN principals c ON c.id = $1
 WHERE i.id = $3 AND i.tenant_id = ANY($2) AND ` + access.VisibleItem

// GetTaskForms returns an item visible to the caller, or NOT_FOUND.
func (tx *Tx) GetTaskForms(ctx context.Context, caller domain.Caller, id uuid.UUID) (*TaskForms, error) {
	var row itemRow
	found := &TaskForms{}
	err := tx.Read(ctx, pg.Q(
		getTaskForms,
		[]any{caller.PrincipalID, caller.TenantIDs(), id},
		pg.One(append(row.fields(), &found.ProcessVersion, &found.Subject, &found.Profile.Locale, &found.Profile.TimeZone)...),
	))
	if err != nil {
		return nil, pg.NotFound(err, "process item")
	}
	found.Item, err = row.processItem()
	return found, err
}
