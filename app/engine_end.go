package app

import (
	"context"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// RecordEnd records the end of a workflow.
//
// The end of a process's workflow completes the process, cancels it together with its open tasks, or leaves it RUNNING
// with an incident. The workflow of an action ends the action, after a failure with an incident. The workflow of a
// robot that assists with a task leaves the task unchanged; its failure opens an incident while the task is open. Final
// states never change.
//
// It reports whether the end was new: the end of another attempt, and a repeated one, are ignored. A workflow that
// the service did not start is NOT_FOUND.
func (s *Service) RecordEnd(ctx context.Context, c domain.RunEnd) (bool, error) {
	recorded := false
	now := s.now()
	err := s.write(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		locked, err := tx.LockRunOfWorkflow(ctx, c)
		if err != nil {
			return nil, err
		}
		// A run that was reset keeps its id and may fail again.
		recorded = locked.Run.EndedBy(c) && (!locked.Failed || locked.Run.State != domain.RunPending)
		if !recorded {
			return nil, nil
		}
		resolved, err := resolveProblem(ctx, tx, locked.Run, now)
		if err != nil {
			return nil, err
		}
		before := locked.Run.Finding
		ended := endRun(tx, &locked.Run, c, now)
		var events domain.Events
		switch {
		case locked.Process != nil:
			events, err = s.finishWithWorkflow(ctx, tx, locked, before, c, now)
		case locked.ProcessAction != nil:
			events = endProcessAction(tx, locked, c, now)
		case locked.ArtifactAction != nil:
			events, err = endArtifactAction(ctx, tx, locked, c, now)
		case locked.TaskState != nil:
			events = endTaskRobot(tx, locked, c, now)
		}
		return append(append(resolved, ended), events...), err
	})
	return recorded && err == nil, err
}

// finishWithWorkflow ends a process with its workflow. finding is the last one of the workflow.
func (s *Service) finishWithWorkflow(
	ctx context.Context, tx *persistence.Tx, locked *persistence.LockedRun, finding domain.RunFinding, c domain.RunEnd, now time.Time,
) (domain.Events, error) {
	p, by := locked.Process, domain.SystemPrincipalID()
	if p.Finished() {
		return nil, nil
	}
	before := p.State
	if c.Status == domain.RunFailed {
		return domain.Events{
			openIncident(tx, locked.Run, c, now),
			domain.ConditionEvent(p, finding.Condition(), domain.ConditionFailed, by, now),
		}, nil
	}
	if c.Status == domain.RunCompleted {
		if _, err := p.Complete(by, now); err != nil {
			return nil, err
		}
		return finishProcess(tx, p, before, by, now), nil
	}
	if _, err := p.Cancel(by, now); err != nil {
		return nil, err
	}
	open, err := tx.LockOpenTasks(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	cancelled := s.cancelTasks(tx, open, &locked.Run.ID, by, now)
	return append(cancelled, finishProcess(tx, p, before, by, now)...), nil
}
