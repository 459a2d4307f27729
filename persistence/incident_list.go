package persistence

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
)

// IncidentFilter narrows a list of incidents; empty fields keep all. Search is the id of an incident, a process or an action, or
// a part of the message, the type of the workflow or the current name of the definition, ignoring case; or a part of the subject of
// a visible process, among the newest subjectsSearched incidents that the other fields keep.
type IncidentFilter struct {
	ID          *uuid.UUID
	States      []domain.IncidentState
	Kinds       []domain.IncidentKind
	ProcessIDs  []uuid.UUID
	TenantCodes []string
	Search      string
	// Fingerprint keeps the incidents of one cause.
	Fingerprint string
	// Worker is the build id of the worker.
	Worker     string
	AssigneeID *uuid.UUID
	// Assigned, Acknowledged and Muted keep the incidents with or without an assignee, an acknowledgement and a mute at Now.
	Assigned, Acknowledged, Muted *bool
	Now                           time.Time
	// After keeps the incidents that follow this one in the order of creation.
	After *uuid.UUID
}

// incidentList is a list of incidents in the scope. $1 is the caller.
func incidentList(
	caller domain.Caller, scope AdministrationScope, f IncidentFilter, sort []domain.SortKey,
) (*listquery.List, error) {
	search := strings.TrimSpace(f.Search)
	follows := "<"
	if f.After != nil {
		if len(sort) > 0 && sort[0].Property != "createdAt" {
			return nil, domain.InvalidField(domain.FieldSort, "must be createdAt with the parameter after")
		}
		descending := len(sort) == 0 || sort[0].Descending
		if !descending {
			follows = ">"
		}
		sort = []domain.SortKey{{Property: "createdAt", Descending: descending}, {Property: "id", Descending: descending}}
	}
	createdAt := listquery.Column{SQL: "i.created_at", Index: listquery.WalkIndex}
	newest := createdAt
	newest.Descending = true
	l := &listquery.List{
		Table: "incidents i", Tenants: scope.Within("i.tenant_id", incidentOfDefinition),
		Names: runOfIncident, Args: []any{caller.PrincipalID},
		Where: []listquery.Condition{
			listquery.MatchGiven("i.id = %s", f.ID),
			listquery.AnyOf("i.state", f.States),
			listquery.AnyOf("i.kind", f.Kinds),
			listquery.AnyOf("i.process_id", f.ProcessIDs),
			listquery.MatchAny("i.tenant_id IN (SELECT t.id FROM tenants t WHERE t.code = ANY(%s))", f.TenantCodes),
			listquery.MatchIf(f.Fingerprint != "", "i.fingerprint = %s", f.Fingerprint),
			listquery.MatchIf(f.Worker != "", "i.worker = %s", f.Worker),
			listquery.MatchGiven("i.assignee_id = %s", f.AssigneeID),
			listquery.MatchGiven("(i.assignee_id IS NOT NULL) = %s", f.Assigned),
			listquery.MatchGiven("(i.acknowledged_at IS NOT NULL) = %s", f.Acknowledged),
			matchMuted(f.Muted, f.Now),
			listquery.MatchGiven("(i.created_at, i.id) "+follows+" (SELECT a.created_at, a.id FROM incidents a WHERE a.id = %s)", f.After),
			// The total does not depend on the caller's rights.
			listquery.Match("$1::uuid IS NOT NULL"),
		},
		Order: listquery.Order{
			By: sort, Default: []listquery.Column{newest, {SQL: "i.id", Descending: true}},
			Columns: listquery.Columns{"id": {SQL: "i.id"}, "createdAt": createdAt},
		},
	}
	if !scope.Everywhere && (len(scope.Others) > 0 || len(scope.Tenants) > 1) {
		l.Walks = scope.walks("tenant_id", "process_definition_id")
	}
	if search != "" {
		l.Where = append(l.Where, searchIncidents(scope, search, append([]listquery.Condition{l.Tenants}, l.Where...)))
	}
	return l, nil
}

func matchMuted(muted *bool, now time.Time) listquery.Condition {
	if muted == nil {
		return listquery.Condition{}
	}
	return listquery.Match("(coalesce(i.muted_until, '-infinity') > %s) = %s", now, *muted)
}

// subjectsSearched bounds the incidents with subjects that a search reads: subjects are stored with processes, and visible to some.
const subjectsSearched = 1000

