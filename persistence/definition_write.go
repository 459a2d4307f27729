package persistence

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
)

const (
	insertProcessDefinition = `
INSERT INTO process_definitions (id, tenant_id, code)
VALUES ($1, $2, $3)
ON CONFLICT (id) DO NOTHING`

	insertProcessDefinitionVersion = `
INSERT INTO process_definition_versions (version, process_definition_id, name, workflow_type, task_queue,
                                         signal_shape, runner_id, spec, created_at)
VALUES ($1, $2, $3, nullif($4, ''), nullif($5, ''), nullif($6, ''), $7, $8, $9)
ON CONFLICT (version) DO NOTHING`

	publishProcessDefinition = `
UPDATE process_definitions
   SET published_version = $2
 WHERE id = $1`

	insertItemDefinition = `
INSERT INTO item_definitions (id, process_definition_id, code)
VALUES ($1, $2, $3)
ON CONFLICT (id) DO NOTHING`

	insertItemDefinitionVersion = `
INSERT INTO item_definition_versions (version, item_definition_id, process_version, type, name, spec)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (version) DO NOTHING`

	insertProcessGrant = `
INSERT INTO process_definition_grants (process_definition_id, permission, grantee_id)
VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING`

	insertItemGrant = `
INSERT INTO item_definition_grants (item_definition_id, permission, grantee_id)
VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING`
)

// PublishDefinition stores a version of a process definition, unless it is
// there already, and makes it the one that new processes are pinned to. The
// application that runs the definition's workflow gets the Manager permission.
func (tx *Tx) PublishDefinition(d *domain.ProcessDefinition, now time.Time) error {
	spec, err := json.Marshal(d.Spec)
	if err != nil {
		return fmt.Errorf("writing the specification of process definition %s: %w", d.Code, err)
	}
	tx.queue(insertProcessDefinition, d.ID, d.TenantID, d.Code)
	engine := domain.EngineBinding{}
	if d.Engine != nil {
		engine = *d.Engine
	}
	tx.queue(insertProcessDefinitionVersion, d.Version, d.ID, d.Name, engine.WorkflowType, engine.TaskQueue,
		engine.SignalShape, optional(engine.RunnerID), spec, now)
	for _, item := range d.Items {
		spec, err := json.Marshal(item.Spec)
		if err != nil {
			return fmt.Errorf("writing the specification of item definition %s: %w", item.Code, err)
		}
		tx.queue(insertItemDefinition, item.ID, d.ID, item.Code)
		tx.queue(insertItemDefinitionVersion, item.Version, item.ID, d.Version, item.Type, item.Name, spec)
	}
	tx.queue(publishProcessDefinition, d.ID, d.Version)
	if d.Engine != nil {
		tx.GrantOnProcess(d.ID, domain.PermissionManager, engine.RunnerID)
	}
	return nil
}

// GrantOnProcess gives a principal or a group a right on the processes of a
// definition. Giving it twice changes nothing.
func (tx *Tx) GrantOnProcess(definition uuid.UUID, permission domain.ProcessPermission, grantee uuid.UUID) {
	tx.queue(insertProcessGrant, definition, permission, grantee)
}

// GrantOnItem gives a principal, a group or the initiator of the process a
// right on the items of a definition. Giving it twice changes nothing.
func (tx *Tx) GrantOnItem(definition uuid.UUID, permission domain.ItemPermission, grantee domain.Grantee) {
	tx.queue(insertItemGrant, definition, permission, optional(grantee.ID))
}
