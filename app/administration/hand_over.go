package administration

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/domain/resource"
	"github.com/procession-dev/procession/persistence"
)

// settleLeavers reads the work of the leavers and carries out the decision about it. Without a decision it refuses leavers with
// work. It adds the work to the results of the change.
func (s *Service) settleLeavers(
	ctx context.Context, tx *persistence.Tx, c *configuration, now time.Time,
) (domain.Events, error) {
	leavers, to := c.leavers, c.handOver
	if len(leavers) == 0 {
		return nil, nil
	}
	c.assigned = map[uuid.UUID]domain.FourEyes{}
	if err := c.readWork(ctx, tx, leavers); err != nil {
		return nil, err
	}
	for i := range c.applied {
		for _, l := range leavers {
			if c.applied[i].Key == l.key && !l.work.Empty() {
				c.applied[i].Work = l.work
			}
		}
	}
	switch {
	case c.dryRun:
		return nil, nil
	case to == nil:
		return nil, refuseLeavers(leavers)
	case to.Keep:
		return nil, nil
	}
	var events domain.Events
	for _, l := range leavers {
		if l.work.More && !c.partly {
			return nil, domain.Conflict(domain.CodeConflict, fmt.Sprintf(
				"%s has more than %d pieces of work of a kind: hand them over first, in parts", displayKey(l.key), domain.MaxHandedOver))
		}
		done, err := s.handOver(tx, c, l, leavers, to, now)
		if err != nil {
			return nil, err
		}
		events = append(events, done...)
	}
	return events, nil
}

// readWork reads and locks the work of the leavers.
func (c *configuration) readWork(ctx context.Context, tx *persistence.Tx, leavers []*leaver) error {
	byTenant := map[uuid.UUID][]uuid.UUID{}
	for _, l := range leavers {
		byTenant[l.tenant] = append(byTenant[l.tenant], l.id)
	}
	for tenant, ids := range byTenant {
		found, waiting, err := tx.LockOpenWork(ctx, tenant, ids, domain.MaxHandedOver+1)
		if err != nil {
			return err
		}
		for _, l := range leavers {
			if l.tenant != tenant {
				continue
			}
			l.work.setWork(found[l.id])
			for i := range l.work.Rights {
				r := &l.work.Rights[i]
				for _, w := range waiting {
					if r.May == resource.MayClaim && w.DefinitionID == c.ids[r.By] && w.Code == r.Item {
						r.Waiting = w.Tasks
					}
				}
			}
		}
	}
	return nil
}

// setWork sets the work that is handed over at once, and whether there is more.
func (w *LeaverWork) setWork(found *persistence.PersonalWork) {
	w.PersonalWork = found
	w.More = len(found.Tasks) > domain.MaxHandedOver || len(found.Processes) > domain.MaxHandedOver ||
		len(found.Incidents) > domain.MaxHandedOver
	found.Tasks = found.Tasks[:min(len(found.Tasks), domain.MaxHandedOver)]
	found.Processes = found.Processes[:min(len(found.Processes), domain.MaxHandedOver)]
	found.Incidents = found.Incidents[:min(len(found.Incidents), domain.MaxHandedOver)]
}

// refuseLeavers refuses a change that leaves work behind.
func refuseLeavers(leavers []*leaver) error {
	var refusal *domain.Error
	for _, l := range leavers {
		if l.work.Empty() {
			continue
		}
		message := displayKey(l.key) + " has open work: " + l.work.String()
		if refusal == nil {
			refusal = domain.Conflict(domain.CodeOpenWork, message+"; decide about it with handOver, which "+domain.HandOverSyntax)
		}
		detail := domain.Detail{Code: domain.CodeOpenWork, Message: message, LocationType: domain.LocationBody, Location: "/handOver"}
		if l.place >= 0 {
			detail.Location = documentPointer(l.place, "/spec/disabled")
		}
		refusal.Details = append(refusal.Details, detail)
	}
	if refusal == nil {
		return nil
	}
	return refusal
}

