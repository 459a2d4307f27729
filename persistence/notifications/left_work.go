package notifications

import (
	"fmt"
	"strings"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
)

// endsOfWork are the conditions of events b that may end the open work of a person, and the id of that person, NULL if any person
// of the tenant may be meant. Most events of tasks and processes mean one person.
//
//nolint:gochecknoglobals // a constant table
var endsOfWork = []struct{ event, person string }{
	{fmt.Sprintf("b.type = '%s' AND b.details ->> 'ownerId' IS NOT NULL", domain.EventItemTaskStateChanged), "(b.details ->> 'ownerId')::uuid"},
	{fmt.Sprintf("b.type = '%s' AND b.previous_state = '%s'", domain.EventItemTaskStateChanged, domain.TaskClaimed), "NULL"},
	{
		fmt.Sprintf("b.type = '%s'", domain.EventProcessStateChanged),
		"(SELECT q.initiator_id FROM processes q WHERE q.id = b.process_id AND q.tenant_id = b.tenant_id)",
	},
	{fmt.Sprintf("b.type = '%s'", domain.EventProcessInitiatorChanged), "(b.details ->> 'previousInitiatorId')::uuid"},
	{fmt.Sprintf("b.type IN ('%s')", strings.Join([]string{
		string(domain.EventItemTaskAssigned), string(domain.EventProcessDeleted), string(domain.EventIncidentAssigned),
		string(domain.EventIncidentStateChanged), string(domain.EventResourceCreated), string(domain.EventResourceChanged),
		string(domain.EventResourceDeleted),
	}, "', '")), "NULL"},
}

// caseOfEnd returns the id of the person of an event b, and the condition of events that may end work.
func caseOfEnd() (person, condition string) {
	var cases, conditions []string
	for _, end := range endsOfWork {
		cases = append(cases, "WHEN "+end.event+" THEN "+end.person)
		conditions = append(conditions, "("+end.event+")")
	}
	return "CASE " + strings.Join(cases, "\n                ") + " END", strings.Join(conditions, "\n            OR ")
}

// hasLeftWork returns the condition that a person with an id, who left work behind in a tenant, has open work:
// claimed tasks, running processes, assigned incidents, or rights of the details without an active holder.
func hasLeftWork(person, tenant, details string) string {
	return fmt.Sprintf(`(NOT EXISTS (SELECT 1 FROM principals p WHERE p.id = %[1]s AND %[4]s)
        AND (EXISTS (SELECT 1 FROM process_items i
                      WHERE i.owner_id = %[1]s AND i.task_state = 'CLAIMED' AND i.tenant_id = %[2]s AND i.deleted_at IS NULL)
          OR EXISTS (SELECT 1 FROM processes q
                      WHERE q.initiator_id = %[1]s AND q.state = 'RUNNING' AND q.tenant_id = %[2]s AND q.deleted_at IS NULL)
          OR EXISTS (SELECT 1 FROM incidents n WHERE n.assignee_id = %[1]s AND n.state = 'OPEN' AND n.tenant_id = %[2]s)
          OR EXISTS (SELECT 1
                       FROM unnest(string_to_array(%[3]s ->> '%[5]s', ' ')) d (of)
                      CROSS JOIN LATERAL (SELECT split_part(d.of, '/', 1)::uuid AS id, split_part(d.of, '/', 2) AS permission) x
                      CROSS JOIN LATERAL (
                            SELECT g.grantee_id, NULL::uuid AS item_id
                              FROM process_definition_grants g
                             WHERE g.process_definition_id = x.id AND g.permission = x.permission
                             UNION ALL
                            SELECT g.grantee_id, w.id
                              FROM item_definitions w
                              JOIN item_definition_grants g ON g.item_definition_id = w.id
                             WHERE w.process_definition_id = x.id AND g.permission = x.permission
                             UNION ALL
                            SELECT g.grantee_id, NULL
                              FROM business_artifact_definition_grants g
                             WHERE g.business_artifact_definition_id = x.id AND g.permission = x.permission) g
                      GROUP BY d.of, g.item_id
                     HAVING NOT bool_or(g.grantee_id IS NULL OR g.grantee_id = %[2]s
                                     OR EXISTS (SELECT 1 FROM principals p WHERE p.id = g.grantee_id AND %[4]s)
                                     OR EXISTS (SELECT 1 FROM group_members m JOIN principals p ON p.id = m.principal_id
                                                 WHERE m.group_id = g.grantee_id AND %[4]s)))))`,
		person, tenant, details, access.ActiveIn(tenant), domain.LeftRights)
}

// settledWork returns the common table expressions that find the leavers with settled work after the events of batch: settled
// has their problems. Tenants without leavers cause no reads.
func settledWork() string {
	person, ends := caseOfEnd()
	return `leavers AS (
    SELECT p.receiver_id, p.tenant_id, p.subject_id, p.details
      FROM notification_receivers r
      JOIN notification_problems p ON p.receiver_id = r.receiver_id
     WHERE r.tenant_id IN (SELECT b.tenant_id FROM batch b)
       AND p.event_type = '` + domain.ProblemLeftWork + `' AND p.recovered_at IS NULL
), ends AS (
    SELECT e.tenant_id, e.person_id, max(e.occurred_at) AS occurred_at
      FROM (SELECT b.tenant_id, b.occurred_at,
                   ` + person + ` AS person_id
              FROM batch b
             WHERE b.tenant_id IN (SELECT l.tenant_id FROM leavers l)
               AND (` + ends + `)) e
     GROUP BY e.tenant_id, e.person_id
), settled AS (
    SELECT l.receiver_id, l.tenant_id, l.subject_id, max(l.occurred_at) AS occurred_at
      FROM (SELECT l.*, e.occurred_at FROM leavers l JOIN ends e ON e.tenant_id = l.tenant_id AND e.person_id = l.subject_id
             UNION ALL
            SELECT l.*, e.occurred_at FROM leavers l JOIN ends e ON e.tenant_id = l.tenant_id AND e.person_id IS NULL) l
     WHERE NOT EXISTS (SELECT 1 FROM last o
                        WHERE o.receiver_id = l.receiver_id AND o.name = '` + domain.ProblemLeftWork + `' AND o.resource_id = l.subject_id)
       AND NOT ` + hasLeftWork("l.subject_id", "l.tenant_id", "l.details") + `
     GROUP BY l.receiver_id, l.tenant_id, l.subject_id
)`
}
