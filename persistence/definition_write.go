package persistence

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/translation"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	insertProcessDefinition = `
INSERT INTO process_definitions (id, tenant_id, code)
VALUES ($1, $2, $3)
ON CONFLICT (id) DO NOTHING`

	insertProcessDefinitionVersion = `
INSERT INTO process_definition_versions (version, process_definition_id, name, workflow_type, task_queue,
                                         signal_shape, runner_id, spec, number, digest, created_by, created_at,
                                         encryption_key, names, description, calendar)
VALUES ($1, $2, $3, nullif($4, ''), nullif($5, ''), nullif($6, ''), $7, $8, $9, $10, $11, $12, nullif($13, ''), $14, $15, nullif($16, ''))`

	publishProcessDefinition = `
UPDATE process_definitions
   SET published_version = $2
 WHERE id = $1`

	insertItemDefinition = `
INSERT INTO item_definitions (id, process_definition_id, code)
VALUES ($1, $2, $3)
ON CONFLICT (id) DO NOTHING`

	insertItemDefinitionVersion = `
INSERT INTO item_definition_versions (version, item_definition_id, process_version, type, name, spec,
                                      robot_code, robot_operation, names, opposed_codes)
VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''), nullif($8, ''), $9, $10)`

	// A group has rights in its own tenant only; the queries that read rights rely on it.
	insertProcessGrant = `
INSERT INTO process_definition_grants (process_definition_id, permission, grantee_id)
SELECT d.id, $2, $3
  FROM process_definitions d
 WHERE d.id = $1
   AND NOT EXISTS (SELECT 1 FROM groups o WHERE o.id = $3 AND o.tenant_id <> d.tenant_id)
ON CONFLICT DO NOTHING`

	insertItemGrant = `
INSERT INTO item_definition_grants (item_definition_id, permission, grantee_id)
SELECT i.id, $2, $3
  FROM item_definitions i
  JOIN process_definitions d ON d.id = i.process_definition_id
 WHERE i.id = $1
   AND NOT EXISTS (SELECT 1 FROM groups o WHERE o.id = $3 AND o.tenant_id <> d.tenant_id)
ON CONFLICT DO NOTHING`

	deleteProcessGrants = `
DELETE FROM process_definition_grants
 WHERE process_definition_id = $1`

	deleteItemGrants = `
