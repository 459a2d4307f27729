package persistence

import (
	"context"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// The parts of the columns of DeadlineClock, between a tenant, the tenant again, and a version of a process definition.
	zoneOfTenant   = `(SELECT t.time_zone FROM tenants t WHERE t.id = `
	calendarOfSite = `),
       (SELECT r.spec FROM process_definition_versions w
          JOIN resources r ON r.tenant_id = `
	calendarOfVersion = ` AND r.kind = 'Calendar' AND r.code = w.calendar
         WHERE w.version = `

	// clockOfProcess has the columns for a process p, the others for new processes of a definition d or p.
	clockOfProcess    = zoneOfTenant + `p.tenant_id` + calendarOfSite + `p.tenant_id` + calendarOfVersion + `p.process_version)`
	clockOfDefinition = zoneOfTenant + `d.tenant_id` + calendarOfSite + `d.tenant_id` + calendarOfVersion + `d.published_version)`
	clockOfStarted    = zoneOfTenant + `p.tenant_id` + calendarOfSite + `p.tenant_id` + calendarOfVersion + `p.published_version)`

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
