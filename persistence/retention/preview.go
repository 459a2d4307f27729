package retention

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	// lookedAtOnce bounds the processes that one statement looks at.
	lookedAtOnce = 1000

	findEvents    = `SELECT n, first_kept FROM old_events($1, $2, NULL)`
	findProcesses = `SELECT looked, n, after_at, after_id, first_kept FROM old_processes($1, $2, coalesce($4::timestamptz, '-infinity'), $5, $3, false)`
	findYounger   = `SELECT min(p.created_at) FROM processes p WHERE p.tenant_id = $1 AND p.created_at >= $2`

	findDeleted = `
SELECT o.processes + o.artifacts,
       least((SELECT min(p.deleted_at) FROM processes p WHERE p.tenant_id = $1 AND p.deleted_at >= $2),
             (SELECT min(a.deleted_at) FROM business_artifacts a WHERE a.tenant_id = $1 AND a.deleted_at >= $2))
  FROM old_deleted($1, $2, NULL, false) o`

	findDeliveries = `
SELECT (SELECT count(*) FROM webhook_deliveries d WHERE d.tenant_id = $1 AND d.finished_at < $2),
       (SELECT min(d.finished_at) FROM webhook_deliveries d WHERE d.tenant_id = $1 AND d.finished_at >= $2)`

	findCalls = `
SELECT (SELECT count(*) FROM assistance_calls c WHERE` + oldCalls + `),
       (SELECT min(c.asked_at) FROM assistance_calls c WHERE c.tenant_id = $1 AND c.asked_at >= $2)`

	findIncidents = `
SELECT (SELECT count(*) FROM incidents i WHERE` + oldIncidents + `),
       (SELECT min(i.resolved_at) FROM incidents i WHERE i.tenant_id = $1 AND i.state <> 'OPEN' AND i.resolved_at >= $2)`
)

// Found contains the number of rows that a turn would remove. OldestKept is the time of the oldest that would stay: of processes the
// time of creation, nil if there is none.
type Found struct {
	Count      int64
	OldestKept *time.Time
}

// Find counts the rows that Remove would remove in the turn.
func Find(ctx context.Context, r *persistence.Reader, t Turn) (Found, error) {
	var f Found
	args := []any{t.TenantID, t.Before}
	statement := map[domain.RetentionKind]string{
		domain.RetainEvents: findEvents, domain.RetainDeleted: findDeleted,
		domain.RetainDeliveries: findDeliveries, domain.RetainAssistanceCalls: findCalls,
		domain.RetainIncidents: findIncidents,
	}[t.Kind]
	var err error
	if t.Kind == domain.RetainProcesses {
		err = f.addProcesses(ctx, r, t)
	} else {
		err = r.Read(ctx, pg.Q(statement, args, pg.One(&f.Count, &f.OldestKept)))
	}
	return f, pg.Translate("looking for old data", err)
}

// addProcesses looks at processes part by part, as Remove does.
func (f *Found) addProcesses(ctx context.Context, r *persistence.Reader, t Turn) error {
	for looked := int64(lookedAtOnce); looked == lookedAtOnce; {
		var n int64
		var kept *time.Time
		var id *uuid.UUID
		err := r.Read(ctx, pg.Q(findProcesses, []any{t.TenantID, t.Before, lookedAtOnce, t.afterAt, t.afterID},
			pg.One(&looked, &n, &t.afterAt, &id, &kept)))
		if err != nil {
			return err
		}
		f.Count += n
		if f.OldestKept == nil {
			f.OldestKept = kept
		}
		if id != nil {
			t.afterID = *id
		}
	}
	if f.OldestKept != nil {
		return nil
	}
	return r.Read(ctx, pg.Q(findYounger, []any{t.TenantID, t.Before}, pg.One(&f.OldestKept)))
}
