package persistence

import (
	"context"

	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// unreadDefinitions are process definitions f of the caller's tenants that have processes which the caller does not
	// see by a right on the definition.
	unreadDefinitions = `f.tenant_id {tenants} AND f.id <> ALL(` + access.ReadableProcessDefinitions + `)
         AND EXISTS (SELECT 1 FROM process_definition_versions v
                      WHERE v.process_definition_id = f.id AND v.runner_id IS DISTINCT FROM $1)`

	anyUnreadDefinition = `EXISTS (SELECT 1 FROM process_definitions f WHERE ` + unreadDefinitions + `)`

	unreadItemDefinitions = `ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                    WHERE ` + unreadDefinitions

	// uncoveredItems are the items that the caller owns or delegated, or carries out for an absent owner, or that are visible to it as the initiator of their
	// process, where no right on the definition shows them.
	uncoveredItems = `
SELECT x.id FROM process_items x
 WHERE ` + anyUnreadDefinition + ` AND x.owner_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(` + unreadItemDefinitions + ` AND d.id <> ALL(` + access.GrantedItemDefinitions + `))))
 UNION
SELECT x.id FROM process_items x
 WHERE ` + anyUnreadDefinition + ` AND x.delegator_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(` + unreadItemDefinitions + ` AND d.id <> ALL(` + access.GrantedItemDefinitions + `))))
 UNION
SELECT i.id FROM process_items i
 WHERE ` + anyUnreadDefinition + ` AND ` + access.SubstitutesOwner + `
   AND i.item_definition_id = ANY(` + unreadItemDefinitions + ` AND d.id <> ALL(` + access.GrantedItemDefinitions + `)))
 UNION
SELECT x.id FROM (SELECT ` + unreadItemDefinitions + ` AND d.id <> ALL(` + access.GrantedItemDefinitions + `)
                      AND d.id = ANY(` + access.InitiatorGrantedItemDefinitions + `)) AS ids OFFSET 0) o` + ofInitiatedProcesses

	// uncoveredCandidates are the items that the caller may claim only because it is the initiator of their process.
	uncoveredCandidates = `
SELECT x.id FROM (SELECT ARRAY(SELECT d.id FROM process_definitions f JOIN item_definitions d ON d.process_definition_id = f.id
                                WHERE f.tenant_id {tenants} AND d.id <> ALL(` + access.CandidateItemDefinitions + `)
                                  AND d.id = ANY(` + access.InitiatorCandidateItemDefinitions + `)) AS ids OFFSET 0) o` + ofInitiatedProcesses

	// initiatedAny is false of callers who initiated no process. Where one person starts most of them, PostgreSQL would
	// read all processes to find that out; the order has it use the index of initiators.
	initiatedAny = `(SELECT q.created_at FROM processes q WHERE q.initiator_id = $1 ORDER BY q.created_at LIMIT 1) IS NOT NULL`

	ofInitiatedProcesses = `
 CROSS JOIN LATERAL (SELECT ARRAY(SELECT d.process_definition_id FROM item_definitions d WHERE d.id = ANY(o.ids)) AS ids OFFSET 0) f
 CROSS JOIN LATERAL (SELECT q.id FROM processes q
                      WHERE ` + initiatedAny + ` AND cardinality(o.ids) > 0 AND q.initiator_id = $1 AND q.process_definition_id = ANY(f.ids) OFFSET 0) q
 CROSS JOIN LATERAL (SELECT x.id FROM process_items x
                      WHERE x.process_id = q.id AND x.item_definition_id = ANY(o.ids) OFFSET 0) x`

	// uncoveredProcesses are the processes that the caller initiated, and those in which it owns or delegated an item or
	// carries one out for an absent owner, where
	// no right on the definition shows them.
	uncoveredProcesses = `
SELECT x.id FROM processes x
 WHERE ` + anyUnreadDefinition + ` AND ` + initiatedAny + ` AND x.initiator_id = $1
   AND x.process_definition_id = ANY(ARRAY(SELECT f.id FROM process_definitions f WHERE ` + unreadDefinitions + `))
 UNION
SELECT x.process_id FROM process_items x
 WHERE ` + anyUnreadDefinition + ` AND x.owner_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(` + unreadItemDefinitions + ` AND d.id <> ALL(` + access.CandidateItemDefinitions + `))))
 UNION
SELECT x.process_id FROM process_items x
 WHERE ` + anyUnreadDefinition + ` AND x.delegator_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(` + unreadItemDefinitions + ` AND d.id <> ALL(` + access.CandidateItemDefinitions + `))))
 UNION
SELECT i.process_id FROM process_items i
 WHERE ` + anyUnreadDefinition + ` AND ` + access.SubstitutesOwner + `
   AND i.item_definition_id = ANY(` + unreadItemDefinitions + ` AND d.id <> ALL(` + access.CandidateItemDefinitions + `)))`

	coversItemDefinition = `i.process_definition_id = ANY(` + access.ReadableProcessDefinitions + `)
    OR i.item_definition_id = ANY(` + access.GrantedItemDefinitions + `)`

	coversProcessDefinition = `p.process_definition_id = ANY(` + access.ReadableProcessDefinitions + `)
    OR p.process_version = ANY(` + access.RunVersions + `)`

	// walkedItemDefinitions selects the definitions that make items visible to the caller.
	walkedItemDefinitions = `SELECT d.id FROM item_definitions d
 WHERE d.id = ANY(` + access.GrantedItemDefinitions + `)
    OR d.process_definition_id = ANY(` + walkedDefinitions + `)`

	// walkedDefinitions are the process definitions that the caller may read or runs a version of.
	walkedDefinitions = `ARRAY(SELECT unnest(` + access.ReadableProcessDefinitions + `)
                         UNION
                        SELECT v.process_definition_id FROM process_definition_versions v WHERE v.runner_id = $1)`

	// walkedProcessDefinitions selects the definitions that make processes visible to the caller.
	walkedProcessDefinitions = `SELECT unnest(` + walkedDefinitions + `) AS id
 UNION
SELECT d.process_definition_id FROM item_definitions d WHERE d.id = ANY(` + access.CandidateItemDefinitions + `)`

	countEvents = `SELECT count_events($1)`

	countOpenWork = `
SELECT (SELECT coalesce(sum(n), 0)::bigint FROM process_counts WHERE state = 'RUNNING'),
       coalesce(sum(n) FILTER (WHERE task_state = 'READY'), 0)::bigint,
       coalesce(sum(n) FILTER (WHERE task_state = 'CLAIMED'), 0)::bigint
  FROM item_counts`
)

