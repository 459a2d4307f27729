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

// ListProcessParts returns a page of the items of a process that are visible to the caller, of the types or of all.
// They can be sorted by createdAt.
func (r *Reader) ListProcessParts(
	ctx context.Context, caller domain.Caller, process uuid.UUID, types []domain.ItemType, page domain.PageRequest,
	sort []domain.SortKey,
) (domain.Page[domain.ProcessPart], error) {
	result := domain.Page[domain.ProcessPart]{PageRequest: page}
	l := pg.NewList(caller, `i.id, i.type, coalesce(t.name, ''), coalesce(i.task_state, ''), coalesce(oname.name, o.name, ''), i.created_by,
       coalesce(aname.name, a.name, ''), i.thread_id, coalesce(i.message_text, ''), i.message_data, i.message_data_valid,
       i.message_data_errors, i.created_at, i.last_modified_at`, `process_items i
  LEFT JOIN item_definition_versions t ON t.version = i.item_version
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id
  LEFT JOIN principals a ON a.id = i.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = i.tenant_id AND aname.principal_id = i.created_by`, "i.tenant_id")
	l.Where = append(l.Where, access.VisibleItem)
	l.Filter("i.process_id = %s", process)
	pg.AnyOf(l, "i.type", types)
	if err := l.SortBy(sort, map[string]string{"id": "i.id", "createdAt": "i.created_at"}, "i.created_at"); err != nil {
		return result, err
	}
	err := r.Read(ctx, l.Page(page, func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, scanProcessPart)
		return err
	}, &result.Total)...)
	return result, pg.Translate("listing the items of a process", err)
}

func scanProcessPart(row pgx.CollectableRow) (domain.ProcessPart, error) {
	var part domain.ProcessPart
	var data storedValue
	err := row.Scan(&part.ID, &part.Type, &part.Name, &part.State, &part.OwnerName, &part.AuthorID, &part.AuthorName,
		&part.ThreadID, &part.Text, &data.document, &data.valid, &data.errors, &part.CreatedAt, &part.LastModifiedAt)
	if err != nil {
		return part, err
	}
	part.Data, err = data.value()
	return part, err
}

// ListProcessActions returns a page of the user actions that were invoked on a process visible to the caller. They
// can be sorted by createdAt. now decides whether their documents have expired.
func (r *Reader) ListProcessActions(
	ctx context.Context, caller domain.Caller, process uuid.UUID, page domain.PageRequest, sort []domain.SortKey, now time.Time,
) (domain.Page[domain.NamedAction], error) {
	result := domain.Page[domain.NamedAction]{PageRequest: page}
	l := pg.NewList(caller, processActionColumns+", coalesce(aname.name, a.name, '')", `process_actions x
  JOIN processes p ON p.id = x.process_id
  LEFT JOIN principals a ON a.id = x.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = p.tenant_id AND aname.principal_id = x.created_by`, "p.tenant_id")
	l.Where = append(l.Where, access.VisibleProcess)
	l.Filter("x.process_id = %s", process)
	err := l.SortBy(sort, map[string]string{"id": "x.id", "createdAt": "x.created_at"}, "x.created_at DESC")
	if err != nil {
		return result, err
	}
	err = r.Read(ctx, l.Page(page, func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (a domain.NamedAction, err error) {
			var action processActionRow
			if err := row.Scan(append(action.fields(), &a.AuthorName)...); err != nil {
				return a, err
			}
			a.ProcessAction, err = action.read(now)
			return a, err
		})
		return err
	}, &result.Total)...)
	return result, pg.Translate("listing the actions on a process", err)
}

// ListProcessDocuments returns a page of the documents of a process, and of actions on it, that are kept and visible
// to the caller like the process. They can be sorted by createdAt and name.
func (r *Reader) ListProcessDocuments(
	ctx context.Context, caller domain.Caller, process uuid.UUID, page domain.PageRequest, sort []domain.SortKey, now time.Time,
) (domain.Page[domain.NamedDocument], error) {
	result := domain.Page[domain.NamedDocument]{PageRequest: page}
	l := pg.NewList(caller, documentColumns+", coalesce(aname.name, a.name, '')", `processes p
  JOIN documents d ON d.tenant_id = p.tenant_id
  LEFT JOIN principals a ON a.id = d.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = p.tenant_id AND aname.principal_id = d.created_by`, "p.tenant_id")
	// The fragments take the process from $3, and the time from $5.
	l.Args = append(l.Args, process, "", now)
	l.Where = append(l.Where, "p.id = $3 AND $4 = ''", access.VisibleProcess, ofProcess, documentKept, access.VisibleDocument)
	err := l.SortBy(sort, map[string]string{"id": "d.id", "createdAt": "d.created_at", "name": "d.name"}, "d.created_at DESC")
	if err != nil {
		return result, err
	}
	err = r.Read(ctx, l.Page(page, func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, scanNamedDocument)
		return err
	}, &result.Total)...)
	return result, pg.Translate("listing the documents of a process", err)
}

func scanNamedDocument(row pgx.CollectableRow) (domain.NamedDocument, error) {
	var d domain.NamedDocument
	var digest []byte
	err := row.Scan(append(documentFields(&d.Document, &digest), &d.AuthorName)...)
	copy(d.SHA256[:], digest)
	return d, err
}
