package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// ListProcessParts returns a page of the items of a process that are visible to the caller, of the types or of all.
// They can be sorted by createdAt.
func (r *Reader) ListProcessParts(
	ctx context.Context, caller domain.Caller, process uuid.UUID, types []domain.ItemType, page domain.PageRequest,
	sort []domain.SortKey,
) (domain.Page[domain.ProcessPart], error) {
	return ReadPage(ctx, r, "listing the items of a process", partList(caller, process, PartFilter{Types: types}, sort), page, scanProcessPart)
}

// PartFilter narrows a list of items of a process. An empty field keeps all.
type PartFilter struct {
	Types []domain.ItemType
	// Open keeps the tasks that are not finished.
	Open bool
	// Except is an item to leave out.
	Except *uuid.UUID
}

// WithProcessParts adds a page of the items that ListProcessParts lists to the overview of a process.
func WithProcessParts(
	filter PartFilter, page domain.PageRequest, sort []domain.SortKey, dest *domain.Page[domain.ProcessPart],
) ProcessAddition {
	return func(caller domain.Caller, process uuid.UUID) ([]pg.Query, error) {
		dest.PageRequest = page
		return partList(caller, process, filter, sort).Page(page, collectInto(&dest.Items, scanProcessPart), &dest.Total)
	}
}

// partList lists the items of a process that are visible to the caller.
func partList(caller domain.Caller, process uuid.UUID, filter PartFilter, sort []domain.SortKey) *listquery.List {
	return listquery.OfCaller(caller, "i.tenant_id", listquery.List{
		Columns: `i.id, i.type, ` + pg.NameOfT + `, coalesce(i.task_state, ''), coalesce(oname.name, o.name, ''), i.created_by,
       coalesce(aname.name, a.name, ''), i.thread_id, coalesce(i.message_text, ''), i.message_data, i.message_data_valid,
       i.message_data_errors, coalesce(i.message_data_code, ''), i.created_at, i.last_modified_at,
       ARRAY(SELECT coalesce(mname.name, m.name) FROM principals m
               LEFT JOIN person_names mname ON mname.tenant_id = i.tenant_id AND mname.principal_id = m.id
              WHERE m.id = ANY(i.mentions) ORDER BY m.id),
       ARRAY(SELECT coalesce(m.email, '') FROM principals m WHERE m.id = ANY(i.mentions) ORDER BY m.id)`,
		Table: "process_items i",
		Joins: `
  LEFT JOIN item_definition_versions t ON t.version = i.item_version
  LEFT JOIN principals o ON o.id = i.owner_id
  LEFT JOIN person_names oname ON oname.tenant_id = i.tenant_id AND oname.principal_id = i.owner_id
  LEFT JOIN principals a ON a.id = i.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = i.tenant_id AND aname.principal_id = i.created_by`,
		Visible: listquery.Match(access.VisibleItem),
		Where: []listquery.Condition{
			listquery.Match("i.process_id = %s", process), listquery.AnyOf("i.type", filter.Types),
			listquery.MatchIf(filter.Open, "i.task_state IN ('READY', 'CLAIMED')"),
			listquery.MatchGiven("i.id <> %s", filter.Except),
		},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "i.created_at"}},
			Columns: listquery.Columns{"id": {SQL: "i.id"}, "createdAt": {SQL: "i.created_at"}},
		},
	})
}

func scanProcessPart(row pgx.CollectableRow) (domain.ProcessPart, error) {
	var part domain.ProcessPart
	var data storedValue
	var names, emails []string
	err := row.Scan(&part.ID, &part.Type, &part.Name, &part.State, &part.OwnerName, &part.AuthorID, &part.AuthorName,
		&part.ThreadID, &part.Text, &data.document, &data.valid, &data.errors, &part.DataStructureCode, &part.CreatedAt, &part.LastModifiedAt,
		&names, &emails)
	if err != nil {
		return part, err
	}
	for i := range names {
		part.Mentions = append(part.Mentions, domain.MentionedPerson{Name: names[i], Email: emails[i]})
	}
	part.Data, err = data.value()
	return part, err
}