DELETE FROM item_definition_grants
 WHERE item_definition_id = $1`
)

// DefinitionVersion is a version of a process definition to be published. Number counts the versions of a
// definition from 1; Digest covers everything that a process is pinned to.
type DefinitionVersion struct {
	domain.DefinitionRef
	TenantID uuid.UUID
	Number   int
	Digest   []byte
	Name     translation.Name
	// Description has no source if there is none.
	Description translation.Name
	Engine      *domain.EngineBinding
	// Calendar is the code of the calendar of due dates, "" for none.
	Calendar string
	// Spec is the full manifest; domain.ProcessSpec is a part of it.
	Spec  json.RawMessage
	Items []ItemDefinitionVersion
}

// ItemDefinitionVersion is the part of a DefinitionVersion about one item definition.
type ItemDefinitionVersion struct {
	domain.DefinitionRef
	Type domain.ItemType
	Name translation.Name
	// Spec is the full manifest; domain.ItemSpec is a part of it.
	Spec json.RawMessage
	// Robot is the zero value for items without one.
	Robot domain.TaskRobot
	// Opposed are the codes of the tasks that one person must not do together with the task.
	Opposed []string
}

// translatedName returns a name with its translations as a parameter, NULL for a name without translations.
func translatedName(n translation.Name) *translation.Name {
	if n.Default == "" {
		return nil
	}
	return &n
}

// givenText returns a text as a parameter, NULL for none.
func givenText(n translation.Name) *translation.Name {
	if n.Source == "" {
		return nil
	}
	return &n
}

// InsertDefinition stores a process definition without a published version, unless the definition
// exists.
func (tx *Tx) InsertDefinition(id, tenant uuid.UUID, code string) {
	tx.queue(insertProcessDefinition, id, tenant, code)
}

// InsertItemDefinition stores an item definition of a process definition, unless it exists.
func (tx *Tx) InsertItemDefinition(id, definition uuid.UUID, code string) {
	tx.queue(insertItemDefinition, id, definition, code)
}

// PublishVersion stores a version of a definition and pins new processes to it. It grants no rights.
func (tx *Tx) PublishVersion(v DefinitionVersion, by uuid.UUID, now time.Time) {
	engine := domain.EngineBinding{}
	if v.Engine != nil {
		engine = *v.Engine
	}
	tx.InsertDefinition(v.ID, v.TenantID, v.Code)
	tx.queue(insertProcessDefinitionVersion, v.Version, v.ID, v.Name.Source, engine.WorkflowType, engine.TaskQueue,
		engine.SignalShape, pg.Optional(engine.RunnerID), specOf(v.Spec), v.Number, append([]byte{}, v.Digest...), by, now,
		engine.EncryptionKey, translatedName(v.Name), givenText(v.Description), v.Calendar)
	for _, item := range v.Items {
		tx.InsertItemDefinition(item.ID, v.ID, item.Code)
		tx.queue(insertItemDefinitionVersion, item.Version, item.ID, v.Version, item.Type, item.Name.Source, specOf(item.Spec),
			item.Robot.Code, item.Robot.Operation, translatedName(item.Name), append([]string{}, item.Opposed...))
	}
	tx.queue(publishProcessDefinition, v.ID, v.Version)
}

// specOf returns the manifest of a definition, empty for one with columns only.
func specOf(spec json.RawMessage) []byte {
	if len(spec) == 0 {
		return []byte("{}")
	}
	return spec
}

// RepublishVersion pins new processes to a stored version.
func (tx *Tx) RepublishVersion(id, version uuid.UUID) {
	tx.queue(publishProcessDefinition, id, version)
}

// RetireDefinition prevents new processes of the definition.
func (tx *Tx) RetireDefinition(id uuid.UUID) {
	tx.queue(publishProcessDefinition, id, nil)
}

// GrantOnProcess grants a principal or a group a right on the processes of a definition. A repeated grant, or
// one to a group of another tenant, has no effect.
func (tx *Tx) GrantOnProcess(definition uuid.UUID, permission domain.ProcessPermission, grantee uuid.UUID) {
	tx.queue(insertProcessGrant, definition, permission, grantee)
}

// RevokeOnProcess deletes all grants on the processes of a definition.
func (tx *Tx) RevokeOnProcess(definition uuid.UUID) { tx.queue(deleteProcessGrants, definition) }

// GrantOnItem grants a principal, a group or the initiator of the process a right on the items of a definition.
// A repeated grant, or one to a group of another tenant, has no effect.
func (tx *Tx) GrantOnItem(definition uuid.UUID, permission domain.ItemPermission, grantee domain.Grantee) {
	tx.queue(insertItemGrant, definition, permission, pg.Optional(grantee.ID))
}

// RevokeOnItem deletes all grants on the items of a definition.
func (tx *Tx) RevokeOnItem(definition uuid.UUID) { tx.queue(deleteItemGrants, definition) }

const (
	deleteItemGrantsOf = `
DELETE FROM item_definition_grants
 WHERE item_definition_id IN (SELECT id FROM item_definitions WHERE process_definition_id = $1)`

	deleteItemVersionsOf = `
DELETE FROM item_definition_versions
 WHERE item_definition_id IN (SELECT id FROM item_definitions WHERE process_definition_id = $1)`

	deleteItemDefinitionsOf = `
DELETE FROM item_definitions
 WHERE process_definition_id = $1`

	deleteFaultsOf = `
DELETE FROM availability_faults
 WHERE process_version IN (SELECT version FROM process_definition_versions WHERE process_definition_id = $1)`

	deleteVersionsOf = `
DELETE FROM process_definition_versions
 WHERE process_definition_id = $1`

	deleteProcessDefinition = `
DELETE FROM process_definitions
 WHERE id = $1`
)

// DeleteDefinition deletes a process definition without processes.
func (tx *Tx) DeleteDefinition(id uuid.UUID) {
	tx.RevokeOnProcess(id)
	tx.RetireDefinition(id)
	for _, statement := range []string{
		deleteItemGrantsOf, deleteItemVersionsOf, deleteItemDefinitionsOf, deleteFaultsOf, deleteVersionsOf, deleteProcessDefinition,
	} {
		tx.queue(statement, id)
	}
}
