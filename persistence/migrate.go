package persistence

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/procession-dev/procession/persistence/migrations"
)

// Migrate updates the schema, and begins an era of the event log if the database was restored in another cluster. It
// returns an error, and does not change it, if the schema is older than the baseline. Concurrent calls are serialized, also
// between processes.
func (db *DB) Migrate(ctx context.Context) error {
	provider, closeProvider, err := db.migrations()
	if err != nil {
		return err
	}
	defer closeProvider()
	current, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("reading the schema version: %w", err)
	}
	if current > 0 && current < migrations.Baseline {
		return fmt.Errorf("the schema is at version %d, and this build migrates databases from version %d on: first run procession migrate "+
			"of a build that ends at version %d", current, migrations.Baseline, migrations.Baseline)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrating the database: %w", err)
	}
	return db.adoptEvents(ctx)
}

// Migrated reports whether Migrate is not needed: the schema is at the version of this build or newer.
func (db *DB) Migrated(ctx context.Context) (bool, error) {
	provider, closeProvider, err := db.migrations()
	if err != nil {
		return false, err
	}
	defer closeProvider()
	pending, err := provider.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("reading the schema version: %w", err)
	}
	if pending {
		return false, nil
	}
	return db.eventsAdopted(ctx)
}

// SchemaVersion returns the version that the schema is at, and the newest one that this build knows, which is lower when
// a newer build has migrated the database.
func (db *DB) SchemaVersion(ctx context.Context) (current, newest int64, err error) {
	provider, closeProvider, err := db.migrations()
	if err != nil {
		return 0, 0, err
	}
	defer closeProvider()
	current, newest, err = provider.GetVersions(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("reading the schema version: %w", err)
	}
	return current, newest, nil
}

func (db *DB) migrations() (provider *goose.Provider, closeProvider func(), err error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, nil, fmt.Errorf("preparing migrations: %w", err)
	}
	sqlDB := db.openUnlimited()
	provider, err = migrations.NewProvider(sqlDB, goose.WithSessionLocker(locker))
	if err != nil {
		_ = sqlDB.Close()
		return nil, nil, fmt.Errorf("reading migrations: %w", err)
	}
	return provider, func() { _ = sqlDB.Close() }, nil
}
