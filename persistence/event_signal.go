package persistence

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// eventChannel is where replicas tell each other that there are new events.
const eventChannel = "procession_events"

// dedicated opens a connection beside the pool's.
func (db *DB) dedicated(ctx context.Context) (conn *pgx.Conn, closeConn func(), err error) {
	conn, err = pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
	if err != nil {
		return nil, nil, translate("connecting to the database", err)
	}
	return conn, func() {
		// Nothing is left on it to be lost.
		_ = conn.Close(context.WithoutCancel(ctx))
	}, nil
}

// SendEventSignals tells all replicas of new events whenever next returns nil, on
// a connection of its own. It returns the error of next, or that of the
// connection.
func (db *DB) SendEventSignals(ctx context.Context, next func() error) error {
	conn, closeConn, err := db.dedicated(ctx)
	if err != nil {
		return err
	}
	defer closeConn()
	for {
		if err := next(); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, "NOTIFY "+eventChannel); err != nil {
			return translate("telling of new events", err)
		}
	}
}

// ReceiveEventSignals calls ready once it listens, and received whenever a replica
// tells of new events, until ctx or the connection ends; that is the error it
// returns.
func (db *DB) ReceiveEventSignals(ctx context.Context, ready, received func()) error {
	conn, closeConn, err := db.dedicated(ctx)
	if err != nil {
		return err
	}
	defer closeConn()
	if _, err := conn.Exec(ctx, "LISTEN "+eventChannel); err != nil {
		return translate("listening for new events", err)
	}
	ready()
	for {
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return fmt.Errorf("listening for new events: %w", err)
		}
		received()
	}
}
