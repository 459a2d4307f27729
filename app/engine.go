package app

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// startWorkflow stages the command that starts a workflow on a worker's task queue. Its
// payloads are encrypted with the newest version of a key unless that is "".
func startWorkflow(tx *persistence.Tx, run domain.EngineRun, encryptionKey string, now time.Time) {
	if encryptionKey == "" {
		tx.InsertEngineRun(run, now)
	} else {
		tx.InsertEncryptedRun(run, encryptionKey, now)
	}
	tx.Enqueue(domain.EngineCommand{
		ID: domain.NewID(), RunID: run.ID, OrderKey: run.ID, Kind: domain.CommandStart, CreatedAt: now, NotBefore: now,
	})
}

// stopWorkflow asks the workflow of a process, if it has one, to cancel, and
// terminates it if it has not ended after the grace period. The termination has
// an order of its own, so that it does not delay later commands.
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

// openIncident stores that a workflow failed.
func openIncident(tx *persistence.Tx, run domain.EngineRun, c domain.RunEnd, now time.Time) domain.Event {
	incident := domain.NewIncident(domain.NewID(), run, c, now)
	tx.InsertIncident(incident)
	return domain.IncidentEvent(domain.EventIncidentCreated, &incident, domain.SystemPrincipalID(), now)
}
