// Package storage contains the common parts of the packages app and administration: transactions, storage of documents,
// indexed values and purposes of sealed values.
package storage

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/procession-dev/procession/authn"
	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

// Options configure a Store.
type Options struct {
	DB *persistence.DB
	// Clock returns the current time.
	Clock func() time.Time
	// Wake is called after a transaction that staged commands for Temporal has
	// committed. It must not block, and may be nil.
	Wake func()
	// Recorded is called after a transaction has committed that recorded events
	// for webhooks and the live feed, or has deliveries made again. It must not
	// block, and may be nil.
	Recorded func()
}

// Store is where operations read and write. It is safe for concurrent use.
type Store struct {
	DB          *persistence.DB
	Reader      *persistence.Reader
	clock       func() time.Time
	wake        func()
	recorded    func()
	revocations *authn.Revocations
}

// New returns a Store.
func New(o Options) *Store {
	s := &Store{
		DB: o.DB, Reader: o.DB.Reader(), clock: o.Clock, wake: o.Wake, recorded: o.Recorded,
		revocations: authn.NewRevocations(o.DB.Background().Reader(), o.Clock),
	}
	if s.wake == nil {
		s.wake = func() {}
	}
	if s.recorded == nil {
		s.recorded = func() {}
	}
	return s
}

// Background returns the store for work that no request waits for. It has
// database connections of its own, so that requests cannot exhaust them.
func (s *Store) Background() *Store {
	background := *s
	background.DB = s.DB.Background()
	background.Reader = background.DB.Reader()
	return &background
}

// Revocations returns the engine access that was revoked, through any replica. The
// caller has to load them at intervals.
func (s *Store) Revocations() *authn.Revocations { return s.revocations }

// Now returns the current time in the precision of the database.
func (s *Store) Now() time.Time { return s.clock().UTC().Truncate(time.Microsecond) }

// Announce notifies webhooks and the live feed that there may be new events and
// deliveries. A Write that records an event for them does so itself.
func (s *Store) Announce() { s.recorded() }

// errUnrecorded is the failure of an operation that changes rows without an event.
var errUnrecorded = errors.New("the operation changes something and returns no events")

// Write runs fn in a transaction and records the events that it returns, nil for a transaction without changes. After
// the commit, Write wakes the relay of staged commands and the deliveries of events.
func (s *Store) Write(ctx context.Context, call domain.Call, fn func(tx *persistence.Tx) (domain.Events, error)) error {
	return s.record(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		events, err := fn(tx)
		if err := preferPrecondition(err, tx); err != nil {
			return nil, err
		}
		if events == nil && tx.Changed() {
			return nil, errUnrecorded
		}
		return events, nil
	})
}

// Note is Write for internal state of the service: it records no events and checks no precondition.
func (s *Store) Note(ctx context.Context, fn func(tx *persistence.Tx) error) error {
	return s.record(ctx, domain.Call{}, func(tx *persistence.Tx) (domain.Events, error) { return nil, fn(tx) })
}

func (s *Store) record(ctx context.Context, call domain.Call, fn func(tx *persistence.Tx) (domain.Events, error)) error {
	staged, public, revoked := false, false, false
	err := s.DB.Record(ctx, call, func(tx *persistence.Tx) (domain.Events, error) {
		events, err := fn(tx)
		staged, public, revoked = tx.Staged(), slices.ContainsFunc(events, domain.Event.Public), tx.Revoked()
		return events, err
	})
	if err == nil && staged {
		s.wake()
	}
	if err == nil && public {
		s.recorded()
	}
	if err == nil && revoked {
		// When this fails, the reload that follows in seconds does the same.
		_ = s.revocations.Reload(ctx)
	}
	return err
}

// preferPrecondition returns the failure of the request's precondition if fn has succeeded, or failed because of the
// state of the resource. Failures of visibility and rights come first (RFC 9110, section 13.2.1).
func preferPrecondition(err error, tx *persistence.Tx) error {
	var refusal *domain.Error
	switch {
	case err == nil || errors.Is(err, domain.ErrActionFinal):
	case !errors.As(err, &refusal):
		return err
	case refusal.Code == domain.CodeProcessFinished:
	case refusal.Kind != domain.KindConflict && refusal.Kind != domain.KindInvalid:
		return err
	}
	if failed := tx.CheckPrecondition(); failed != nil {
		return failed
	}
	return err
}
