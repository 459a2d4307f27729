// Package pgstore implements access.Store in PostgreSQL.
package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/procession-dev/procession/temporal-server/access"
	"github.com/procession-dev/procession/temporal-server/internal/tlspolicy"
)

// Schema is the database schema of the two tables. Temporal and its schema tool ignore it.
const Schema = "procession_guard"

const (
	// maxConnections bounds the pool: a frontend needs one query for each new queue, and then one every few minutes.
	maxConnections = 4

	schemaExists = `SELECT to_regclass('procession_guard.seal_key') IS NOT NULL AND to_regclass('procession_guard.queue_owner') IS NOT NULL`

	// The lock serializes frontends that start together.
	create = `
SELECT pg_advisory_xact_lock(hashtext('procession_guard'));
CREATE SCHEMA IF NOT EXISTS procession_guard;
CREATE TABLE IF NOT EXISTS procession_guard.seal_key (
    only_row   boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    key        bytea       NOT NULL CHECK (length(key) = 32),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS procession_guard.queue_owner (
    namespace  text        NOT NULL,
    queue      text        NOT NULL,
    subject    text        NOT NULL,
    bound_at   timestamptz NOT NULL,
    renewed_at timestamptz NOT NULL,
    PRIMARY KEY (namespace, queue)
);
CREATE INDEX IF NOT EXISTS queue_owner_subject ON procession_guard.queue_owner (namespace, subject);
CREATE INDEX IF NOT EXISTS queue_owner_renewed ON procession_guard.queue_owner (renewed_at);`

	addKey  = `INSERT INTO procession_guard.seal_key (key) VALUES ($1) ON CONFLICT DO NOTHING`
	readKey = `SELECT key FROM procession_guard.seal_key`

	// The result is empty when the queue has no owner and the subject has reached its
	// limit. Of two concurrent frontends the second waits and gets the row of the
	// first.
	claim = `
INSERT INTO procession_guard.queue_owner AS o (namespace, queue, subject, bound_at, renewed_at)
SELECT $1::text, $2::text, $3::text, $4::timestamptz, $4::timestamptz
 WHERE $3 = ''
    OR EXISTS (SELECT FROM procession_guard.queue_owner WHERE namespace = $1 AND queue = $2)
    OR (SELECT count(*) FROM procession_guard.queue_owner WHERE namespace = $1 AND subject = $3) < $5::bigint
ON CONFLICT (namespace, queue) DO UPDATE
   SET subject    = CASE WHEN excluded.subject = '' THEN '' ELSE o.subject END,
       renewed_at = CASE WHEN excluded.subject IN ('', o.subject) THEN greatest(o.renewed_at, excluded.renewed_at) ELSE o.renewed_at END
RETURNING subject`

	owner  = `SELECT subject FROM procession_guard.queue_owner WHERE namespace = $1 AND queue = $2`
	forget = `DELETE FROM procession_guard.queue_owner WHERE renewed_at < $1`
)

// Store is an [access.Store] in a PostgreSQL database, as a rule Temporal's own.
type Store struct {
	pool *pgxpool.Pool
}

var _ access.Store = (*Store)(nil)

// Open connects to the database url names and creates the schema when it is absent; the role then needs CREATE on the database. No error
// shows the URL's password.
func Open(ctx context.Context, url string) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("the database URL is malformed") // the parse error quotes it
	}
	tlspolicy.Restrict(config.ConnConfig.TLSConfig)
	for _, fallback := range config.ConnConfig.Fallbacks {
		tlspolicy.Restrict(fallback.TLSConfig)
	}
	config.MaxConns = maxConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting: %w", err)
	}
	s := &Store{pool: pool}
	if err := s.createSchema(ctx); err != nil {
		pool.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the connections.
func (s *Store) Close() { s.pool.Close() }

func (s *Store) createSchema(ctx context.Context) error {
	var ready bool
	if err := s.pool.QueryRow(ctx, schemaExists).Scan(&ready); err != nil {
		return fmt.Errorf("looking for schema %s: %w", Schema, err)
	}
	if ready {
		return nil
	}
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, create)
		return err
	})
	if err != nil {
		return fmt.Errorf("creating schema %s: %w", Schema, err)
	}
	return nil
}

// SealKey implements [access.Store].
func (s *Store) SealKey(ctx context.Context) ([]byte, error) {
	fresh := make([]byte, access.SealKeyBytes)
	_, _ = rand.Read(fresh) // it never fails
	if _, err := s.pool.Exec(ctx, addKey, fresh); err != nil {
		return nil, fmt.Errorf("adding the seal key: %w", err)
	}
	var key []byte
	if err := s.pool.QueryRow(ctx, readKey).Scan(&key); err != nil {
		return nil, fmt.Errorf("reading the seal key: %w", err)
	}
	return key, nil
}

// Claim implements [access.Store]. Concurrent frontends may exceed most by one queue each.
func (s *Store) Claim(ctx context.Context, c access.Claim, most int) (string, error) {
	var subject string
	err := s.pool.QueryRow(ctx, claim, c.Namespace, c.Queue, c.Subject, c.At, most).Scan(&subject)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", access.ErrTooManyQueues
	}
	if err != nil {
		return "", fmt.Errorf("claiming a task queue: %w", err)
	}
	return subject, nil
}

// Owner implements [access.Store].
func (s *Store) Owner(ctx context.Context, namespace, queue string) (string, bool, error) {
	var subject string
	err := s.pool.QueryRow(ctx, owner, namespace, queue).Scan(&subject)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("looking up a task queue's owner: %w", err)
	}
	return subject, true, nil
}

// Forget implements [access.Store].
func (s *Store) Forget(ctx context.Context, before time.Time) error {
	if _, err := s.pool.Exec(ctx, forget, before); err != nil {
		return fmt.Errorf("forgetting task queues: %w", err)
	}
	return nil
}
