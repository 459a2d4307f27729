// Package cassandrastore implements access.Store in Cassandra.
package cassandrastore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	driver "github.com/gocql/gocql"
	"go.temporal.io/server/common/persistence/nosql/nosqlplugin/cassandra/gocql"

	"github.com/procession-dev/procession/temporal-server/access"
)

const (
	addKey = `INSERT INTO procession_seal_key (only_row, key) VALUES (true, ?) IF NOT EXISTS`

	readOwner = `SELECT subject, renewed_at FROM procession_queue_owner WHERE namespace = ? AND queue = ?`
	addOwner  = `INSERT INTO procession_queue_owner (namespace, queue, subject, renewed_at) VALUES (?, ?, ?, ?) IF NOT EXISTS`
	setOwner  = `UPDATE procession_queue_owner SET subject = ?, renewed_at = ? WHERE namespace = ? AND queue = ? IF subject = ? AND renewed_at = ?`

	countQueues = `SELECT count(*) FROM procession_subject_queue WHERE namespace = ? AND subject = ?`
	addQueue    = `INSERT INTO procession_subject_queue (namespace, subject, queue) VALUES (?, ?, ?)`
	removeQueue = `DELETE FROM procession_subject_queue USING TIMESTAMP ? WHERE namespace = ? AND subject = ? AND queue = ?`

	addRenewal = `INSERT INTO procession_renewal (hour, namespace, queue, subject) VALUES (?, ?, ?, ?)`
	addHour    = `INSERT INTO procession_renewal_hour (only_row, hour) VALUES (true, ?)`

	// maxAttempts bounds the repetitions of a claim that meets others of the same queue.
	maxAttempts = 20
)

// Store is an [access.Store] in a keyspace of Cassandra, as a rule Temporal's own.
type Store struct {
	session gocql.Session
}

var _ access.Store = (*Store)(nil)

// New returns the store in the keyspace of a session, which has the tables of [CreateTables] and a quorum as its consistency.
func New(session gocql.Session) *Store { return &Store{session: session} }

// SealKey implements [access.Store].
func (s *Store) SealKey(ctx context.Context) ([]byte, error) {
	key := make([]byte, access.SealKeyBytes)
	_, _ = rand.Read(key) // it never fails
	found := map[string]any{}
	added, err := s.session.Query(addKey, key).WithContext(ctx).MapScanCAS(found)
	if err != nil {
		return nil, fmt.Errorf("adding the seal key: %w", err)
	}
	if added {
		return key, nil
	}
	existing, ok := found["key"].([]byte)
	if !ok || len(existing) != access.SealKeyBytes {
		return nil, errors.New("the table procession_seal_key contains no key")
	}
	return existing, nil
}

// ownership is the owner of a queue; known is false if it has none.
type ownership struct {
	subject   string
	renewedAt time.Time
	known     bool
}

// Claim implements [access.Store]. Concurrent frontends may exceed most by one queue each.
func (s *Store) Claim(ctx context.Context, c access.Claim, most int) (string, error) {
	for range maxAttempts {
		found, err := s.findOwner(ctx, c.Namespace, c.Queue)
		switch {
		case err != nil:
			return "", err
		case found.known && found.subject != c.Subject && c.Subject != "":
			return found.subject, nil
		case found.known && found.subject == c.Subject && !c.At.Truncate(time.Millisecond).After(found.renewedAt):
			return c.Subject, nil
		}
		if !found.known && c.Subject != "" {
			if err := s.checkNumber(ctx, c, most); err != nil {
				return "", err
			}
		}
		changed, err := s.replaceOwner(ctx, c, found)
		if err != nil {
			return "", fmt.Errorf("claiming a task queue: %w", err)
		}
		if changed {
			return c.Subject, nil
		}
	}
	return "", errors.New("claiming a task queue: too many claims at the same time")
}

