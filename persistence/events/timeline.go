package events

import (
	"context"
	"fmt"
	"math"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	timelineColumns = eventColumns + `, coalesce(aname.name, a.name, ''), coalesce(oname.name, o.name, ''), ` + pg.NameOfT + `, coalesce(y.subject, '')`

	timelineTables = `
  LEFT JOIN principals a ON a.id = e.actor_id
  LEFT JOIN person_names aname ON aname.tenant_id = e.tenant_id AND aname.principal_id = e.actor_id
  LEFT JOIN principals o ON o.id = (e.details ->> 'ownerId')::uuid
        AND e.resource_kind = 'PROCESS_ITEM'
  LEFT JOIN person_names oname ON oname.tenant_id = e.tenant_id AND oname.principal_id = o.id
  LEFT JOIN process_items i ON i.id = e.process_item_id
  LEFT JOIN item_definition_versions t ON t.version = i.item_version
  LEFT JOIN processes y ON y.id = e.process_id`

	// visibleTimelineEvent is true of an event e, about the item i or none, if its resource and its process are visible
	// to the caller.
	visibleTimelineEvent = `EXISTS (SELECT 1 FROM processes p WHERE p.id = e.process_id AND ` + access.VisibleProcess + `)
   AND CASE WHEN e.process_item_id IS NOT NULL THEN ` + access.VisibleItem + `
            WHEN e.resource_kind = 'DOCUMENT'
            THEN EXISTS (SELECT 1 FROM documents d WHERE d.id = e.resource_id AND ` + access.VisibleDocument + `)
            ELSE e.resource_kind IN ('PROCESS', 'PROCESS_ACTION')
       END`

	// Events have the order of the event log, but an event is shown as soon as it is committed: a reader that goes
	// back in time misses none.
	selectTimeline = `
SELECT ` + timelineColumns + `
  FROM events e` + timelineTables + `
 WHERE e.process_id = $3 AND e.tenant_id = ANY($2) AND e.type = ANY($4)
   AND ` + visibleTimelineEvent + `
   AND %s
 ORDER BY %s
 LIMIT $5`

	// lookedAtRecently is the number of the newest events of a tenant that are searched for events visible to the
	// caller.
	lookedAtRecently = 200

	selectRecent = `
WITH newest AS (
    SELECT n.*
      FROM unnest($2::uuid[]) t (id)
     CROSS JOIN LATERAL (SELECT e.* FROM events e
                          WHERE e.tenant_id = t.id AND e.process_id IS NOT NULL AND e.type = ANY($3)
                          ORDER BY ` + pg.EventOrderDescending + `
                          LIMIT $4) n)
SELECT ` + timelineColumns + `
  FROM newest e` + timelineTables + `
 WHERE ` + visibleTimelineEvent + `
 ORDER BY ` + pg.EventOrderDescending + `
 LIMIT $5`

	timelineProcess = `
SELECT p.id
  FROM processes p
 WHERE p.id = $3 AND p.tenant_id = ANY($2) AND ` + access.VisibleProcess
)

// ListTimeline returns the next events of a process and of its items, actions and documents, of the types of
// domain.TimelineEventTypes, if their resources are visible to the caller. A process that is not visible is
// NOT_FOUND.
func ListTimeline(
	ctx context.Context, r *persistence.Reader, caller domain.Caller, process uuid.UUID, part Range,
) ([]domain.TimelineEvent, error) {
	var found uuid.UUID
	var events []domain.TimelineEvent
	err := r.Read(ctx,
		pg.Q(timelineProcess, []any{caller.PrincipalID, caller.TenantIDs(), process}, pg.One(&found)),
		queryTimeline(caller, process, part, &events))
	if err != nil {
		return nil, pg.Translate("reading the timeline of a process", pg.NotFound(err, "process"))
	}
	return events, nil
}

// WithTimeline adds the events that ListTimeline returns to the overview of a process.
func WithTimeline(part Range, dest *[]domain.TimelineEvent) persistence.ProcessAddition {
	return func(caller domain.Caller, process uuid.UUID) ([]pg.Query, error) {
		return []pg.Query{queryTimeline(caller, process, part, dest)}, nil
	}
}

func queryTimeline(caller domain.Caller, process uuid.UUID, part Range, dest *[]domain.TimelineEvent) pg.Query {
	order, operator, after := pg.EventOrder, ">", domain.EventCursor{}
	if part.NewestFirst {
		order, operator = pg.EventOrderDescending, "<"
		after = domain.EventCursor{Era: math.MaxInt32, Transaction: math.MaxInt64, Position: math.MaxInt64}
	}
	if part.After != nil {
		after = *part.After
	}
	const firstOfCursor = 6
	args := []any{caller.PrincipalID, caller.TenantIDs(), process, domain.TimelineEventTypes(), part.Limit}
	return pg.Q(fmt.Sprintf(selectTimeline, beyondCursor(operator, firstOfCursor), order), append(args, cursorArgs(after)...), collectTimeline(dest))
}

