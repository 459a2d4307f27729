package persistence

import (
	"context"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
)

// IncidentReportFilter narrows a list of incidents. Search is the id of an incident, a process or an action, or a part of
// the message, the type of the workflow or the name of the definition, ignoring case.
type IncidentReportFilter struct {
	States []domain.IncidentState
	ID     *uuid.UUID
	Search string
	// Fingerprint keeps the incidents of one cause; "" keeps all.
	Fingerprint string
	// TenantCodes keeps the incidents of the tenants with these codes; empty keeps all.
	TenantCodes []string
}

const (
	incidentReportColumns = incidentColumns + `, t.code, coalesce(v.names, to_jsonb(coalesce(v.name, a.definition_code, ''))),
       CASE WHEN ` + access.VisibleProcess + ` THEN p.subject END,
       (SELECT count(*) FROM incidents o WHERE o.engine_run_id = i.engine_run_id),
       (SELECT min(o.created_at) FROM incidents o WHERE o.engine_run_id = i.engine_run_id)`

	incidentReportTables = runOfIncident + `
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
	search := strings.TrimSpace(filter.Search)
	l := incidentList(scope, sort, filter.TenantCodes,
		listquery.AnyOf("i.state", filter.States),
		listquery.MatchGiven("i.id = %s", filter.ID),
		listquery.MatchIf(filter.Fingerprint != "", "i.fingerprint = %s", filter.Fingerprint),
		searchIncidents(search),
		// The total does not depend on the caller's rights.
		listquery.Match("$1::uuid IS NOT NULL"))
	l.Columns, l.Names, l.Args = incidentReportColumns, incidentReportTables, []any{caller.PrincipalID}
	l.Fixed = filter.ID == nil && search == ""
	return ReadPage(ctx, r, "listing reports of incidents", &l, page, scanIncidentReport)
}

func searchIncidents(search string) listquery.Condition {
	if id, err := uuid.Parse(search); err == nil {
		return listquery.Match("%[1]s IN (i.id, i.process_id, r.owner_id)", id).OnNames()
	}
	return listquery.MatchSearch(search, "i.message", "r.workflow_type", "v.name").OnNames()
}

func scanIncidentReport(row pgx.CollectableRow) (domain.IncidentReport, error) {
	var i domain.IncidentReport
	var subject *string
	err := row.Scan(append(incidentFields(&i.Incident, &i.Run), &i.TenantCode, &i.DefinitionName, &subject, &i.Times, &i.FirstAt)...)
	i.Concern(i.Run)
	if subject != nil {
		i.Visible, i.Subject = true, *subject
	}
	return i, err
}
