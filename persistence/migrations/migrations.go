// Package migrations holds the database schema: the baseline, one SQL file for each subject in the folder baseline, and the
// goose migrations that follow it. Migrations go forward only. A migration leaves a database that the previous release
// works with.
package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// Baseline is the version of the baseline. Databases that earlier migrations brought to this version have the same schema.
const Baseline = 49

//go:embed baseline/*.sql
var baseline embed.FS

//go:embed *.sql
var later embed.FS

// NewProvider returns a provider of the baseline and all migrations for the database.
func NewProvider(db *sql.DB, options ...goose.ProviderOption) (*goose.Provider, error) {
	options = append(options, goose.WithGoMigrations(goose.NewGoMigration(Baseline, &goose.GoFunc{RunTx: createBaseline}, nil)))
	return goose.NewProvider(goose.DialectPostgres, db, later, options...)
}

// createBaseline executes the files of the baseline in the order of their names.
func createBaseline(ctx context.Context, tx *sql.Tx) error {
	files, err := fs.Glob(baseline, "baseline/*.sql")
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := baseline.ReadFile(file)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}