const selectTaskChange = `
SELECT ` + timelineColumns + `
  FROM events e` + timelineTables + `
 WHERE e.resource_id = $3 AND e.tenant_id = ANY($2) AND ` + besidesProcess + `
   AND e.type IN ('PROCESS_ITEM.TASK_STATE_CHANGED', 'PROCESS_ITEM.TASK_ASSIGNED') AND ` + access.VisibleItem + `
 ORDER BY ` + pg.EventOrderDescending + `
 LIMIT 1`

// LastTaskChange returns the last change of the state or of the owner of a task that is visible to the caller, nil if none is recorded.
func LastTaskChange(ctx context.Context, r *persistence.Reader, caller domain.Caller, task uuid.UUID) (*domain.TimelineEvent, error) {
	var found []domain.TimelineEvent
	err := r.Read(ctx, pg.Q(selectTaskChange, []any{caller.PrincipalID, caller.TenantIDs(), task}, collectTimeline(&found)))
	if err != nil || len(found) == 0 {
		return nil, pg.Translate("reading the last change of a task", err)
	}
	return &found[0], nil
}

func collectTimeline(dest *[]domain.TimelineEvent) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*dest, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (e domain.TimelineEvent, err error) {
			e.Event, err = scanEvent(row, &e.ActorName, &e.OwnerName, &e.ItemName, &e.Subject)
			return e, err
		})
		return err
	}
}

// Recent returns the query of the newest events of processes, of the types of domain.TimelineEventTypes, that are
// visible to the caller: at most limit among the last events of its tenants.
func Recent(caller domain.Caller, limit int, dest *[]domain.TimelineEvent) pg.Query {
	return pg.Q(selectRecent, []any{
		caller.PrincipalID, caller.TenantIDs(), domain.TimelineEventTypes(), lookedAtRecently, limit,
	}, collectTimeline(dest))
}

const (
	// The timeline has the events of the artifact, of actions on it and of its documents.
	selectArtifactTimeline = `
SELECT ` + timelineColumns + `
  FROM events e` + timelineTables + `
  JOIN business_artifacts b ON b.id = $3 AND b.tenant_id = ANY($2)
 WHERE e.tenant_id = b.tenant_id AND e.type = ANY($4) AND ` + besidesProcess + `
   AND e.resource_id = ANY(ARRAY(SELECT $3::uuid
                                  UNION ALL
                                 SELECT x.id FROM business_artifact_actions x WHERE x.business_artifact_id = $3
                                  UNION ALL
                                 SELECT d.id FROM business_artifacts a JOIN documents d ON d.owner_id = a.id
                                  WHERE a.id = $3 AND d.owner_kind = 'BUSINESS_ARTIFACT' AND ` + access.VisibleArtifactDocument + `))
   AND %s
 ORDER BY ` + pg.EventOrderDescending + `
 LIMIT $5`

	timelineArtifact = `
SELECT a.id
  FROM business_artifacts a
 WHERE a.id = $3 AND a.tenant_id = ANY($2) AND ` + access.VisibleArtifact
)

// ListArtifactTimeline returns the newest events of an artifact, of actions on it and of its documents, before the cursor,
// nil for the newest of all, of the types of domain.ArtifactEventTypes. An artifact that is not visible to the caller is
// NOT_FOUND.
func ListArtifactTimeline(
	ctx context.Context, r *persistence.Reader, caller domain.Caller, artifact uuid.UUID, before *domain.EventCursor, limit int,
) ([]domain.TimelineEvent, error) {
	end := domain.EventCursor{Era: math.MaxInt32, Transaction: math.MaxInt64, Position: math.MaxInt64}
	if before != nil {
		end = *before
	}
	const firstOfCursor = 6
	args := []any{caller.PrincipalID, caller.TenantIDs(), artifact}
	var found uuid.UUID
	var events []domain.TimelineEvent
	err := r.Read(ctx,
		pg.Q(timelineArtifact, args, pg.One(&found)),
		pg.Q(fmt.Sprintf(selectArtifactTimeline, beyondCursor("<", firstOfCursor)),
			append(append(args[:3:3], domain.ArtifactEventTypes(), limit), cursorArgs(end)...), collectTimeline(&events)))
	if err != nil {
		return nil, pg.Translate("reading the timeline of a business artifact", pg.NotFound(err, "business artifact"))
	}
	return events, nil
}
