package persistence

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
)

const (
	// conditionCode is the condition of a running process with the run r and the watermark w of its namespace.
	conditionCode = `CASE WHEN r.state = 'PENDING' THEN 'STARTING'
            WHEN r.state = 'FAILED' THEN 'FAILED'
            WHEN r.finding = 'STUCK' THEN 'STUCK'
            WHEN r.finding = 'UNSERVED' OR w.failing_since IS NOT NULL THEN 'UNKNOWN'
            ELSE coalesce(r.finding, 'RUNNING') END`

	// conditionOfP is the stored condition of a process p, NULL for a finished process and for one without a workflow and an
	// open incident. The incident of the workflow of the process comes first.
	conditionOfP = `(SELECT jsonb_build_object('code', ` + conditionCode + `,
               'since', CASE WHEN r.state = 'PENDING' THEN r.last_active_at
                             WHEN r.state = 'FAILED' THEN r.closed_at
                             WHEN r.finding IS NULL AND w.failing_since IS NOT NULL THEN w.failing_since
                             ELSE coalesce(r.finding_at, r.created_at, p.created_at) END,
               'unserved', CASE WHEN r.finding = 'UNSERVED' THEN coalesce(r.unserved_queue, r.task_queue) ELSE '' END,
               'message', i.message, 'kind', coalesce(i.kind, ''), 'incidentId', CASE WHEN i.state = 'OPEN' THEN i.id END)
          FROM (VALUES (p.id)) one (id)
          LEFT JOIN engine_runs r ON r.owner_id = one.id AND r.kind = 'PROCESS'
          LEFT JOIN engine_watermarks w ON w.namespace = r.namespace
          LEFT JOIN LATERAL (SELECT i.id, i.state, i.kind, i.message FROM incidents i
                              WHERE i.process_id = one.id
                                AND (i.state = 'OPEN' OR i.state = 'DISMISSED' AND i.engine_run_id = r.id
                                                         AND (r.state = 'FAILED' OR r.finding = 'STUCK'))
                              ORDER BY i.engine_run_id = r.id DESC NULLS LAST, i.created_at DESC LIMIT 1) i ON true
         WHERE p.state = 'RUNNING' AND (r.id IS NOT NULL OR i.id IS NOT NULL))`
)

// storedCondition is conditionOfP.
type storedCondition struct {
	Code       domain.ConditionCode `json:"code"`
	Since      time.Time            `json:"since"`
	Unserved   string               `json:"unserved"`
	Message    *string              `json:"message"`
	IncidentID *uuid.UUID           `json:"incidentId"`
	Kind       domain.IncidentKind  `json:"kind"`
}

// of returns the condition of a process. c is nil for a finished process and for one without a workflow.
func (c *storedCondition) of(state domain.ProcessState, createdAt, changedAt time.Time) domain.Condition {
	switch {
	case state != domain.ProcessRunning:
		return domain.Condition{Code: domain.ConditionFinished, Since: changedAt}
	case c == nil:
		return domain.Condition{Code: domain.ConditionRunning, Since: createdAt}
	}
	condition := domain.Condition{Code: c.Code, Since: c.Since, IncidentID: c.IncidentID, IncidentKind: c.Kind}
	switch {
	case c.Message != nil:
		condition.Message = *c.Message
	case c.Unserved != "":
		condition.Message = "no worker takes tasks of the queue " + c.Unserved
	case c.Code == domain.ConditionUnknown:
		condition.Message = "Temporal does not answer"
	}
	return condition
}

// definitionGrantedOnP is true of a process p with a definition on which the caller has the Administrator permission.
const definitionGrantedOnP = `p.process_definition_id = ANY(` + access.AdministeredProcessDefinitions + `)`

// conditionColumns are the condition of a process p, and whether the caller manages it and administers its definition.
const conditionColumns = conditionOfP + `, ` + access.ManagesProcess + `, ` + definitionGrantedOnP

// readCondition reads conditionColumns.
type readCondition struct {
	stored               *storedCondition
	manages, administers bool
}

func (c *readCondition) fields() []any { return []any{&c.stored, &c.manages, &c.administers} }

// show sets the condition of a process, with the cause for its managers and for administrators of its tenant or definition.
func (c *readCondition) show(caller domain.Caller, p *domain.Process) {
	condition := c.stored.of(p.State, p.CreatedAt, p.LastModifiedAt)
	if !c.manages && !c.administers && !caller.Administration(p.TenantID).Administers() {
		condition.Message, condition.IncidentID, condition.IncidentKind = "", nil, ""
	}
	p.Condition = &condition
}

// failedProcesses selects the ids of processes of tenants with a failed workflow. A small index serves it.
func failedProcesses(tenants string) string {
	return `SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(` + tenants + `) AND r.kind = 'PROCESS' AND r.state = 'FAILED'`
}

// processesFound selects the ids of processes of tenants with a workflow with the finding. A small index serves it.
func processesFound(tenants string, finding domain.RunFinding) string {
	return `SELECT r.owner_id FROM engine_runs r
              WHERE r.tenant_id = ANY(` + tenants + `) AND r.kind = 'PROCESS' AND r.finding = '` + string(finding) + `'`
}

// inConditions keeps the processes p in one of the conditions, all without any, in a list of the caller. Few processes have
// failed or are stuck, so these are read by their indexes.
func inConditions(caller domain.Caller, conditions []domain.ConditionCode) listquery.Condition {
	tenants := listquery.TenantArray(caller)
	rare := map[domain.ConditionCode]string{
		domain.ConditionFailed: failedProcesses(tenants), domain.ConditionStuck: processesFound(tenants, domain.FindingStuck),
	}
	var ids []string
	for _, c := range conditions {
		if rare[c] != "" {
			ids = append(ids, rare[c])
		}
	}
	if len(ids) > 0 && len(ids) == len(conditions) {
		return listquery.Match("p.state = 'RUNNING' AND p.id = ANY(ARRAY(" + strings.Join(ids, "\n             UNION ALL\n             ") + "))").OnRows()
	}
	return listquery.MatchAny(`CASE WHEN p.state <> 'RUNNING' THEN 'FINISHED' ELSE coalesce((
            SELECT `+conditionCode+`
              FROM engine_runs r
              LEFT JOIN engine_watermarks w ON w.namespace = r.namespace
             WHERE r.owner_id = p.id AND r.kind = 'PROCESS'), 'RUNNING') END = ANY(%s)`, conditions).OnRows()
}