// searchIncidents keeps the incidents with an id or a text. The other conditions limit the incidents with searched subjects.
func searchIncidents(scope AdministrationScope, search string, others []listquery.Condition) listquery.Condition {
	if id, err := uuid.Parse(search); err == nil {
		return listquery.Match(`(%[1]s IN (i.id, i.process_id)
     OR i.engine_run_id IN (SELECT r.id FROM engine_runs r WHERE r.owner_id = %[1]s))`, id)
	}
	others = slices.DeleteFunc(others, func(c listquery.Condition) bool { return c.SQL == "" })
	tenants := listquery.Match("true")
	if !scope.Everywhere {
		tenants = listquery.Within("d.tenant_id", false, scope.SomeTenants())
	}
	pattern := listquery.Pattern(search)
	return listquery.Match(`(search_key(i.workflow_type || ' ' || i.message) LIKE search_key(%[1]s)
     OR i.process_definition_id = ANY(ARRAY(%[2]s))
     OR i.process_id = ANY(ARRAY(%[3]s)))`, pattern,
		listquery.Match(`SELECT d.id
              FROM process_definitions d
              JOIN process_definition_versions v ON v.version = d.published_version
             WHERE %s AND search_key(v.name) LIKE search_key(%s)`, tenants, pattern),
		listquery.Match(`SELECT p.id
              FROM (SELECT i.process_id
                      FROM incidents i
                     WHERE %s
                     ORDER BY i.created_at DESC, i.id DESC
                     LIMIT %s) n
              JOIN processes p ON p.id = n.process_id
             WHERE search_key(p.subject) LIKE search_key(%s) AND `+access.VisibleProcess,
			listquery.Join("AND", others...), subjectsSearched, pattern))
}

// ListIncidents returns a page of the incidents in the scope. They can be sorted
// by id and createdAt; without a key the newest comes first.
func (r *Reader) ListIncidents(
	ctx context.Context, caller domain.Caller, scope AdministrationScope, filter IncidentFilter, page domain.PageRequest,
	sort []domain.SortKey,
) (domain.Page[domain.Incident], error) {
	l, err := incidentList(caller, scope, filter, sort)
	if err != nil {
		return domain.Page[domain.Incident]{}, err
	}
	l.Columns = incidentColumns
	return ReadPage(ctx, r, "listing incidents", l, page, func(row pgx.CollectableRow) (i domain.Incident, err error) {
		return i, scanIncident(row, &i, &domain.EngineRun{})
	})
}

// nameOfPerson is the name of a principal in the tenant of an incident i, NULL without one.
const nameOfPerson = `(SELECT coalesce(n.name, s.name)
          FROM principals s
          LEFT JOIN person_names n ON n.tenant_id = i.tenant_id AND n.principal_id = s.id
         WHERE s.id = %s)`

const incidentReportTables = runOfIncident + `
  JOIN tenants t ON t.id = i.tenant_id
  LEFT JOIN processes p ON p.id = i.process_id
  LEFT JOIN process_definition_versions v ON v.version = p.process_version
  LEFT JOIN business_artifacts a ON a.id = (r.action->>'artifactId')::uuid`

//nolint:gochecknoglobals // a constant text
var incidentReportColumns = incidentColumns + `, t.code, coalesce(v.names, to_jsonb(coalesce(v.name, a.definition_code, ''))),
       CASE WHEN ` + access.VisibleProcess + ` THEN p.subject END,
       (SELECT count(*) FROM incidents o WHERE o.engine_run_id = i.engine_run_id),
       (SELECT min(o.created_at) FROM incidents o WHERE o.engine_run_id = i.engine_run_id),
       coalesce(` + fmt.Sprintf(nameOfPerson, "i.assignee_id") + `, ''), coalesce(` + fmt.Sprintf(nameOfPerson, "i.acknowledged_by") + `, '')`

// ListIncidentReports returns a page of the incidents in the scope with the details that the caller may read.
// They can be sorted by createdAt; without a key the newest comes first. The report of one incident has its comments.
func (r *Reader) ListIncidentReports(
	ctx context.Context, caller domain.Caller, scope AdministrationScope, filter IncidentFilter, page domain.PageRequest,
	sort []domain.SortKey,
) (domain.Page[domain.IncidentReport], error) {
	l, err := incidentList(caller, scope, filter, sort)
	if err != nil {
		return domain.Page[domain.IncidentReport]{}, err
	}
	l.Columns, l.Names = incidentReportColumns, incidentReportTables
	l.Fixed = filter.ID == nil && strings.TrimSpace(filter.Search) == ""
	if filter.ID == nil {
		return ReadPage(ctx, r, "listing reports of incidents", l, page, scanIncidentReport)
	}
	var comments []domain.IncidentComment
	found, err := ReadPage(ctx, r, "reading the report of an incident", l, page, scanIncidentReport, selectComments(scope, *filter.ID, &comments))
	if len(found.Items) > 0 {
		found.Items[0].Comments = comments
	}
	return found, err
}

func scanIncidentReport(row pgx.CollectableRow) (domain.IncidentReport, error) {
	var i domain.IncidentReport
	var subject *string
	err := row.Scan(append(incidentFields(&i.Incident, &i.Run), &i.TenantCode, &i.DefinitionName, &subject, &i.Times, &i.FirstAt,
		&i.AssigneeName, &i.AcknowledgedByName)...)
	i.Concern(i.Run)
	if subject != nil {
		i.Visible, i.Subject = true, *subject
	}
	return i, err
}
