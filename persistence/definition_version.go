package persistence

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const listDefinitionUse = `
SELECT d.id,
       coalesce((SELECT v.number FROM process_definition_versions v WHERE v.version = d.published_version), 0) AS number,
       (SELECT count(*) FROM process_definition_versions v WHERE v.process_definition_id = d.id) AS versions,
       (SELECT count(*) FROM processes p JOIN process_definition_versions v ON v.version = p.process_version
         WHERE v.process_definition_id = d.id AND p.state = 'RUNNING') AS running
  FROM process_definitions d
 WHERE d.id = ANY($1)`

// ListDefinitionUse returns how process definitions are used, in no order.
func (r *Reader) ListDefinitionUse(ctx context.Context, definitions []uuid.UUID) ([]domain.DefinitionUse, error) {
	var use []domain.DefinitionUse
	err := r.Read(ctx, pg.Q(listDefinitionUse, []any{definitions}, pg.Into(&use)))
	return use, pg.Translate("counting the processes of definitions", err)
}

const (
	getPinnedDefinition = `
SELECT v.name, coalesce(v.workflow_type, ''), coalesce(v.task_queue, ''), coalesce(v.signal_shape, ''),
       coalesce(v.encryption_key, ''), coalesce(a.code, ''), v.spec
  FROM process_definition_versions v
  JOIN process_definitions d ON d.id = v.process_definition_id
  LEFT JOIN resources a ON a.tenant_id = d.tenant_id AND a.kind = 'Application' AND a.id = v.runner_id
 WHERE v.process_definition_id = $1 AND v.number = $2`

	listPinnedItems = `
SELECT i.spec
  FROM item_definition_versions i
  JOIN process_definition_versions v ON v.version = i.process_version
  JOIN item_definitions d ON d.id = i.item_definition_id
 WHERE v.process_definition_id = $1 AND v.number = $2
 ORDER BY d.code`
)

// PinnedDefinition contains the stored parts that a version of a process definition pins.
type PinnedDefinition struct {
	Name   string
	Engine domain.EngineBinding
	// Runner is the code of the application that runs the workers, "" for one that is no longer there.
	Runner string
	Spec   json.RawMessage
	// Items are the specifications of items, in the order of their codes.
	Items []json.RawMessage
}

// GetPinnedDefinition returns the parts that a version pins, or NOT_FOUND. Its engine has no runner id.
func (r *Reader) GetPinnedDefinition(ctx context.Context, definition uuid.UUID, number int) (*PinnedDefinition, error) {
	var pinned PinnedDefinition
	err := r.Read(ctx,
		pg.Q(getPinnedDefinition, []any{definition, number}, pg.One(
			&pinned.Name, &pinned.Engine.WorkflowType, &pinned.Engine.TaskQueue, &pinned.Engine.SignalShape,
			&pinned.Engine.EncryptionKey, &pinned.Runner, &pinned.Spec)),
		pg.Q(listPinnedItems, []any{definition, number}, func(rows pgx.Rows) (err error) {
			pinned.Items, err = pgx.CollectRows(rows, pgx.RowTo[json.RawMessage])
			return err
		}))
	if err != nil {
		return nil, pg.Translate("reading a version of a definition", pg.NotFound(err, "version"))
	}
	return &pinned, nil
}
