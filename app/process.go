package app

import (
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// finishProcess stores a process that has got from a state into a final one.
func finishProcess(
	tx *persistence.Tx, p *domain.Process, from domain.ProcessState, by uuid.UUID, now time.Time,
) domain.Events {
	tx.UpdateProcessState(p)
	return domain.Events{domain.ProcessEvent(domain.EventProcessStateChanged, p, by, now).From(string(from))}
}
