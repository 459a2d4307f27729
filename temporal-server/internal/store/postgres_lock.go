package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// ownerLock is the advisory lock that a running server holds on its main database ("processn" in ASCII).
	ownerLock = 0x70726f636573736e

	// ownerWait is the time for which a starting server waits for the previous one to release the lock.
	ownerWait = 15 * time.Second

	// setupLock is held while one process of a cluster prepares the databases; others wait for it for setupWait.
	setupLock = ownerLock + 1
	setupWait = time.Minute
)

// lockDatabase makes this process the only server on the database, by an advisory lock that ends with the process. Each server assumes that it
// owns all history shards. Processes of one cluster share the lock. With updates, one process at a time prepares the database, until it calls
// prepared. release releases the database.
func lockDatabase(
	ctx context.Context, base *url.URL, database string, split, updates bool,
) (release func() error, prepared func(context.Context) error, err error) {
	conn, err := pgx.Connect(ctx, withDatabase(base, database))
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to database %s: %w", database, err)
	}
	release = func() error { return conn.Close(context.WithoutCancel(ctx)) }
	prepared = func(context.Context) error { return nil }
	lock := `SELECT pg_try_advisory_lock($1)`
	if split {
		lock = `SELECT pg_try_advisory_lock_shared($1)`
	}
	if err := tryLock(ctx, conn, lock, ownerLock, ownerWait); err != nil {
		if errors.Is(err, errLocked) {
			err = fmt.Errorf("another temporal-server uses database %s: stop it, or choose other names with --database and --visibility-database", database)
		}
		return nil, nil, errors.Join(err, release())
	}
	if updates {
		if err := tryLockSetup(ctx, conn, database); err != nil {
			return nil, nil, errors.Join(err, release())
		}
		prepared = func(ctx context.Context) error {
			_, err := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, int64(setupLock))
			return err
		}
	}
	return release, prepared, nil
}

// lockSetup makes this process the only one that prepares a database, until unlock. Running servers do not prevent it.
func lockSetup(ctx context.Context, base *url.URL, database string) (unlock func() error, err error) {
	conn, err := pgx.Connect(ctx, withDatabase(base, database))
	if err != nil {
		return nil, fmt.Errorf("connecting to database %s: %w", database, err)
	}
	unlock = func() error { return conn.Close(context.WithoutCancel(ctx)) }
	if err := tryLockSetup(ctx, conn, database); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return unlock, nil
}

func tryLockSetup(ctx context.Context, conn *pgx.Conn, database string) error {
	if err := tryLock(ctx, conn, `SELECT pg_try_advisory_lock($1)`, setupLock, setupWait); err != nil {
		return fmt.Errorf("waiting for another process that prepares database %s: %w", database, err)
	}
	return nil
}

var errLocked = errors.New("the lock is held")

// tryLock repeats a statement that tries to take a lock, until wait has passed.
func tryLock(ctx context.Context, conn *pgx.Conn, sql string, key int64, wait time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	retry := time.NewTicker(200 * time.Millisecond)
	defer retry.Stop()
	for {
		var locked bool
		if err := conn.QueryRow(ctx, sql, key).Scan(&locked); err != nil {
			return fmt.Errorf("locking the database: %w", err)
		}
		if locked {
			return nil
		}
		select {
		case <-retry.C:
		case <-waiting.Done():
			return errLocked
		}
	}
}