// ListProcessActions returns a page of the user actions that were invoked on a process visible to the caller. They
// can be sorted by createdAt. now decides whether their documents have expired.
func (r *Reader) ListProcessActions(
	ctx context.Context, caller domain.Caller, process uuid.UUID, page domain.PageRequest, sort []domain.SortKey, now time.Time,
) (domain.Page[domain.NamedAction], error) {
	l := listquery.OfCaller(caller, "p.tenant_id", listquery.List{
		Columns: processActionColumns + ", coalesce(aname.name, a.name, '')", Table: "process_actions x",
		Joins: `
  JOIN processes p ON p.id = x.process_id
  LEFT JOIN principals a ON a.id = x.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = p.tenant_id AND aname.principal_id = x.created_by`,
		Visible: listquery.Match(access.VisibleProcess),
		Where:   []listquery.Condition{listquery.Match("x.process_id = %s", process)},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{{SQL: "x.created_at", Descending: true}},
			Columns: listquery.Columns{"id": {SQL: "x.id"}, "createdAt": {SQL: "x.created_at"}},
		},
	})
	return ReadPage(ctx, r, "listing the actions on a process", l, page, func(row pgx.CollectableRow) (a domain.NamedAction, err error) {
		var action processActionRow
		if err := row.Scan(append(action.fields(), &a.AuthorName)...); err != nil {
			return a, err
		}
		a.ProcessAction, err = action.read(now)
		return a, err
	})
}

// ListProcessDocuments returns a page of the documents of a process, and of actions on it, that are kept and visible
// to the caller like the process. They can be sorted by createdAt and name.
func (r *Reader) ListProcessDocuments(
	ctx context.Context, caller domain.Caller, process uuid.UUID, page domain.PageRequest, sort []domain.SortKey, now time.Time,
) (domain.Page[domain.NamedDocument], error) {
	l := processDocumentList(caller, process, now)
	l.Order.By = sort
	return ReadPage(ctx, r, "listing the documents of a process", l, page, scanNamedDocument)
}

// WithProcessDocuments adds the page that ListProcessDocuments returns to the overview of a process.
func WithProcessDocuments(page domain.PageRequest, now time.Time, dest *domain.Page[domain.NamedDocument]) ProcessAddition {
	return func(caller domain.Caller, process uuid.UUID) ([]pg.Query, error) {
		dest.PageRequest = page
		return processDocumentList(caller, process, now).Page(page, collectInto(&dest.Items, scanNamedDocument), &dest.Total)
	}
}

func processDocumentList(caller domain.Caller, process uuid.UUID, now time.Time) *listquery.List {
	return documentList(caller, "processes p", "p", process, now, access.VisibleProcess, ofProcess, access.VisibleDocument)
}

// documentList lists the documents d that belong to the resource owner, a row of table, meet conditions and are kept, the newest
// first. They can be sorted by createdAt and name.
func documentList(
	caller domain.Caller, table, alias string, owner uuid.UUID, now time.Time, conditions ...string,
) *listquery.List {
	l := listquery.List{
		Columns: documentColumns + ", coalesce(aname.name, s.name, '')", Table: table,
		Joins: `
  JOIN documents d ON d.tenant_id = ` + alias + `.tenant_id
  LEFT JOIN principals s ON s.id = d.created_by
  LEFT JOIN person_names aname ON aname.tenant_id = ` + alias + `.tenant_id AND aname.principal_id = d.created_by`,
		// The fragments take the owner from $3, and the time from $5.
		Args:  []any{owner, "", now},
		Where: []listquery.Condition{listquery.Match(alias + ".id = $3 AND $4 = ''"), listquery.Match(documentKept)},
		Order: listquery.Order{
			Default: []listquery.Column{{SQL: "d.created_at", Descending: true}},
			Columns: listquery.Columns{"id": {SQL: "d.id"}, "createdAt": {SQL: "d.created_at"}, "name": {SQL: "d.name"}},
		},
	}
	for _, condition := range conditions {
		l.Where = append(l.Where, listquery.Match(condition))
	}
	return listquery.OfCaller(caller, alias+".tenant_id", l)
}

func scanNamedDocument(row pgx.CollectableRow) (domain.NamedDocument, error) {
	var d domain.NamedDocument
	var digest []byte
	err := row.Scan(append(documentFields(&d.Document, &digest), &d.AuthorName)...)
	copy(d.SHA256[:], digest)
	return d, err
}
