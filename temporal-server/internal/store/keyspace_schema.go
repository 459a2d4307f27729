package store

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/server/common/persistence/nosql/nosqlplugin/cassandra/gocql"
	"go.temporal.io/server/tools/common/schema"
)

// agreementWait bounds the time until all nodes of Cassandra have a change of the schema.
const agreementWait = time.Minute

// keyspaceSchemaDB applies the schemas of Temporal's module to a keyspace. Its tables are the same as in Temporal's own
// tool, which links its tests and more.
type keyspaceSchemaDB struct {
	session  gocql.Session
	keyspace string
}

var _ schema.DB = (*keyspaceSchemaDB)(nil)

// Exec implements [schema.DB].
func (d *keyspaceSchemaDB) Exec(statement string, args ...any) error {
	if err := d.session.Query(statement, args...).Exec(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), agreementWait)
	defer cancel()
	return d.session.AwaitSchemaAgreement(ctx)
}

// DropAllTables implements [schema.DB]. It is for tests of Temporal only.
func (d *keyspaceSchemaDB) DropAllTables() error { return errors.ErrUnsupported }

// CreateSchemaVersionTables implements [schema.DB].
func (d *keyspaceSchemaDB) CreateSchemaVersionTables() error {
	err := d.Exec(`CREATE TABLE IF NOT EXISTS schema_version (
		keyspace_name text PRIMARY KEY, creation_time timestamp, curr_version text, min_compatible_version text)`)
	if err != nil {
		return err
	}
	return d.Exec(`CREATE TABLE IF NOT EXISTS schema_update_history (
		year int, month int, update_time timestamp, description text, manifest_md5 text, new_version text, old_version text,
		PRIMARY KEY ((year, month), update_time))`)
}

// ReadSchemaVersion implements [schema.DB].
func (d *keyspaceSchemaDB) ReadSchemaVersion() (version string, err error) {
	err = d.session.Query(`SELECT curr_version FROM schema_version WHERE keyspace_name = ?`, d.keyspace).Scan(&version)
	return version, err
}

// UpdateSchemaVersion implements [schema.DB].
func (d *keyspaceSchemaDB) UpdateSchemaVersion(version, compatible string) error {
	return d.session.Query(`INSERT INTO schema_version (keyspace_name, creation_time, curr_version, min_compatible_version) VALUES (?, ?, ?, ?)`,
		d.keyspace, time.Now().UTC(), version, compatible).Exec()
}

// WriteSchemaUpdateLog implements [schema.DB].
func (d *keyspaceSchemaDB) WriteSchemaUpdateLog(before, after, manifest, description string) error {
	now := time.Now().UTC()
	return d.session.Query(`INSERT INTO schema_update_history (year, month, update_time, old_version, new_version, manifest_md5, description)
		VALUES (?, ?, ?, ?, ?, ?, ?)`, now.Year(), int(now.Month()), now, before, after, manifest, description).Exec()
}

// Close implements [schema.DB].
func (d *keyspaceSchemaDB) Close() { d.session.Close() }

// Type implements [schema.DB].
func (d *keyspaceSchemaDB) Type() string { return "cassandra" }
