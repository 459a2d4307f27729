// Package access implements visibility in SQL, by the rules of domain.SeesProcess, domain.SeesItem,
// accessmodel.SeesDocument, accessmodel.SeesArtifact and related functions. Every fragment reads the caller's principal id
// from $1; queries add a condition on the caller's tenants. The ARRAY(…) sub-selects do not depend on the row, so
// PostgreSQL computes each once per statement.
package access

import "strings"

// The conditions, and the lists that they are made of.
const (
	// CallerIsGrantee is true of a grant g that is the caller's: to the caller, to one of its groups, or to everyone of a tenant of
	// which it is an active user. A grant to everyone has the id of the tenant.
	CallerIsGrantee = `g.grantee_id = ANY(ARRAY(SELECT $1::uuid
                                         UNION ALL
                                        SELECT m.group_id FROM group_members m WHERE m.principal_id = $1
                                         UNION ALL
                                        SELECT k.tenant_id FROM tenant_users k WHERE k.principal_id = $1 AND k.disabled_at IS NULL))`

	ManagedProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'MANAGER' AND ` + CallerIsGrantee + `)`

	AdministeredProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'ADMINISTRATOR' AND ` + CallerIsGrantee + `)`

	ViewedProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'VIEWER' AND ` + CallerIsGrantee + `)`

	InitiatedProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission = 'INITIATOR' AND ` + CallerIsGrantee + `)`

	ReadableProcessDefinitions = `ARRAY(SELECT g.process_definition_id FROM process_definition_grants g
      WHERE g.permission IN ('VIEWER', 'MANAGER') AND ` + CallerIsGrantee + `)`

	// RunVersions lists the versions of process definitions with a workflow that the caller runs. A process pinned to
	// one of them still belongs to the caller when a later version has another runner.
	RunVersions = `ARRAY(SELECT v.version FROM process_definition_versions v WHERE v.runner_id = $1)`

	CandidateItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND ` + CallerIsGrantee + `)`

	GrantedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE ` + CallerIsGrantee + `)`

	ViewedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'VIEWER' AND ` + CallerIsGrantee + `)`

	InitiatorViewedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'VIEWER' AND g.grantee_id IS NULL)`

	InitiatorCandidateItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.permission = 'CANDIDATE' AND g.grantee_id IS NULL)`

	InitiatorGrantedItemDefinitions = `ARRAY(SELECT g.item_definition_id FROM item_definition_grants g
      WHERE g.grantee_id IS NULL)`

	// ReadableArtifactDefinitions and the fragments after it list the definitions on which the caller has the
	// permission, itself or through a group.
	ReadableArtifactDefinitions = `ARRAY(SELECT g.business_artifact_definition_id FROM business_artifact_definition_grants g
      WHERE ` + CallerIsGrantee + `)`

	EditableArtifactDefinitions = `ARRAY(SELECT g.business_artifact_definition_id FROM business_artifact_definition_grants g
      WHERE g.permission IN ('EDITOR', 'MANAGER') AND ` + CallerIsGrantee + `)`

	ManagedArtifactDefinitions = `ARRAY(SELECT g.business_artifact_definition_id FROM business_artifact_definition_grants g
      WHERE g.permission = 'MANAGER' AND ` + CallerIsGrantee + `)`

	// VisibleArtifact is true of a business artifact a that is visible to the caller, editsArtifact of one that
	// it may write to, managesArtifact of one that it manages.
	VisibleArtifact = `a.definition_id = ANY(` + ReadableArtifactDefinitions + `)`
	EditsArtifact   = `a.definition_id = ANY(` + EditableArtifactDefinitions + `)`
	ManagesArtifact = `a.definition_id = ANY(` + ManagedArtifactDefinitions + `)`

	// absentNow is true of an absence that lasts, by the clock of the statement.
	absentNow = `away.starts_at <= statement_timestamp() AND away.ends_at > statement_timestamp()`

	// SubstitutedOwners lists the people for whom the caller substitutes now, in any tenant.
	SubstitutedOwners = `ARRAY(SELECT away.principal_id FROM absences away WHERE away.substitute_id = $1 AND ` + absentNow + `)`

	// SubstitutesOwner is true of a task i that the caller carries out for its absent owner: one that is open, and one that the
	// caller completed. The list of people, empty for most callers, saves to look for an absence of each row.
	SubstitutesOwner = `(i.owner_id = ANY(` + SubstitutedOwners + `)
    AND (i.task_state = 'CLAIMED' OR i.task_state = 'COMPLETED' AND i.substitute_id = $1)
    AND EXISTS (SELECT 1 FROM absences away
                 WHERE away.substitute_id = $1 AND away.tenant_id = i.tenant_id AND away.principal_id = i.owner_id AND ` + absentNow + `))`

	// VisibleProcess is true of a process p visible to the caller.
	VisibleProcess = `(p.initiator_id = $1
    OR p.process_definition_id = ANY(` + ReadableProcessDefinitions + `)
    OR p.process_version = ANY(` + RunVersions + `)
    OR EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id
                  AND (i.owner_id = $1 OR i.delegator_id = $1 OR i.item_definition_id = ANY(` + CandidateItemDefinitions + `)
                       OR ` + SubstitutesOwner + `)))`

	// VisibleItem is true of an item i that is visible to the caller. For other items it is false or NULL.
	VisibleItem = `(i.owner_id = $1
    OR i.delegator_id = $1
    OR i.process_definition_id = ANY(` + ReadableProcessDefinitions + `)
    OR i.item_definition_id = ANY(` + GrantedItemDefinitions + `)
    OR ` + SubstitutesOwner + `
    OR (i.item_definition_id = ANY(` + InitiatorGrantedItemDefinitions + `)
        AND EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.initiator_id = $1))
    -- Most callers run no definition, so the process need not be read.
    OR (cardinality(` + RunVersions + `) > 0
        AND EXISTS (SELECT 1 FROM processes q
                     WHERE q.id = i.process_id AND q.process_version = ANY(` + RunVersions + `))))`

	// StartableDefinition is true of a process definition d that the caller may start
	// processes of.
	StartableDefinition = `(d.published_version IS NOT NULL
    AND (d.id = ANY(` + InitiatedProcessDefinitions + `) OR d.id = ANY(` + ManagedProcessDefinitions + `)))`

	// VisibleVersion is true of a version v of process definition d with any part visible to the caller.
	// For other versions it is false or NULL.
	VisibleVersion = `(d.id = ANY(` + InitiatedProcessDefinitions + `)
    OR d.id = ANY(` + ReadableProcessDefinitions + `)
    OR v.runner_id = $1
    OR EXISTS (SELECT 1 FROM item_definition_versions j
                WHERE j.process_version = v.version AND j.item_definition_id = ANY(` + GrantedItemDefinitions + `))
    OR v.version = ANY(ARRAY(SELECT DISTINCT p.process_version FROM processes p WHERE p.initiator_id = $1))
    OR v.version = ANY(ARRAY(SELECT DISTINCT p.process_version
                               FROM process_items i JOIN processes p ON p.id = i.process_id
                              WHERE i.owner_id = $1
                              UNION
                             SELECT DISTINCT p.process_version
                               FROM process_items i JOIN processes p ON p.id = i.process_id
                              WHERE i.delegator_id = $1
                              UNION
                             SELECT DISTINCT p.process_version
                               FROM process_items i JOIN processes p ON p.id = i.process_id
                              WHERE ` + SubstitutesOwner + `)))`

	// ManagesProcess is true of a process p that the caller manages.
	ManagesProcess = `(p.process_definition_id = ANY(` + ManagedProcessDefinitions + `)
    OR p.process_version = ANY(` + RunVersions + `))`

	// OwnsResults is true of a process p if all its user action results, even results delivered to others, are readable
	// by the caller.
	OwnsResults = `(p.initiator_id = $1
    OR p.process_definition_id = ANY(` + ReadableProcessDefinitions + `)
    OR p.process_version = ANY(` + RunVersions + `))`

	// VisibleDocument is true of a document d of a process, or of an action on a process, that is visible to the
	// caller.
	VisibleDocument = `CASE
    WHEN d.owner_kind = 'PROCESS_ACTION' THEN
        EXISTS (SELECT 1 FROM process_actions x JOIN processes p ON p.id = x.process_id
                 WHERE x.id = d.owner_id
                   AND (` + OwnsResults + ` OR x.created_by = $1 AND ` + VisibleProcess + `))
    WHEN EXISTS (SELECT 1 FROM document_links l WHERE l.document_id = d.id) THEN
        EXISTS (SELECT 1 FROM document_links l JOIN processes p ON p.id = l.holder_id
                 WHERE l.document_id = d.id AND ` + VisibleProcess + `)
        OR EXISTS (SELECT 1 FROM document_links l JOIN process_actions x ON x.id = l.holder_id
                     JOIN processes p ON p.id = x.process_id
                    WHERE l.document_id = d.id AND ` + VisibleProcess + `)
        OR EXISTS (SELECT 1 FROM document_links l JOIN process_items i ON i.id = l.holder_id
                    WHERE l.document_id = d.id AND ` + VisibleItem + `)
    ELSE
        EXISTS (SELECT 1 FROM processes p
                 WHERE p.id = d.owner_id AND (` + ManagesProcess + ` OR d.created_by = $1 AND ` + VisibleProcess + `))
    END`

	// VisibleArtifactDocument is true of a visible document d of an artifact a, or of an action on an artifact,
	// that is visible to the caller.
	VisibleArtifactDocument = `(d.owner_kind <> 'BUSINESS_ARTIFACT'
    OR d.created_by = $1
    OR ` + ManagesArtifact + `
    OR EXISTS (SELECT 1 FROM document_links l WHERE l.document_id = d.id)
    OR EXISTS (SELECT 1 FROM business_artifact_actions x WHERE x.business_artifact_id = a.id AND x.document_id = d.id))`

	// CandidateOfItem is true of an item i of process p that the caller may claim.
	CandidateOfItem = `coalesce(i.item_definition_id = ANY(` + CandidateItemDefinitions + `)
    OR (p.initiator_id = $1 AND i.item_definition_id = ANY(` + InitiatorCandidateItemDefinitions + `)), false)`
)

// For returns a fragment about another principal than the caller, by an expression of its id. The expression must not use the
// aliases of the fragments.
func For(principal, fragment string) string { return strings.ReplaceAll(fragment, "$1", principal) }
