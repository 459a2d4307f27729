package persistence

// Visibility, in one place. Every fragment reads the caller's principal id from
// $1. The ARRAY(…) sub-selects do not depend on the row, so PostgreSQL computes
// each once per statement.
const (
	callerIsGrantee = `(g.grantee_id = $1
        OR g.grantee_id IN (SELECT m.group_id FROM group_members m WHERE m.principal_id = $1))`

	managedProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'MANAGER' AND ` + callerIsGrantee + `)`

	readableProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission IN ('VIEWER', 'MANAGER') AND ` + callerIsGrantee + `)`

	candidateItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND ` + callerIsGrantee + `)`

	grantedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE ` + callerIsGrantee + `)`

	initiatorCandidateItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND g.grantee_id IS NULL)`

	initiatorGrantedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.grantee_id IS NULL)`

	// visibleProcess is true of a process p that the caller sees: its initiator,
	// Viewers and Managers of its definition, owners and candidates of an item.
	visibleProcess = `(p.initiator_id = $1
    OR p.process_definition_id = ANY(` + readableProcessDefinitions + `)
    OR EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id
                  AND (i.owner_id = $1 OR i.item_definition_id = ANY(` + candidateItemDefinitions + `))))`

	// visibleItem is true of an item i that the caller sees: its owner, its
	// candidates and viewers, Viewers and Managers of the process definition.
	visibleItem = `(i.owner_id = $1
    OR i.process_definition_id = ANY(` + readableProcessDefinitions + `)
    OR i.item_definition_id = ANY(` + grantedItemDefinitions + `)
    OR (i.item_definition_id = ANY(` + initiatorGrantedItemDefinitions + `)
        AND EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.initiator_id = $1)))`

	// managesProcess is true of a process p that the caller has the Manager
	// permission on.
	managesProcess = `p.process_definition_id = ANY(` + managedProcessDefinitions + `)`

	// candidateOfItem is true of an item i of process p that the caller may claim.
	candidateOfItem = `coalesce(i.item_definition_id = ANY(` + candidateItemDefinitions + `)
    OR (p.initiator_id = $1 AND i.item_definition_id = ANY(` + initiatorCandidateItemDefinitions + `)), false)`
)
