package persistence

import (
	"context"
	"fmt"
	"strings"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// reference is a column that holds ids of a parent without a foreign key, which would lock the row of the parent for each
// row that is written. An index begins with the column.
type reference struct{ table, column, parent string }

func references() []reference {
	return []reference{
		{"processes", "tenant_id", "tenants"},
		{"processes", "initiator_id", "principals"},
		{"processes", "process_definition_id", "process_definitions"},
		{"process_items", "tenant_id", "tenants"},
		{"process_items", "owner_id", "principals"},
		{"process_items", "delegator_id", "principals"},
		{"process_items", "substitute_id", "principals"},
		{"process_items", "item_definition_id", "item_definitions"},
		{"business_artifacts", "tenant_id", "tenants"},
		{"workers", "tenant_id", "tenants"},
		{"workers", "principal_id", "principals"},
		{"worker_queues", "principal_id", "principals"},
		{"task_queue_observations", "tenant_id", "tenants"},
		{"availability_faults", "tenant_id", "tenants"},
		{"document_embeddings", "tenant_id", "tenants"},
		{"assistance_usage", "tenant_id", "tenants"},
	}
}

// FindBrokenReferences returns the columns, as table.column, with ids of missing rows. It reads each id once,
// not each row.
func (r *Reader) FindBrokenReferences(ctx context.Context) ([]string, error) {
	var parts []string
	for _, f := range references() {
		parts = append(parts, fmt.Sprintf(`
SELECT '%[1]s.%[2]s'
 WHERE EXISTS (WITH RECURSIVE ids (id) AS (
                      (SELECT c.%[2]s FROM %[1]s c WHERE c.%[2]s IS NOT NULL ORDER BY c.%[2]s LIMIT 1)
                       UNION ALL
                      SELECT (SELECT c.%[2]s FROM %[1]s c WHERE c.%[2]s > i.id ORDER BY c.%[2]s LIMIT 1)
                        FROM ids i WHERE i.id IS NOT NULL)
               SELECT 1 FROM ids i
                WHERE i.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM %[3]s p WHERE p.id = i.id))`,
			f.table, f.column, f.parent))
	}
	var broken []string
	err := r.Read(ctx, pg.Q("SELECT ARRAY("+strings.Join(parts, "\n UNION ALL")+")", nil, pg.One(&broken)))
	return broken, pg.Translate("looking for rows without a parent", err)
}
