package persistence

// Visibility, in one place: the rules are those of domain.SeesProcess,
// domain.SeesItem, domain.SeesDocument, domain.SeesArtifact and their like. Every fragment reads the caller's principal id
// from $1; the tenants of the caller are the condition beside it. The ARRAY(…)
// sub-selects do not depend on the row, so PostgreSQL computes each once per
// statement.
const (
	// callerIsGrantee is true of a grant g that is the caller's: to the caller or
	// to one of its groups.
	callerIsGrantee = `g.grantee_id = ANY(ARRAY(SELECT $1::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $1))`

	managedProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'MANAGER' AND ` + callerIsGrantee + `)`

	viewedProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'VIEWER' AND ` + callerIsGrantee + `)`

	initiatedProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'INITIATOR' AND ` + callerIsGrantee + `)`

	readableProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission IN ('VIEWER', 'MANAGER') AND ` + callerIsGrantee + `)`

	// runVersions lists the versions of process definitions whose workflow the caller runs. A process pinned to
	// one of them still belongs to the caller when a later version has another runner.
	runVersions = `ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = $1)`

	candidateItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND ` + callerIsGrantee + `)`

	grantedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE ` + callerIsGrantee + `)`

	viewedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'VIEWER' AND ` + callerIsGrantee + `)`

	initiatorViewedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'VIEWER' AND g.grantee_id IS NULL)`

	initiatorCandidateItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND g.grantee_id IS NULL)`

	initiatorGrantedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.grantee_id IS NULL)`

	// readableArtifactDefinitions and the fragments after it list the definitions on which the caller has the
	// permission, itself or through a group.
	readableArtifactDefinitions = `ARRAY(SELECT g.business_artifact_definition_id FROM business_artifact_definition_grants g
      WHERE ` + callerIsGrantee + `)`

	editableArtifactDefinitions = `ARRAY(SELECT g.business_artifact_definition_id FROM business_artifact_definition_grants g
      WHERE g.permission IN ('EDITOR', 'MANAGER') AND ` + callerIsGrantee + `)`

	managedArtifactDefinitions = `ARRAY(SELECT g.business_artifact_definition_id FROM business_artifact_definition_grants g
      WHERE g.permission = 'MANAGER' AND ` + callerIsGrantee + `)`

	// visibleArtifact is true of a business artifact a that is visible to the caller, editsArtifact of one that
	// it may write to, managesArtifact of one that it manages.
	visibleArtifact = `a.definition_id = ANY(` + readableArtifactDefinitions + `)`
	editsArtifact   = `a.definition_id = ANY(` + editableArtifactDefinitions + `)`
	managesArtifact = `a.definition_id = ANY(` + managedArtifactDefinitions + `)`

	// visibleProcess is true of a process p visible to the caller.
	visibleProcess = `(p.initiator_id = $1
    OR p.process_definition_id = ANY(` + readableProcessDefinitions + `)
    OR p.process_version = ANY(` + runVersions + `)
    OR EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id
                  AND (i.owner_id = $1 OR i.item_definition_id = ANY(` + candidateItemDefinitions + `))))`

	// visibleItem is true of an item i that is visible to the caller. For other items it is false or NULL.
	visibleItem = `(i.owner_id = $1
    OR i.process_definition_id = ANY(` + readableProcessDefinitions + `)
    OR i.item_definition_id = ANY(` + grantedItemDefinitions + `)
    OR (i.item_definition_id = ANY(` + initiatorGrantedItemDefinitions + `)
        AND EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.initiator_id = $1))
    -- Most callers run no definition, so the process need not be read.
    OR (cardinality(` + runVersions + `) > 0
        AND EXISTS (SELECT 1 FROM processes q
                     WHERE q.id = i.process_id AND q.process_version = ANY(` + runVersions + `))))`

	// startableDefinition is true of a process definition d that the caller may start
	// processes of.
	startableDefinition = `(d.published_version IS NOT NULL
    AND (d.id = ANY(` + initiatedProcessDefinitions + `) OR d.id = ANY(` + managedProcessDefinitions + `)))`

	// visibleVersion is true of a version v of process definition d of which some part is visible to the caller.
	// For other versions it is false or NULL.
	visibleVersion = `(d.id = ANY(` + initiatedProcessDefinitions + `)
    OR d.id = ANY(` + readableProcessDefinitions + `)
    OR v.runner_id = $1
    OR EXISTS (SELECT 1 FROM item_definition_versions j
                WHERE j.process_version = v.version AND j.item_definition_id = ANY(` + grantedItemDefinitions + `))
    OR v.version = ANY(ARRAY(SELECT DISTINCT p.process_version FROM processes p WHERE p.initiator_id = $1))
    OR v.version = ANY(ARRAY(SELECT DISTINCT p.process_version
                               FROM process_items i JOIN processes p ON p.id = i.process_id
                              WHERE i.owner_id = $1)))`

	// managesProcess is true of a process p that the caller manages.
	managesProcess = `(p.process_definition_id = ANY(` + managedProcessDefinitions + `)
    OR p.process_version = ANY(` + runVersions + `))`

	// ownsResults is true of a process p whose user action results, also those delivered to others, are readable
	// by the caller.
	ownsResults = `(p.initiator_id = $1
    OR p.process_definition_id = ANY(` + readableProcessDefinitions + `)
    OR p.process_version = ANY(` + runVersions + `))`

	// visibleDocument is true of a document d of a process, or of an action on a process, that is visible to the
	// caller.
	visibleDocument = `CASE
    WHEN d.owner_kind = 'PROCESS_ACTION' THEN
        EXISTS (SELECT 1 FROM process_actions x JOIN processes p ON p.id = x.process_id
                 WHERE x.id = d.owner_id
                   AND (` + ownsResults + ` OR x.created_by = $1 AND ` + visibleProcess + `))
    WHEN EXISTS (SELECT 1 FROM document_links l WHERE l.document_id = d.id) THEN
        EXISTS (SELECT 1 FROM document_links l JOIN processes p ON p.id = l.holder_id
                 WHERE l.document_id = d.id AND ` + visibleProcess + `)
        OR EXISTS (SELECT 1 FROM document_links l JOIN process_actions x ON x.id = l.holder_id
                     JOIN processes p ON p.id = x.process_id
                    WHERE l.document_id = d.id AND ` + visibleProcess + `)
        OR EXISTS (SELECT 1 FROM document_links l JOIN process_items i ON i.id = l.holder_id
                    WHERE l.document_id = d.id AND ` + visibleItem + `)
    ELSE
        EXISTS (SELECT 1 FROM processes p
                 WHERE p.id = d.owner_id AND (` + managesProcess + ` OR d.created_by = $1 AND ` + visibleProcess + `))
    END`

	// visibleArtifactDocument is true of a visible document d of an artifact a, or of an action on an artifact,
	// that is visible to the caller.
	visibleArtifactDocument = `(d.owner_kind <> 'BUSINESS_ARTIFACT'
    OR d.created_by = $1
    OR ` + managesArtifact + `
    OR EXISTS (SELECT 1 FROM document_links l WHERE l.document_id = d.id)
    OR EXISTS (SELECT 1 FROM business_artifact_actions x WHERE x.business_artifact_id = a.id AND x.document_id = d.id))`

	// candidateOfItem is true of an item i of process p that the caller may claim.
	candidateOfItem = `coalesce(i.item_definition_id = ANY(` + candidateItemDefinitions + `)
    OR (p.initiator_id = $1 AND i.item_definition_id = ANY(` + initiatorCandidateItemDefinitions + `)), false)`
)
