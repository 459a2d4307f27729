package persistence

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/procession-dev/procession/persistence/internal/pg"
)

// eventChannel is the channel on which replicas notify each other of new events.
const eventChannel = "procession_events"

// openSession opens a connection outside the pools, with a session of its own.
func (db *DB) openSession(ctx context.Context) (conn *pgx.Conn, closeConn func(), err error) {
	conn, err = pgx.ConnectConfig(ctx, db.pools.direct)
	if err != nil {
		return nil, nil, pg.Translate("connecting to the database", err)
	}
	return conn, func() {
		// Errors are ignored: the connection holds no uncommitted work.
		_ = conn.Close(context.WithoutCancel(ctx))
	}, nil
}

// SendEventSignals notifies all replicas of new events whenever next returns nil, on a connection of its own. It
// returns the error of next or of the connection.
func (db *DB) SendEventSignals(ctx context.Context, next func() error) error {
	conn, closeConn, err := db.openSession(ctx)
	if err != nil {
		return err
	}
	defer closeConn()
	for {
		if err := next(); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, "NOTIFY "+eventChannel); err != nil {
			return pg.Translate("notifying of new events", err)
		}
	}
}

// ReceiveEventSignals calls ready once it listens, and received whenever a replica notifies of new events, until
// ctx or the connection ends; it returns that error.
func (db *DB) ReceiveEventSignals(ctx context.Context, ready, received func()) error {
	conn, closeConn, err := db.openSession(ctx)
	if err != nil {
		return err
	}
	defer closeConn()
	if _, err := conn.Exec(ctx, "LISTEN "+eventChannel); err != nil {
		return pg.Translate("listening for new events", err)
	}
	ready()
	for {
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return pg.Translate("listening for new events", err)
		}
		received()
	}
}
