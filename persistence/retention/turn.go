package retention

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

// Bounds are the longest times for which an installation keeps data. A kind without one is kept forever.
type Bounds map[domain.RetentionKind]time.Duration

// Turn is the removal of the data of one kind, of one tenant, that is older than a time. The zero tenant has the
// events of no tenant.
type Turn struct {
	TenantID uuid.UUID
	// Tenant is the code of the tenant.
	Tenant string
	Kind   domain.RetentionKind
	Before time.Time
	// afterAt and afterID are where the next part begins.
	afterAt *time.Time
	afterID uuid.UUID
}

const (
	// bound is how long data of kind k is kept for tenant t: as long as the installation keeps it, or for the days that
	// the tenant's manifest r has if these are fewer.
	bound = `least(make_interval(secs => nullif(k.seconds, 0)),
             ` + own + `)`

	own = `make_interval(days => (r.spec #>> ARRAY['retention', k.field])::integer)`

	// boundOfTurn is bound, or NULL for events that are kept as long as the installation keeps them: these go with whole
	// partitions.
	boundOfTurn = `CASE WHEN k.kind <> 'EVENTS' OR NOT coalesce(` + own + ` >= make_interval(secs => nullif(k.seconds, 0)), ` + own + ` IS NULL)
            THEN ` + bound + ` END`

	kindsAndTenants = `
  FROM unnest($1::text[], $2::text[], $3::float8[]) AS k (kind, field, seconds)
 CROSS JOIN (SELECT id, code FROM tenants
              UNION ALL
             SELECT '00000000-0000-0000-0000-000000000000', '') AS t
  LEFT JOIN resources r ON r.tenant_id = t.id AND r.kind = 'Tenant'
 WHERE (k.kind = 'EVENTS' OR t.code <> '')`

	listTurns = `
SELECT t.id, t.code, k.kind, ` + bound + kindsAndTenants + `
 ORDER BY t.code, array_position($1::text[], k.kind)`

	planTurns = `
INSERT INTO retention_turns (tenant_id, kind, due_at)
SELECT t.id, k.kind, $4` + kindsAndTenants + ` AND ` + boundOfTurn + ` IS NOT NULL
    ON CONFLICT DO NOTHING`

	postponeTurn = `
UPDATE retention_turns
   SET due_at = $3
 WHERE tenant_id = $1 AND kind = $2`
)

// boundArgs returns the kinds, the names of their fields in the manifest of a tenant, and the bounds in seconds.
func (b Bounds) boundArgs() []any {
	kinds := domain.RetentionKinds()
	fields, seconds := make([]string, len(kinds)), make([]float64, len(kinds))
	names := map[domain.RetentionKind]string{
		domain.RetainEvents: "events", domain.RetainProcesses: "processes", domain.RetainDeleted: "deleted",
		domain.RetainDeliveries: "deliveries", domain.RetainAssistanceCalls: "assistanceCalls", domain.RetainIncidents: "incidents",
	}
	for i, kind := range kinds {
		fields[i], seconds[i] = names[kind], b[kind].Seconds()
	}
	return []any{kinds, fields, seconds}
}

// Turns returns the turns of all kinds and tenants, in the order of their codes. Before is zero where everything is
// kept.
func Turns(ctx context.Context, r *persistence.Reader, longest Bounds, now time.Time) ([]Turn, error) {
	var turns []Turn
	err := r.Read(ctx, pg.Q(listTurns, longest.boundArgs(), func(rows pgx.Rows) (err error) {
		turns, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t Turn, err error) {
			var kept *time.Duration
			err = row.Scan(&t.TenantID, &t.Tenant, &t.Kind, &kept)
			t.Before = cutoffTime(now, kept)
			return t, err
		})
		return err
	}))
	return turns, pg.Translate("reading the retention", err)
}

func cutoffTime(now time.Time, kept *time.Duration) time.Time {
	if kept == nil {
		return time.Time{}
	}
	return now.Add(-*kept)
}

// Plan stores the turns of all kinds and tenants that have a bound, which RemoveDue then finds. Events that are kept as
// long as the installation keeps them have no turn: DropPartition removes them.
func Plan(ctx context.Context, db *persistence.DB, longest Bounds, now time.Time) error {
	err := db.Send(ctx, []pg.Query{pg.Q(planTurns, append(longest.boundArgs(), now), pg.None)})
	return pg.Translate("planning a removal", err)
}

// Postpone delays the turn until a later time.
func Postpone(ctx context.Context, db *persistence.DB, t Turn, until time.Time) error {
	err := db.Send(ctx, []pg.Query{pg.Q(postponeTurn, []any{t.TenantID, t.Kind, until}, pg.None)})
	return pg.Translate("postponing a removal", err)
}
