package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// CancelProcess (B11) cancels a running process together with its open tasks
// and asks its workflow to stop. It requires the Manager permission. A cancelled
// process is returned as it is, a completed one refused with INVALID_STATE.
func (s *Service) CancelProcess(ctx context.Context, call domain.Call, id uuid.UUID) (*domain.Process, error) {
	var process *domain.Process
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := tx.LockProcessAndOpenTasks(ctx, call.Caller, id, nil)
		if err != nil {
			return nil, err
		}
		process = locked.Process
		if err := process.CheckMayManage(locked.Rights); err != nil {
			return nil, err
		}
		before := process.State
		changed, err := process.Cancel(call.PrincipalID, now)
		if err != nil || !changed {
			return nil, err
		}
		s.stopWorkflow(tx, locked.RunID, now)
		cancelled := s.cancelTasks(tx, locked.Open, locked.RunID, call.PrincipalID, now)
		return append(cancelled, finishProcess(tx, process, before, call.PrincipalID, now)...), nil
	})
	return process, err
}

// CancelProcessProcessItems (B12) cancels the open tasks of a process that ids
// names, or all of them when there are no ids; other items and finished tasks
// are skipped and the process stays as it is. It requires the Manager permission.
// An id that is not of an item of the process is NOT_FOUND.
func (s *Service) CancelProcessProcessItems(
	ctx context.Context, call domain.Call, id uuid.UUID, ids []uuid.UUID,
) (*domain.Process, error) {
	ids = distinctIDs(ids)
	var process *domain.Process
	now := s.now()
	err := s.write(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := tx.LockProcessAndOpenTasks(ctx, call.Caller, id, ids)
		if err != nil {
			return nil, err
		}
		process = locked.Process
		if err := process.CheckMayManage(locked.Rights); err != nil {
			return nil, err
		}
		if locked.Known != len(ids) {
			return nil, domain.NotFound("process item")
		}
		cancelled := s.cancelTasks(tx, locked.Open, locked.RunID, call.PrincipalID, now)
		if len(cancelled) > 0 {
			tx.RequestInspection(id, now.Add(domain.InspectAfter))
		}
		return cancelled, nil
	})
	return process, err
}

// cancelTasks cancels open tasks that are under lock, and stops the robots that assist with them. run is the workflow
// run of their process, nil for a manual process.
func (s *Service) cancelTasks(
	tx *persistence.Tx, open []*domain.ProcessItem, run *uuid.UUID, by uuid.UUID, now time.Time,
) domain.Events {
	var events domain.Events
	for _, item := range open {
		before := taskState(item)
		if item.Cancel(by, now) {
			events = append(events, saveTaskState(tx, item, before, by, now))
			finishActivity(tx, item.ID, run, now)
			tx.StopTaskRobots(item.ID, now, now.Add(s.cancelGrace))
		}
	}
	return events
}

// distinctIDs returns the ids without repetitions, nil when there are none.
func distinctIDs(ids []uuid.UUID) []uuid.UUID {
	if len(ids) == 0 {
		return nil
	}
	seen := make(map[uuid.UUID]bool, len(ids))
	var out []uuid.UUID
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
