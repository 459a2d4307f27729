package retention

import (
	"context"
	"strconv"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
	"github.com/procession-dev/procession/persistence/internal/pg"
)

const (
	addPartition  = `SELECT add_event_partition($1)`
	dropPartition = `SELECT of_era, n, session_user FROM drop_event_partition($1)`

	findPartitions = `SELECT count(*), coalesce(sum(n), 0)::bigint FROM old_event_partitions($1)`

	readLog = `
SELECT (SELECT p.begins_at FROM event_partitions p JOIN event_ledger l ON l.era = p.era
         WHERE EXISTS (SELECT 1 FROM events e WHERE e.era = l.era)),
       (SELECT count(*) FROM event_partitions),
       (SELECT min(w.due_at) FROM retention_turns w)`
)

// AddPartition begins the next partition of the event log if the last one has events and has lasted for as long as
// domain.EventEra says, and reports whether it did. It returns false while events cannot be locked for a moment.
func AddPartition(ctx context.Context, db *persistence.DB, longest Bounds) (added bool, err error) {
	lasting := domain.EventEra(longest[domain.RetainEvents])
	err = db.Send(ctx, []pg.Query{pg.Q(addPartition, []any{lasting}, pg.One(&added))})
	if pg.LockNotAvailable(err) {
		return false, nil
	}
	return added, pg.Translate("beginning a partition of the event log", err)
}

// Partitions are partitions of the event log, and how many events they have, as PostgreSQL estimates it.
type Partitions struct {
	Count, Events int64
}

// DropPartition drops the first partition of the event log if no event in it must stay: all are older than before, were read
// by all followers of the log, and have no deliveries. It returns a count of 0 if there is none, or if
// events cannot be locked for a moment.
func DropPartition(ctx context.Context, db *persistence.DB, before, now time.Time) (Partitions, error) {
	var dropped Partitions
	err := db.Record(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) {
		dropped = Partitions{}
		var era *int32
		var n *int64
		var role string
		err := tx.Change(ctx, pg.Q(dropPartition, []any{before}, pg.One(&era, &n, &role)))
		if err != nil || era == nil {
			return domain.NoEvents(), err
		}
		dropped = Partitions{Count: 1, Events: *n}
		e := domain.Event{
			Type: domain.EventEventsRemoved, ResourceKind: domain.ResourceTenant,
			ActorID: domain.SystemPrincipalID(), OccurredAt: now,
		}
		return domain.Events{e.With("partition", strconv.Itoa(int(*era))).With("estimatedCount", strconv.FormatInt(*n, 10)).
			With("before", before.UTC().Format(time.RFC3339)).With("databaseRole", role)}, nil
	})
	if pg.LockNotAvailable(err) {
		return Partitions{}, nil
	}
	return dropped, pg.Translate("dropping a partition of the event log", err)
}

// FindPartitions returns the partitions that repeated calls of DropPartition would drop.
func FindPartitions(ctx context.Context, r *persistence.Reader, before time.Time) (Partitions, error) {
	var found Partitions
	err := r.Read(ctx, pg.Q(findPartitions, []any{before}, pg.One(&found.Count, &found.Events)))
	return found, pg.Translate("looking for old partitions of the event log", err)
}

// State is the progress of the removal of old data. LastBegan is nil while the last partition has no events, OldestDue while
// there is no turn.
type State struct {
	LastBegan, OldestDue *time.Time
	Partitions           int64
}

// ReadState reads how far the removal of old data is.
func ReadState(ctx context.Context, r *persistence.Reader) (State, error) {
	var s State
	err := r.Read(ctx, pg.Q(readLog, nil, pg.One(&s.LastBegan, &s.Partitions, &s.OldestDue)))
	return s, pg.Translate("reading how far the removal of old data is", err)
}
