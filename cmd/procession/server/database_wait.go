package server

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/procession-dev/procession/domain"
	"github.com/procession-dev/procession/persistence"
)

const (
	// serveDatabaseTimeout is the longest wait of serve for PostgreSQL at its start.
	serveDatabaseTimeout = time.Minute
	// databaseRetry is the time between two attempts.
	databaseRetry = time.Second
	// databaseReminder is the time between two messages about the wait.
	databaseReminder = 10 * time.Second
)

// awaitDatabase waits until the database answers, at most for timeout. It returns permanent errors, such as a
// wrong password, at once.
func awaitDatabase(ctx context.Context, db *persistence.DB, timeout time.Duration, log *slog.Logger) error {
	expired := time.After(timeout)
	ticker := time.NewTicker(databaseRetry)
	defer ticker.Stop()
	for waited := time.Duration(0); ; waited += databaseRetry {
		err := db.Ping(ctx)
		var failure *domain.Error
		if !errors.As(err, &failure) || failure.Kind != domain.KindUnavailable {
			return err
		}
		if waited%databaseReminder == 0 {
			log.WarnContext(ctx, "waiting for PostgreSQL", slog.String("error", uniqueLines(err)))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-expired:
			return err
		case <-ticker.C:
		}
	}
}

// uniqueLines returns the text of an error without repeated lines: pgx reports each attempt to connect, with and without TLS.
func uniqueLines(err error) string {
	var unique []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(unique, line) {
			unique = append(unique, line)
		}
	}
	return strings.Join(unique, " ")
}
