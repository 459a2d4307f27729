package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/blang/semver/v4"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/tools/common/schema"

	"github.com/procession-dev/procession/temporal-server/internal/options"
)

// schemaCommand is the command that prepares the stores, as errors name it.
const schemaCommand = "temporal-server schema"

// versioned is a part of a store with a schema.
type versioned interface {
	// partName describes the part, as in "database temporal in PostgreSQL".
	partName() string
	// targetVersion returns the version for this build.
	targetVersion() string
	// readVersion returns the present version, empty if there is none.
	readVersion(ctx context.Context) (string, error)
	// updatePart creates the part, or updates it to the version for this build.
	updatePart(ctx context.Context) error
}

// parts returns the parts of the stores that are in PostgreSQL, and the others.
func (s *stores) parts() (databases, others []versioned) {
	if s.opts.Store == options.StorePostgres {
		databases = append(databases, s.mainDatabase(), &postgresRules{stores: s})
	} else {
		others = append(others, &keyspace{stores: s}, &cassandraRules{stores: s})
	}
	if s.opts.Visibility == options.StorePostgres {
		return append(databases, s.visibilityDatabase()), others
	}
	return databases, append(others, &searchIndex{stores: s})
}

// Update creates the stores of opts, or updates them to the schema of this build, records the identity of the cluster, and reports each of these.
func Update(ctx context.Context, opts options.Options, logger log.Logger, report func(string)) (err error) {
	if opts.Store == options.StoreSQLite {
		return errors.New("--store sqlite has no schema to update: give the settings of the server, with --store postgres or cassandra")
	}
	s := &stores{opts: opts, logger: logger}
	if err := s.configure(); err != nil {
		return err
	}
	if err := s.createDatabases(ctx); err != nil {
		return err
	}
	unlock, err := s.lockSetup(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	databases, others := s.parts()
	if err := s.updateSchemas(ctx, append(databases, others...), report); err != nil {
		return err
	}
	if err := identifyCluster(ctx, opts, s.persistence, true, logger); err != nil {
		return err
	}
	report(fmt.Sprintf("cluster %s with the number %d: recorded", opts.ClusterName, opts.ClusterNumber))
	return nil
}

// lockSetup makes this process the only one that prepares the stores, until unlock.
func (s *stores) lockSetup(ctx context.Context) (unlock func() error, err error) {
	if s.opts.Store == options.StorePostgres {
		return lockSetup(ctx, s.base, s.opts.Database)
	}
	return s.lockKeyspace(ctx)
}

// updateSchemas updates parts and reports each of them.
func (s *stores) updateSchemas(ctx context.Context, parts []versioned, report func(string)) error {
	for _, part := range parts {
		before, err := part.readVersion(ctx)
		if err != nil {
			return fmt.Errorf("reading the version of %s: %w", part.partName(), err)
		}
		if err := part.updatePart(ctx); err != nil {
			return fmt.Errorf("updating %s: %w", part.partName(), err)
		}
		after, err := part.readVersion(ctx)
		if err != nil {
			return fmt.Errorf("reading the version of %s: %w", part.partName(), err)
		}
		report(part.partName() + ": " + describeUpdate(before, after))
	}
	return nil
}

func describeUpdate(before, after string) string {
	switch before {
	case "":
		return "created with version " + after
	case after:
		return "version " + after + " is up to date"
	default:
		return "updated from version " + before + " to " + after
	}
}

// verifySchemas returns an error if a part is missing or older than this build needs.
func (s *stores) verifySchemas(ctx context.Context, parts []versioned) error {
	var errs []error
	for _, part := range parts {
		found, err := part.readVersion(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("reading the version of %s: %w", part.partName(), err)
		case found == "":
			errs = append(errs, fmt.Errorf("%s is not set up: run %s with the same settings", part.partName(), schemaCommand))
		case isOlder(found, part.targetVersion()):
			errs = append(errs, fmt.Errorf("%s has version %s, and this build needs %s: run %s with the same settings",
				part.partName(), found, part.targetVersion(), schemaCommand))
		}
	}
	return errors.Join(errs...)
}

// isOlder reports whether a version is lower than another one. Versions that cannot be read are.
func isOlder(found, target string) bool {
	a, err := semver.ParseTolerant(found)
	if err != nil {
		return true
	}
	b, err := semver.ParseTolerant(target)
	return err != nil || a.LT(b)
}

// applySchema migrates an empty database, or any older version, to a schema of this build. Versions are applied one by one and recorded, so that an
// interrupted run continues the next time.
func applySchema(db schema.DB, name string, logger log.Logger) error {
	if err := schema.NewSetupSchemaTask(db, &schema.SetupConfig{InitialVersion: "0.0"}, logger).Run(); err != nil {
		return fmt.Errorf("creating the version tables: %w", err)
	}
	if err := schema.NewUpdateSchemaTask(db, &schema.UpdateConfig{SchemaName: name}, logger).Run(); err != nil {
		return fmt.Errorf("updating schema %s: %w", name, err)
	}
	return nil
}