// checkNumber returns [access.ErrTooManyQueues] if the subject of a claim owns most queues.
func (s *Store) checkNumber(ctx context.Context, c access.Claim, most int) error {
	var owned int64
	if err := s.session.Query(countQueues, c.Namespace, c.Subject).WithContext(ctx).Scan(&owned); err != nil {
		return fmt.Errorf("counting the task queues of a subject: %w", err)
	}
	if owned >= int64(most) {
		return access.ErrTooManyQueues
	}
	return nil
}

// replaceOwner makes the subject of a claim the owner of its queue, if the owner is still the one that was found. The records for counting and
// forgetting are written first: an ownership without them would never be forgotten, and superfluous ones are forgotten in time.
func (s *Store) replaceOwner(ctx context.Context, c access.Claim, found ownership) (changed bool, err error) {
	began, at := time.Now(), c.At
	if found.renewedAt.After(at) {
		at = found.renewedAt
	}
	hour := at.UTC().Truncate(time.Hour)
	batch := s.session.NewBatch(gocql.LoggedBatch).WithContext(ctx)
	if c.Subject != "" {
		batch.Query(addQueue, c.Namespace, c.Subject, c.Queue)
	}
	batch.Query(addRenewal, hour, c.Namespace, c.Queue, c.Subject)
	batch.Query(addHour, hour)
	if err := s.session.ExecuteBatch(batch); err != nil {
		return false, err
	}
	query := s.session.Query(addOwner, c.Namespace, c.Queue, c.Subject, at)
	if found.known {
		query = s.session.Query(setOwner, c.Subject, at, c.Namespace, c.Queue, found.subject, found.renewedAt)
	}
	changed, err = query.WithContext(ctx).MapScanCAS(map[string]any{})
	if isContended(err) {
		return false, nil // the next attempt reads who owns the queue
	}
	if err != nil {
		return false, err
	}
	switch {
	case changed && found.known && found.subject != "" && found.subject != c.Subject:
		err = s.removeQueueOf(ctx, began, c.Namespace, found.subject, c.Queue)
	case !changed && !found.known && c.Subject != "":
		err = s.removeUnowned(ctx, c)
	}
	return changed, err
}

// removeUnowned removes the queue of a lost claim from the queues of its subject, unless a concurrent claim of the subject won.
func (s *Store) removeUnowned(ctx context.Context, c access.Claim) error {
	began := time.Now()
	owner, err := s.findOwner(ctx, c.Namespace, c.Queue)
	if err != nil || owner.subject == c.Subject {
		return err
	}
	return s.removeQueueOf(ctx, began, c.Namespace, c.Subject, c.Queue)
}

// removeQueueOf removes a queue from the queues of a subject, unless the subject has claimed it since a time.
func (s *Store) removeQueueOf(ctx context.Context, since time.Time, namespace, subject, queue string) error {
	return s.session.Query(removeQueue, since.UnixMicro(), namespace, subject, queue).WithContext(ctx).Exec()
}

// isContended reports whether a lightweight transaction had to give way to others, so that its outcome is unknown.
func isContended(err error) bool {
	if timeout, ok := errors.AsType[*driver.RequestErrWriteTimeout](err); ok {
		return timeout.WriteType == "CAS"
	}
	_, ok := errors.AsType[*driver.RequestErrCASWriteUnknown](err)
	return ok
}

// Owner implements [access.Store].
func (s *Store) Owner(ctx context.Context, namespace, queue string) (string, bool, error) {
	found, err := s.findOwner(ctx, namespace, queue)
	return found.subject, found.known, err
}

func (s *Store) findOwner(ctx context.Context, namespace, queue string) (ownership, error) {
	found := ownership{known: true}
	err := s.session.Query(readOwner, namespace, queue).WithContext(ctx).Scan(&found.subject, &found.renewedAt)
	if errors.Is(err, driver.ErrNotFound) {
		return ownership{}, nil
	}
	if err != nil {
		return ownership{}, fmt.Errorf("looking up a task queue's owner: %w", err)
	}
	return found, nil
}
