// Package migrations holds the database schema as forward-only goose
// migrations. A migration must leave a database that the previous release can
// still work on.
package migrations

import "embed"

// FS holds the migrations, one .sql file each, in the order of their numbers.
//
//go:embed *.sql
var FS embed.FS
