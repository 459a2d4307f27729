package cassandrastore

import (
	"context"
	"fmt"
	"time"
)

const (
	listHours  = `SELECT hour FROM procession_renewal_hour WHERE only_row = true AND hour < ?`
	removeHour = `DELETE FROM procession_renewal_hour WHERE only_row = true AND hour = ?`

	listRenewals  = `SELECT namespace, queue, subject FROM procession_renewal WHERE hour = ?`
	removeRenewal = `DELETE FROM procession_renewal WHERE hour = ? AND namespace = ? AND queue = ? AND subject = ?`

	removeOwner = `DELETE FROM procession_queue_owner WHERE namespace = ? AND queue = ? IF subject = ? AND renewed_at = ?`

	renewalsPage = 1000
)

// renewal is a claim, recorded under its hour.
type renewal struct {
	hour                      time.Time
	namespace, queue, subject string
}

// Forget implements [access.Store]. It reads the claims before a time, each once.
func (s *Store) Forget(ctx context.Context, before time.Time) error {
	if err := s.forgetHours(ctx, before); err != nil {
		return fmt.Errorf("forgetting task queues: %w", err)
	}
	return nil
}

func (s *Store) forgetHours(ctx context.Context, before time.Time) error {
	var hours []time.Time
	var hour time.Time
	iter := s.session.Query(listHours, before).WithContext(ctx).Iter()
	for iter.Scan(&hour) {
		hours = append(hours, hour)
	}
	if err := iter.Close(); err != nil {
		return err
	}
	for _, hour := range hours {
		if err := s.forgetHour(ctx, hour, before); err != nil {
			return err
		}
		if hour.Add(time.Hour).After(before) {
			continue // it has younger claims
		}
		if err := s.session.Query(removeHour, hour).WithContext(ctx).Exec(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) forgetHour(ctx context.Context, hour, before time.Time) error {
	iter := s.session.Query(listRenewals, hour).PageSize(renewalsPage).WithContext(ctx).Iter()
	for {
		r := renewal{hour: hour}
		if !iter.Scan(&r.namespace, &r.queue, &r.subject) {
			return iter.Close()
		}
		if err := s.forgetRenewal(ctx, r, before); err != nil {
			_ = iter.Close() // the error of the claim comes first
			return err
		}
	}
}

// forgetRenewal removes an ownership that was renewed before a time for the last time, and the record of its renewal.
func (s *Store) forgetRenewal(ctx context.Context, r renewal, before time.Time) error {
	began := time.Now()
	owner, err := s.findOwner(ctx, r.namespace, r.queue)
	if err != nil {
		return err
	}
	if owner.known && owner.subject == r.subject {
		switch {
		case owner.renewedAt.Before(before):
			removed, err := s.session.Query(removeOwner, r.namespace, r.queue, owner.subject, owner.renewedAt).
				WithContext(ctx).MapScanCAS(map[string]any{})
			if err != nil || !removed {
				return err // it was renewed meanwhile; the next call removes the record
			}
		case owner.renewedAt.Truncate(time.Hour).Equal(r.hour):
			return nil // this record is the one of the last renewal
		default:
			return s.removeRenewal(ctx, r)
		}
	}
	if r.subject != "" {
		if err := s.removeQueueOf(ctx, began, r.namespace, r.subject, r.queue); err != nil {
			return err
		}
	}
	return s.removeRenewal(ctx, r)
}

func (s *Store) removeRenewal(ctx context.Context, r renewal) error {
	return s.session.Query(removeRenewal, r.hour, r.namespace, r.queue, r.subject).WithContext(ctx).Exec()
}
