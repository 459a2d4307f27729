package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// servePatience is how long serve waits for a database that does not answer when it starts.
	servePatience = time.Minute
	// databaseRetry is the time between two attempts.
	databaseRetry = time.Second
)

// awaitDatabase returns when the database answers. While it cannot be reached it tries again until patience is over.
// An answer that it will give again, such as that the password is wrong, is returned at once.
func awaitDatabase(ctx context.Context, db *persistence.DB, patience time.Duration, log *slog.Logger) error {
	over := time.After(patience)
	ticker := time.NewTicker(databaseRetry)
	defer ticker.Stop()
	for {
		err := db.Ping(ctx)
		var known *domain.Error
		if !errors.As(err, &known) || known.Kind != domain.KindUnavailable {
			return err
		}
		log.WarnContext(ctx, "waiting for PostgreSQL", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return err
		case <-ticker.C:
		}
	}
}
