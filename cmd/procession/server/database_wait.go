package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// serveDatabaseTimeout is the longest wait of serve for PostgreSQL at its start.
	serveDatabaseTimeout = time.Minute
	// databaseRetry is the time between two attempts.
	databaseRetry = time.Second
)

// awaitDatabase waits until the database answers, at most for timeout. It returns permanent errors, such as a
// wrong password, at once.
func awaitDatabase(ctx context.Context, db *persistence.DB, timeout time.Duration, log *slog.Logger) error {
	expired := time.After(timeout)
	ticker := time.NewTicker(databaseRetry)
	defer ticker.Stop()
	for {
		err := db.Ping(ctx)
		var failure *domain.Error
		if !errors.As(err, &failure) || failure.Kind != domain.KindUnavailable {
			return err
		}
		log.WarnContext(ctx, "waiting for PostgreSQL", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-expired:
			return err
		case <-ticker.C:
		}
	}
}
