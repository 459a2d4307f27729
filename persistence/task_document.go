package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// A document linked to a task is visible to every caller to whom the task is. Other documents of the process
	// follow the general rules.
	getDocumentOfTask = `
SELECT ` + documentColumns + `
  FROM process_items i
  JOIN documents d ON d.tenant_id = i.tenant_id AND d.id = $4 AND d.owner_kind = 'PROCESS' AND d.owner_id = i.process_id
       AND ` + documentKept + `
 WHERE i.id = $3 AND i.type = 'TASK' AND i.tenant_id = ANY($2) AND ` + access.VisibleItem + `
   AND (EXISTS (SELECT 1 FROM document_links l WHERE l.holder_id = i.id AND l.document_id = d.id) OR ` + access.VisibleDocument + `)`

	// A document of an element can be addressed by the id of its value, too.
	getDocumentOfElement = `
SELECT ` + documentColumns + `
  FROM process_items i
 CROSS JOIN LATERAL json_each(i.element_values) element (code, list)
 CROSS JOIN LATERAL json_array_elements(element.List) value (item)
  JOIN documents d ON d.tenant_id = i.tenant_id AND d.id::text = value.item #>> '{value,documentId}'
       AND ` + documentKept + `
 WHERE i.id = $3 AND i.tenant_id = ANY($2) AND ` + access.VisibleItem + `
   AND value.item ->> 'type' = 'DOCUMENT'
   AND $4::uuid::text IN (value.item #>> '{value,id}', value.item #>> '{value,documentId}')
 LIMIT 1`
)

// GetDocumentOfTask returns a document of the process of a task, if task and document are visible to the caller,
// or NOT_FOUND.
func (r *Reader) GetDocumentOfTask(
	ctx context.Context, caller domain.Caller, task, id uuid.UUID, now time.Time,
) (*domain.Document, error) {
	return r.getDocumentInTask(ctx, getDocumentOfTask, caller, task, id, now)
}

// GetDocumentOfElement returns a document of an element of a task visible to the caller, by its id or by the id
// of the value, or NOT_FOUND.
func (r *Reader) GetDocumentOfElement(
	ctx context.Context, caller domain.Caller, task, id uuid.UUID, now time.Time,
) (*domain.Document, error) {
	return r.getDocumentInTask(ctx, getDocumentOfElement, caller, task, id, now)
}

func (r *Reader) getDocumentInTask(
	ctx context.Context, sql string, caller domain.Caller, task, id uuid.UUID, now time.Time,
) (*domain.Document, error) {
	var found []domain.Document
	err := r.Read(ctx, pg.Q(
		sql, []any{caller.PrincipalID, caller.TenantIDs(), task, id, now}, func(rows pgx.Rows) (err error) {
			found, err = pgx.CollectRows(rows, scanDocument)
			return err
		},
	))
	switch {
	case err != nil:
		return nil, pg.Translate("reading a document of a task", err)
	case len(found) == 0:
		return nil, domain.NotFound("document")
	}
	return &found[0], nil
}

// TaskSite is a task to add a document to, with the rights of the caller.
type TaskSite struct {
	Item           *domain.ProcessItem
	Rights         domain.ItemRights
	ProcessVersion uuid.UUID
}

const shareTaskSite = `
SELECT ` + itemColumns + `,
       ` + access.ManagesProcess + `, ` + access.CandidateOfItem + `, coalesce(` + access.SubstitutesOwner + `, false), ` + itemProcessVersion + `
  FROM process_items i
  JOIN processes p ON p.id = i.process_id
 WHERE i.id = $3 AND i.tenant_id = ANY($2) AND ` + access.VisibleItem + `
   FOR SHARE OF i, p`

// ShareTaskSite returns an item visible to the caller, or NOT_FOUND, and blocks it from being finished until the
// transaction ends.
func ShareTaskSite(caller domain.Caller, id uuid.UUID) Read[*TaskSite] {
	var row itemRow
	site := &TaskSite{}
	fields := append(row.fields(), &site.Rights.Manages, &site.Rights.Candidate, &site.Rights.Substitute, &site.ProcessVersion)
	return Read[*TaskSite]{[]pg.Query{pg.Q(
		shareTaskSite, []any{caller.PrincipalID, caller.TenantIDs(), id}, pg.OrNotFound("process item", pg.One(fields...)),
	)}, func(tx *Tx) (_ *TaskSite, err error) {
		if site.Item, err = row.processItem(); err == nil {
			tx.Found(id, site.Item.Version())
		}
		return site, err
	}}
}
