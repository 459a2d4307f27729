package persistence

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// IncidentReportFilter narrows a list of incidents. Search is the id of an incident, a process or an action, or a part of
// the message, the type of the workflow or the name of the definition, ignoring case.
type IncidentReportFilter struct {
	States []domain.IncidentState
	ID     *uuid.UUID
	Search string
	// TenantCodes keeps the incidents of the tenants with these codes; empty keeps all.
	TenantCodes []string
}

const (
	incidentReportColumns = incidentColumns + `, t.code, coalesce(v.name, a.definition_code, ''),
       CASE WHEN ` + access.VisibleProcess + ` THEN p.subject END,
       (SELECT count(*) FROM incidents o WHERE o.engine_run_id = i.engine_run_id),
       (SELECT min(o.created_at) FROM incidents o WHERE o.engine_run_id = i.engine_run_id)`

	incidentReportTables = fromIncidents + `
  JOIN tenants t ON t.id = i.tenant_id
  LEFT JOIN processes p ON p.id = i.process_id
  LEFT JOIN process_definition_versions v ON v.version = p.process_version
  LEFT JOIN business_artifacts a ON a.id = (r.action->>'artifactId')::uuid`
)

// ListIncidentReports returns a page of the incidents in the scope with the details that the caller may read.
// They can be sorted by createdAt; without a key the newest comes first.
func (r *Reader) ListIncidentReports(
	ctx context.Context, caller domain.Caller, scope AdministrationScope, filter IncidentReportFilter, page domain.PageRequest,
	sort []domain.SortKey,
) (domain.Page[domain.IncidentReport], error) {
	result := domain.Page[domain.IncidentReport]{PageRequest: page}
	l := &pg.List{
		Columns: incidentReportColumns, From: incidentReportTables, Counted: "incidents i", Args: []any{caller.PrincipalID},
		Fixed: filter.ID == nil && filter.Search == "",
	}
	l.Within("i.tenant_id", scope.Everywhere, scope.Tenants)
	pg.AnyOf(l, "i.state", filter.States)
	if filter.ID != nil {
		l.Filter("i.id = %s", *filter.ID)
	}
	if len(filter.TenantCodes) > 0 {
		l.Filter("i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY(%s))", filter.TenantCodes)
	}
	if search := strings.TrimSpace(filter.Search); search != "" {
		searchIncidents(l, search)
	}
	columns := map[string]string{"id": "i.id", "createdAt": "i.created_at"}
	if err := l.SortBy(sort, columns, "i.created_at DESC", "i.id DESC"); err != nil {
		return result, err
	}
	scan := func(rows pgx.Rows) (err error) {
		result.Items, err = pgx.CollectRows(rows, scanIncidentReport)
		return err
	}
	queries := l.Page(page, scan, &result.Total)
	// The number does not depend on the caller's rights, but every argument must be used.
	queries[len(queries)-1].SQL += " AND $1::uuid IS NOT NULL"
	return result, pg.Translate("listing reports of incidents", r.Read(ctx, l.Kept(queries)...))
}

func searchIncidents(l *pg.List, search string) {
	l.Counted = incidentReportTables
	if id, err := uuid.Parse(search); err == nil {
		l.Filter("%[1]s IN (i.id, i.process_id, r.owner_id)", id)
		return
	}
	text := l.Arg(likePattern(search))
	l.Where = append(l.Where, fmt.Sprintf("(i.message ILIKE %[1]s OR r.workflow_type ILIKE %[1]s OR v.name ILIKE %[1]s)", text))
}

func scanIncidentReport(row pgx.CollectableRow) (domain.IncidentReport, error) {
	var i domain.IncidentReport
	var subject *string
	err := row.Scan(append(append([]any{
		&i.ID, &i.TenantID, &i.RunID, &i.Message, &i.Failure, &i.EngineRun, &i.State, &i.CreatedAt, &i.ResolvedAt,
	}, engineRunFields(&i.Run)...), &i.TenantCode, &i.DefinitionName, &subject, &i.Times, &i.FirstAt)...)
	i.Concern(i.Run)
	if subject != nil {
		i.Visible, i.Subject = true, *subject
	}
	return i, err
}