// handOver gives the work of a leaver to the successors in turn, or releases it.
func (s *Service) handOver(
	tx *persistence.Tx, c *configuration, l *leaver, leavers []*leaver, to *domain.HandOver, now time.Time,
) (domain.Events, error) {
	if to.Release {
		for _, r := range l.work.Rights {
			if r.May == resource.MayClaim && (r.Waiting > 0 || l.work.hasTasksOf(c.ids[r.By], r.Item)) {
				return nil, domain.Conflict(domain.CodeOpenWork, fmt.Sprintf(
					"%s is %s, which has open tasks: hand over to a user or a group", displayKey(l.key), r))
			}
		}
	}
	next, err := c.newTurn(l.key.Tenant, leavers, to)
	if err != nil {
		return nil, err
	}
	by := c.caller.PrincipalID
	var events domain.Events
	for _, item := range l.work.Tasks {
		before := item.Task.State
		if to.Release {
			_, err = item.Release(domain.ItemRights{ProcessRights: domain.ProcessRights{Manages: true}}, by, now)
			tx.StopTaskRobots(item.ID, now, now.Add(s.cancelGrace))
		} else {
			err = c.assignInTurn(item, l.work.Opposed[item.ID], next, by, now)
		}
		if err != nil {
			return nil, err
		}
		tx.UpdateTaskState(item)
		events = append(events, domain.TaskChangeEvent(item, before, by, now))
	}
	for _, p := range l.work.Processes {
		before, successor := p.InitiatorID, next.take()
		if successor != nil && p.ChangeInitiator(*successor, by, now) {
			tx.UpdateInitiator(p)
			events = append(events, domain.InitiatorEvent(p, before, by, now))
		}
	}
	for _, i := range l.work.Incidents {
		i.AssigneeID = next.take()
		tx.UpdateAssignee(i)
		events = append(events, domain.AssignmentEvent(i, by, now))
	}
	return events, nil
}

// assignInTurn gives a task to the next successor who does no opposed task of the process. It returns FOUR_EYES if there
// is none.
func (c *configuration) assignInTurn(
	item *domain.ProcessItem, opposed persistence.Opposition, next *turn, by uuid.UUID, now time.Time,
) error {
	eyes := slices.Concat(opposed.Tasks, c.assigned[item.ProcessID].Of(opposed.Codes))
	var err error
	for range next.ids {
		successor := *next.take()
		if _, err = item.Assign(eyes, successor, by, now); err == nil {
			c.assigned[item.ProcessID] = append(c.assigned[item.ProcessID],
				domain.OpposedTask{Code: item.DefinitionCode(), OwnerID: successor, State: item.Task.State})
			return nil
		}
		if !domain.HasCode(err, domain.CodeFourEyes) {
			return err
		}
	}
	return domain.Conflict(domain.CodeFourEyes, fmt.Sprintf(
		"task %s (%s): each successor does an opposed task of its process: hand over to others, or release", item.ID, item.DefinitionCode()))
}

// turn are the successors, who get work in turn; none for a release.
type turn struct {
	ids  []uuid.UUID
	next int
}

// newTurn returns the successors.
func (c *configuration) newTurn(tenant string, leavers []*leaver, to *domain.HandOver) (*turn, error) {
	ids, err := c.successors(tenant, leavers, to)
	return &turn{ids: ids}, err
}

// take returns the next successor, nil for a release.
func (t *turn) take() *uuid.UUID {
	if len(t.ids) == 0 {
		return nil
	}
	id := &t.ids[t.next%len(t.ids)]
	t.next++
	return id
}

func (w *LeaverWork) hasTasksOf(definition uuid.UUID, item string) bool {
	for _, t := range w.Tasks {
		if t.ProcessDefinitionID == definition && t.DefinitionCode() == item {
			return true
		}
	}
	return false
}