// OpenWork is how many processes and tasks of all tenants are not finished.
type OpenWork struct{ Running, Ready, Claimed int64 }

// CountOpenWork returns how much was open when events were counted the last time, some seconds ago.
func (r *Reader) CountOpenWork(ctx context.Context) (OpenWork, error) {
	var w OpenWork
	err := r.Read(ctx, pg.Q(countOpenWork, nil, pg.One(&w.Running, &w.Ready, &w.Claimed)))
	return w, pg.Translate("counting open work", err)
}

// itemCounts are the counts of items i visible to the caller.
func itemCounts() *listquery.Counts {
	return &listquery.Counts{
		Current: "item_counts_now", Stored: "item_counts",
		Covers: `(` + coversItemDefinition + ` OR i.process_version = ANY(` + access.RunVersions + `))`,
		CoversRow: `(` + coversItemDefinition + `
    OR EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.process_version = ANY(` + access.RunVersions + `)))`,
		Others: uncoveredItems,
		Walks: []listquery.Walk{
			{Definitions: walkedItemDefinitions, Column: "item_definition_id"},
			{
				Definitions: `SELECT unnest(` + walkedDefinitions + `) AS id`, Column: "process_definition_id", Null: "item_definition_id",
				OnlyNull: true,
			},
		},
	}
}

// candidateCounts are the counts of items i that the caller may claim.
func candidateCounts() *listquery.Counts {
	covers := `(i.item_definition_id = ANY(` + access.CandidateItemDefinitions + `))`
	return &listquery.Counts{
		Current: "item_counts_now", Stored: "item_counts", Covers: covers, CoversRow: covers, Others: uncoveredCandidates,
	}
}

// processCounts are the counts of processes p visible to the caller.
func processCounts() *listquery.Counts {
	return &listquery.Counts{
		Current: "process_counts_now", Stored: "process_counts",
		Covers: `(` + coversProcessDefinition + ` OR p.item_definition_ids && ` + access.CandidateItemDefinitions + `)`,
		CoversRow: `(` + coversProcessDefinition + `
    OR EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id AND i.item_definition_id = ANY(` + access.CandidateItemDefinitions + `)))`,
		Others: uncoveredProcesses,
		Walks:  []listquery.Walk{{Definitions: walkedProcessDefinitions, Column: "process_definition_id"}},
	}
}

// artifactCounts are the counts of artifacts a visible to the caller.
func artifactCounts() *listquery.Counts {
	return &listquery.Counts{Current: "artifact_counts_now", Stored: "artifact_counts", Covers: access.VisibleArtifact}
}

// CountEvents advances the counts behind totals by about atMost events, and reports whether there may
// be more. Totals are exact without it, but slower the more events are not counted.
func (db *DB) CountEvents(ctx context.Context, atMost int) (more bool, err error) {
	err = db.Send(ctx, []pg.Query{pg.Q(countEvents, []any{atMost}, pg.One(&more))})
	return more, pg.Translate("counting events", err)
}
