package persistence

import (
	"context"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/access"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const selectHomeSteps = `
SELECT EXISTS (SELECT 1 FROM processes p WHERE p.initiator_id = $1 AND p.tenant_id = ANY($2)),
       EXISTS (SELECT 1 FROM process_items i WHERE i.owner_id = $1 AND i.tenant_id = ANY($2) AND i.type = 'TASK'),
       EXISTS (SELECT 1 FROM process_items i
                WHERE i.owner_id = $1 AND i.tenant_id = ANY($2) AND i.task_state = 'COMPLETED'),
       EXISTS (SELECT 1 FROM process_definitions d WHERE d.tenant_id = ANY($2) AND ` + access.StartableDefinition + `)`

// GetHome returns what the caller comes back to, each list with its first limit entries: the tasks that the caller
// owns or may claim, those that others are to do in processes that the caller has started, the newest running
// processes that it has started. Recent stays empty.
func (r *Reader) GetHome(ctx context.Context, caller domain.Caller, limit int) (*domain.Home, error) {
	var h domain.Home
	page := domain.PageRequest{Size: limit}
	queries := []pg.Query{
		pg.Q(selectHomeSteps, []any{caller.PrincipalID, caller.TenantIDs()}, pg.One(
			&h.HasStarted, &h.HasClaimed, &h.HasCompleted, &h.MayStart)),
	}
	const forOthers = `i.type = 'TASK' AND i.task_state IN ('READY', 'CLAIMED') AND p.initiator_id = $1
   AND i.owner_id IS DISTINCT FROM $1 AND NOT (i.owner_id IS NULL AND ` + access.CandidateOfItem + `) AND ` + access.VisibleItem
	for _, tasks := range []struct {
		condition string
		dest      *domain.Page[domain.InboxTask]
	}{
		{inboxCondition(domain.InboxMine), &h.Mine},
		{inboxCondition(domain.InboxToClaim), &h.ToClaim},
		{forOthers, &h.Waiting},
	} {
		l := pg.NewList(caller, inboxColumns, inboxTables, "i.tenant_id")
		l.Where = append(l.Where, "i.deleted_at IS NULL", tasks.condition)
		if err := l.SortBy(nil, map[string]string{"id": "i.id"}, "i.created_at"); err != nil {
			return nil, err
		}
		queries = append(queries, l.Page(page, pg.Into(&tasks.dest.Items), &tasks.dest.Total)...)
	}
	started, _, err := boardList(caller, BoardFilter{
		InitiatorID: &caller.PrincipalID, States: []domain.ProcessState{domain.ProcessRunning},
	}, nil)
	if err != nil {
		return nil, err
	}
	queries = append(queries, started.Page(page, boardRows(func(p *domain.BoardProcess) error {
		h.Started.Items = append(h.Started.Items, *p)
		return nil
	}), &h.Started.Total)...)
	if err := r.Read(ctx, queries...); err != nil {
		return nil, pg.Translate("reading a home page", err)
	}
	return &h, nil
}
