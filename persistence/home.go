package persistence

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/listquery"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// The first steps of a user, done and possible.
	selectStepsOfUser = `
SELECT false, false,
       EXISTS (SELECT 1 FROM processes p WHERE p.initiator_id = $1 AND p.tenant_id = ANY($2)),
       EXISTS (SELECT 1 FROM process_items i
                WHERE i.owner_id = $1 AND i.tenant_id = ANY($2) AND i.task_state = 'COMPLETED'),
       EXISTS (SELECT 1 FROM process_definitions d WHERE d.tenant_id = ANY($2) AND ` + access.StartableDefinition + `)`

	// The first steps of tenants. At most a thousand tasks of each are read.
	selectStepsOfTenants = `
SELECT EXISTS (SELECT 1 FROM process_definitions d WHERE d.tenant_id = ANY($3) AND d.published_version IS NOT NULL),
       EXISTS (SELECT 1 FROM workers w WHERE w.tenant_id = ANY($3)),
       EXISTS (SELECT 1 FROM processes p WHERE p.tenant_id = ANY($3)),
       EXISTS (SELECT 1
                 FROM unnest($3::uuid[]) t (id)
                CROSS JOIN LATERAL (SELECT i.task_state FROM process_items i WHERE i.tenant_id = t.id
                                     ORDER BY i.created_at, i.id LIMIT 1000) i
                WHERE i.task_state = 'COMPLETED'),
       EXISTS (SELECT 1 FROM process_definitions d WHERE d.tenant_id = ANY($2) AND ` + access.StartableDefinition + `)`

	// waitingWindow is the number of the oldest open tasks of a tenant among which tasks of others are searched.
	waitingWindow = "1000"

	// selectWaiting selects the first open tasks for others than the caller.
	selectWaiting = `
WITH waiting AS MATERIALIZED (
    SELECT i.*
      FROM unnest($2::uuid[]) t (id)
     CROSS JOIN LATERAL (SELECT o.* FROM process_items o
                          WHERE o.tenant_id = t.id AND o.task_state IN ('READY', 'CLAIMED') AND o.deleted_at IS NULL
                          ORDER BY o.created_at, o.id
                          LIMIT ` + waitingWindow + `) i
     WHERE i.type = 'TASK' AND i.owner_id IS DISTINCT FROM $1
       AND NOT (i.owner_id IS NULL AND coalesce(i.item_definition_id = ANY(` + access.CandidateItemDefinitions + `)
                OR (i.item_definition_id = ANY(` + access.InitiatorCandidateItemDefinitions + `)
                    AND EXISTS (SELECT 1 FROM processes q WHERE q.id = i.process_id AND q.initiator_id = $1)), false))
       AND ` + access.VisibleItem + `
     ORDER BY i.created_at, i.id
     LIMIT $3)
SELECT ` + inboxColumns + `
  FROM waiting i` + inboxNames + `
 ORDER BY i.created_at, i.id`
)

// GetHome returns the lists on the caller's start page, each with its first limit entries. The first steps are about
// the tenants that the caller administers, or its own where it administers none. Queries of other parts of the page are
// sent along.
func (r *Reader) GetHome(
	ctx context.Context, caller domain.Caller, administered []uuid.UUID, limit int, now time.Time, others ...pg.Query,
) (*domain.Home, error) {
	h := domain.Home{FirstSteps: domain.FirstSteps{Administers: len(administered) > 0}}
	steps, args := selectStepsOfUser, []any{caller.PrincipalID, caller.TenantIDs()}
	if h.Administers {
		steps, args = selectStepsOfTenants, append(args, administered)
	}
	queries := append([]pg.Query{pg.KeepPlans()}, others...)
	queries = append(queries, pg.Q(steps, args, pg.One(&h.Published, &h.Connected, &h.Started, &h.Completed, &h.MayStart)))
	queries = append(queries, pg.Q(countNewTokens, ownTokenArgs(caller, now), pg.One(&h.NewTokens)))
	page := domain.PageRequest{Size: limit}
	// The open tasks of others are those that are neither the caller's nor for it to claim.
	var open int64
	opened := inboxList(caller, domain.InboxAll)
	opened.Where = append(opened.Where, listquery.Match("i.task_state IN ('READY', 'CLAIMED')"))
	queries = append(queries, opened.Total(&open),
		pg.Q(selectWaiting, []any{caller.PrincipalID, caller.TenantIDs(), limit}, pg.Into(&h.Waiting.Items)))
	for _, tasks := range []struct {
		*listquery.List
		dest *domain.Page[domain.InboxTask]
	}{
		{inboxList(caller, domain.InboxMine), &h.Mine},
		{inboxList(caller, domain.InboxToClaim), &h.ToClaim},
	} {
		rows, err := tasks.Rows(page, pg.Into(&tasks.dest.Items))
		if err != nil {
			return nil, err
		}
		queries = append(queries, rows, tasks.Total(&tasks.dest.Total))
	}
	for _, processes := range []struct {
		filter BoardFilter
		dest   *domain.Page[domain.BoardProcess]
	}{
		{BoardFilter{InitiatorID: &caller.PrincipalID, States: []domain.ProcessState{domain.ProcessRunning}}, &h.Running},
		{BoardFilter{Standing: domain.StandingAttention, Managed: true}, &h.Attention},
	} {
		l := boardList(caller, processes.filter, nil, &metadataFilter{})
		rows, err := l.Rows(page, boardRows(func(p *domain.BoardProcess) error {
			processes.dest.Items = append(processes.dest.Items, *p)
			return nil
		}))
		if err != nil {
			return nil, err
		}
		queries = append(queries, rows, l.Total(&processes.dest.Total))
	}
	err := r.Read(ctx, queries...)
	h.Waiting.Total = max(open-h.Mine.Total-h.ToClaim.Total, int64(len(h.Waiting.Items)))
	return &h, pg.Translate("reading a home page", err)
}
