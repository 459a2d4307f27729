package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// clockOfProcess has the columns of DeadlineClock for a process p, clockOfDefinition for new processes of a definition d.
	clockOfProcess = `(SELECT t.time_zone FROM tenants t WHERE t.id = p.tenant_id),
       (SELECT r.spec FROM process_definition_versions w
          JOIN resources r ON r.tenant_id = p.tenant_id AND r.kind = 'Calendar' AND r.code = w.calendar
         WHERE w.version = p.process_version)`
	clockOfDefinition = `(SELECT t.time_zone FROM tenants t WHERE t.id = d.tenant_id),
       (SELECT r.spec FROM process_definition_versions w
          JOIN resources r ON r.tenant_id = d.tenant_id AND r.kind = 'Calendar' AND r.code = w.calendar
         WHERE w.version = d.published_version)`
	// clockOfStarted is clockOfDefinition for a definition p.
	clockOfStarted = `(SELECT t.time_zone FROM tenants t WHERE t.id = p.tenant_id),
       (SELECT r.spec FROM process_definition_versions w
          JOIN resources r ON r.tenant_id = p.tenant_id AND r.kind = 'Calendar' AND r.code = w.calendar
         WHERE w.version = p.published_version)`

	selectDeadlineSite = `
SELECT ` + processColumns + `, ` + clockOfProcess + `
  FROM processes p
 WHERE p.id = $1`
)

// DeadlineClock is the clock of the deadlines of a tenant.
type DeadlineClock struct {
	// Zone is a name of the IANA time zone database.
	Zone string
	// Calendar is the spec of the calendar that the definition names, nil for none.
	Calendar []byte
}

func (c *DeadlineClock) fields() []any { return []any{&c.Zone, &c.Calendar} }

// GetDeadlineSite returns a process with its values, and the clock of its deadlines.
func (tx *Tx) GetDeadlineSite(ctx context.Context, process uuid.UUID) (*domain.Process, DeadlineClock, error) {
	var p domain.Process
	var clock DeadlineClock
	err := tx.Read(ctx, pg.Q(selectDeadlineSite, []any{process}, scanProcess(&p, clock.fields()...)))
	return &p, clock, pg.NotFound(err, "process")
}
