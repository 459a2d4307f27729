package persistence

import (
	"context"
	"strings"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
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

	// uncoveredItems are the items that the caller owns, or that are visible to it as the initiator of their process, where
	// no right on the definition shows them.
	uncoveredItems = `
SELECT x.id FROM process_items x
 WHERE ` + anyUnreadDefinition + ` AND x.owner_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(` + unreadItemDefinitions + ` AND d.id <> ALL(` + access.GrantedItemDefinitions + `))))
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

	// uncoveredProcesses are the processes that the caller initiated, and those in which it owns an item, where no right
	// on the definition shows them.
	uncoveredProcesses = `
SELECT x.id FROM processes x
 WHERE ` + anyUnreadDefinition + ` AND ` + initiatedAny + ` AND x.initiator_id = $1
   AND x.process_definition_id = ANY(ARRAY(SELECT f.id FROM process_definitions f WHERE ` + unreadDefinitions + `))
 UNION
SELECT x.process_id FROM process_items x
 WHERE ` + anyUnreadDefinition + ` AND x.owner_id = $1
   AND (x.item_definition_id IS NULL
        OR x.item_definition_id = ANY(` + unreadItemDefinitions + ` AND d.id <> ALL(` + access.CandidateItemDefinitions + `))))`

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

// walkItems reads a page of a list without filters along the items visible to the caller. countItems computes its total.
func walkItems(l *pg.List) {
	walk(l, "item_counts i",
		pg.Walk{Definitions: walkedItemDefinitions, Match: "i.item_definition_id = d.id"},
		pg.Walk{
			Definitions: `SELECT unnest(` + walkedDefinitions + `) AS id`,
			Match:       "i.item_definition_id IS NULL AND i.process_definition_id = d.id",
			OnlyNull:    true,
		})
}

// walkProcesses is walkItems for processes. countProcesses computes its total.
func walkProcesses(l *pg.List) {
	walk(l, "process_counts p", pg.Walk{Definitions: walkedProcessDefinitions, Match: "p.process_definition_id = d.id"})
}

// walk does not change lists with filters, because their plan depends on the values, nor lists in the order of ids,
// for which PostgreSQL would read an index of all rows.
func walk(l *pg.List, kept string, ways ...pg.Walk) {
	if l.Counts == nil || len(l.Args) > 2 || strings.Contains(l.Order[0], ".id") {
		return
	}
	l.Fixed, l.Counts.Kept, l.Counts.Walks = true, kept, ways
	column, _, _ := strings.Cut(l.Order[0], " ")
	if strings.HasSuffix(l.Order[0], pg.NullsLast) {
		l.Counts.Nullable = column
	}
	l.Counts.Alone = l.Counts.Nullable != "" || strings.HasSuffix(column, ".last_modified_at")
}

// countItems computes the total of a list of items i visible to the caller from the kept counts.
func countItems(l *pg.List, caller domain.Caller) {
	l.Counts = &pg.Counts{
		Rows:   []string{access.VisibleItem, "i.deleted_at IS NULL"},
		From:   "item_counts_now(" + tenantArray(caller) + ") i",
		Covers: `(` + coversItemDefinition + ` OR i.process_version = ANY(` + access.RunVersions + `))`,
		CoversRow: `(` + coversItemDefinition + `
    OR EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.process_version = ANY(` + access.RunVersions + `)))`,
		Others: inTenants(caller, uncoveredItems), Table: "process_items i",
	}
}

// countCandidates computes the total of a list of items i of processes p that the caller may claim from the kept counts.
func countCandidates(l *pg.List, caller domain.Caller) {
	covers := `(i.item_definition_id = ANY(` + access.CandidateItemDefinitions + `))`
	l.Counts = &pg.Counts{
		Rows:   []string{access.CandidateOfItem, "i.deleted_at IS NULL"},
		From:   "item_counts_now(" + tenantArray(caller) + ") i",
		Covers: covers, CoversRow: covers, Others: inTenants(caller, uncoveredCandidates), Table: "process_items i",
	}
}

// countProcesses computes the total of a list of processes p visible to the caller from the kept counts.
func countProcesses(l *pg.List, caller domain.Caller) {
	l.Counts = &pg.Counts{
		Rows:   []string{access.VisibleProcess, "p.deleted_at IS NULL"},
		From:   "process_counts_now(" + tenantArray(caller) + ") p",
		Covers: `(` + coversProcessDefinition + ` OR p.item_definition_ids && ` + access.CandidateItemDefinitions + `)`,
		CoversRow: `(` + coversProcessDefinition + `
    OR EXISTS (SELECT 1 FROM process_items i
                WHERE i.process_id = p.id AND i.item_definition_id = ANY(` + access.CandidateItemDefinitions + `)))`,
		Others: inTenants(caller, uncoveredProcesses), Table: "processes p",
	}
}

// countArtifacts computes the total of a list of artifacts a visible to the caller from the kept counts.
func countArtifacts(l *pg.List, caller domain.Caller) {
	l.Counts = &pg.Counts{
		Rows: deletedArtifacts("a.id", domain.ExcludeDeleted), From: "artifact_counts_now(" + tenantArray(caller) + ") a",
		Covers: access.VisibleArtifact,
	}
}

// tenantArray returns the caller's tenants, the second argument of a list, as an array.
func tenantArray(caller domain.Caller) string {
	if len(caller.TenantIDs()) == 1 {
		return "ARRAY[$2]::uuid[]"
	}
	return "$2"
}

func inTenants(caller domain.Caller, query string) string {
	condition := "= ANY($2)"
	if len(caller.TenantIDs()) == 1 {
		condition = "= $2"
	}
	return strings.ReplaceAll(query, "{tenants}", condition)
}

// CountEvents advances the counts behind totals by about atMost events, and reports whether there may
// be more. Totals are exact without it, but slower the more events are not counted.
func (db *DB) CountEvents(ctx context.Context, atMost int) (more bool, err error) {
	err = db.Send(ctx, []pg.Query{pg.Q(countEvents, []any{atMost}, pg.One(&more))})
	return more, pg.Translate("counting events", err)
}
