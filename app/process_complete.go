package app

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// CompleteProcess (B10) completes a running process; its open items stay open,
// its workflow is asked to stop. It takes the Manager permission. A completed
// process is returned as it is, a cancelled one refused with INVALID_STATE.
func (s *Service) CompleteProcess(ctx context.Context, caller domain.Caller, id uuid.UUID) (*domain.Process, error) {
	var process *domain.Process
	now := s.now()
	err := s.write(ctx, func(tx *persistence.Tx) error {
		locked, err := tx.LockProcess(ctx, caller, id)
		if err != nil {
			return err
		}
		process = locked.Process
		if err := process.CheckMayManage(locked.Rights); err != nil {
			return err
		}
		before := process.State
		changed, err := process.Complete(caller.PrincipalID, now)
		if err != nil || !changed {
			return err
		}
		s.stopWorkflow(tx, locked.RunID, now)
		return finishProcess(tx, process, before, caller.PrincipalID, now)
	})
	return process, err
}

// finishProcess stores a process that has got from a state into a final one.
func finishProcess(tx *persistence.Tx, p *domain.Process, from domain.ProcessState, by uuid.UUID, now time.Time) error {
	tx.Record(domain.ProcessEvent(domain.EventProcessStateChanged, p, by, now).From(string(from)))
	return tx.UpdateProcess(p)
}

// stopWorkflow asks the workflow of a process, if it has one, to cancel, and
// terminates it if it has not ended after the grace period. The termination has
// an order of its own: it must not hold up what comes after it.
func (s *Service) stopWorkflow(tx *persistence.Tx, run *uuid.UUID, now time.Time) {
	if run == nil {
		return
	}
	tx.Enqueue(domain.EngineCommand{
		ID: domain.NewID(), RunID: *run, OrderKey: *run, Kind: domain.CommandCancel, CreatedAt: now, NotBefore: now,
	})
	terminate := domain.NewID()
	tx.Enqueue(domain.EngineCommand{
		ID: terminate, RunID: *run, OrderKey: terminate, Kind: domain.CommandTerminate,
		CreatedAt: now, NotBefore: now.Add(s.cancelGrace),
	})
}
